// A bounded stack of small numbers, lock-free, for many threads: Boost.Lockfree's, in a form that
// ThreadSanitizer can check.
//
// A pop reads the link of the topmost node, and then replaces the top by it if the top, with its tag, is
// still the same. If another thread has popped and reused the node meanwhile, what was read is discarded. That
// read is of a plain field, so ThreadSanitizer would report it; the reads of these two functions, and no others,
// are left unchecked. The sanitizer still sees the atomic operations, so what the pushing thread wrote before
// the push is ordered before what the popping thread does after the pop.
#pragma once

#include <boost/lockfree/stack.hpp>
#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_THREAD__)
#define OURO_WORKLIST_TSAN 1
#elif defined(__has_feature)
#define OURO_WORKLIST_TSAN __has_feature(thread_sanitizer)
#else
#define OURO_WORKLIST_TSAN 0
#endif

#if OURO_WORKLIST_TSAN
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}
#endif

namespace ouro::worklist {

template <size_t kCapacity>
class IndexStack {
public:
    // False if it is full.
    bool push(uint16_t index) {
        [[maybe_unused]] const UncheckedReads unchecked;
        return indexes_.push(index);
    }

    // False if it is empty. Then `index` is not changed.
    bool pop(uint16_t& index) {
        [[maybe_unused]] const UncheckedReads unchecked;
        return indexes_.pop(index);
    }

private:
    struct UncheckedReads {
#if OURO_WORKLIST_TSAN
        UncheckedReads() { AnnotateIgnoreReadsBegin(__FILE__, __LINE__); }
        ~UncheckedReads() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
        UncheckedReads(const UncheckedReads&) = delete;
        UncheckedReads& operator=(const UncheckedReads&) = delete;
#endif
    };

    boost::lockfree::stack<uint16_t, boost::lockfree::capacity<kCapacity>> indexes_;
};

}  // namespace ouro::worklist

#undef OURO_WORKLIST_TSAN
