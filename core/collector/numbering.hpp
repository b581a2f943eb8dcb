// The members of a set by number, in the side table of counts: while one lives these are its own.
#pragma once

#include <array>
#include <span>
#include <utility>

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
        const heap::HeapView<heap::Concurrent> view;
        return checked(view.load_count(view.slot_of(op)), op);
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
    friend class Lookups;

    static uint32_t& word_of(const PyObject* op) {
        const heap::HeapView<heap::Concurrent> view;
        return view.count_of_old(view.slot_of(op));
    }
    // What stands in the word of an object, if it is the number of that object.
    uint32_t checked(uint32_t number, const PyObject* op) const {
        return number == 0 || (number <= set_.size() && set_[number - 1] == op) ? number : 0;
    }

    const Candidates& set_;
    const bool pinned_;
    size_t given_ = 0;
    size_t taken_back_ = 0;
};

// Numbers that are asked for one after the other and looked up together: what a lookup reads may lie anywhere, so that one
// at a time waits for the memory twice, and many wait no longer than one.
class Lookups {
public:
    // `op` may be any address, and null. Calls look_up_all(), which is to call look_up, where no more can be asked for.
    template <class LookUpAll>
    void ask(const PyObject* op, const LookUpAll& look_up_all) {
        const uint32_t slot = view_.slot_of(op);
        __builtin_prefetch(&view_.count_of_old(slot));
        asked_for_[asked_++] = {op, slot};
        if (asked_ == kMost) {
            look_up_all();
        }
    }
    // Calls found(op, number) for each that was asked for, in order, as Numbering::of says, after expect(number) for all,
    // with numbers that may turn out to be others'. Whatever they throw, none is asked for any more.
    template <class Expect, class Found>
    void look_up(const Numbering& numbers, const Expect& expect, const Found& found) {
        const std::span all(asked_for_.data(), std::exchange(asked_, 0));
        for (Asked& each : all) {
            each.word = view_.load_count(each.word);
            if (each.word != 0 && each.word <= numbers.set_.size()) {
                __builtin_prefetch(&numbers.set_[each.word - 1]);
                expect(each.word);
            }
        }
        for (const Asked& each : all) {
            found(each.op, numbers.checked(each.word, each.op));
        }
    }

private:
    static constexpr size_t kMost = 64;
    struct Asked {
        const PyObject* op;
        uint32_t word;  // its slot; then its number, if it has one
    };

    heap::HeapView<heap::Concurrent> view_;
    std::array<Asked, kMost> asked_for_;
    size_t asked_ = 0;
};

}  // namespace ouro::collector
