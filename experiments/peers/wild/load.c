/* What a program feels that keeps many entries in a container that others wrote, and replaces them: the same source
 * compiled against CPython and against Ouroboros. A value is a ring of two lists, which is garbage once replaced.
 *
 *     load CONTAINER ENTRIES REQUESTS OPERATIONS RATE [off]
 *
 * Fills the container, then REQUESTS times replaces OPERATIONS of its entries, RATE requests a second (0: one after the
 * other). The latency of a request counts from when it was due. off: without collections, which shows what the operations
 * themselves cost. WILD_PATH: the folders that have the modules. Prints one JSON object. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { kSecond = 1000000000 };

static PyObject* all; /* the container */
static Py_ssize_t entries;

static void fail(const char* what) {
    if (PyErr_Occurred()) {
        PyErr_Print();
    }
    fprintf(stderr, "load: %s\n", what);
    exit(1);
}

static PyObject* made(PyObject* op) {
    if (op == NULL) {
        fail("an operation failed");
    }
    return op;
}

static void done(int result) {
    if (result < 0) {
        fail("an operation failed");
    }
}

/* ---- Modules */

static PyObject* attribute_of(const char* module, const char* name) {
    PyObject* imported = made(PyImport_ImportModule(module));
    PyObject* op = made(PyObject_GetAttrString(imported, name));
    Py_DECREF(imported);
    return op;
}

static PyObject* instance_of(const char* module, const char* name) {
    PyObject* type = attribute_of(module, name);
    PyObject* op = made(PyObject_CallNoArgs(type));
    Py_DECREF(type);
    return op;
}

/* Provides what a module imports of Python code, where it is not there. Steals `op`. */
static void provide(const char* module, const char* name, PyObject* op) {
    PyObject* imported = PyImport_ImportModule(module);
    if (imported == NULL) {
        PyErr_Clear();
        imported = Py_NewRef(made(PyImport_AddModule(module)));
    }
    if (!PyObject_HasAttrString(imported, name)) {
        done(PyObject_SetAttrString(imported, name, made(op)));
    }
    Py_DECREF(imported);
    Py_DECREF(op);
}

static void add_folders_to_path(void) {
    char* const folders = getenv("WILD_PATH");
    for (char* folder = folders == NULL ? NULL : strtok(folders, ":"); folder != NULL;
         folder = strtok(NULL, ":")) {
        PyObject* path = made(PyUnicode_FromString(folder));
        done(PyList_Insert(made(PySys_GetObject("path")), 0, path));
        Py_DECREF(path);
    }
}

/* ---- Containers. Each has its functions to begin it, to put a value at the place of the entry `i`, and to get that. */

static void put_item(Py_ssize_t i, PyObject* value) {
    PyObject* key = made(PyLong_FromSsize_t(i));
    done(PyObject_SetItem(all, key, value));
    Py_DECREF(key);
}

static PyObject* get_item(Py_ssize_t i) {
    PyObject* key = made(PyLong_FromSsize_t(i));
    PyObject* value = made(PyObject_GetItem(all, key));
    Py_DECREF(key);
    return value;
}

/* For a container whose operations make another one. */
static void put_by_set(Py_ssize_t i, PyObject* value) {
    Py_SETREF(all, made(PyObject_CallMethod(all, "set", "nO", i, value)));
}

/* Not one of others: what the runtime's own costs. */
static void begin_dict(void) {
    all = made(PyDict_New());
}

static void begin_btree(void) {
    provide("copyreg", "__newobj__", Py_NewRef(Py_None));
    provide("copyreg", "_slotnames", Py_NewRef(Py_None));
    provide("BTrees", "__path__", PyList_New(0));
    provide("BTrees.Interfaces", "BTreesConflictError",
            PyErr_NewException("BTrees.Interfaces.BTreesConflictError", PyExc_ValueError, NULL));
    Py_DECREF(made(PyImport_ImportModule("persistent.cPersistence")));
    PyObject* type = attribute_of("BTrees._OOBTree", "OOBTree");
    PyObject* leaf = made(PyLong_FromLong(30));
    PyObject* internal = made(PyLong_FromLong(250));
    done(PyObject_SetAttrString(type, "max_leaf_size", leaf));
    done(PyObject_SetAttrString(type, "max_internal_size", internal));
    Py_DECREF(internal);
    Py_DECREF(leaf);
    all = made(PyObject_CallNoArgs(type));
    Py_DECREF(type);
}

