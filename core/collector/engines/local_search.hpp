// A search for garbage around suspects (core/mutator/suspects.hpp), in a stop: trial deletion (Lins 1992; Bacon and
// Rajan 2001) of a set of objects that is bounded.
//
//     gather   the suspects, and what they reach, up to a bound for each: the members. Each traversed reference from
//              one member to another is subtracted from the count of its target.
//     mark     what has something left is referenced from outside; it and the members that it reaches are alive.
//
// The others are garbage, exactly: all their references come from each other. That holds for any set of members, so a
// bound loses nothing but time: a reference from an object that is left out, or that was not traversed, is not
// subtracted, and its target counts as alive. What is missed is found by a full collection.
//
// A suspect that is alive has cost a search for nothing. A large live structure that is used all the time must not be
// walked all the time, so there is a credit for that, which garbage earns, and young collections. Once it is spent, only
// suspects of blocks of the heap with a good score are looked at: more was found around theirs than was looked at for
// nothing. Others become quiet, until a full collection.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/collector/candidates.hpp"
#include "core/heap/view.hpp"
#include "core/mutator/suspects.hpp"

namespace ouro::collector {

class LocalSearch {
public:
    struct Bounds {
        size_t first_bound;  // members around a suspect, at first
        size_t
            bound;  // members of one search: it takes some 50 ns for each, and twice as long again for garbage
    };
    explicit LocalSearch(Bounds bounds);

    // As Engine::search.
    size_t run(Candidates& candidates);
    // Searches may take so much more time for nothing.
    void add_credit(int64_t ns);
    // A full collection has made noisy what is alive: all blocks are worth a look again.
    void forget_scores();

private:
    struct Member {
        PyObject* op;
        uint32_t slot;
        int32_t left;       // of its count, less the references that were traversed
        uint32_t saved;     // of the slot's count, which is the member's number meanwhile
        uint32_t followed;  // of its references, the first so many
    };
    // What was gathered around one suspect: members from `first` to the next one's first.
    struct Group {
        size_t first;
        int8_t* score;
        bool is_cut_off;  // by a bound
    };

    static int visit_to_gather(PyObject* op, void* self);
    static int visit_to_mark(PyObject* op, void* self);
    void reserve(Candidates& candidates);
    bool may_be_member(PyObject* op) const;
    void gather_all();
    void look_at(PyObject* suspect);
    void gather(PyObject* suspect, size_t bound);
    void add(PyObject* op, uint32_t slot, int32_t references);
    void mark();
    void reach(Member& member);
    void settle(Candidates& candidates, int64_t start_ns);
    void judge(const Group& group, size_t end, int64_t member_ns);
    int8_t& score_of(const PyObject* op);
    bool is_bounded() const { return bounds_.bound != SIZE_MAX; }
    bool is_worth_a_look(int8_t score) const;

    const Bounds bounds_;
    const heap::HeapView<heap::Stopped> view_;
    heap::PageVector<PyObject*>
        deeper_;  // suspects whose surroundings were larger than the first bound
    heap::PageVector<Member> members_;
    heap::PageVector<Group> groups_;
    heap::PageVector<uint32_t>
        pending_;                      // members that are alive, their references not yet followed
    heap::PageVector<int8_t> scores_;  // by block
    size_t most_ = 0;                  // members of this search, but for the last suspects' own
    size_t limit_ = 0;                 // with these
    size_t room_ = 0;                  // for members around the suspect
    size_t references_ = 0;            // that may be followed around it
    uint32_t followed_ = 0;            // of the object's that is being traversed
    bool is_cut_off_ = false;
    int64_t credit_ns_;  // that searches may take for nothing
};

}  // namespace ouro::collector
