// A collection of young objects only. References from older objects are simply not subtracted, so
// what they refer to is alive; no set of remembered references is needed, and no barrier. This is why
// CPython's generations work. Cost: in proportion to the young objects and their references.
#pragma once

#include "core/collector/candidates.hpp"
#include "core/collector/delay_ring.hpp"
#include "core/event/cycle.hpp"
#include "core/heap/view.hpp"

namespace ouro::collector {

// What becomes of the young that survive.
enum class Survivors {
    kMiddle,  // and are looked at by the next collection of the middle generation
    kOld,
    kAside,  // middle, until the full collection during which they were born is over (heap::make_old)
};

// Promotes what is young, unseen. In a stop. `noisy`: and makes it noisy.
void promote(Survivors survivors, bool noisy);

class YoungPass {
public:
    // Memory that one collection leaves to the next: asking the system for it, and for each of its
    // pages again, took 15 of 80 us of 2,000 young objects.
    struct Lists {
        Candidates members;  // the tracked objects of the scope, by block
        Candidates pending;  // reached, their references not yet followed
    };

    // Scope: kYoung or kMiddle. `noisy`: survivors become so.
    YoungPass(event::Scope scope, Survivors survivors, bool noisy, Lists& lists)
        : scope_(scope), survivors_(survivors), noisy_(noisy), members_(lists.members),
          pending_(lists.pending) {}
    ~YoungPass();
    YoungPass(const YoungPass&) = delete;
    YoungPass& operator=(const YoungPass&) = delete;

    // Appends what is garbage among the objects of the scope, and promotes all of them. Throws std::bad_alloc with
    // nothing changed.
    void run(Candidates& candidates);
    size_t objects() const { return members_.size(); }

private:
    static int visit_to_count(PyObject* op, void* self);
    static int visit_to_mark(PyObject* op, void* self);
    void count_reference(uint32_t slot);
    uint64_t in_scope(size_t word) const;
    void list_members();
    void count();
    void mark();

    const heap::HeapView<heap::Stopped> view_;
    DelayRing<uint32_t, 32> ring_;  // references to count: slots whose marks are on their way
    event::Scope scope_;
    Survivors survivors_;
    bool noisy_;
    Candidates& members_;
    Candidates& pending_;
};

}  // namespace ouro::collector
