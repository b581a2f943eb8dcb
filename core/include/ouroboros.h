/* What Ouroboros has beyond CPython's documented API: settings, statistics, events. */
#ifndef OURO_OUROBOROS_H
#define OURO_OUROBOROS_H

#include "Python.h"

OURO_BEGIN_C

/* Settings: "key=value,key=value". The environment variable OURO has the same grammar and is applied
 * first, so that a program's own settings win. May be called before Py_Initialize by any one thread.
 * Returns 0, or -1 with the reason in *error if error is not NULL (a static string that the next
 * call replaces); then nothing is changed. A bad environment variable is such a reason. */
PyAPI_FUNC(int) Ouro_Configure(const char* settings, const char** error);
/* The value in force, as text in the same grammar; NULL for an unknown key. */
PyAPI_FUNC(const char*) Ouro_Setting(const char* key);
/* The keys of all settings, separated by '|'. */
PyAPI_FUNC(const char*) Ouro_SettingKeys(void);
/* Allowed values of a setting, separated by '|'; NULL for an unknown key. */
PyAPI_FUNC(const char*) Ouro_SettingValues(const char* key);
/* A short description of an engine, a value of the setting "engine"; NULL if there is no such engine. */
PyAPI_FUNC(const char*) Ouro_EngineSummary(const char* engine);

/* The word of `allowed` (words separated by '|') that `word` was most likely meant to be, or NULL if
 * none is similar. For a program's own error messages, like those of Ouro_Configure. The result
 * lives until the calling thread's next call. */
PyAPI_FUNC(const char*) Ouro_NearestWord(const char* word, const char* allowed);

/* Version and commit of the library. */
PyAPI_FUNC(const char*) Ouro_Version(void);

/* Called with the exception and the object of a call of PyErr_WriteUnraisable, all borrowed: value is the
 * instance, type its class, op the object, which may be NULL. An exception that it raises itself is dropped. */
typedef void (*OuroUnraisableHook)(PyObject* type, PyObject* value, PyObject* op, void* arg);
/* NULL restores the default hook, which prints on stderr. */
PyAPI_FUNC(void) Ouro_SetUnraisableHook(OuroUnraisableHook hook, void* arg);

/* Imports the module in a shared object, regardless of the search path, if it is not imported yet. Its name is
 * the file's up to the first dot. The file's directory becomes the first of sys.path, so that the module finds
 * others in it. New reference, or NULL with an exception, as PyImport_ImportModule. */
PyAPI_FUNC(PyObject*) Ouro_ImportFile(const char* path);

/* The list of uncollectable objects: those with a tp_del that a collection found in garbage. Python
 * calls it gc.garbage; a program empties it. Borrowed, lives as long as the runtime; NULL with
 * MemoryError. */
PyAPI_FUNC(PyObject*) Ouro_Garbage(void);

/* Fault injection: makes allocations fail, to test how a program handles that. Of the allocations of the
 * runtime from now on (objects, buffers, PyMem_Raw, the collector's own lists, the heap's growth),
 * by any thread, the first `skip` succeed, the next `count` fail and the rest succeed; count 0 ends
 * it. Returns how many failed since the previous call: 0 tells a loop over `skip` that it is past the
 * last allocation. Not while another thread allocates. */
PyAPI_FUNC(uint64_t) Ouro_FailAllocations(uint64_t skip, uint64_t count);

/* Makes a collection of one generation and all younger ones, on the calling thread: 0 for what was
 * allocated since the last collection, 1 also for what survived one, 2 for everything, as PyGC_Collect.
 * Python's gc.collect(generation) does the same, even if collection is disabled. With generations=off
 * each is a full one. A full collection in flight, as of engine=concurrent, is ended first. Returns the
 * number of unreachable objects found among those examined by both, collected or not; 0 at once if
 * collection is disabled, if the call comes from inside a collection, or if another mutator is making
 * one; -1 with ValueError for any other generation. */
PyAPI_FUNC(Py_ssize_t) Ouro_CollectGeneration(int generation);

/* What is in the heap now. Costs a walk over the table of blocks. */
typedef struct {
    size_t tracked;        /* tracked containers */
    size_t heap_bytes;     /* blocks and large objects in use, with free slots inside them */
    size_t metadata_bytes; /* side tables that belong to them */
    /* Of heap_bytes, without free slots: */
    size_t container_bytes; /* objects whose type has the GC flag */
    size_t atom_bytes;      /* other objects */
    size_t buffer_bytes;    /* what PyMem_ and PyObject_ functions gave: lists' and dicts' tables */
    /* Between threads: */
    size_t queued;           /* objects in merge queues, waiting for their owner */
    size_t queue_bytes;      /* memory of these queues' entries */
    size_t queue_peak_bytes; /* the most that it was since the program began */
    size_t late_bytes;       /* freed, but waiting for a grace period */
} OuroHeapStatistics;
PyAPI_FUNC(void) Ouro_GetHeapStatistics(OuroHeapStatistics* statistics);

/* Events. Every pause and phase of a collection is one event; see ouroboros/event.h. */
#include "ouroboros/event.h"

/* A name of CPython 3.15, which PY_VERSION_HEX does not claim: makes op immortal: 1; or 0, and op as it was, if it is
 * immortal already or the caller's reference is not its only one. What an immortal container reaches is never garbage.
 * Not in Python.h, where it would collide with the same function of headers that authors have for compatibility. */
PyAPI_FUNC(int) PyUnstable_SetImmortal(PyObject* op);

OURO_END_C

#endif
