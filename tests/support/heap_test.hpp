// A fixture with the heap started and this thread attached to it; no types, no collector.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/heap/heap.hpp"

namespace ouro::test {

class HeapTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(heap::start());
        heap::attach_thread();
        ASSERT_TRUE(heap::thread_is_attached());
    }
    void TearDown() override { heap::detach_thread(); }
};

inline void free_all(std::vector<void*>& objects) {
    for (void* p : objects) {
        heap::free(p);
    }
    objects.clear();
}

inline constexpr heap::BlockKind kAllKinds[] = {heap::BlockKind::kBuffer, heap::BlockKind::kAtom,
                                                heap::BlockKind::kContainer,
                                                heap::BlockKind::kPrefixed};
inline constexpr heap::BlockKind kContainerKinds[] = {heap::BlockKind::kContainer,
                                                      heap::BlockKind::kPrefixed};

inline const char* name_of(heap::BlockKind kind) {
    switch (kind) {
        case heap::BlockKind::kFree:
            return "free";
        case heap::BlockKind::kBuffer:
            return "buffer";
        case heap::BlockKind::kAtom:
            return "atom";
        case heap::BlockKind::kContainer:
            return "container";
        case heap::BlockKind::kPrefixed:
            return "prefixed";
        case heap::BlockKind::kLargeTail:
            return "large tail";
    }
    return "unknown";
}

// The state byte of a container.
inline uint8_t& state_of(const void* p) {
    return heap::tables.state[heap::slot_of(p)];
}
inline void set_tracked(const void* p, bool tracked) {
    uint8_t& state = state_of(p);
    state = static_cast<uint8_t>(tracked ? state | heap::kTracked : state & ~heap::kTracked);
}
inline bool is_young(const void* p) {
    const uint32_t slot = heap::slot_of(p);
    return (heap::tables.young[slot / 64] >> (slot % 64) & 1) != 0;
}

// Whether a build moves resident memory around on its own account, so that RSS says little.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace ouro::test
