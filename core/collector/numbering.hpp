// The members of a set by number, in the side table of counts: while one lives these are its own.
#pragma once

#include "core/collector/candidates.hpp"
#include "core/collector/deadline.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {

// What no test finds to be garbage: it is not tracked, so that its fields need not be valid, or immortal.
inline bool is_always_live(PyObject* op) {
    return !object::is_tracked(op) ||
           OURO_IS_IMMORTAL(OURO_LOAD_BIASED(op),
                            __atomic_load_n(&op->ob_shared, __ATOMIC_RELAXED));
}

class Numbering {
public:
    // With `pinned` each member stays where it is. Else each was an old object at some time, and may be anything by now.
    Numbering(const Candidates& set, bool pinned) : set_(set), pinned_(pinned) {}
    Numbering(const Numbering&) = delete;
    Numbering& operator=(const Numbering&) = delete;

    const Candidates& set() const { return set_; }
    // Whether a member is what it was. Where it was may be something else now, or nothing: that is no old object,
    // whatever its slot's number.
    bool is_there(const PyObject* op) const {
        return pinned_ || heap::HeapView<heap::Concurrent>().is_old(op);
    }
    // From 1; 0: not a member. A slot that was freed may hold another object now, whose word is another's.
    uint32_t of(const PyObject* op) const {
        const uint32_t number = word_of(op);
        return number == 0 || (number <= set_.size() && set_[number - 1] == op) ? number : 0;
    }

    // Numbers the members until the deadline; true when all are.
    bool give(Deadline& deadline) {
        while (given_ < set_.size()) {
            const PyObject* op = set_[given_++];
            if (is_there(op)) {
                word_of(op) = static_cast<uint32_t>(given_);
            }
            if (deadline.has_passed(1)) {
                break;
            }
        }
        return given_ == set_.size();
    }
    // Takes a number back; true if the member was still there. What is young or middle is somebody else's, and so is its
    // word.
    bool take_back(const PyObject* op) const {
        const bool there = is_there(op);
        if (there) {
            word_of(op) = 0;
        }
        return there;
    }
    // All that have been given, until the deadline; true when they are.
    bool take_all_back(Deadline& deadline) {
        while (taken_back_ < given_) {
            (void)take_back(set_[taken_back_++]);
            if (deadline.has_passed(1)) {
                return false;
            }
        }
        return true;
    }

private:
    static uint32_t& word_of(const PyObject* op) {
        const heap::HeapView<heap::Concurrent> view;
        return view.count_of_old(view.slot_of(op));
    }

    const Candidates& set_;
    const bool pinned_;
    size_t given_ = 0;
    size_t taken_back_ = 0;
};

}  // namespace ouro::collector
