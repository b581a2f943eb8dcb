/* Events: what a collection reports while it runs. */
#ifndef OURO_EVENT_H
#define OURO_EVENT_H

#include "ouroboros/macros.h"

OURO_BEGIN_C

/* The phases: name in code, name in files, what happens. From this one list come the enumeration,
 * the names in JSONL and the documentation. A `cycle` spans a whole collection; a `pause` spans
 * any time that a mutator cannot run its own code, with a `safepoint` for each thread that was running
 * when it began; the others lie inside a cycle. CPU time of a `child` is in no other event. */
#define OURO_PHASES(X)                                                                       \
    X(CYCLE, "cycle", "one collection, from request to end")                                 \
    X(PAUSE, "pause", "mutators stopped: from the request to the last release")              \
    X(SAFEPOINT, "safepoint", "one thread, in a pause: from the request until it stopped")   \
    X(FORK, "fork", "a child process is made, with the world stopped")                       \
    X(CHILD, "child", "the child process at work, during phases: CPU time is the child's")   \
    X(FALLBACK, "fallback", "the child failed: its work is done in slices instead")          \
    X(COUNT, "count", "references inside the heap are counted")                              \
    X(ROOTS, "roots", "objects with references from outside are found")                      \
    X(MARK, "mark", "what the roots reach is marked")                                        \
    X(CANDIDATES, "candidates", "what is not marked is listed")                              \
    X(YOUNG, "young", "all of these at once, for a collection of young objects")             \
    X(LOCAL, "local", "the same around suspects, for a local collection")                    \
    X(TEST, "test", "candidates are tested by components, and condemned, in pauses")         \
    X(CONDEMN, "condemn", "candidates are condemned and held, their weak references killed") \
    X(CALLBACKS, "callbacks", "callbacks of weak references run, world running")             \
    X(FINALIZE, "finalize", "finalizers run, world running")                                 \
    X(RESURRECT, "resurrect", "the condemned are tested again after finalizers, in pauses")  \
    X(CLEAR, "clear", "tp_clear breaks the cycles")                                          \
    X(RELEASE, "release", "the collector's references are dropped: objects die")             \
    X(PURGE, "purge", "empty blocks go back to the system")                                  \
    X(WAIT, "wait", "a mutator is held back: it works for the collector, or waits for it")   \
    X(VERIFY, "verify", "an independent trace checks the result")

typedef enum {
#define X(name, text, meaning) OURO_PHASE_##name,
    OURO_PHASES(X)
#undef X
        OURO_PHASE_COUNT_
} OuroPhase;

/* Why a collection began: name in code, name in files, what happened. */
#define OURO_TRIGGERS(X)                                        \
    X(REQUEST, "request", "the program asked for a collection") \
    X(ALLOCATION, "allocation", "the allocations made it due")  \
    X(SUSPECTS, "suspects", "so many suspects made it due")

typedef enum {
#define X(name, text, meaning) OURO_TRIGGER_##name,
    OURO_TRIGGERS(X)
#undef X
        OURO_TRIGGER_COUNT_
} OuroTrigger;

/* What the processor counts, with counters=on: name in code, name in files, what it is. */
#define OURO_COUNTERS(X)                                                    \
    X(CYCLES, "cycles", "of the processor, whatever its frequency")         \
    X(INSTRUCTIONS, "instructions", "completed")                            \
    X(CACHE_MISSES, "cache_misses", "accesses that the last cache had not") \
    X(TLB_MISSES, "tlb_misses", "loads from pages that no data TLB had")

typedef enum {
#define X(name, text, meaning) OURO_COUNTER_##name,
    OURO_COUNTERS(X)
#undef X
        OURO_COUNTER_COUNT_
} OuroCounter;

/* All times are CLOCK_MONOTONIC and CLOCK_THREAD_CPUTIME_ID, in ns. Numbers that do not apply to
 * the phase are 0. */
typedef struct {
    OuroPhase phase;
    uint64_t cycle; /* number of the collection, from 1 */
    unsigned
        generation; /* the oldest that it looks at: 0 young, 1 middle, or a local collection, 2 all */
    OuroTrigger trigger; /* of the collection */
    int64_t start_ns, end_ns;
    int64_t cpu_ns;               /* CPU time of the threads that worked in it */
    int64_t time_to_safepoint_ns; /* pause: from the request until everybody had stopped */
    uint64_t thread;              /* safepoint: the state's number (PyThreadState_GetID);
                                     child: its process */
    size_t objects;               /* tracked containers seen */
    size_t bytes;                 /* heap in use */
    size_t candidates, condemned, rejected, resurrected, uncollectable, freed;
    size_t rss_bytes;        /* cycle: resident memory at its end; child: its own when it began */
    size_t page_table_bytes; /* child: its page tables then: what the fork copied */
    /* With counters=on, of the thread that did it, in the program's code; helpers and a child left out. */
    uint64_t counters[OURO_COUNTER_COUNT_];
} OuroEvent;

/* Called at the end of each phase, on the thread that did it, with the world as the phase left it:
 * a listener must not call the API of objects, nor what stops other threads, and must be quick. */
typedef void (*OuroListener)(const OuroEvent* event, void* arg);

/* Adds or removes a listener. 0, or -1 if there is no room for one more (16) or no such one. May
 * not be called from a listener. */
PyAPI_FUNC(int) Ouro_AddListener(OuroListener listener, void* arg);
PyAPI_FUNC(int) Ouro_RemoveListener(OuroListener listener, void* arg);
/* The phase's name as files have it; a static string. */
PyAPI_FUNC(const char*) Ouro_PhaseName(OuroPhase phase);
/* The same for what triggered a collection. */
PyAPI_FUNC(const char*) Ouro_TriggerName(OuroTrigger trigger);

/* The counter's name as files have it; a static string. */
PyAPI_FUNC(const char*) Ouro_CounterName(OuroCounter counter);
/* NULL if events have it; else why they do not: counters=off, or what the system says. Lives as long as the
 * runtime. */
PyAPI_FUNC(const char*) Ouro_CounterProblem(OuroCounter counter);

/* Appends every event as a JSON line to a file until stopped. 0, or -1 with errno. */
PyAPI_FUNC(int) Ouro_RecordEvents(const char* path);
PyAPI_FUNC(int) Ouro_StopRecordingEvents(void);

OURO_END_C

#endif
