#include "core/bridge/old_list.hpp"

#include <algorithm>

namespace ouro::bridge {

bool OldList::make() {
    return std::ranges::all_of(places(), &Position::make);
}

void OldList::begin(GcHead* list) {
    list_ = list;
    GcHead* first = next_of(list);
    begin_.put_before(first);
    traced_.put_before(first);
    front_.put_before(first);
    rest_.put_before(first);
    cursor_.put_before(first);
    end_.put_before(list);
}

void OldList::end() {
    for (Position* place : places()) {
        place->take_out();
    }
}

void OldList::spare_candidates() {
    cursor_.put_before(rest_.next());
    splice_between(front_.head(), rest_.head(), list_);
}

}  // namespace ouro::bridge
