#include "core/collector/freeze.hpp"

#include "core/collector/candidates.hpp"
#include "core/collector/collection.hpp"
#include "core/heap/view.hpp"
#include "core/mutator/world.hpp"

namespace ouro::collector {
namespace {

using HeapView = heap::HeapView<heap::Stopped>;

// The state of one slot, in a stop. acquire and release: as tracking does it, for who traverses concurrently.
void exchange_bits(const HeapView& view, uint32_t slot, uint8_t taken, uint8_t given) {
    uint8_t& state = *view.states(slot);
    const uint8_t old = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    __atomic_store_n(&state, static_cast<uint8_t>((old & ~taken) | given), __ATOMIC_RELEASE);
}

// Neither young nor middle from now on.
void make_old(const HeapView& view, uint32_t slot) {
    for (uint64_t* word : {&view.young_word(slot / 64), &view.middle_word(slot / 64)}) {
        __atomic_store_n(word, *word & ~heap::bit_of(slot), __ATOMIC_RELEASE);
    }
}

}  // namespace

void freeze() {
    const mutator::Stopped stopped;
    const HeapView view;
    // During a full collection no object may seem to have been old when it began (heap::is_old).
    const bool ages = !heap::is_traversed() && !is_full_in_flight();
    view.for_each_container_block([&](const heap::Block* block) {
        view.for_each_tracked(block, [&](uint32_t i) {
            const uint32_t slot = block->first_slot + i;
            if (!view.is_condemned(slot)) {
                exchange_bits(view, slot, heap::kTracked, heap::kFrozen);
                if (ages) {
                    make_old(view, slot);
                }
            }
        });
    });
}

void unfreeze() {
    const mutator::Stopped stopped;
    const HeapView view;
    view.for_each_container_block([&](const heap::Block* block) {
        for (uint32_t slot = block->first_slot, end = slot + block->bump; slot < end; ++slot) {
            if ((view.state(slot) & heap::kFrozen) != 0) {
                exchange_bits(view, slot, heap::kFrozen, heap::kTracked);
            }
        }
    });
}

size_t frozen_count() {
    const mutator::Stopped stopped;
    return heap::count_in_state(heap::kFrozen);
}

}  // namespace ouro::collector
