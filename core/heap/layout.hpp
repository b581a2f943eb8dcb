// Sizes that decide the heap's layout. Everything else is derived from these.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ouro::heap {

// A block holds slots of one size class. It is large enough that the table of slot maps for ten million
// small objects (8 bytes a block) stays in a core's first-level cache, and small enough that a thread
// which uses many size classes does not hold much memory.
inline constexpr unsigned kBlockShift = 18;
inline constexpr size_t kBlockSize = size_t{1} << kBlockShift;

// What the system maps as one huge page.
inline constexpr size_t kHugePage = size_t{2} << 20;
inline constexpr size_t kPage = 4096;

// Address space for objects; halved until the system agrees.
inline constexpr size_t kReservation = size_t{256} << 30;
inline constexpr size_t kSmallestReservation = size_t{64} << 20;

// The largest slot inside a block; what is larger is a large object: whole blocks of its own. The
// bound is also where the reciprocal of a slot size (SlotMap) is exact.
inline constexpr size_t kLargestSlot = 16384;

inline constexpr size_t kGranule = 16;

// Size classes: every 16 bytes up to 512, then eight to a doubling.
inline constexpr unsigned kFineClasses = 512 / kGranule;
inline constexpr unsigned kClasses = kFineClasses + 1 + 5 * 8;

constexpr unsigned size_class(size_t size) {
    if (size <= 512) {
        return static_cast<unsigned>((size + kGranule - 1) / kGranule);
    }
    const unsigned doubling = static_cast<unsigned>(std::bit_width(size - 1)) - 10;  // 0: 513..1024
    const unsigned step_shift = doubling + 6;
    const size_t above = size - 1 - (size_t{512} << doubling);
    return kFineClasses + 1 + doubling * 8 + static_cast<unsigned>(above >> step_shift);
}

constexpr size_t slot_size(unsigned size_class) {
    if (size_class <= kFineClasses) {
        return size_class * kGranule;
    }
    const unsigned coarse = size_class - kFineClasses - 1;
    const unsigned doubling = coarse / 8;
    return (size_t{512} << doubling) + (size_t{coarse % 8 + 1} << (doubling + 6));
}

static_assert(size_class(1) == 1 && slot_size(1) == 16);
static_assert(size_class(512) == kFineClasses && slot_size(kFineClasses) == 512);
static_assert(slot_size(size_class(513)) == 576 && slot_size(size_class(1024)) == 1024);
static_assert(slot_size(size_class(1025)) == 1152);
static_assert(size_class(kLargestSlot) == kClasses - 1 && slot_size(kClasses - 1) == kLargestSlot);

// What a block is for. Containers alone have side metadata.
enum class BlockKind : uint8_t {
    kFree,
    kBuffer,     // PyMem_ and PyObject_ memory
    kAtom,       // objects that are not containers
    kContainer,  // objects whose type has the GC flag
    kPrefixed,   // containers with a pre-header of kPrefix bytes before the object
    kLargeTail,  // the second and later blocks of a large object
};
inline constexpr unsigned kAllocatedKinds = 4;  // kBuffer .. kPrefixed
inline constexpr unsigned kind_row(BlockKind kind) {
    return static_cast<unsigned>(kind) - static_cast<unsigned>(BlockKind::kBuffer);
}
inline constexpr bool is_container_kind(BlockKind kind) {
    return kind == BlockKind::kContainer || kind == BlockKind::kPrefixed;
}

inline constexpr size_t kPrefix = 16;

}  // namespace ouro::heap
