#include "core/heap/heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "concurrency/refcount/count_word.h"
#include "core/heap/block_pool.hpp"
#include "core/heap/fault.hpp"
#include "core/heap/poison.hpp"
#include "core/heap/thread_heap.hpp"
#include "core/heap/traversed.hpp"

namespace ouro::heap {
namespace {

BlockPool block_pool;

thread_local ThreadHeap* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;

void mark_dead(void* slot) {
    auto* free_slot = static_cast<FreeSlot*>(slot);
    __atomic_store_n(&free_slot->biased, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&free_slot->shared, OURO_SHARED_DEAD, __ATOMIC_RELAXED);
}

// While a traversal lives.
void (*free_late)(void* p) = nullptr;
void (*free_moved_late)(void* p) = nullptr;

// The block's owner alone allocates from it, so a word of the bitmaps has one writer. No slot is young and
// middle, outside of a stop.
inline bool is_young(uint32_t slot) {
    return (load_bits(tables.young, slot, __ATOMIC_RELAXED) & bit_of(slot)) != 0;
}
void make_young(uint32_t slot) {
    const uint64_t bit = bit_of(slot);
    __atomic_store_n(&tables.young[slot / 64],
                     load_bits(tables.young, slot, __ATOMIC_RELAXED) | bit, __ATOMIC_RELAXED);
    const uint64_t middle = load_bits(tables.middle, slot, __ATOMIC_RELAXED);
    if ((middle & bit) != 0) {
        __atomic_store_n(&tables.middle[slot / 64], middle & ~bit, __ATOMIC_RELAXED);
    }
}

[[gnu::noinline]] void make_young_at_home(Block* block, uint32_t slot) {
    make_young(slot);
    this_thread->note_young(block);
}

inline void note_allocated(uint32_t slot) {
    __atomic_store_n(&tables.state[slot], uint8_t{kAllocated}, __ATOMIC_RELAXED);
}

// Memory whose state says already that it is free.
inline void put_back(Block* block, void* p) {
    mark_dead(p);
    void* slot = p;
    if (!block->is_plain) {
        if (block->is_large) {
            block_pool.give(block);
            return;
        }
        slot = static_cast<char*>(p) - block->object_offset;
        mark_dead(slot);
    }
    poison_slot(p, block->slot_bytes - block->object_offset);
    auto* free_slot = static_cast<FreeSlot*>(slot);
    // acquire: pairs with adoption by this thread's heap.
    if (block->owner.load(std::memory_order_acquire) == this_thread) [[likely]] {
        this_thread->free_local(block, free_slot);
    } else {
        ThreadHeap::free_remote(block, free_slot);
    }
}

[[noreturn]] void refuse_free(const void* p, const char* why) {
    Py_FatalError(fmt::format("memory at {} is freed that {}", p, why).c_str());
}

}  // namespace

void report_write_after_free(const void* slot, size_t offset) {
    Py_FatalError(
        fmt::format("free memory at {} was written to, {} bytes after its start", slot, offset)
            .c_str());
}

constinit std::atomic<bool> traversed{false};

reclaim::Epochs& traversal_epochs() {
    static reclaim::Epochs& instance = *new reclaim::Epochs;  // as long-lived as the process
    return instance;
}

void begin_traversal(void (*freed)(void* p), void (*moved)(void* p)) {
    free_late = freed;
    free_moved_late = moved;
    traversed.store(true, std::memory_order_relaxed);  // the stop's end publishes all three
}

void end_traversal() {
    // release: pairs with is_traversed.
    traversed.store(false, std::memory_order_release);
}

reclaim::Epochs& epochs() {
    static reclaim::Epochs& instance = *new reclaim::Epochs;  // as long-lived as the process
    return instance;
}

void reuse_blocks_late(bool late) {
    block_pool.reuse_late(late);
}

size_t waiting_large_bytes() {
    return block_pool.waiting_large_bytes();
}

void reuse_large_passed() {
    block_pool.reuse_all_large_passed();
}

bool start() {
    return tables.size > 0 || block_pool.start();
}

void use_huge_pages(bool use) {
    block_pool.use_huge_pages(use);
}

void before_fork() {
    block_pool.lock();
}

void after_fork() {
    block_pool.unlock();
}

ThreadHeap* acquire_thread_heap() {
    return thread_heaps.acquire(block_pool);
}

void release_thread_heap(ThreadHeap* heap) {
    thread_heaps.release(heap);
}

void use(ThreadHeap* heap) {
    this_thread = heap;
}

void attach_thread() {
    if (this_thread == nullptr) {
        use(acquire_thread_heap());
    }
}

void detach_thread() {
    if (this_thread != nullptr) {
        release_thread_heap(this_thread);
        use(nullptr);
    }
}

bool thread_is_attached() {
    return this_thread != nullptr;
}

namespace {

[[gnu::noinline]] void* allocate_large(BlockKind kind, size_t bytes, size_t offset) {
    if (bytes > tables.size) {
        return nullptr;
    }
    Block* block = block_pool.take_large(kind, bytes + offset);
    if (block == nullptr) {
        return nullptr;
    }
    if (is_container_kind(kind)) {
        note_allocated(block->first_slot);
        make_young(block->first_slot);
    }
    return reinterpret_cast<char*>(start_of(block)) + offset;
}

// The state byte of what was allocated in a slot.
[[gnu::always_inline]] inline uint8_t* note_container(Block* block, const void* p) {
    const uint32_t slot = slot_in_block(block, p);
    note_allocated(slot);
    if (!is_young(slot)) {  // it is, as a rule: the slot is used again and again
        make_young_at_home(block, slot);
    }
    return &tables.state[slot];
}

// What `free` does when the state byte says that the memory is free.
[[gnu::always_inline]] inline void release(Block* block, void* p) {
    if (is_traversed()) [[unlikely]] {
        if (block->kind != BlockKind::kBuffer) {
            mark_dead(p);
        }
        free_late(p);
        return;
    }
    put_back(block, p);
}

[[gnu::always_inline]] inline void forget_container(const void* p, uint8_t* state) {
    if ((__atomic_load_n(state, __ATOMIC_RELAXED) & kAllocated) == 0) [[unlikely]] {
        refuse_free(p, "is not allocated");
    }
    __atomic_store_n(state, uint8_t{0}, __ATOMIC_RELAXED);
}

}  // namespace

void* allocate(BlockKind kind, size_t bytes) {
    if (allocation_fails()) [[unlikely]] {
        return nullptr;
    }
    const size_t offset = kind == BlockKind::kPrefixed ? kPrefix : 0;
    if (bytes > kLargestSlot - offset) [[unlikely]] {
        return allocate_large(kind, bytes, offset);
    }
    const auto [slot, block] =
        this_thread->allocate(kind, size_class(std::max(bytes + offset, size_t{1})));
    if (slot == nullptr) [[unlikely]] {
        return nullptr;
    }
    void* p = static_cast<char*>(slot) + offset;
    if (is_container_kind(kind)) {
        note_container(block, p);
    }
    return p;
}

Container allocate_container(size_t bytes) {
    if (bytes > kLargestSlot) [[unlikely]] {
        void* p = allocate(BlockKind::kContainer, bytes);
        return {p, &tables.state[slot_of(p)]};
    }
    if (allocation_fails()) [[unlikely]] {
        return {};
    }
    const auto [slot, block] = this_thread->allocate(BlockKind::kContainer, size_class(bytes));
    if (slot == nullptr) [[unlikely]] {
        return {};
    }
    return {slot, note_container(block, slot)};
}

void free(void* p) {
    if (!in_heap(p)) [[unlikely]] {
        refuse_free(p, "does not lie in the heap");
    }
    Block* block = block_of(p);
    if (is_container_kind(block->kind)) {
        forget_container(p, &tables.state[slot_in_block(block, p)]);
    } else if (block->kind == BlockKind::kFree || block->kind == BlockKind::kLargeTail)
        [[unlikely]] {
        refuse_free(p, "is not allocated");
    }
    release(block, p);
}

void free_container(Block* block, void* p, uint8_t* state) {
    forget_container(p, state);
    release(block, p);
}

void free_moved(void* p) {
    if (is_traversed()) [[unlikely]] {
        free_moved_late(p);
    } else {
        free(p);
    }
}

void give_back(void* p) {
    put_back(block_of(p), p);
}

bool address_is_object(const void* p) {
    const uint32_t slot = container_at(p);
    // acquire: pairs with object::track; the fields are valid.
    return slot != 0 && (__atomic_load_n(&tables.state[slot], __ATOMIC_ACQUIRE) & kTracked) != 0;
}

size_t block_limit() {
    return block_pool.block_limit();
}

void make_young(const void* p) {
    Block* block = block_of(p);
    const uint32_t slot = slot_of(p);
    if (is_young(slot) || is_traversed()) {
        return;
    }
    if (block->is_large) {
        make_young(slot);  // the only object of its word of the bitmaps
        block_pool.note_young_large(block);
    } else if (block->owner.load(std::memory_order_relaxed) == this_thread) {
        make_young_at_home(block, slot);
    }
}

void filter_young_blocks(bool (*visit)(Block*, void*), void* arg) {
    const auto call = [&](Block* block) { return visit(block, arg); };
    thread_heaps.filter_young(call);
    block_pool.filter_young_large(call);
}

void clear_young() {
    const auto clear = [](Block* block, void*) {
        const size_t first = block->first_slot / 64;
        const size_t words = (block->capacity + 63) / 64;
        clear_words(tables.young + first, words);
        clear_words(tables.middle + first, words);
        return false;
    };
    filter_young_blocks(clear, nullptr);
}

bool make_old(size_t* next, size_t blocks) {
    const size_t end = std::min(*next + blocks, block_limit());
    for (; *next < end; ++*next) {
        if (const Block* block = container_block(*next)) {
            clear_words(tables.middle + block->first_slot / 64, (block->capacity + 63) / 64);
        }
    }
    return *next == block_limit();
}

void release_empty() {
    if (this_thread != nullptr) {
        this_thread->release_empty();
    }
    thread_heaps.release_empty_idle();
}

bool purge(size_t most_bytes, bool keep_used) {
    const size_t in_use = block_pool.bytes_in_use();
    const size_t most = block_pool.most_bytes_in_use();
    const size_t used = keep_used && most > in_use ? most - in_use : 0;
    return block_pool.purge(std::max(in_use / 16, used), most_bytes);
}

void purge() {
    release_empty();
    (void)purge(SIZE_MAX, false);
}

size_t count_in_state(State bit) {
    size_t count = 0;
    for_each_container_block([&](const Block* block) {
        const uint8_t* state = tables.state + block->first_slot;
        count += static_cast<size_t>(
            std::count_if(state, state + block->bump, [=](uint8_t s) { return (s & bit) != 0; }));
    });
    return count;
}

SlotBytes slot_bytes_in_use() {
    SlotBytes bytes = {};
    for (const Block *block = tables.blocks, *end = block + block_limit(); block < end; ++block) {
        const size_t used =
            size_t{block->used} * (block->is_large ? block->large_bytes : block->slot_bytes);
        switch (block->kind) {
            case BlockKind::kContainer:
            case BlockKind::kPrefixed:
                bytes.containers += used;
                break;
            case BlockKind::kAtom:
                bytes.atoms += used;
                break;
            case BlockKind::kBuffer:
                bytes.buffers += used;
                break;
            case BlockKind::kFree:
            case BlockKind::kLargeTail:
                break;
        }
    }
    return bytes;
}

Usage usage() {
    return {block_pool.bytes_in_use(), block_pool.metadata_bytes_in_use()};
}

size_t bytes_in_use() {
    return block_pool.bytes_in_use();
}

}  // namespace ouro::heap
