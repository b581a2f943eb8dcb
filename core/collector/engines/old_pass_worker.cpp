#include "core/collector/engines/old_pass_worker.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/builtins/container/entries.hpp"
#include "core/collector/concurrent_traverse.hpp"
#include "core/collector/engines/items.hpp"
#include "core/collector/engines/own_count.hpp"
#include "core/collector/engines/suspicion.hpp"
#include "core/collector/fetch.hpp"
#include "core/heap/heap.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

// An object with its references, on average.
constexpr uint32_t kObjectUnits = 4;

}  // namespace

OldPassWorker::OldPassWorker(OldPassShared& shared, bool is_first)
    : shared_(shared), slots_(shared.slots) {
    if (!is_first) {
        near_counts_.resize(slots_);
        view_.use_near_counts(near_counts_.data());
    }
    aside_.reserve(kAside + kSpare);
    stack_.reserve(kStackSize);
}

// The job of a slice may not throw.
void OldPassWorker::work(void (OldPassWorker::*step)(Deadline&), Deadline& deadline) noexcept {
    try {
        (this->*step)(deadline);
    } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
    }
}

bool OldPassWorker::take_blocks() {
    const BlockQueue::Chunk chunk = shared_.queue.take();
    if (chunk.empty()) {
        return false;
    }
    blocks_ = {heap::block_of(reinterpret_cast<void*>(chunk.begin)),
               heap::block_of(reinterpret_cast<void*>(chunk.end - 1)) + 1};
    cursor_ = chunk.begin - 1;
    blocks_end_ = chunk.end;
    return true;
}

void OldPassWorker::traverse(PyObject* op, visitproc visit) {
    const traverseproc handler = object::type_of(op)->tp_traverse;
    if (const auto items = items_of(op, handler)) {
        if (items->count < kLarge) {
            items->visit([&](PyObject* item, void* self) { return visit(item, self); }, this);
        } else {
            larges_.push_back({op, 0});
        }
        return;
    }
    const container::Entries* entries = container::entries_of(handler);
    if (entries != nullptr && entries->count(op) >= kLarge) {
        larges_.push_back({op, 0});
    } else {
        call_traverse(op, shared_.world, visit, this);
    }
}

// A part of a large container; false if there is none left. It may have died, or another be there, or have
// become smaller since it was put aside.
bool OldPassWorker::visit_part(Large& large, visitproc visit) {
    if (!view_.is_old(large.op)) {
        return false;
    }
    const size_t begin = std::exchange(large.next, large.next + kLarge);
    const traverseproc handler = object::type_of(large.op)->tp_traverse;
    if (const auto items = items_of(large.op, handler)) {
        const size_t end = std::min(large.next, items->count);
        for (size_t i = begin; i < end; ++i) {
            if (PyObject* op = items->at(i)) {
                visit(op, this);
            }
        }
        return large.next < items->count;
    }
    if (const container::Entries* entries = container::entries_of(handler)) {
        entries->visit(large.op, begin, large.next, visit, this);
        return large.next < entries->count(large.op);
    }
    return false;
}

// Until all large ones have been visited (true) or the deadline.
bool OldPassWorker::visit_larges(Deadline& deadline, visitproc visit) {
    while (!larges_.empty()) {
        if (!visit_part(larges_.back(), visit)) {
            larges_.pop_back();
        }
        if (deadline.has_passed(kLarge)) {
            return larges_.empty();
        }
    }
    return true;
}

// Counting: as CountPass does, by difference.

void OldPassWorker::carry(uint32_t slot, int32_t units) {
    if (slot != 0 && !view_.is_old(slot)) {
        return;
    }
    try {
        carried.push_back(slot);
        __atomic_fetch_add(&view_.count_of_old(slot), static_cast<uint32_t>(units),
                           __ATOMIC_RELAXED);
    } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
    }
}

void OldPassWorker::count_object(PyObject* op) {
    if (shared_.noisy) {
        make_noisy(op);
    }
    add(key_of(op), -own_count(op));
    traverse(op, count_reference);
    ++objects_;
}

void OldPassWorker::count_aside(Deadline& deadline) {
    while (!aside_.empty()) {
        PyObject* op = aside_.back();
        aside_.pop_back();
        if (view_.is_old(op)) {
            count_object(op);
        }
        if (deadline.has_passed(kObjectUnits)) {
            break;
        }
    }
    flush_counted();
}

void OldPassWorker::count(Deadline& deadline) {
    const auto visit = [&](uint32_t, uint32_t i) {
        PyObject* op = heap::object_at(blocks_.block, i);
        if (is_stopped() || may_traverse_concurrently(op)) {
            count_object(op);
        } else if (aside_.size() < kAside) {
            aside_.push_back(op);
        } else {
            return 0u;
        }
        return kObjectUnits;
    };
    while (visit_larges(deadline, count_reference) && walk(view_, blocks_, deadline, visit) &&
           larges_.empty() && take_blocks()) {
    }
    flush_counted();
}

// Marking: as a worker of MarkPass does.

int OldPassWorker::visit_to_mark(PyObject* op, void* arg) {
    auto* self = static_cast<OldPassWorker*>(arg);
    const uint32_t slot = self->view_.slot_of(op);
    self->view_.prefetch_mark(slot);
    self->reached_.push({slot, op}, [self](Reached oldest) { self->reach(oldest); });
    return 0;
}

