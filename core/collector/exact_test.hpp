// The exact test: which of a set of objects are garbage, by nothing but counts and traversals made in a
// stop. It is sound for any set, however it was chosen (README.md, "Why it is sound":
// inv.exact.nothing-live, inv.exact.nothing-missed, inv.exact.frozen).
// Source: CPython's own algorithm, on a subset; in components, as here, so that it can be cut up.
//
// An object is garbage if every reference to it comes from garbage. So the set is tested by strongly
// connected components, in topological order: a component is garbage if all references to its members
// come from itself and from components found to be garbage before it. Those are frozen: nobody can
// reach them, so what they refer to does not change between two stops. What is found to be live need not
// be followed: what it refers to fails its own test.
//
// The references from which components and their order are formed are read before the test; mutators may have
// changed them since. Then garbage may fail the test, and another collection finds it. Nothing live can pass,
// because the test reads counts and references anew, in its own stop.
//
// Everything is cut into slices. The slices before the test only prepare it, so the world may run during them:
//
//     ExactTest test(set, pins, memory, threads);
//     while (!test.number(deadline)) {}
//     while (test.read(deadline, world) != Next::kDone) {}      // a stop where it asks for one
//     while (!test.order(deadline)) {}
//     do { stop } while (!test.test(deadline, take, verdict));
//     while (!test.forget(deadline)) {}
//
// Several threads read, beside mutators. In a stop no mutator has use for its processor, so several threads, if that is
// worth it (sharing.hpp), weigh components: they count which references to
// each its own members hold. Only the verdicts follow in order, on the thread that stopped the world, and cost less.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>

#include "core/collector/candidates.hpp"
#include "core/collector/components.hpp"
#include "core/collector/deadline.hpp"
#include "core/collector/edge_reader.hpp"
#include "core/collector/sharing.hpp"
#include "core/collector/world.hpp"

namespace ouro::collector {

enum class Verdict {
    kLive,     // or not known to be dead
    kGarbage,  // for ever: nobody reaches it
    kKept,     // garbage, but one that may not be reclaimed refers to it, or is among it
    kTaken,    // garbage that has been dealt with (ExactTest::Take)
};

class SliceWorkers;

class ExactTest {
public:
    using Node = Components::Node;

    // Is told, by whichever thread weighed it, of a component that is garbage and may be reclaimed. True: that has been
    // dealt with; false: nothing was changed. Several are told at once, each of another component. `stopper` is the
    // word of the thread that stopped the world. May not throw.
    using Take = bool (*)(std::span<PyObject* const> objects, uint32_t stopper);

    // A component as it was weighed: what its members' own references leave unexplained is known.
    struct Weighed {
        enum class Found : uint32_t { kLive, kOpen, kTaken };

        Found found = Found::kLive;
        uint32_t worker = 0;
        size_t outward = 0;  // in the worker's list: where its own begin
        size_t outward_end = 0;
    };
    // Of a thread that weighs: on a cache line of its own.
    struct alignas(64) Worker {
        heap::PageVector<Node> outward;  // references to other components
        ExactTest* test = nullptr;
        Lookups lookups;             // of references
        Node node = 0;               // of the component that is weighed
        uint32_t work = 0;           // objects and references
        bool out_of_memory = false;  // in a traversal, which cannot throw
        bool all_forgotten = true;   // of what was taken: each was still there
    };
    // Kept from one test to the next.
    struct Memory {
        EdgeReader::Memory reading;
        Components components;
        heap::PageVector<uint32_t> unexplained;
        heap::PageVector<PyObject*> objects;
        heap::PageVector<Weighed> weighed;
        heap::PageVector<Worker> workers;
        Sharing sharing;
    };

    // Of the whole set. With pins = 0 its members were old objects at some time, and are not pinned: one that is no old
    // object any more when a slice comes to it is live. With pins > 0 each is pinned by so many references
    // of the collector's own, and stays where it is. `keeps` says which may not be reclaimed; null:
    // none. `threads` help in stops; null: none do. The counts of the set in the side table are this test's as long as
    // it lives. Throws std::bad_alloc, as all that follows does; then nothing is known of what is not tested yet.
    ExactTest(const Candidates& set, uint32_t pins, Memory& memory, SliceWorkers* threads,
              bool (*keeps)(PyObject*) = nullptr);
    ~ExactTest();
    ExactTest(const ExactTest&) = delete;
    ExactTest& operator=(const ExactTest&) = delete;

