#include "core/collector/engines/old_pass.hpp"

#include <algorithm>
#include <cstring>
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

// A block whose slots are looked at costs the clock as much as so many objects.
constexpr uint32_t kBlockUnits = 32;
// So many slots are coloured in the time of one object's traversal or less.
constexpr uint32_t kSlotsAUnit = 8;
// An object with its references, on average.
constexpr uint32_t kObjectUnits = 4;

}  // namespace

OldPass::OldPass(bool noisy) : OldPass(noisy, heap::HeapView<heap::Stopped>()) {}

OldPass::OldPass(bool noisy, const heap::HeapView<heap::Stopped>& now)
    : end_(now.end_of_blocks()), noisy_(noisy), slots_(now.slot_limit()),
      block_(now.first_block()) {
    aside_.reserve(kAside + kSpare);
    stack_.reserve(kStackSize);
}

OldPass::~OldPass() {
    if (!counting_) {
        return;
    }
    cleared_ = 0;
    Deadline none = Deadline::none();
    (void)clear_near_counts(none);
    clear_carried();
}

void OldPass::clear_carried() {
    view_.near_count(0) = 0;
    for (const uint32_t slot : carried_) {
        if (view_.is_old(slot)) {
            view_.count_of_old(slot) = 0;
        }
    }
    view_.count_of_old(0) = 0;
    carried_.clear();
}

void OldPass::check_memory() const {
    if (out_of_memory_) {
        throw std::bad_alloc();
    }
}

void OldPass::rewind(heap::Block* from) {
    block_ = from;
    slot_ = 0;
}

// Calls visit(slot number, slot in block) for each old object from where the last walk stopped; visit
// returns the work it was, or 0: then the walk stops before that object. True at the end.
template <class Visit>
bool OldPass::walk(Deadline& deadline, const Visit& visit) {
    for (; block_ < end_; ++block_, slot_ = 0) {
        if (!view_.has_containers(block_)) {
            continue;
        }
        const uint32_t first = block_->first_slot;
        for (const uint32_t capacity = block_->capacity; slot_ < capacity;
             slot_ = (slot_ + heap::kLanes) / heap::kLanes * heap::kLanes) {
            const uint32_t group = slot_ / heap::kLanes * heap::kLanes;
            uint64_t tracked = view_.tracked_lanes(first + group);
            tracked &= ~uint64_t{0} << (slot_ - group) * 8;
            const uint64_t others = tracked == 0 ? 0 : view_.younger_bits(first + group);
            for (; tracked != 0; tracked &= tracked - 1) {
                const auto lane = static_cast<uint32_t>(std::countr_zero(tracked)) / 8;
                if ((others >> lane & 1) != 0) {
                    continue;
                }
                slot_ = group + lane;
                const uint32_t work = visit(first + slot_, slot_);
                if (work == 0) {
                    return false;
                }
                ++slot_;
                if (deadline.has_passed(work)) {
                    return false;
                }
                if (slot_ == group + heap::kLanes) {
                    --slot_;  // the loop goes on to the next group
                    break;
                }
            }
        }
        if (deadline.has_passed(kBlockUnits)) {
            rewind(block_ + 1);
            return false;
        }
    }
    return true;
}

void OldPass::traverse(PyObject* op, visitproc visit) {
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
        call_traverse(op, world_, visit, this);
        check_memory();
    }
}

// A part of a large container; false if there is none left. It may have died, or another be there, or have
// become smaller since it was put aside.
bool OldPass::visit_part(Large& large, visitproc visit) {
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
bool OldPass::visit_larges(Deadline& deadline, visitproc visit) {
    while (!larges_.empty()) {
        if (!visit_part(larges_.back(), visit)) {
            larges_.pop_back();
        }
        check_memory();
        if (deadline.has_passed(kLarge)) {
            return larges_.empty();
        }
    }
    return true;
}

// Counting: as CountPass does, by difference.

void OldPass::carry(uint32_t slot, int32_t units) {
    if (slot != 0 && !view_.is_old(slot)) {
        return;
    }
    try {
        carried_.push_back(slot);
        view_.count_of_old(slot) += static_cast<uint32_t>(units);
    } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
    }
}

void OldPass::count_object(PyObject* op) {
    if (noisy_) {
        make_noisy(op);
    }
    add(view_.slot_of(op), -own_count(op));
    traverse(op, count_reference);
    ++objects_;
}

