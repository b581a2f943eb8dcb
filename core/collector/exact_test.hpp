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
// The references that the components and their order are formed by are read before, in stops of their
// own; the world may have changed them since. Then a test fails that need not have, and what it spared
// is found by another collection; nothing live can pass, because what counts is read in the test's stop.
//
//     ExactTest test(set, pins, memory);
//     do { stop } while (!test.read(deadline));
//     test.order();                                     // the world may run
//     do { stop } while (!test.test(deadline, verdict));
#pragma once

#include <span>

#include "core/collector/candidates.hpp"
#include "core/collector/components.hpp"
#include "core/collector/deadline.hpp"

namespace ouro::collector {

class ExactTest {
public:
    // Kept from one test to the next.
    struct Memory {
        Components components;
        heap::PageVector<uint32_t> accounted;
        heap::PageVector<Components::Node> outward;
        heap::PageVector<PyObject*> objects;
    };

    // Of the whole set, whose objects stay where they are: each is held by `pins` references of the
    // collector's own. Pre: all counts in the side table are zero, and are this test's as long as it
    // lives. Throws std::bad_alloc, as all that follows does; then nothing is known of what is not
    // tested yet.
    ExactTest(const Candidates& set, uint32_t pins, Memory& memory);
    ~ExactTest();
    ExactTest(const ExactTest&) = delete;
    ExactTest& operator=(const ExactTest&) = delete;

    // In a stop: reads references until the deadline. True when all have been read.
    bool read(Deadline& deadline);
    // After all have been read: forms the components. Looks at no object.
    void order();
    // In a stop: tests components until the deadline, one at least. Calls verdict(objects of a
    // component, whether they are garbage) for each, at once. True when all have been tested. An object
    // that is not tracked any more, or is immortal, is live.
    template <class Verdict>
    bool test(Deadline& deadline, const Verdict& verdict) {
        while (next_ < components_.size()) {
            const auto members = components_.members(next_);
            const bool garbage = is_garbage(members);
            verdict(objects(members), garbage);
            ++next_;
            if (deadline.has_passed(work_)) {
                break;
            }
        }
        return next_ == components_.size();
    }

private:
    using Node = Components::Node;

    bool is_garbage(std::span<const Node> members);
    std::span<PyObject* const> objects(std::span<const Node> members);
    static int visit_to_read(PyObject* op, void* arg);
    static int visit_to_count(PyObject* op, void* arg);

    const Candidates& set_;
    const uint32_t pins_;
    Components& components_;
    heap::PageVector<uint32_t>& accounted_;  // of each object: references from garbage and its own
    heap::PageVector<Node>& outward_;        // references from the component under test to others
    heap::PageVector<PyObject*>& objects_;   // of the component under test
    size_t next_ = 0;                        // object to be read; then component to be tested
    uint32_t work_ = 0;                      // of the last step: objects and references
    bool out_of_memory_ = false;             // in a traversal, which cannot throw
    Node node_ = 0;                          // traversed now
};

}  // namespace ouro::collector