static void begin_map(void) {
    all = instance_of("_map", "Map");
}

static void begin_vector(void) {
    PyObject* function = attribute_of("pvectorc", "pvector");
    PyObject* items = made(PyList_New(entries));
    for (Py_ssize_t i = 0; i < entries; ++i) {
        PyList_SET_ITEM(items, i, Py_NewRef(Py_None));
    }
    all = made(PyObject_CallOneArg(function, items));
    Py_DECREF(items);
    Py_DECREF(function);
}

/* Its entries leave in the order in which they came: what is put is new, and pushes the oldest out. */
static void begin_cache(void) {
    PyObject* type = attribute_of("_lru", "LRU");
    all = made(PyObject_CallFunction(type, "n", entries));
    Py_DECREF(type);
}

static Py_ssize_t newest = -1; /* key of the cache */

static void put_newest(Py_ssize_t i, PyObject* value) {
    (void)i;
    put_item(++newest, value);
}

static PyObject* get_aged(Py_ssize_t i) {
    return get_item(newest - i);
}

static PyObject** texts; /* keys of the multidict */

static void begin_multidict(void) {
    all = instance_of("_multidict", "MultiDict");
    texts = malloc((size_t)entries * sizeof *texts);
    if (texts == NULL) {
        fail("no memory");
    }
    for (Py_ssize_t i = 0; i < entries; ++i) {
        texts[i] = made(PyUnicode_FromFormat("%zd", i));
    }
}

static void put_text(Py_ssize_t i, PyObject* value) {
    done(PyObject_SetItem(all, texts[i], value));
}

static PyObject* get_text(Py_ssize_t i) {
    return made(PyObject_GetItem(all, texts[i]));
}

static void end_multidict(void) {
    for (Py_ssize_t i = 0; i < entries; ++i) {
        Py_DECREF(texts[i]);
    }
    free(texts);
}

typedef struct {
    const char* name;
    void (*begin)(void);
    void (*put)(Py_ssize_t i, PyObject* value);
    PyObject* (*get)(Py_ssize_t i);
    void (*end)(void);
} Container;

static const Container containers[] = {
    {"dict", begin_dict, put_item, get_item, NULL},
    {"btree", begin_btree, put_item, get_item, NULL},
    {"hamt", begin_map, put_by_set, get_item, NULL},
    {"pvector", begin_vector, put_by_set, get_item, NULL},
    {"lru", begin_cache, put_newest, get_aged, NULL},
    {"multidict", begin_multidict, put_text, get_text, end_multidict},
};

static const Container* container_of(const char* name) {
    for (size_t i = 0; i < sizeof containers / sizeof *containers; ++i) {
        if (strcmp(containers[i].name, name) == 0) {
            return &containers[i];
        }
    }
    fprintf(stderr, "load: CONTAINER: dict, btree, hamt, pvector, lru or multidict, not %s\n",
            name);
    exit(2);
}

/* ---- Load */

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * kSecond + t.tv_nsec;
}

static int64_t ns_of(struct timeval t) {
    return (int64_t)t.tv_sec * kSecond + t.tv_usec * 1000;
}

/* CPU time of the process with its collector's threads and children. */
static int64_t cpu_ns(void) {
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return ns_of(own.ru_utime) + ns_of(own.ru_stime) + ns_of(children.ru_utime) +
           ns_of(children.ru_stime);
}