    // The steps, in this order. Each works until the deadline, on one object at least; true, or kDone, when all are
    // done. Concurrently with mutators the calling thread is the traversing one.
    bool number(Deadline& deadline) { return numbers_.give(deadline); }
    // kStop: the next object may not be traversed concurrently with mutators.
    Next read(Deadline& deadline, World world) { return reader_.read(deadline, world); }
    // Looks at no object.
    bool order(Deadline& deadline);
    // In a stop: tests components, one at least. Calls verdict(objects of a component, Verdict) for
    // each, in order; it may throw std::bad_alloc, but not of what was taken. An object that is not tracked any more, or is
    // immortal, is live.
    template <class Judge>
    bool test(Deadline& deadline, Take take, const Judge& verdict) {
        const Piece piece(*this);
        while (tested_ < components_.size()) {
            weigh_next(take);
            try {
                for (; tested_ < weighed_to_; ++tested_) {
                    const Verdict found = settle(tested_);
                    verdict(objects(tested_), found);
                    if (found != Verdict::kTaken) {
                        forget(components_.members(tested_));
                    }
                }
            } catch (const std::bad_alloc&) {
                // What was taken is garbage whatever becomes of the others.
                for (size_t component = tested_ + 1; component < weighed_to_; ++component) {
                    if (is_taken(component)) {
                        verdict(objects(component), Verdict::kTaken);
                    }
                }
                throw;
            }
            check_memory();
            if (deadline.has_passed(work_)) {
                break;
            }
        }
        all_judged_ = tested_ == components_.size();
        return all_judged_;
    }
    // Whether no reference leads from garbage that has been judged, the last component included, to what has not.
    bool is_closed() const { return furthest_ <= tested_; }
    // Accounts for a reference that the collector has taken since the test began.
    void account(const PyObject* op) {
        const uint32_t number = numbers_.of(op);
        if (number == 0) {
            return;
        }
        const size_t component = components_.component_of(number - 1);
        if (component >= weighed_to_) {  // else its count was read before
            unexplained_[number - 1] -= kReference;
        }
        furthest_ = std::max(furthest_, component);
    }
    // Resets the side table: of what has not been judged. After the test, or instead of the rest of it.
    bool forget(Deadline& deadline);

private:
    // What is tested in one stop: shared or not, which is measured.
    class Piece {
    public:
        explicit Piece(ExactTest& test);
        ~Piece();
        Piece(const Piece&) = delete;
        Piece& operator=(const Piece&) = delete;

    private:
        ExactTest& test_;
        const int64_t start_ns_;
    };

    // In `unexplained`: a reference, and whether it is kept, or there is one from what is.
    static constexpr uint32_t kReference = 2;
    static constexpr uint32_t kTainted = 1;

    bool may_be_dead(PyObject* op) const;
    // No batch has more objects.
    size_t largest_batch() const;
    size_t end_of_batch() const;
    void weigh_next(Take take);
    void weigh(size_t component, uint32_t worker, Take take, uint32_t stopper) noexcept;
    bool weigh_chunk(std::span<const Node> members, std::span<PyObject* const> objects,
                     visitproc visit, Worker& self);
    Weighed::Found weigh(std::span<const Node> members, std::span<PyObject* const> objects,
                         Worker& self, Take take, uint32_t stopper);
    void weigh_until(size_t end, std::atomic<size_t>& next, uint32_t worker, Take take,
                     uint32_t stopper) noexcept;
    bool is_taken(size_t component) const {
        return weighed_[component - weighed_from_].found == Weighed::Found::kTaken;
    }
    Verdict settle(size_t component);
    void check_memory() const;
    // Of a component of those that are weighed together.
    std::span<PyObject*> objects(size_t component) const;
    void forget(std::span<const Node> members);
    static int visit_to_weigh(PyObject* op, void* arg);
    static int visit_to_weigh_later(PyObject* op, void* arg);
    void weigh_asked(Worker& self);
    void add_reference(uint32_t number, Worker& self);

    const Candidates& set_;
    const uint32_t pins_;
    bool (*const keeps_)(PyObject*);
    SliceWorkers* const threads_;
    Numbering numbers_;
    EdgeReader reader_;
    Components& components_;
    // Of each object, in kReference: references to it (once it has been weighed), less its component's own and those from
    // garbage. Modulo 2^32, since it may be subtracted first.
    heap::PageVector<uint32_t>& unexplained_;
    // Of the components that are weighed together, the last one's first.
    heap::PageVector<PyObject*>& objects_;
    heap::PageVector<Weighed>& weighed_;
    heap::PageVector<Worker>& workers_;
    Sharing& sharing_;
    bool shares_ = false;         // in this stop
    size_t weighed_objects_ = 0;  // in this stop
    size_t tested_ = 0;           // components
    size_t weighed_from_ = 0;     // together: from this one
    size_t weighed_to_ = 0;
    size_t furthest_ = 0;  // component that garbage among those that are tested refers to
    bool all_judged_ = false;
    bool all_forgotten_ = true;  // of these: each was still there
    uint32_t work_ = 0;          // of the components that were weighed last: objects and references
};

}  // namespace ouro::collector