Next OldPass::count_slice(Deadline& deadline) {
    if (world_ == World::kStopped) {
        while (!aside_.empty()) {
            PyObject* op = aside_.back();
            aside_.pop_back();
            if (view_.is_old(op)) {
                count_object(op);
            }
            if (deadline.has_passed(kObjectUnits)) {
                return aside_.empty() ? Next::kMore : Next::kStop;
            }
        }
        if (std::exchange(asked_, false) && larges_.empty() && block_ < end_) {
            return Next::kMore;
        }
    }
    const bool at_end =
        visit_larges(deadline, count_reference) && walk(deadline, [&](uint32_t, uint32_t i) {
            PyObject* op = heap::object_at(block_, i);
            if (world_ == World::kStopped || may_traverse_concurrently(op)) {
                count_object(op);
            } else if (aside_.size() < kAside) {
                aside_.push_back(op);
            } else {
                return 0u;
            }
            return kObjectUnits;
        });
    if (aside_.size() == kAside || (at_end && !aside_.empty())) {
        return ask_for_stop();
    }
    return at_end && larges_.empty() ? Next::kDone : Next::kMore;
}

// Of slots that were not old, or not yet in a block, when the last pass came by, something may be left.
bool OldPass::clear_near_counts(Deadline& deadline) {
    constexpr size_t part = 64 << 10;
    for (; cleared_ < slots_; cleared_ += part) {
        std::memset(view_.near_counts(0) + cleared_, 0, std::min(part, slots_ - cleared_));
        if (deadline.has_passed_now()) {
            cleared_ += part;
            return cleared_ >= slots_;
        }
    }
    return true;
}

Next OldPass::count(Deadline& deadline, World world) {
    if (!clear_near_counts(deadline)) {
        return Next::kMore;
    }
    world_ = world;
    const Next next = count_slice(deadline);
    flush_counted();
    check_memory();
    if (next == Next::kDone) {
        rewind(view_.first_block());
    }
    return next;
}

void OldPass::colour_block(const heap::Block* block) {
    const uint32_t first = block->first_slot;
    for (uint32_t slot = first, end = first + block->capacity; slot < end; ++slot) {
        // inv.exact.one-owner
        if (view_.is_old(slot) && !view_.is_condemned(slot)) {
            view_.set_mark(slot, view_.near_count(slot) != 0 ? heap::kGrey : heap::kWhite);
        }
    }
    std::memset(view_.near_counts(first), 0, block->capacity);
}

// An object whose byte is zero by chance is grey too, if something was carried: looked at in a stop, where
// no young collection uses the words of slots that are not old any more.
Next OldPass::colour(Deadline& deadline, World world) {
    for (; block_ < end_; ++block_) {
        if (view_.has_containers(block_)) {
            colour_block(block_);
            if (deadline.has_passed(block_->capacity / kSlotsAUnit)) {
                ++block_;
                return Next::kMore;
            }
        }
    }
    if (world == World::kRunning && !carried_.empty()) {
        return Next::kStop;
    }
    asked_ = false;
    for (const uint32_t slot : carried_) {
        if (view_.is_old(slot) && view_.count_of_old(slot) != 0 &&
            view_.mark(slot) == heap::kWhite) {
            view_.set_mark(slot, heap::kGrey);
        }
    }
    clear_carried();
    counting_ = false;
    rewind(view_.first_block());
    return Next::kDone;
}

// Marking: as a worker of MarkPass does.

int OldPass::visit_to_mark(PyObject* op, void* arg) {
    auto* self = static_cast<OldPass*>(arg);
    const uint32_t slot = self->view_.slot_of(op);
    self->view_.prefetch_mark(slot);
    self->reached_.push({slot, op}, [self](Reached oldest) { self->reach(oldest); });
    return 0;
}

inline void OldPass::reach(Reached reached) {
    if (view_.mark(reached.slot) == heap::kWhite) {
        reach_white(reached);
    }
}

