#include "core/collector/engines/mark_pass.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/collector/fetch.hpp"

namespace ouro::collector {
namespace {

uintptr_t address(const PyObject* op) {
    return reinterpret_cast<uintptr_t>(op);
}

}  // namespace

MarkPass::Worker::Worker() {
    stack_.reserve(kStackSize + Segments::kSegment);
}

int MarkPass::Worker::visit(PyObject* op, void* arg) {
    auto* self = static_cast<Worker*>(arg);
    const uint32_t slot = self->view_.slot_of(op);
    self->view_.prefetch_mark(slot);
    self->reached_.push({slot, op}, [self](Reached oldest) { self->reach(oldest); });
    return 0;
}

// Whether a sweep is still to come by.
bool MarkPass::Worker::is_ahead(const PyObject* op) const {
    return (address(op) > cursor_ && address(op) < chunk_end_) || address(op) >= queue_->frontier();
}

inline void MarkPass::Worker::reach(Reached reached) {
    if (view_.mark(reached.slot) == heap::kWhite) {
        reach_white(reached);
    }
}

// Apart, so that visiting what is marked already saves no registers.
[[gnu::noinline]] void MarkPass::Worker::reach_white(Reached reached) {
    if (is_ahead(reached.op)) {
        view_.set_mark(reached.slot, heap::kGrey);
    } else if (stack_.size() < stack_limit_) {
        view_.set_mark(reached.slot, heap::kBlack);
        stack_.push_back(reached.op);
    } else {
        view_.set_mark(reached.slot, heap::kGrey);
        restart_ = restart_ == nullptr ? reached.op : std::min(restart_, reached.op);
    }
}

// Pre: op is black. It is traversed some objects later, when it and its items have been fetched.
void MarkPass::Worker::prefetch_object(PyObject* op) {
    fetch(op);
    prefetched_.push(op, [this](PyObject* ready) { prefetch_items(ready); });
}

void MarkPass::Worker::prefetch_items(PyObject* op) {
    fetch_items(op);
    next_.push(op, [this](PyObject* fetched) { traverse(fetched); });
}

void MarkPass::Worker::traverse(PyObject* op) {
    const traverseproc handler = Py_TYPE(op)->tp_traverse;
    if (const auto items = items_of(op, handler)) {
        if (aside_ == nullptr || items->count < kLarge || !put_aside(*items)) {
            items->visit([](PyObject* item, void* self) { return visit(item, self); }, this);
        }
    } else {
        handler(op, visit, this);
    }
}

bool MarkPass::Worker::put_aside(const Items& items) {
    const size_t place = aside_->count.fetch_add(1, std::memory_order_relaxed);
    if (place >= Aside::kMost) {
        return false;
    }
    aside_->all[place] = items;
    return true;
}

void MarkPass::Worker::grey(const Items& items, std::atomic<size_t>& next) {
    stack_limit_ = 0;
    for (size_t begin = next.fetch_add(kSlice); begin < items.count;
         begin = next.fetch_add(kSlice)) {
        const size_t end = std::min(begin + kSlice, items.count);
        for (size_t i = begin; i < end; ++i) {
            if (PyObject* op = items.first[i]) {
                visit(op, this);
            }
        }
    }
    reached_.flush([this](Reached reached) { reach(reached); });
    stack_limit_ = kStackSize;
}

// Gives a part of the stack to those who have run out, if there is enough of it for both.
void MarkPass::Worker::share() {
    if (segments_->wanted() && stack_.size() >= 2 * Segments::kSegment) [[unlikely]] {
        const size_t rest = stack_.size() - Segments::kSegment;
        if (segments_->give(stack_.data() + rest)) {
            stack_.resize(rest);
        }
    }
}

// Follows what is on the stack and all that is on its way, until nothing is left.
void MarkPass::Worker::drain() {
    for (;;) {
        while (!stack_.empty()) {
            share();
            PyObject* op = stack_.back();
            stack_.pop_back();
            prefetch_object(op);
        }
        if (!prefetched_.empty()) {
            prefetched_.flush([this](PyObject* op) { prefetch_items(op); });
        } else if (!next_.empty()) {
            next_.flush([this](PyObject* op) { traverse(op); });
        } else if (!reached_.empty()) {
            reached_.flush([this](Reached reached) { reach(reached); });
        } else {
            return;
        }
    }
}

void MarkPass::Worker::sweep_block(const heap::Block* block) {
    const uint32_t slots = block->first_slot;
    const uint8_t* mark = view_.marks(slots);
    for (uint32_t first = 0; first < block->bump; first += heap::kLanes) {
        for (;;) {
            // Read again after each object: traversing one can turn a later one of these grey.
            const uint64_t lanes = view_.load_lanes(mark + first);
            const uint64_t grey = lanes >> 1 & ~lanes & heap::kEachLane;
            if (grey == 0) {
                break;
            }
            const uint32_t i = first + static_cast<uint32_t>(std::countr_zero(grey)) / 8;
            view_.set_mark(slots + i, heap::kBlack);
            PyObject* op = heap::object_at(block, i);
            cursor_ = address(op);
            prefetch_object(op);
            share();
            if (stack_.size() >= kDrainAt) {
                drain();
            }
        }
    }
}

void MarkPass::Worker::work(BlockQueue& queue, Segments& segments, Aside* aside) {
    queue_ = &queue;
    segments_ = &segments;
    aside_ = aside;
    segments.enter();
    do {
        for (auto chunk = queue.take(); !chunk.empty(); chunk = queue.take()) {
            cursor_ = chunk.begin;
            chunk_end_ = chunk.end;
            chunk.for_each_container_block(
                [this](const heap::Block* block) { sweep_block(block); });
        }
        cursor_ = chunk_end_;
        drain();
    } while (segments.take(stack_));
}

MarkPass::MarkPass(worklist::Executor& executor) : executor_(executor) {
    workers_.reserve(executor.workers());
    while (workers_.size() < executor.workers()) {
        workers_.emplace_back();
    }
}

void MarkPass::sweep_once(const heap::Block* from) {
    BlockQueue queue(from);
    Aside* aside = executor_.workers() > 1 ? &aside_ : nullptr;
    executor_.run([&](unsigned worker) { workers_[worker].work(queue, segments_, aside); });
    grey_aside();
}

void MarkPass::grey_aside() {
    const size_t count = std::min(aside_.count.exchange(0), Aside::kMost);
    for (size_t i = 0; i < count; ++i) {
        std::atomic<size_t> next{0};
        executor_.run([&](unsigned worker) { workers_[worker].grey(aside_.all[i], next); });
    }
}

void MarkPass::sweep() {
    const heap::Block* from = heap::HeapView<heap::Stopped>().first_block();
    while (from != nullptr) {
        sweep_once(from);
        PyObject* restart = nullptr;
        for (Worker& worker : workers_) {
            if (PyObject* op = worker.take_restart()) {
                restart = restart == nullptr ? op : std::min(restart, op);
            }
        }
        from = restart == nullptr ? nullptr : heap::block_of(restart);
    }
}

void MarkPass::look_over_marks() {
    const heap::HeapView<heap::Stopped> view;
    BlockQueue queue;
    std::atomic<size_t> white{0};
    std::atomic<size_t> grey{0};
    executor_.run([&](unsigned) {
        size_t my_white = 0;
        size_t my_grey = 0;
        for (auto chunk = queue.take(); !chunk.empty(); chunk = queue.take()) {
            chunk.for_each_container_block([&](const heap::Block* block) {
                const uint8_t* mark = view.marks(block->first_slot);
                for (uint32_t i = 0; i < block->bump; ++i) {
                    my_white += mark[i] == heap::kWhite ? 1 : 0;
                    my_grey += mark[i] == heap::kGrey ? 1 : 0;
                }
            });
        }
        white.fetch_add(my_white, std::memory_order_relaxed);
        grey.fetch_add(my_grey, std::memory_order_relaxed);
    });
    white_ = white.load(std::memory_order_relaxed);
    any_grey_ = grey.load(std::memory_order_relaxed) > 0;
}

void MarkPass::run() {
    do {
        sweep();
        look_over_marks();
    } while (any_grey_);
}

void MarkPass::list_white(Candidates& candidates) {
    const heap::HeapView<heap::Stopped> view;
    try {
        candidates.reserve(white_);
    } catch (const std::bad_alloc&) {
        view.for_each_container_block([&](const heap::Block* block) {
            uint8_t* mark = view.marks(block->first_slot);
            std::replace(mark, mark + block->bump, uint8_t{heap::kWhite}, uint8_t{heap::kBlack});
        });
        throw;
    }
    if (white_ == 0) {
        return;
    }
    view.for_each_container_block([&](const heap::Block* block) {
        view.for_each_white(block,
                            [&](uint32_t i) { candidates.push_back(heap::object_at(block, i)); });
    });
}

}  // namespace ouro::collector
