#include "core/bridge/old_list.hpp"

namespace ouro::bridge {

bool OldList::make() {
    return front_.make() && rest_.make() && cursor_.make() && end_.make() && traced_.make() &&
           reached_.make();
}

void OldList::begin(GcHead* list) {
    list_ = list;
    GcHead* first = next_of(list);
    front_.put_before(first);
    rest_.put_before(first);
    cursor_.put_before(first);
    end_.put_before(list);
    traced_.put_before(list);
    reached_.put_before(list);
}

void OldList::end() {
    front_.take_out();
    rest_.take_out();
    cursor_.take_out();
    end_.take_out();
    traced_.take_out();
    reached_.take_out();
}

void OldList::spare_candidates() {
    cursor_.put_before(rest_.next());
    splice_between(front_.head(), rest_.head(), list_);
}

}  // namespace ouro::bridge
