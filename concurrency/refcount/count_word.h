/* The layout of the two count words of an object, for C and C++.
 *
 * This is the one place where the layout is written down: the inline fast path of the public
 * headers, the slow paths (slow_path.hpp) and their tests all use these macros.
 *
 *     biased:  owner index : 16 (high) | noisy : 1 | biased count : 15 (low)   written by its owner alone
 *     shared:  signed count : 29 (high) | flags : 3 (low)                      atomic
 *
 * The true count of an object is OURO_BIASED_COUNT(biased) + OURO_SHARED_COUNT(shared).
 *
 * Source: Choi, Shull, Torrellas, "Biased Reference Counting", PACT 2018; PEP 703.
 */
#ifndef OURO_CONCURRENCY_REFCOUNT_COUNT_WORD_H
#define OURO_CONCURRENCY_REFCOUNT_COUNT_WORD_H

#include <stdint.h>

#define OURO_OWNER_SHIFT 16
#define OURO_BIASED_MAX 0x7FFFu

/* An object is noisy if a decrement that leaves it alive is to be reported: Outcome::kSuspect. The bit is above the
 * count, so the comparisons of the owner's fast path fail for a noisy object, as they do for one of another thread, and
 * cost nothing for the others. Set by a collector in a stop. The owner's decrement that is reported clears it. What is
 * immortal has it, too, and is not reported: so the slow path finds both with one test. */
#define OURO_NOISY 0x8000u

/* Owner indexes. A thread's word is its index shifted into place with a zero count, so that
 * `biased ^ thread_word` is the biased count and the noisy bit if the thread is the owner, and at least 2^16 if not. */
#define OURO_OWNER_NONE 0u            /* merged: the shared half holds the whole count */
#define OURO_OWNER_FIRST 1u           /* the least index that a thread can have */
#define OURO_OWNER_LAST 0xFFFDu       /* the greatest index that a thread can have */
#define OURO_OWNER_UNATTACHED 0xFFFEu /* a thread's word while it owns nothing; never an owner */
#define OURO_OWNER_IMMORTAL 0xFFFFu   /* the object is never counted and never freed */

#define OURO_OWNER_WORD(index) ((uint32_t)(index) << OURO_OWNER_SHIFT)
#define OURO_OWNER_OF(biased) ((uint32_t)(biased) >> OURO_OWNER_SHIFT)
#define OURO_BIASED_COUNT(biased) ((uint32_t)(biased)&OURO_BIASED_MAX)
#define OURO_BIASED_IMMORTAL (OURO_OWNER_WORD(OURO_OWNER_IMMORTAL) | OURO_NOISY)

/* Flags of the shared word. */
#define OURO_SHARED_SHIFT 3
#define OURO_SHARED_ONE (1u << OURO_SHARED_SHIFT)
#define OURO_SHARED_FLAGS 7u
#define OURO_SHARED_MAYBE_WEAKREF 1u /* a lock-free reader may try to take a reference */
#define OURO_SHARED_QUEUED 2u        /* the owner's merge queue holds a reference */
#define OURO_SHARED_MERGED 4u        /* no owner: the shared half is the whole count */
#define OURO_SHARED_COUNT(shared) ((int32_t)(shared) >> OURO_SHARED_SHIFT)

/* What a slot that holds no object shows in its shared word: merged with no reference left, the
 * state in which taking a reference without owning one must fail. */
#define OURO_SHARED_DEAD OURO_SHARED_MERGED

/* Half of what fits the biased half: moved to the shared half when the biased half is full, taken
 * back when it runs empty. */
#define OURO_SPILL 0x4000u

/* A shared count above OURO_SHARED_LIMIT is stuck: the object is immortal whatever its biased half
 * says, because only its owner may write that. Who sees the count cross the limit moves it to
 * OURO_SHARED_STICKY, 2^23 from either end of the stuck range, so that the increments and decrements
 * of all threads that have not yet seen it can neither wrap it nor bring it back. */
#define OURO_SHARED_LIMIT ((1 << 28) - (1 << 24))
#define OURO_SHARED_STICKY ((1 << 28) - (1 << 23))

#define OURO_IS_IMMORTAL(biased, shared) \
    (OURO_OWNER_OF(biased) == OURO_OWNER_IMMORTAL || OURO_SHARED_COUNT(shared) > OURO_SHARED_LIMIT)

/* The owner's fast path. Each says whether it did the whole operation; if not, the slow path must.
 * LOAD and STORE are relaxed: the word has one writer, its owner. */
#define OURO_TRY_INCREF(LOAD, STORE, thread_word, done) \
    OURO_TRY_INCREF_TO(OURO_BIASED_MAX, LOAD, STORE, thread_word, done)

/* The same where the biased half is full at `full`, which a model sets low. */
#define OURO_TRY_INCREF_TO(full, LOAD, STORE, thread_word, done)             \
    do {                                                                     \
        const uint32_t biased_ = (LOAD);                                     \
        done = __builtin_expect((biased_ ^ (thread_word)) < (full), 1) != 0; \
        if (done) {                                                          \
            STORE(biased_ + 1u);                                             \
        }                                                                    \
    } while (0)

#define OURO_TRY_DECREF(LOAD, STORE, thread_word, done)                                         \
    do {                                                                                        \
        const uint32_t biased_ = (LOAD);                                                        \
        done = __builtin_expect((biased_ ^ (thread_word)) - 2u < OURO_BIASED_MAX - 1u, 1) != 0; \
        if (done) {                                                                             \
            STORE(biased_ - 1u);                                                                \
        }                                                                                       \
    } while (0)

#ifdef OURO_REFCOUNT_PLAIN
#include "concurrency/refcount/plain_word.h"
#endif

#endif
