// CPython's list of old objects while a collection in slices goes over it. Nothing is ever taken out of it: it is only
// kept in order, so that whatever else goes over it (a full collection, gc.freeze, gc.get_objects) sees all of it.
//
//     begin   what has been traced   traced   what has been reached   front   candidates
//     rest   what has been passed   cursor   what has not   end   what became old since
//
// What is alive is moved before `front` as it is reached, and traced there (live_pass.hpp): before what it refers to, as a
// full collection of CPython's has it easiest. What lies behind `end` was allocated since the collection began and is not
// looked at unless it is reached, as if it had been born marked.
#pragma once

#include <array>

#include "core/bridge/gc_state.hpp"
#include "core/bridge/position.hpp"

namespace ouro::bridge {

class OldList {
public:
    // False with an exception.
    bool make();

    // All that is old, from its beginning. `list` is CPython's.
    void begin(GcHead* list);
    // The positions leave the list. Whatever else there is stays.
    void end();
    // Whether the list is still in the order above: false when gc.freeze has taken everything out of it.
    bool is_in_order() const { return next_of(list_) == begin_.head(); }

    // The cursor to the first of the rest, or of the candidates.
    void rewind_to_rest() { cursor_.put_before(rest_.next()); }
    void rewind_to_candidates() { cursor_.put_before(front_.next()); }
    // What comes next, and what is passed when it is reached.
    GcHead* next() const { return cursor_.next(); }
    void come_to(GcHead* head) { move_before(cursor_.head(), head); }
    GcHead* end_of_rest() const { return end_.head(); }
    GcHead* end_of_candidates() const { return rest_.head(); }

    void move_to_candidates(GcHead* head) { move_before(head, rest_.head()); }
    // Behind all that has not been passed.
    void move_to_rest(GcHead* head) { move_before(head, end_.head()); }
    GcHead* next_to_trace() const { return traced_.next(); }
    void come_to_trace(GcHead* head) { move_before(traced_.head(), head); }
    GcHead* end_of_trace() const { return front_.head(); }

    // Calls each(object) for the places of this order, which are objects of the list like others.
    template <class Each>
    void for_each_place(const Each& each) {
        for (Position* place : places()) {
            each(object_of(place->head()));
        }
    }

    // All that is among the candidates.
    void spare_candidates();

private:
    std::array<Position*, 6> places() {
        return {&begin_, &traced_, &front_, &rest_, &cursor_, &end_};
    }

    GcHead* list_ = nullptr;
    Position begin_;
    Position traced_;
    Position front_;
    Position rest_;
    Position cursor_;
    Position end_;
};

}  // namespace ouro::bridge