// Whether a sweep is still to come by.
bool OldPassWorker::is_ahead(const PyObject* op) const {
    const auto address = reinterpret_cast<uintptr_t>(op);
    return (address > cursor_ && address < blocks_end_) || address >= shared_.queue.frontier();
}

inline void OldPassWorker::reach(Reached reached) {
    if (view_.mark(reached.slot) == heap::kWhite) {
        reach_white(reached);
    }
}

// Apart, so that visiting what is marked already saves no registers.
[[gnu::noinline]] void OldPassWorker::reach_white(Reached reached) {
    if (!heap::address_is_object(reached.op) || !view_.is_old(reached.op)) {
        return;  // a field read while it was written, or one that is freed
    }
    has_marked_ = true;
    if (is_ahead(reached.op)) {
        view_.set_mark(reached.slot, heap::kGrey);
    } else if (stack_.size() < kStackSize) {
        view_.set_mark(reached.slot, heap::kBlack);
        stack_.push_back(reached.op);
    } else {
        view_.set_mark(reached.slot, heap::kGrey);
        heap::Block* block = heap::block_of(reached.op);
        restart_ = restart_ == nullptr ? block : std::min(restart_, block);
    }
}

// Pre: op is black and an old object in this slice.
void OldPassWorker::prefetch_object(PyObject* op) {
    fetch(op);
    prefetched_.push(op, [this](PyObject* ready) { prefetch_items(ready); });
}

void OldPassWorker::prefetch_items(PyObject* op) {
    fetch_items(op);
    next_.push(op, [this](PyObject* fetched) { traverse_to_mark(fetched); });
}

void OldPassWorker::traverse_to_mark(PyObject* op) {
    if (is_stopped() || may_traverse_concurrently(op)) {
        traverse(op, visit_to_mark);
    } else {
        aside_.push_back(op);  // within kSpare
    }
}

// What is on its way arrives: the rings hold nothing from one slice to the next.
void OldPassWorker::flush() {
    prefetched_.flush([this](PyObject* op) { prefetch_items(op); });
    next_.flush([this](PyObject* op) { traverse_to_mark(op); });
    reached_.flush([this](Reached reached) { reach(reached); });
}

// Follows the references of the last of a list that is not empty.
void OldPassWorker::follow(heap::PageVector<PyObject*>& list) {
    PyObject* op = list.back();
    list.pop_back();
    if (view_.is_old(op)) {
        prefetch_object(op);
    }
}

// The next grey object of the sweep, black now; nullptr at the end, or at the deadline.
PyObject* OldPassWorker::next_grey(Deadline& deadline) {
    do {
        for (; !blocks_.is_over(); blocks_.go_to(blocks_.block + 1)) {
            if (!view_.has_containers(blocks_.block)) {
                continue;
            }
            const uint32_t first = blocks_.block->first_slot;
            uint32_t& slot = blocks_.slot;
            for (const uint32_t capacity = blocks_.block->capacity; slot < capacity;) {
                const uint32_t group = slot / heap::kLanes * heap::kLanes;
                const uint64_t lanes = view_.mark_lanes(first + group);
                // Not what is condemned, whatever colour its slot had before: inv.exact.one-owner.
                const uint64_t grey = (lanes >> 1 & ~lanes & ~(lanes >> 2) & heap::kEachLane) &
                                      ~uint64_t{0} << (slot - group) * 8;
                if (grey == 0) {
                    slot = group + heap::kLanes;
                    continue;
                }
                const uint32_t i = group + static_cast<uint32_t>(std::countr_zero(grey)) / 8;
                slot = i + 1;
                if (view_.is_old(first + i)) {
                    PyObject* op = heap::object_at(blocks_.block, i);
                    cursor_ = reinterpret_cast<uintptr_t>(op);
                    view_.set_mark(first + i, heap::kBlack);
                    has_marked_ = true;
                    return op;
                }
            }
            if (deadline.has_passed(BlockWalk::kBlockUnits)) {
                blocks_.go_to(blocks_.block + 1);
                cursor_ = heap::start_of(blocks_.block) - 1;
                return nullptr;
            }
        }
        cursor_ = blocks_end_;
    } while (take_blocks());
    swept_ = true;
    return nullptr;
}

void OldPassWorker::mark_aside(Deadline& deadline) {
    do {
        if (!visit_larges(deadline, visit_to_mark)) {
            break;
        }
        if (!aside_.empty()) {
            follow(aside_);
        } else if (!stack_.empty()) {
            follow(stack_);
        } else {
            flush();
            if (stack_.empty() && larges_.empty()) {
                break;
            }
        }
    } while (!deadline.has_passed(kObjectUnits));
    flush();
}

void OldPassWorker::mark(Deadline& deadline) {
    do {
        if (!visit_larges(deadline, visit_to_mark) || must_stop()) {
            break;
        }
        if (!stack_.empty() && (swept_ || stack_.size() >= kStackSize / 2)) {
            follow(stack_);
        } else if (!swept_) {
            if (PyObject* op = next_grey(deadline)) {
                prefetch_object(op);
            } else if (!swept_) {
                break;
            }
        } else {
            flush();
            if (stack_.empty() && larges_.empty()) {
                break;
            }
        }
    } while (!deadline.has_passed(kObjectUnits));
    flush();
}

void OldPassWorker::begin_sweep() {
    swept_ = false;
    has_marked_ = false;
    restart_ = nullptr;
    cursor_ = blocks_end_ = 0;
}

}  // namespace ouro::collector