// Apart, so that visiting what is marked already saves no registers.
[[gnu::noinline]] void OldPass::reach_white(Reached reached) {
    if (!heap::address_is_object(reached.op) || !view_.is_old(reached.op)) {
        return;  // a field read while it was written, or one that is freed
    }
    if (!swept_ && reinterpret_cast<uintptr_t>(reached.op) > cursor_) {
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
void OldPass::prefetch_object(PyObject* op) {
    fetch(op);
    prefetched_.push(op, [this](PyObject* ready) { prefetch_items(ready); });
}

void OldPass::prefetch_items(PyObject* op) {
    fetch_items(op);
    next_.push(op, [this](PyObject* fetched) { traverse_to_mark(fetched); });
}

void OldPass::traverse_to_mark(PyObject* op) {
    if (world_ == World::kStopped || may_traverse_concurrently(op)) {
        traverse(op, visit_to_mark);
    } else {
        aside_.push_back(op);  // within kSpare
    }
}

// What is on its way arrives: the rings hold nothing from one slice to the next.
void OldPass::flush() {
    prefetched_.flush([this](PyObject* op) { prefetch_items(op); });
    next_.flush([this](PyObject* op) { traverse_to_mark(op); });
    reached_.flush([this](Reached reached) { reach(reached); });
}

// The next grey object of the sweep, black now; nullptr at the end, or at the deadline.
PyObject* OldPass::next_grey(Deadline& deadline) {
    for (; block_ < end_; ++block_, slot_ = 0) {
        if (!view_.has_containers(block_)) {
            continue;
        }
        const uint32_t first = block_->first_slot;
        for (const uint32_t capacity = block_->capacity; slot_ < capacity;) {
            const uint32_t group = slot_ / heap::kLanes * heap::kLanes;
            const uint64_t lanes = view_.mark_lanes(first + group);
            const uint64_t grey =
                (lanes >> 1 & ~lanes & heap::kEachLane) & ~uint64_t{0} << (slot_ - group) * 8;
            if (grey == 0) {
                slot_ = group + heap::kLanes;
                continue;
            }
            const uint32_t i = group + static_cast<uint32_t>(std::countr_zero(grey)) / 8;
            slot_ = i + 1;
            if (view_.is_old(first + i)) {
                PyObject* op = heap::object_at(block_, i);
                cursor_ = reinterpret_cast<uintptr_t>(op);
                view_.set_mark(first + i, heap::kBlack);
                return op;
            }
        }
        if (deadline.has_passed(kBlockUnits)) {
            rewind(block_ + 1);
            cursor_ = heap::start_of(block_) - 1;
            return nullptr;
        }
    }
    swept_ = true;
    return nullptr;
}

Next OldPass::ask_for_stop() {
    asked_ = true;
    return Next::kStop;
}

Next OldPass::mark_slice(Deadline& deadline) {
    const bool only_aside = world_ == World::kStopped && asked_;
    do {
        if (!visit_larges(deadline, visit_to_mark)) {
            return Next::kMore;
        }
        if (world_ == World::kStopped && !aside_.empty()) {
            PyObject* op = aside_.back();
            aside_.pop_back();
            if (view_.is_old(op)) {
                prefetch_object(op);
            }
        } else if (aside_.size() >= kAside) {
            return ask_for_stop();
        } else if (!stack_.empty() && (swept_ || only_aside || stack_.size() >= kStackSize / 2)) {
            PyObject* op = stack_.back();
            stack_.pop_back();
            if (view_.is_old(op)) {
                prefetch_object(op);
            }
        } else if (only_aside && stack_.empty()) {
            flush();
            if (stack_.empty() && larges_.empty()) {
                asked_ = false;
                return Next::kMore;
            }
        } else if (!swept_) {
            if (PyObject* op = next_grey(deadline)) {
                prefetch_object(op);
            } else if (!swept_) {
                return Next::kMore;
            }
        } else {
            flush();
            if (stack_.empty() && larges_.empty()) {
                if (!aside_.empty() && world_ == World::kRunning) {
                    return ask_for_stop();
                }
                if (aside_.empty() && restart_ == nullptr) {
                    return Next::kDone;
                }
                if (restart_ != nullptr) {
                    rewind(restart_);
                    cursor_ = heap::start_of(restart_) - 1;
                    restart_ = nullptr;
                    swept_ = false;
                }
            }
        }
    } while (!deadline.has_passed(kObjectUnits));
    return world_ == World::kStopped && !aside_.empty() ? Next::kStop : Next::kMore;
}

Next OldPass::mark(Deadline& deadline, World world) {
    world_ = world;
    const Next next = mark_slice(deadline);
    flush();
    if (next == Next::kDone) {
        rewind(view_.first_block());
    }
    return next;
}

Next OldPass::list(Deadline& deadline, Candidates& candidates) {
    if (candidates.capacity() < objects_) {
        candidates.reserve(objects_);  // address space: nothing is moved later
    }
    const bool at_end = walk(deadline, [&](uint32_t slot, uint32_t i) {
        if (view_.mark(slot) == heap::kWhite) {
            candidates.push_back(heap::object_at(block_, i));
        }
        return 1u;
    });
    return at_end ? Next::kDone : Next::kMore;
}

}  // namespace ouro::collector
