// Finding candidates among the old objects in slices, between which the program runs. What core/collector/engines/
// old_pass.hpp does in the heap of this project, done in CPython's: there slots are walked in address order, here a list.
//
//     count    for every old object: references found by traversal, less its own count
//     settle   what differs by more than fits a byte is made to show it
//     mark     what differs, and what that reaches, stays in the list; the rest is moved to the candidates
//
// What is found is a guess: counts and references are read at different times. What was garbage when the pass began is
// found nevertheless, because nobody writes to it any more.
#pragma once

#include "core/bridge/address_table.hpp"
#include "core/bridge/by_address.hpp"
#include "core/bridge/old_list.hpp"
#include "core/bridge/traversal.hpp"
#include "core/collector/deadline.hpp"
#include "core/collector/delay_ring.hpp"
#include "core/collector/reference_counter.hpp"

namespace ouro::bridge {

class MarkPass : collector::ReferenceCounter<MarkPass, int8_t*> {
public:
    MarkPass(OldList& list, AddressTable& table) : list_(list), table_(table) {}

    // From the beginning. Pre: the bytes of the table are zero, but for what is alive and what closures have refused, so
    // many; the list has begun.
    void begin(size_t refused);
    // Each until it is true, in this order.
    bool count(collector::Deadline& deadline);
    bool settle(collector::Deadline& deadline);
    bool mark(collector::Deadline& deadline);

    // Its bytes say nothing of use any more: the collection is to be given up.
    bool is_out_of_memory() const { return out_of_memory_ || table_.is_out_of_memory(); }
    size_t objects() const { return objects_; }
    size_t candidates() const { return candidates_; }
    // Of the stage at hand: so many objects have been passed.
    size_t passed() const { return passed_; }
    size_t bytes() const { return carried_.bytes(); }

private:
    friend ReferenceCounter;

    struct Reached {
        int8_t* mark;
        PyObject* op;
    };

    int8_t* key_of(const PyObject* op) { return table_.at(op); }
    void prefetch_near_count(const int8_t* key) const { __builtin_prefetch(key, 1); }
    int8_t& near_count(int8_t* key) const { return *key; }
    void carry(int8_t* key, int32_t units);
    bool forget_refusals(collector::Deadline& deadline);

    static int visit_to_mark(PyObject* op, void* arg);
    void reach(Reached reached);
    void reach_again(Reached reached);

    OldList& list_;
    AddressTable& table_;
    Traversal traversal_;
    ByAddress<int64_t> carried_;  // by the address of the byte
    collector::DelayRing<Reached, 32> reached_;
    bool are_refused_ = false;  // some, and their bytes say so
    size_t next_chunk_ = 0;
    size_t objects_ = 0;
    size_t candidates_ = 0;
    size_t passed_ = 0;
    bool out_of_memory_ = false;
};

}  // namespace ouro::bridge
