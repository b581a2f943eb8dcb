#include "core/bridge/leftover.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/bridge/marks.hpp"
#include "core/bridge/traversal.hpp"

namespace ouro::bridge {
namespace {

constexpr uint32_t kObjectUnits = 8;

}  // namespace

void Leftover::begin(size_t objects) {
    components_.clear();
    numbers_.clear();
    heap::empty_pages(objects_);
    heap::PageVector<uint32_t>().swap(from_batch_);  // so that it is zero when it is used
    heap::empty_pages(touched_);
    objects_.reserve(objects);
    components_.reserve(objects);
    numbers_.reserve(objects);
    read_ = 0;
    node_is_added_ = false;
    released_ = 0;
    unpinned_ = 0;
    largest_ = 0;
    out_of_memory_ = false;
    traversal_.reset();
    list_.rewind_to_candidates();
}

Leftover::Node Leftover::number_of(const PyObject* op) const {
    const int8_t* mark = table_.find(op);
    if (mark == nullptr || *mark != kLarge) {
        return kNone;
    }
    const Node* number = numbers_.find(op);
    return number != nullptr ? *number - 1 : kNone;
}

bool Leftover::number(collector::Deadline& deadline) {
    GcHead* const end = list_.end_of_candidates();
    GcHead* head = list_.next();
    while (head != end) {
        PyObject* op = object_of(head);
        numbers_.at(op) = static_cast<Node>(objects_.size() + 1);
        objects_.push_back(op);
        Py_INCREF(op);
        *table_.at(op) = kLarge;
        head = next_of(head);
        if (deadline.has_passed(kObjectUnits)) {
            break;
        }
    }
    list_.come_to(head);
    return head == end;
}

void Leftover::add_edge(PyObject* op) {
    const Node to = number_of(op);
    if (to == kNone) {
        return;
    }
    try {
        components_.add_edge(to);
    } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
    }
}

int Leftover::visit_to_read(PyObject* op, void* arg) {
    static_cast<Leftover*>(arg)->add_edge(op);
    return 0;
}

bool Leftover::read(collector::Deadline& deadline) {
    while (read_ < objects_.size()) {
        PyObject* op = objects_[read_];
        if (!std::exchange(node_is_added_, true)) {
            components_.add_node();
            // A weak reference with a callback dies before what it refers to, or with it: Closures says why.
            if (PyWeakref_Check(op) &&
                reinterpret_cast<PyWeakReference*>(op)->wr_callback != nullptr) {
                add_edge(reinterpret_cast<PyWeakReference*>(op)->wr_object);
            }
        }
        const bool all = traversal_.traverse(op, visit_to_read, this, deadline);
        if (out_of_memory_) {
            throw std::bad_alloc();
        }
        if (!all) {
            return false;
        }
        node_is_added_ = false;
        ++read_;
        if (deadline.has_passed(kObjectUnits)) {
            break;
        }
    }
    return read_ == objects_.size();
}

bool Leftover::order(collector::Deadline& deadline) {
    return components_.order(deadline);
}

void Leftover::begin_batch() {
    from_batch_.resize(objects_.size());
    for (const Node node : touched_) {
        from_batch_[node] = 0;
    }
    touched_.clear();
    may_be_alive_ = false;
}

void Leftover::note_from_batch(Node to) {
    try {
        touched_.push_back(to);
        ++from_batch_[to];
    } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
    }
}

int Leftover::visit_to_test(PyObject* op, void* arg) {
    auto* self = static_cast<Leftover*>(arg);
    const Node to = self->number_of(op);
    if (to == kNone) {
        return 0;
    }
    if (self->components_.together(self->tested_, to)) {
        ++self->references_;
    } else {
        self->note_from_batch(to);
    }
    return 0;
}

// Nothing refers to the members but members, the pins, and garbage of the same batch: that is as sound as for the
// members alone, since then nothing refers to the batch as a whole.
bool Leftover::is_garbage(std::span<const Node> members) {
    size_t counts = 0;
    references_ = 0;
    for (const Node node : members) {
        counts += static_cast<size_t>(Py_REFCNT(objects_[node])) - 1;
        references_ += from_batch_[node];
    }
    if (counts == 0) {
        died_alone_ += members.size();
        return true;  // dies with its pin
    }
    const size_t touched_before = touched_.size();
    tested_ = members.front();
    bool borrows = false;
    for (const Node node : members) {
        PyObject* op = objects_[node];
        borrows |= may_borrow(op);
        Py_TYPE(op)->tp_traverse(op, visit_to_test, this);
    }
    if (out_of_memory_) {
        throw std::bad_alloc();
    }
    if (makes_up_for(references_, counts)) {
        may_be_alive_ |= borrows;
        return true;
    }
    for (; touched_.size() > touched_before; touched_.pop_back()) {
        --from_batch_[touched_.back()];
    }
    return false;
}

void Leftover::drop_pin(Node node) {
    PyObject* op = std::exchange(objects_[node], nullptr);
    *table_.at(op) = kReached;
    Py_DECREF(op);
}

bool Leftover::release(size_t objects, collector::Deadline& deadline, GcHead* garbage,
                       size_t* found) {
    begin_batch();
    // A weak reference that is garbage and has a callback is cleared first, as by CPython: what it refers to may die by
    // losing its pin, and the callback would be called. Where it may be alive, CPython's collection comes before that.
    bool ends = false;
    while (released_ < components_.size() && !ends) {
        const auto members = components_.members(released_++);
        if (is_garbage(members)) {
            for (const Node node : members) {
                PyObject* op = objects_[node];
                if (PyWeakref_Check(op) &&
                    reinterpret_cast<PyWeakReference*>(op)->wr_callback != nullptr) {
                    if (may_be_alive_) {
                        ends = true;
                    } else {
                        _PyWeakref_ClearRef(reinterpret_cast<PyWeakReference*>(op));
                    }
                }
                if (is_tracked(op)) {
                    move_before(head_of(op), garbage);
                }
            }
            *found += members.size();
            largest_ = std::max(largest_, members.size());
        }
        for (const Node node : members) {
            drop_pin(node);
        }
        if (*found >= objects || deadline.has_passed(static_cast<uint32_t>(
                                     kObjectUnits * std::min<size_t>(members.size(), 1000)))) {
            break;
        }
    }
    if (released_ == components_.size() && list_.is_in_order()) {  // gc.freeze, by what has died
        list_.spare_candidates();
    }
    return released_ == components_.size();
}

bool Leftover::unpin(collector::Deadline& deadline) {
    while (unpinned_ < objects_.size()) {
        const auto node = static_cast<Node>(unpinned_++);
        if (objects_[node] != nullptr) {
            drop_pin(node);
        }
        if (deadline.has_passed(kObjectUnits)) {
            break;
        }
    }
    if (unpinned_ < objects_.size()) {
        return false;
    }
    components_.clear();
    numbers_.clear();
    heap::empty_pages(objects_);
    heap::PageVector<uint32_t>().swap(from_batch_);
    heap::empty_pages(touched_);
    unpinned_ = 0;
    return true;
}

size_t Leftover::bytes() const {
    return numbers_.bytes() + objects_.capacity() * sizeof(PyObject*) +
           (from_batch_.capacity() + touched_.capacity()) * sizeof(Node);
}

}  // namespace ouro::bridge
