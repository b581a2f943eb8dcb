// Poisons free memory so that use after free is detected: by AddressSanitizer if the build has it, by a
// fill pattern if OURO_POISON is on.
#pragma once

#include <cstddef>
#include <cstring>

#include "core/heap/layout.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define OURO_HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OURO_HAVE_ASAN 1
#endif
#endif
#ifdef OURO_HAVE_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace ouro::heap {

inline constexpr unsigned char kPoisonByte = 0xDB;

[[noreturn]] void report_write_after_free(const void* slot, size_t offset);

// A slot that became free. Its first granule (count words and free-list link) stays readable: a
// lock-free reader may look at the count words of an object that has just died.
inline void poison_slot([[maybe_unused]] void* slot, [[maybe_unused]] size_t bytes) {
#ifdef OURO_POISON
    std::memset(static_cast<char*>(slot) + kGranule, kPoisonByte, bytes - kGranule);
#endif
#ifdef OURO_HAVE_ASAN
    __asan_poison_memory_region(static_cast<char*>(slot) + kGranule, bytes - kGranule);
#endif
}

// A free slot that is given out again. With OURO_POISON, a byte that changed while the slot was free
// is a fatal error: a write after free.
inline void unpoison_slot([[maybe_unused]] void* slot, [[maybe_unused]] size_t bytes) {
#ifdef OURO_HAVE_ASAN
    __asan_unpoison_memory_region(slot, bytes);
#endif
#ifdef OURO_POISON
    const auto* fill = static_cast<const unsigned char*>(slot);
    for (size_t i = kGranule; i < bytes; ++i) {
        if (fill[i] != kPoisonByte) {
            report_write_after_free(slot, i);
        }
    }
#endif
}

// Memory that goes back to the system.
inline void unpoison([[maybe_unused]] void* start, [[maybe_unused]] size_t bytes) {
#ifdef OURO_HAVE_ASAN
    __asan_unpoison_memory_region(start, bytes);
#endif
}

}  // namespace ouro::heap
