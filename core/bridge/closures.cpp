#include "core/bridge/closures.hpp"

#include "core/bridge/traversal.hpp"

namespace ouro::bridge {
namespace {

constexpr uint32_t kObjectUnits = 8;
// Members that were refused may be visited so many times again for each member visited, or a chain of candidates that is
// met from its end would take quadratic time.
constexpr size_t kVisitsAgain = 2;
// The test of what has not been traced is given up when so many more have been refused than have passed: a millisecond's.
constexpr size_t kRefusedInVain = 10'000;

}  // namespace

void Closures::begin(Of of) {
    members_.reserve(kMost + 1);
    of_ = of;
    again_ = 0;
    refused_ = 0;
    passed_ = 0;
    done_ = false;
    if (of == Of::kUntraced) {
        untested_ = kNotReached;
        list_.rewind_to_rest();
    } else {
        untested_ = kWhite;
        list_.rewind_to_candidates();
    }
}

GcHead* Closures::end() const {
    return of_ == Of::kUntraced ? list_.end_of_rest() : list_.end_of_candidates();
}

int Closures::visit(PyObject* op, void* arg) {
    auto* self = static_cast<Closures*>(arg);
    int8_t* mark = self->of_ == Of::kUntraced ? self->table_.at(op) : self->table_.find(op);
    if (mark == nullptr || !self->may_be_member(*mark)) {
        return 0;
    }
    if (*mark == kVisiting) {
        ++self->references_;
    } else if (*mark == kLarge) {
        self->touches_large_ = true;
    } else if (is_tracked(op)) {
        // Else something was allocated where a candidate was, or it is none of CPython's list.
        if (self->members_.size() > kMost) {
            self->touches_large_ = true;
            return 0;
        }
        self->again_ += *mark == kRefused;
        *mark = kVisiting;
        ++self->references_;
        self->members_.push_back(op);  // there is room
    }
    return 0;
}

// A weak reference with a callback, itself a candidate, that refers to a member from outside. Were the member to die
// first, the callback would be called, which a collection of both would not do.
bool Closures::has_callback_outside(PyObject* op) const {
    const Py_ssize_t offset = Py_TYPE(op)->tp_weaklistoffset;
    if (offset == 0) {
        return false;
    }
    const auto* weak = *reinterpret_cast<PyWeakReference**>(reinterpret_cast<char*>(op) + offset);
    for (; weak != nullptr; weak = weak->wr_next) {
        if (weak->wr_callback != nullptr) {
            const int8_t* mark = table_.find(weak);
            const int8_t is = mark != nullptr ? *mark : int8_t{kNotReached};
            if (may_be_member(is) && is != kVisiting) {
                return true;
            }
        }
    }
    return false;
}

Closures::Found Closures::form(PyObject* first) {
    members_.clear();
    members_.push_back(first);
    *table_.at(first) = kVisiting;
    references_ = 0;
    touches_large_ = false;
    size_t counts = 0;
    for (size_t i = 0; i < members_.size(); ++i) {
        PyObject* op = members_[i];
        counts += static_cast<size_t>(Py_REFCNT(op));
        Py_TYPE(op)->tp_traverse(op, visit, this);
        if (touches_large_ || has_callback_outside(op)) {
            return Found::kLarge;
        }
    }
    if (of_ == Of::kUntraced && table_.is_out_of_memory()) {
        throw std::bad_alloc();  // several objects may have shared a byte
    }
    return makes_up_for(references_, counts) ? Found::kGarbage : Found::kRefused;
}

void Closures::mark_members(int8_t mark) {
    for (PyObject* op : members_) {
        *table_.at(op) = mark;
    }
}

size_t Closures::test(size_t objects, collector::Deadline& deadline, GcHead* garbage) {
    size_t passed = 0;
    size_t visited = 1;
    GcHead* const last = end();
    GcHead* head = list_.next();
    while (head != last && passed < objects) {
        PyObject* first = object_of(head);
        if (*table_.at(first) != untested_) {  // refused with another
            head = next_of(head);
            if (deadline.has_passed(1)) {
                break;
            }
            continue;
        }
        switch (form(first)) {
            case Found::kGarbage:
                list_.come_to(head);
                for (PyObject* op : members_) {
                    *table_.at(op) = kReached;
                    move_before(head_of(op), garbage);
                }
                passed += members_.size();
                head = list_.next();
                break;
            case Found::kRefused:
                mark_members(again_ > kVisitsAgain * visited ? kLarge : kRefused);
                refused_ += members_.size();
                head = next_of(head);
                break;
            case Found::kLarge:
                mark_members(kLarge);
                refused_ += members_.size();
                head = next_of(head);
                break;
        }
        visited += members_.size();
        if (deadline.has_passed(kObjectUnits * static_cast<uint32_t>(members_.size()))) {
            break;
        }
    }
    list_.come_to(head);
    passed_ += passed;
    done_ = head == last || (of_ == Of::kUntraced && refused_ > passed_ + kRefusedInVain);
    return passed;
}

}  // namespace ouro::bridge
