#include "core/heap/block_pool.hpp"

#include <algorithm>
#include <cstring>

#include "core/heap/heap.hpp"
#include "core/heap/poison.hpp"
#include "core/heap/traversed.hpp"

namespace ouro::heap {

Tables tables;

namespace {

// Slot numbers are handed out in units, so that no two blocks share a word of the young bitmap.
constexpr uint64_t kSlotUnit = 64;
constexpr uint64_t kSlotLimit = uint64_t{1} << 32;

uint64_t slots_of(const Block* block) {
    return block->is_large ? kSlotUnit : (block->capacity + kSlotUnit - 1) / kSlotUnit * kSlotUnit;
}

size_t blocks_for(size_t bytes) {
    return (bytes + kBlockSize - 1) >> kBlockShift;
}

}  // namespace

bool BlockPool::start() {
    size_t bytes = kReservation;
    while (!heap_.reserve(bytes)) {
        bytes /= 2;
        if (bytes < kSmallestReservation) {
            return false;
        }
    }
    const size_t blocks = bytes >> kBlockShift;
    const size_t slots = std::min(bytes / (2 * kGranule), kSlotLimit);
    if (!maps_.reserve(blocks * sizeof(SlotMap)) || !blocks_.reserve(blocks * sizeof(Block)) ||
        !state_.reserve(slots) || !mark_.reserve(slots) || !lock_.reserve(slots) ||
        !near_count_.reserve(slots) || !count_.reserve(slots * sizeof(uint32_t)) ||
        !young_.reserve(slots / 8) || !middle_.reserve(slots / 8)) {
        return false;
    }
    // Every look-up may read the map and the record of any block in the reservation, in use or not.
    if (!maps_.make_usable(maps_.size()) || !blocks_.make_usable(blocks_.size())) {
        return false;
    }
    clean_blocks_.give({0, blocks});
    clean_slots_.give({0, slots / kSlotUnit});
    // Slot 0 is nobody's: what has no metadata maps there.
    clean_slots_.take(1);
    if (!make_slots_usable(kSlotUnit)) {
        return false;
    }
    tables.maps = maps_.as<SlotMap>();
    tables.blocks = blocks_.as<Block>();
    tables.state = state_.as<uint8_t>();
    tables.mark = mark_.as<uint8_t>();
    tables.near_count = near_count_.as<int8_t>();
    tables.count = count_.as<uint32_t>();
    tables.lock = lock_.as<uint8_t>();
    tables.young = young_.as<uint64_t>();
    tables.middle = middle_.as<uint64_t>();
    tables.base = heap_.base();
    tables.size = bytes;
    return true;
}

// The counts and the locks are touched sparsely.
void BlockPool::use_huge_pages(bool use) {
    const std::lock_guard guard(mutex_);
    for (AddressSpace* each :
         {&heap_, &maps_, &blocks_, &state_, &mark_, &near_count_, &young_, &middle_}) {
        each->use_huge_pages(use);
    }
}

Block* BlockPool::take_run(size_t count) {
    if (waiting_blocks_ > 0) {
        reuse_all_passed();
    }
    auto first = dirty_blocks_.take(count);
    if (!first) {
        first = clean_blocks_.take(count);
    }
    if (!first) {
        return nullptr;
    }
    const size_t end = *first + count;
    if (!heap_.make_usable(end << kBlockShift)) {
        clean_blocks_.give({*first, count});
        return nullptr;
    }
    block_limit_.store(std::max(block_limit_.load(std::memory_order_relaxed), end),
                       std::memory_order_relaxed);
    return &tables.blocks[*first];
}

// Last when a block is taken, first when it is given back: who traverses concurrently with mutators looks at the map
// before anything else (inv.heap.map-first).
void BlockPool::map_slots(Block* block) {
    const uint64_t reciprocal =
        block->is_large ? 0 : ((uint64_t{1} << 32) + block->slot_bytes - 1) / block->slot_bytes;
    block->reciprocal = static_cast<uint32_t>(reciprocal);
    SlotMap map = {block->reciprocal, block->first_slot};  // clang wants no const
    // release: pairs with container_at, which reads the record.
    __atomic_store(&tables.maps[block - tables.blocks], &map, __ATOMIC_RELEASE);
}

void BlockPool::unmap_slots(Block* block) {
    SlotMap none = {0, 0};
    __atomic_store(&tables.maps[block - tables.blocks], &none, __ATOMIC_RELAXED);
}

bool BlockPool::take_slots(Block* block) {
    const uint64_t units = slots_of(block) / kSlotUnit;
    auto first = dirty_slots_.take(units);
    if (!first) {
        first = clean_slots_.take(units);
    }
    if (!first) {
        return false;
    }
    const uint64_t limit = (*first + units) * kSlotUnit;
    if (!make_slots_usable(limit)) {
        clean_slots_.give({*first, units});
        return false;
    }
    block->first_slot = static_cast<uint32_t>(*first * kSlotUnit);
    slots_in_use_ += units * kSlotUnit;
    return true;
}

bool BlockPool::make_slots_usable(size_t limit) {
    return state_.make_usable(limit) && mark_.make_usable(limit) &&
           near_count_.make_usable(limit) && lock_.make_usable(limit) &&
           count_.make_usable(limit * sizeof(uint32_t)) && young_.make_usable(limit / 8) &&
           middle_.make_usable(limit / 8);
}

Block* BlockPool::take_block(BlockKind kind, unsigned size_class) {
    const std::lock_guard guard(mutex_);
    if (Block* waiting = take_waiting(kind, size_class)) {
        return waiting;
    }
    Block* block = take_run(1);
    if (block == nullptr) {
        return nullptr;
    }
    const uint32_t bytes = static_cast<uint32_t>(slot_size(size_class));
    block->free = nullptr;
    block->used = 0;
    block->bump = 0;
    block->capacity = static_cast<uint32_t>(kBlockSize / bytes);
    block->slot_bytes = bytes;
    block->size_class = static_cast<uint8_t>(size_class);
    block->object_offset = kind == BlockKind::kPrefixed ? kPrefix : 0;
    block->is_large = false;
    block->is_plain = block->object_offset == 0;
    block->large_bytes = 0;
    if (is_container_kind(kind)) {
        if (!take_slots(block)) {
            dirty_blocks_.give({static_cast<uint64_t>(block - tables.blocks), 1});
            return nullptr;
        }
        map_slots(block);
    }
    block->kind = kind;  // last: from here on a walk over the blocks sees it
    note_in_use(kBlockSize);
    return block;
}

Block* BlockPool::take_large(BlockKind kind, size_t bytes) {
    const std::lock_guard guard(mutex_);
    const size_t count = blocks_for(bytes);
    Block* block = take_run(count);
    if (block == nullptr) {
        return nullptr;
    }
    block->free = nullptr;
    block->used = 1;
    block->bump = 1;
    block->capacity = 1;
    block->slot_bytes = 0;
    block->size_class = 0;
    block->object_offset = kind == BlockKind::kPrefixed ? kPrefix : 0;
    block->is_large = true;
    block->is_plain = false;
    block->large_bytes = bytes;
    if (is_container_kind(kind)) {
        if (!take_slots(block)) {
            dirty_blocks_.give({static_cast<uint64_t>(block - tables.blocks), count});
            return nullptr;
        }
        map_slots(block);
        add_young_large(block);
    }
    for (size_t i = 1; i < count; ++i) {
        block[i].kind = BlockKind::kLargeTail;
    }
    block->kind = kind;
    note_in_use(count << kBlockShift);
    return block;
}

void BlockPool::note_young_large(Block* block) {
    const std::lock_guard guard(mutex_);
    if (!block->has_young) {
        add_young_large(block);
    }
}

void BlockPool::add_young_large(Block* block) {
    block->has_young = true;
    block->previous_young = nullptr;
    block->next_young = young_large_;
    if (young_large_ != nullptr) {
        young_large_->previous_young = block;
    }
    young_large_ = block;
}

void BlockPool::forget_young_large(Block* block) {
    block->has_young = false;
    (block->previous_young != nullptr ? block->previous_young->next_young : young_large_) =
        block->next_young;
    if (block->next_young != nullptr) {
        block->next_young->previous_young = block->previous_young;
    }
}

BlockPool::WaitingBlocks& BlockPool::waiting_for(const Block* block) {
    return block->is_large ? waiting_large_ : waiting_[kind_row(block->kind)][block->size_class];
}

void BlockPool::give(Block* block) {
    const std::lock_guard guard(mutex_);
    block->owner.store(nullptr, std::memory_order_relaxed);
    const bool counts_are_read = late_ && block->kind != BlockKind::kBuffer;
    const bool is_container = is_container_kind(block->kind);
    if (!counts_are_read && !(is_container && is_traversed())) {
        reuse(block);
        return;
    }
    block->used = 0;
    if (is_container) {
        unmap_slots(block);
    }
    try {
        waiting_for(block).push_back(
            {block, counts_are_read ? epochs().advance() : 0, traversal_epochs().advance()});
    } catch (const std::bad_alloc&) {
        return;  // without memory for a note it stays what it is, empty and nobody's, to the end
    }
    ++waiting_blocks_;
    if (block->is_large) {
        waiting_large_bytes_.fetch_add(block->large_bytes, std::memory_order_relaxed);
    }
}

void BlockPool::reuse_late(bool late) {
    const std::lock_guard guard(mutex_);
    late_ = late;
    if (!late) {
        // Whoever could be looking is gone.
        const auto reuse_each = [this](WaitingBlocks& waiting) {
            for (; !waiting.empty(); waiting.pop_front()) {
                --waiting_blocks_;
                reuse(waiting.front().block);
            }
        };
        for (auto& row : waiting_) {
            for (WaitingBlocks& waiting : row) {
                reuse_each(waiting);
            }
        }
        reuse_each(waiting_large_);
        waiting_large_bytes_.store(0, std::memory_order_relaxed);
    }
}

void BlockPool::reuse_passed(WaitingBlocks& waiting) {
    const auto front_passed = [&waiting] {
        return epochs().passed(waiting.front().goal) &&
               traversal_epochs().passed(waiting.front().traversal_goal);
    };
    for (; !waiting.empty() && front_passed(); waiting.pop_front()) {
        Block* block = waiting.front().block;
        --waiting_blocks_;
        waiting_large_bytes_.fetch_sub(block->large_bytes, std::memory_order_relaxed);
        reuse(block);
    }
}

void BlockPool::reuse_all_passed() {
    for (auto& row : waiting_) {
        for (WaitingBlocks& waiting : row) {
            reuse_passed(waiting);
        }
    }
    reuse_passed(waiting_large_);
}

void BlockPool::reuse_all_large_passed() {
    const std::lock_guard guard(mutex_);
    reuse_passed(waiting_large_);
}

// One that waits may be used again for the same at once: its slots stay slots of objects.
Block* BlockPool::take_waiting(BlockKind kind, unsigned size_class) {
    WaitingBlocks& waiting = waiting_[kind_row(kind)][size_class];
    if (waiting.empty()) {
        return nullptr;
    }
    Block* block = waiting.back().block;
    waiting.pop_back();
    --waiting_blocks_;
    block->free = nullptr;
    block->bump = 0;
    unpoison(reinterpret_cast<void*>(start_of(block)), kBlockSize);
    if (is_container_kind(kind)) {
        clear_slots(block);
        map_slots(block);
    }
    return block;
}

// The next user expects zero. What was freed left its state at zero itself, and counts are zero outside
// a pause.
void BlockPool::clear_slots(Block* block) {
    const uint64_t slots = slots_of(block);
    std::memset(tables.mark + block->first_slot, 0, slots);
    clear_words(tables.young + block->first_slot / 64, slots / 64);
    clear_words(tables.middle + block->first_slot / 64, slots / 64);
}

void BlockPool::reuse(Block* block) {
    const uint64_t number = static_cast<uint64_t>(block - tables.blocks);
    const size_t count = block->is_large ? blocks_for(block->large_bytes) : 1;
    if (is_container_kind(block->kind)) {
        const uint64_t slots = slots_of(block);
        clear_slots(block);
        if (block->is_large && block->has_young) {
            forget_young_large(block);
        }
        unmap_slots(block);
        dirty_slots_.give({block->first_slot / kSlotUnit, slots / kSlotUnit});
        slots_in_use_ -= slots;
    }
    for (size_t i = 0; i < count; ++i) {
        block[i].kind = BlockKind::kFree;
    }
    bytes_in_use_.fetch_sub(count << kBlockShift, std::memory_order_relaxed);
    unpoison(reinterpret_cast<void*>(start_of(block)), count << kBlockShift);
    dirty_blocks_.give({number, count});
}

namespace {

// What to purge when `range` has become unused and `unused`, which contains it, is all that is
// unused around it, in bytes: the range, and on both sides as much of the huge page that it lies in
// as is unused too. Those parts may be resident though nobody ever touched them, because the system
// gave a whole huge page, or because they were parts of pages still in use when they were purged.
Range widened(Range range, Range unused, uint64_t unit) {
    const uint64_t low = range.start * unit / kHugePage * kHugePage;
    const uint64_t high = (range.end() * unit + kHugePage - 1) / kHugePage * kHugePage;
    const uint64_t start = std::max(unused.start * unit, low);
    return {start, std::min(unused.end() * unit, high) - start};
}

}  // namespace

void BlockPool::purge_slots(Range range) {
    const Range unused = clean_slots_.give(range);
    const auto purge_table = [&](AddressSpace& table, size_t bits_per_slot) {
        const Range bytes = widened(range, unused, kSlotUnit * bits_per_slot / 8);
        table.purge(bytes.start, bytes.size);
    };
    purge_table(state_, 8);
    purge_table(mark_, 8);
    purge_table(near_count_, 8);
    purge_table(lock_, 8);
    purge_table(count_, 32);
    purge_table(young_, 1);
    purge_table(middle_, 1);
}

void BlockPool::note_in_use(size_t bytes) {
    const size_t in_use = bytes_in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    most_bytes_in_use_.store(std::max(in_use, most_bytes_in_use()), std::memory_order_relaxed);
}

bool BlockPool::purge_blocks(size_t keep_bytes, size_t* left) {
    while (dirty_blocks_.total() << kBlockShift > keep_bytes) {
        const size_t most = *left >> kBlockShift;
        if (most == 0) {
            return false;
        }
        const Range range = *dirty_blocks_.take_last();
        const uint64_t excess = dirty_blocks_.total() + range.size - (keep_bytes >> kBlockShift);
        const uint64_t size = std::min({excess, range.size, uint64_t{most}});
        const Range gone = {range.end() - size, size};
        if (gone.start > range.start) {
            dirty_blocks_.give({range.start, gone.start - range.start});
        }
        const Range bytes = widened(gone, clean_blocks_.give(gone), kBlockSize);
        heap_.purge(bytes.start, bytes.size);
        *left -= size << kBlockShift;
    }
    return true;
}

bool BlockPool::purge_all_slots(size_t* left) {
    constexpr size_t unit_bytes = kSlotUnit * 9;  // of all tables, with the 32-bit counts
    while (const auto range = dirty_slots_.take_last()) {
        const uint64_t size = std::min<uint64_t>(range->size, *left / unit_bytes);
        const Range gone = {range->end() - size, size};
        if (size < range->size) {
            dirty_slots_.give({range->start, range->size - size});
        }
        if (size > 0) {
            purge_slots(gone);
            *left -= size * unit_bytes;
        }
        if (size < range->size) {
            return false;
        }
    }
    return true;
}

bool BlockPool::purge(size_t keep_bytes, size_t most_bytes) {
    const std::lock_guard guard(mutex_);
    reuse_all_passed();
    size_t left = most_bytes;
    if (!purge_blocks(keep_bytes, &left) || !purge_all_slots(&left)) {
        return false;
    }
    while (!is_traversed() && counts_purged_ < count_.usable()) {
        if (left == 0) {
            return false;
        }
        const size_t size = std::min(left, count_.usable() - counts_purged_);
        count_.purge(counts_purged_, size);
        counts_purged_ += size;
        left -= size;
    }
    counts_purged_ = 0;
    most_bytes_in_use_.store(bytes_in_use(), std::memory_order_relaxed);
    return true;
}

size_t BlockPool::metadata_bytes_in_use() const {
    const std::lock_guard guard(mutex_);
    return slots_in_use_ * 4 + slots_in_use_ / 4 +
           (bytes_in_use() >> kBlockShift) * (sizeof(Block) + sizeof(SlotMap));
}

}  // namespace ouro::heap
