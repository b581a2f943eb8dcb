#include "core/collector/engines/count_pass.hpp"

#include <cstring>
#include <new>

#include "core/collector/engines/items.hpp"
#include "core/collector/engines/own_count.hpp"

namespace ouro::collector {
namespace {

using HeapView = heap::HeapView<heap::Stopped>;

void note_carried(uint32_t slot, heap::PageVector<uint32_t>& carried, bool& is_whole) noexcept {
    try {
        carried.push_back(slot);
    } catch (const std::bad_alloc&) {
        is_whole = false;
    }
}

// Several workers may carry for one slot, seldom.
void carry_to_heap(const HeapView& view, uint32_t slot, int32_t units) {
    __atomic_fetch_add(&view.count(slot), static_cast<uint32_t>(units), __ATOMIC_RELAXED);
}

// An object whose byte came out as zero by chance is grey too.
void settle(const HeapView& view, uint32_t slot) {
    if (view.count(slot) != 0 && view.mark(slot) == heap::kWhite) {
        view.set_mark(slot, heap::kGrey);
    }
    view.count(slot) = 0;
}

// Slot ranges are padded to groups of so many.
constexpr size_t kGroup = 64;

// Adds bytes to bytes; false, and nothing is changed, if a sum does not fit. Written for the
// vectoriser.
bool add_group(int8_t* sums, const int8_t* more) {
    int8_t added[kGroup];
    uint8_t carries = 0;
    for (size_t i = 0; i < kGroup; ++i) {
        const auto a = static_cast<uint8_t>(sums[i]);
        const auto b = static_cast<uint8_t>(more[i]);
        const auto sum = static_cast<uint8_t>(a + b);
        carries |= (a ^ sum) & (b ^ sum);  // the sign bit: both signs differ from the sum's
        added[i] = static_cast<int8_t>(sum);
    }
    if ((carries & 0x80) != 0) {
        return false;
    }
    std::memcpy(sums, added, kGroup);
    return true;
}

}  // namespace

CountPass::Worker::Worker(bool is_first) {
    if (!is_first) {
        near_counts_.resize(view_.slot_limit());
        view_.use_near_counts(near_counts_.data());
    }
}

// Apart, so that visiting saves no registers.
[[gnu::noinline]] void CountPass::Worker::carry(uint32_t slot, int32_t units) {
    note_carried(slot, carried, carried_is_whole);
    carry_to_heap(view_, slot, units);
}

void CountPass::Worker::count_block(const heap::Block* block) {
    view_.for_each_tracked(block, [&](uint32_t i) {
        PyObject* op = heap::object_at(block, i);
        add(block->first_slot + i, -own_count(op));
        const traverseproc handler = Py_TYPE(op)->tp_traverse;
        if (const auto items = items_of(op, handler)) {
            items->visit([](PyObject* item, void* self) { return count_reference(item, self); },
                         this);
        } else {
            handler(op, count_reference, this);
        }
        ++objects_;
    });
}

void CountPass::Worker::count(BlockQueue& queue) {
    for (auto chunk = queue.take(); !chunk.empty(); chunk = queue.take()) {
        chunk.for_each_container_block([this](const heap::Block* block) { count_block(block); });
    }
    flush_counted();
}

void CountPass::Worker::add_to_heap(const heap::Block* block, Slots& carried_by,
                                    bool& is_whole) const {
    if (near_counts_.empty()) {
        return;
    }
    const int8_t* mine = near_counts_.data() + block->first_slot;
    const HeapView heaps;
    int8_t* sums = heaps.near_counts(block->first_slot);
    for (size_t first = 0; first < block->bump; first += kGroup) {
        if (add_group(sums + first, mine + first)) [[likely]] {
            continue;
        }
        for (size_t i = first; i < first + kGroup; ++i) {
            const int32_t sum = sums[i] + mine[i];
            sums[i] = static_cast<int8_t>(sum);
            if (sums[i] != sum) {
                const auto slot = static_cast<uint32_t>(block->first_slot + i);
                note_carried(slot, carried_by, is_whole);
                carry_to_heap(heaps, slot, (sum - sums[i]) / 256);
            }
        }
    }
}

CountPass::CountPass(worklist::Executor& executor) : executor_(executor) {
    workers_.reserve(executor.workers());
    while (workers_.size() < executor.workers()) {
        workers_.emplace_back(workers_.empty());
    }
}

void CountPass::run() {
    BlockQueue queue;
    executor_.run([&](unsigned worker) { workers_[worker].count(queue); });
}

void CountPass::colour_block(const heap::Block* block) {
    const HeapView view;
    const uint8_t* state = view.states(block->first_slot);
    uint8_t* mark = view.marks(block->first_slot);
    int8_t* count = view.near_counts(block->first_slot);
    for (uint32_t i = 0, end = block->bump; i < end; ++i) {
        const uint8_t colour = count[i] != 0 ? heap::kGrey : heap::kWhite;
        const uint8_t seen = (state[i] & heap::kTracked) != 0 ? colour : uint8_t{heap::kNotSeen};
        // In the child of a fork: inv.exact.one-owner.
        mark[i] = (mark[i] & heap::kCondemned) != 0 ? uint8_t{heap::kCondemned} : seen;
        count[i] = 0;
    }
}

void CountPass::find_roots() {
    BlockQueue queue;
    executor_.run([&](unsigned worker) {
        Worker& self = workers_[worker];
        for (auto chunk = queue.take(); !chunk.empty(); chunk = queue.take()) {
            chunk.for_each_container_block([&](const heap::Block* block) {
                for (const Worker& each : workers_) {
                    each.add_to_heap(block, self.carried, self.carried_is_whole);
                }
                colour_block(block);
            });
        }
    });
    settle_carried();
}

void CountPass::settle_carried() {
    const HeapView view;
    bool is_whole = true;
    for (const Worker& worker : workers_) {
        is_whole &= worker.carried_is_whole;
        for (const uint32_t slot : worker.carried) {
            settle(view, slot);
        }
    }
    if (!is_whole) {
        view.for_each_container_block([&](const heap::Block* block) {
            for (uint32_t i = 0; i < block->bump; ++i) {
                settle(view, block->first_slot + i);
            }
        });
    }
    view.near_count(0) = 0;  // what was counted for atoms
    view.count(0) = 0;
}

size_t CountPass::objects() const {
    size_t objects = 0;
    for (const Worker& worker : workers_) {
        objects += worker.objects();
    }
    return objects;
}

}  // namespace ouro::collector