static void wait_until(int64_t due_ns) {
    const struct timespec due = {.tv_sec = due_ns / kSecond, .tv_nsec = due_ns % kSecond};
    Py_BEGIN_ALLOW_THREADS;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    Py_END_ALLOW_THREADS;
}

static uint64_t drawn(void) {
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

static PyObject* ring(void) {
    PyObject* first = made(PyList_New(1));
    PyObject* second = made(PyList_New(1));
    PyList_SET_ITEM(first, 0, second);
    PyList_SET_ITEM(second, 0, Py_NewRef(first));
    return first;
}

static void put(const Container* container, Py_ssize_t i) {
    PyObject* value = ring();
    container->put(i, value);
    Py_DECREF(value);
}

/* Each entry must have a ring. */
static void check(const Container* container) {
    for (Py_ssize_t i = 0; i < entries; ++i) {
        PyObject* first = container->get(i);
        PyObject* second = PyList_Check(first) ? PyList_GET_ITEM(first, 0) : NULL;
        if (second == NULL || !PyList_Check(second) || PyList_GET_ITEM(second, 0) != first) {
            fail("an entry is not what was put there");
        }
        Py_DECREF(first);
    }
}

static int by_size(const void* a, const void* b) {
    const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
    return (x > y) - (x < y);
}

static long number(const char* text, const char* name, long least) {
    char* end;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < least || value > 1000000000) {
        fprintf(stderr, "load: %s: %ld to 1000000000, not %s\n", name, least, text);
        exit(2);
    }
    return value;
}

int main(int argc, char** argv) {
    if (argc < 6 || argc > 7 || (argc == 7 && strcmp(argv[6], "off") != 0)) {
        fprintf(stderr, "usage: load CONTAINER ENTRIES REQUESTS OPERATIONS RATE [off]\n");
        return 2;
    }
    const Container* const container = container_of(argv[1]);
    entries = number(argv[2], "ENTRIES", 1);
    const long requests = number(argv[3], "REQUESTS", 1);
    const long operations = number(argv[4], "OPERATIONS", 1);
    const long rate = number(argv[5], "RATE", 0);
    int64_t* latencies = calloc((size_t)requests, sizeof *latencies);
    if (latencies == NULL) {
        fail("no memory");
    }
    Py_Initialize();
    add_folders_to_path();
    if (argc == 7) {
        PyGC_Disable();
    }
    container->begin();
    for (Py_ssize_t i = 0; i < entries; ++i) {
        put(container, i);
    }
    const int64_t cpu_before_ns = cpu_ns();
    const int64_t start_ns = now_ns();
    for (long r = 0; r < requests; ++r) {
        const int64_t due_ns = rate == 0 ? now_ns() : start_ns + r * (int64_t)kSecond / rate;
        if (rate != 0 && now_ns() < due_ns) {
            wait_until(due_ns);
        }
        for (long i = 0; i < operations; ++i) {
            put(container, (Py_ssize_t)(drawn() % (uint64_t)entries));
        }
        latencies[r] = now_ns() - due_ns;
    }
    const int64_t end_ns = now_ns();
    const int64_t cpu_after_ns = cpu_ns();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    check(container);
    qsort(latencies, (size_t)requests, sizeof *latencies, by_size);
    printf("{\"p50_ns\": %lld, \"p99_ns\": %lld, \"p999_ns\": %lld, \"longest_ns\": %lld, "
           "\"wall_ns\": %lld, \"cpu_ns_per_operation\": %.1f, \"peak_bytes\": %lld}\n",
           (long long)latencies[requests / 2], (long long)latencies[requests * 99 / 100],
           (long long)latencies[requests * 999 / 1000], (long long)latencies[requests - 1],
           (long long)(end_ns - start_ns),
           (double)(cpu_after_ns - cpu_before_ns) / ((double)requests * (double)operations),
           (long long)usage.ru_maxrss * 1024);
    free(latencies);
    Py_DECREF(all);
    if (container->end != NULL) {
        container->end();
    }
    return Py_FinalizeEx() < 0;
}
