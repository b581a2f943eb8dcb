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
//     ExactTest test(set, pins, memory);
//     while (!test.number(deadline)) {}
//     while (test.read(deadline, world) != Next::kDone) {}      // a stop where it asks for one
//     while (!test.order(deadline)) {}
//     do { stop } while (!test.test(deadline, verdict));
//     while (!test.forget(deadline)) {}
#pragma once

#include <algorithm>
#include <span>

#include "core/collector/candidates.hpp"
#include "core/collector/components.hpp"
#include "core/collector/deadline.hpp"
#include "core/collector/world.hpp"

namespace ouro::collector {

enum class Verdict {
    kLive,     // or not known to be dead
    kGarbage,  // for ever: nobody reaches it
    kKept,     // garbage, but one that may not be reclaimed refers to it, or is among it
};

class ExactTest {
public:
    // Kept from one test to the next.
    struct Memory {
        Components components;
        heap::PageVector<uint32_t> accounted;
        heap::PageVector<Components::Node> outward;
        heap::PageVector<PyObject*> objects;
    };

    // Of the whole set. With pins = 0 its members were old objects at some time, and are not pinned: one that is no old
    // object any more when a slice comes to it is live. With pins > 0 each is pinned by so many references
    // of the collector's own, and stays where it is. `keeps` says which may not be reclaimed; null:
    // none. The counts of the set in the side table are this test's as long as it lives. Throws
    // std::bad_alloc, as all that follows does; then nothing is known of what is not tested yet.
    ExactTest(const Candidates& set, uint32_t pins, Memory& memory,
              bool (*keeps)(PyObject*) = nullptr);
    ~ExactTest();
    ExactTest(const ExactTest&) = delete;
    ExactTest& operator=(const ExactTest&) = delete;

    // The steps, in this order. Each works until the deadline, on one object at least; true, or kDone, when all are
    // done. Concurrently with mutators the calling thread is the traversing one.
    bool number(Deadline& deadline);
    // kStop: the next object may not be traversed concurrently with mutators.
    Next read(Deadline& deadline, World world);
    // Looks at no object.
    bool order(Deadline& deadline);
    // In a stop: tests components, one at least. Calls verdict(objects of a component, Verdict) for
    // each, at once. An object that is not tracked any more, or is immortal, is live.
    template <class Judge>
    bool test(Deadline& deadline, const Judge& verdict) {
        while (tested_ < components_.size()) {
            const auto members = components_.members(tested_);
            const Verdict found = judge(members);
            verdict(objects(members), found);
            forget(members);
            ++tested_;
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
        if (const uint32_t number = number_of(op); number != 0) {
            ++accounted_[number - 1];
            furthest_ = std::max(furthest_, components_.component_of(number - 1));
        }
    }
    // Resets the side table: of what has not been judged. After the test, or instead of the rest of it.
    bool forget(Deadline& deadline);

private:
    using Node = Components::Node;

    static constexpr uint32_t kTainted = uint32_t{1} << 31;  // reached from what is kept

    uint32_t number_of(const PyObject* op) const;
    bool is_there(const PyObject* op) const;
    Verdict judge(std::span<const Node> members);
    bool is_garbage(std::span<const Node> members);
    std::span<PyObject* const> objects(std::span<const Node> members);
    bool forget(const PyObject* op);
    void forget(std::span<const Node> members);
    static int visit_to_read(PyObject* op, void* arg);
    static int visit_to_count(PyObject* op, void* arg);

    const Candidates& set_;
    const uint32_t pins_;
    bool (*const keeps_)(PyObject*);
    Components& components_;
    heap::PageVector<uint32_t>& accounted_;  // of each object: references from garbage and its own
    heap::PageVector<Node>& outward_;        // references from the component under test to others
    heap::PageVector<PyObject*>& objects_;   // of the component under test
    size_t numbered_ = 0;
    size_t read_ = 0;
    size_t tested_ = 0;    // components
    size_t furthest_ = 0;  // component that garbage among them refers to
    bool all_judged_ = false;
    bool all_forgotten_ = true;  // of these: each was still there
    size_t forgotten_ = 0;
    uint32_t work_ = 0;           // of the last step: objects and references
    bool out_of_memory_ = false;  // in a traversal, which cannot throw
    Node node_ = 0;               // traversed now
};

}  // namespace ouro::collector
