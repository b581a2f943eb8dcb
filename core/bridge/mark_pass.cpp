#include "core/bridge/mark_pass.hpp"

#include <algorithm>

#include "core/bridge/marks.hpp"

namespace ouro::bridge {
namespace {

// An object with its references, on average.
constexpr uint32_t kObjectUnits = 4;

// What is subtracted for an object's own count. An immortal one's is so large that no number of references makes up
// for it.
int32_t own_count(PyObject* op) {
    constexpr Py_ssize_t most = Py_ssize_t{1} << 30;
    return static_cast<int32_t>(std::min<Py_ssize_t>(Py_REFCNT(op), most));
}

}  // namespace

void MarkPass::begin(size_t refused) {
    traversal_.reset();
    carried_.clear();
    are_refused_ = refused != 0;
    next_chunk_ = 0;
    objects_ = 0;
    candidates_ = 0;
    passed_ = 0;
    out_of_memory_ = false;
    list_.rewind_to_rest();
}

void MarkPass::carry(int8_t* key, int32_t units) {
    try {
        carried_.at(key) += units;
    } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
    }
}

bool MarkPass::forget_refusals(collector::Deadline& deadline) {
    const bool all = table_.for_each_chunk(deadline, next_chunk_, [](int8_t* bytes, size_t count) {
        for (size_t i = 0; i < count; ++i) {  // written for the vectoriser
            bytes[i] = is_white(bytes[i]) ? int8_t{kNotReached} : bytes[i];
        }
    });
    if (all) {
        are_refused_ = false;
        next_chunk_ = 0;
    }
    return all;
}

bool MarkPass::count(collector::Deadline& deadline) {
    if (are_refused_ && !forget_refusals(deadline)) {
        return false;
    }
    GcHead* const end = list_.end_of_rest();
    GcHead* head = list_.next();
    while (head != end) {
        PyObject* op = object_of(head);
        GcHead* next = next_of(head);
        __builtin_prefetch(next);
        int8_t* key = table_.at(op);
        __builtin_prefetch(key, 1);
        if (!traversal_.traverse(op, count_reference, this, deadline)) {
            break;
        }
        add(key, -own_count(op));
        ++objects_;
        head = next;
        if (deadline.has_passed(kObjectUnits)) {
            break;
        }
    }
    flush_counted();
    list_.come_to(head);
    passed_ = objects_;
    return head == end;
}

// After this a byte that is zero is that of an object whose difference is, and none looks like a mark of white.
bool MarkPass::settle(collector::Deadline& deadline) {
    const bool all = table_.for_each_chunk(deadline, next_chunk_, [](int8_t* bytes, size_t count) {
        for (size_t i = 0; i < count; ++i) {  // written for the vectoriser
            if constexpr (kBorrowed) {
                bytes[i] = bytes[i] < 0 ? int8_t{kReached} : int8_t{kNotReached};
            } else {
                bytes[i] = bytes[i] <= kLastWhite ? int8_t{kReached} : bytes[i];
            }
        }
    });
    if (!all) {
        return false;
    }
    carried_.for_each([](const void* key, int64_t units) {
        auto* mark = static_cast<int8_t*>(const_cast<void*>(key));
        if (kBorrowed && units > 0) {
            *mark = kNotReached;
        } else if (units != 0 && *mark == kNotReached) {
            *mark = kReached;
        }
    });
    carried_.clear();
    traversal_.reset();
    passed_ = 0;
    list_.rewind_to_rest();
    return true;
}

int MarkPass::visit_to_mark(PyObject* op, void* arg) {
    auto* self = static_cast<MarkPass*>(arg);
    int8_t* mark = self->table_.find(op);
    if (mark != nullptr) {
        __builtin_prefetch(mark, 1);
        self->reached_.push({mark, op}, [self](Reached oldest) { self->reach(oldest); });
    }
    return 0;
}

inline void MarkPass::reach(Reached reached) {
    if (*reached.mark == kNotReached) {
        *reached.mark = kReached;
    } else if (*reached.mark == kWhite) [[unlikely]] {
        reach_again(reached);
    }
}

// It was passed before it was reached. Where the candidate has died and its memory is another object's since, that one
// gets older than it is, at worst.
[[gnu::noinline]] void MarkPass::reach_again(Reached reached) {
    *reached.mark = kReached;
    if (is_tracked(reached.op)) {
        list_.move_to_rest(head_of(reached.op));
        --candidates_;
    }
}

bool MarkPass::mark(collector::Deadline& deadline) {
    GcHead* const end = list_.end_of_rest();
    // What is reached last is moved behind all, so that the end is one only when nothing is waiting to be reached.
    for (bool in_time = true; in_time && list_.next() != end;) {
        GcHead* head = list_.next();
        while (in_time && head != end) {
            PyObject* op = object_of(head);
            GcHead* next = next_of(head);
            __builtin_prefetch(next);
            int8_t* mark = table_.at(op);
            if (*mark == kNotReached) {
                *mark = kWhite;
                list_.move_to_candidates(head);
                ++candidates_;
            } else {
                if (!traversal_.traverse(op, visit_to_mark, this, deadline)) {
                    in_time = false;
                    break;
                }
                next = next_of(head);  // something may have been moved behind it
            }
            ++passed_;
            head = next;
            in_time = !deadline.has_passed(kObjectUnits);
        }
        list_.come_to(head);
        reached_.flush([this](Reached reached) { reach(reached); });
    }
    return list_.next() == end;
}

}  // namespace ouro::bridge
