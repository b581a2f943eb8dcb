/* The count word of a build with OURO_REFCOUNT=plain, for comparison only: what a count costs that
 * no thread owns. One thread uses it. Included by count_word.h, whose layout it replaces.
 *
 *     biased:  signed count : 32      shared: not used, zero
 *
 *     below 0             a reference too many was dropped
 *     0                   dead
 *     1 .. 2^30 - 1       that many references
 *     2^30 .. 2^31 - 1    immortal
 *
 * An immortal object is counted like any other; it begins in the middle of its range, 2^29 increments
 * or decrements away from either end. A mortal one has no overflow: 2^30 references are 8 GiB.
 */
#ifndef OURO_CONCURRENCY_REFCOUNT_PLAIN_WORD_H
#define OURO_CONCURRENCY_REFCOUNT_PLAIN_WORD_H

#include <stdint.h>

#undef OURO_BIASED_MAX
#undef OURO_NOISY
#undef OURO_OWNER_WORD
#undef OURO_OWNER_OF
#undef OURO_BIASED_COUNT
#undef OURO_BIASED_IMMORTAL

#define OURO_BIASED_MAX 0x3FFFFFFFu
#define OURO_NOISY 0u /* no object is */
/* Every mortal object is the one thread's, whose word says nothing. */
#define OURO_OWNER_WORD(index) ((void)(index), 0u)
#define OURO_OWNER_OF(biased) \
    ((uint32_t)(biased) >> 30 == 1u ? OURO_OWNER_IMMORTAL : OURO_OWNER_FIRST)
#define OURO_BIASED_COUNT(biased) ((uint32_t)(biased)&OURO_BIASED_MAX)
#define OURO_BIASED_IMMORTAL 0x60000000u

#undef OURO_TRY_INCREF
#undef OURO_TRY_DECREF

#define OURO_TRY_INCREF(LOAD, STORE, thread_word, done) \
    do {                                                \
        STORE((LOAD) + 1u);                             \
        done = 1;                                       \
    } while (0)

/* The reference is gone in any case; if `done` is false, decref_slow says what that means. */
#define OURO_TRY_DECREF(LOAD, STORE, thread_word, done) \
    do {                                                \
        const uint32_t count_ = (LOAD)-1u;              \
        STORE(count_);                                  \
        done = (int32_t)count_ > 0;                     \
    } while (0)

#endif
