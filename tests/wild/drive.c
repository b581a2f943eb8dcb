/* Runs the lines of a file and prints what they give: `drive FILE`. The same source is compiled for CPython and for this
 * runtime. WILD_PATH: the folders that have the modules.
 *
 * A line is one of these, as in Python; what it raises is printed, and the next one runs. # begins a comment.
 *
 *     import NAME, import NAME as NAME
 *     provide NAME = VALUE                                      a name in a module, made with it where they are not there
 *     TARGET = VALUE, TARGET += VALUE (or another operator)     TARGET: a name, VALUE.NAME, VALUE[VALUE]
 *     del TARGET
 *     for NAME in VALUE: LINE                                   ends with what the line raises
 *     collect                                                   prints whether garbage was found
 *     VALUE                                                     prints its repr, but not in a loop
 *
 * VALUE: value.h.
 *
 * The file is run several times, the first of which prints; `left` says how many containers one of the last twenty left,
 * rounded: CPython stops tracking some of its own meanwhile.
 * After a line `together`, WILD_THREADS threads (1 if it is not set) run the rest at once, with names of their own beside
 * those from before; if there are several nothing is printed there. */
#include "tests/wild/value.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostLines = 1000, kMostThreads = 64, kWarming = 3, kCounted = 20 };

static char* lines[kMostLines];
static int line_count;
static const char* file_name;

/* ---- Lines. Each function returns 0, or -1 with an exception. */

static int run_line(Reader* r, int shows);

static void see_raised(void) {
    PyObject *type, *op, *trace;
    if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_SystemError, "an error without an exception");
    }
    PyErr_Fetch(&type, &op, &trace);
    PyErr_NormalizeException(&type, &op, &trace);
    PyObject* said = PyObject_Str(op);
    printf("    raises %s: %s\n", ((PyTypeObject*)type)->tp_name,
           said == NULL ? "?" : PyUnicode_AsUTF8(said));
    PyErr_Clear();
    Py_XDECREF(said);
    Py_XDECREF(type);
    Py_XDECREF(op);
    Py_XDECREF(trace);
}

static int run_import(Reader* r) {
    PyObject* module = read_name(r);
    while (take(r, ".")) {
        PyObject* part = read_name(r);
        Py_SETREF(module, PyUnicode_FromFormat("%U.%U", module, part));
        Py_DECREF(part);
    }
    PyObject* as = take(r, "as") ? read_name(r) : Py_NewRef(module);
    PyObject* op = PyImport_Import(module);
    PyObject* found = op == NULL ? NULL : PyDict_GetItemWithError(PyImport_GetModuleDict(), module);
    const int done = found == NULL ? -1 : PyDict_SetItem(r->names, as, found);
    Py_XDECREF(op);
    Py_DECREF(as);
    Py_DECREF(module);
    return done;
}

/* The module of this name, made if it cannot be imported; a new reference, or NULL. */
static PyObject* provided_module(PyObject* name) {
    PyObject* op = PyImport_Import(name);
    PyObject* found = PyDict_GetItemWithError(PyImport_GetModuleDict(), name);
    if (op == NULL && !PyErr_ExceptionMatches(PyExc_ImportError)) {
        return NULL;
    }
    PyErr_Clear();
    Py_XDECREF(op);
    if (found != NULL) {
        return Py_NewRef(found);
    }
    op = PyModule_NewObject(name);
    PyObject* parts = PyObject_CallMethod(name, "rpartition", "s", ".");
    if (PyDict_SetItem(PyImport_GetModuleDict(), name, op) < 0) {
        return NULL;
    }
    if (PyUnicode_GetLength(PyTuple_GET_ITEM(parts, 0)) > 0) {
        PyObject* parent = provided_module(PyTuple_GET_ITEM(parts, 0));
        if (parent == NULL || PyObject_SetAttr(parent, PyTuple_GET_ITEM(parts, 2), op) < 0) {
            return NULL;
        }
        Py_DECREF(parent);
    }
    Py_DECREF(parts);
    return op;
}

static int run_provide(Reader* r) {
    PyObject* all = read_name(r);
    while (take(r, ".")) {
        PyObject* part = read_name(r);
        Py_SETREF(all, PyUnicode_FromFormat("%U.%U", all, part));
        Py_DECREF(part);
    }
    expect(r, "=");
    PyObject* parts = PyObject_CallMethod(all, "rpartition", "s", ".");
    PyObject* module = provided_module(PyTuple_GET_ITEM(parts, 0));
    int done = module == NULL ? -1 : 0;
    if (done == 0 && !PyObject_HasAttr(module, PyTuple_GET_ITEM(parts, 2))) {
        PyObject* op = read_value(r);
        done = op == NULL ? -1 : PyObject_SetAttr(module, PyTuple_GET_ITEM(parts, 2), op);
        Py_XDECREF(op);
    }
    Py_XDECREF(module);
    Py_DECREF(parts);
    Py_DECREF(all);
    return done;
}

static int run_for(Reader* r) {
    PyObject* variable = read_name(r);
    expect(r, "in");
    PyObject* all = read_value(r);
    PyObject* iterator = all == NULL ? NULL : PyObject_GetIter(all);
    PyObject* item;
    int done = iterator == NULL ? -1 : 0;
    if (done == 0) {
        expect(r, ":");
        while (done == 0 && (item = PyIter_Next(iterator)) != NULL) {
            Reader body = *r;
            done = PyDict_SetItem(r->names, variable, item);
            Py_DECREF(item);
            done = done < 0 ? -1 : run_line(&body, 0);
        }
        done = PyErr_Occurred() ? -1 : 0;
    }
    Py_DECREF(variable);
    Py_XDECREF(all);
    Py_XDECREF(iterator);
    return done;
}

/* What a line assigns to or deletes: an item of `owner`, an attribute, or a name. */
typedef struct {
    PyObject* owner; /* NULL: it is a name */
    PyObject* key;
    int is_item;
} Target;

/* Reads a value up to `end`, and the last part of it apart; 0 or -1. */
static int read_target(Reader* r, const char* end, Target* target) {
    char head[kLongest];
    const char* last = NULL; /* where the last part begins */
    int depth = 0;
    skip_spaces(r);
    for (const char* c = r->at; c < end; ++c) {
        if (*c == '\'') {
            c = strchr(c + 1, '\'');
        } else if (depth == 0 && (*c == '.' || *c == '[')) {
            last = c;
        }
        depth += strchr("([{", *c) != NULL;
        depth -= strchr(")]}", *c) != NULL;
    }
    target->owner = NULL;
    if (last == NULL || last == r->at) {
        target->key = read_name(r);
        return 0;
    }
    memcpy(head, r->at, (size_t)(last - r->at));
    head[last - r->at] = '\0';
    Reader of_owner = {head, r->names, r->before, r->file};
    target->owner = read_value(&of_owner);
    if (target->owner == NULL) {
        return -1;
    }
    r->at = last + 1;
    target->is_item = *last == '[';
    target->key = target->is_item ? read_subscript(r) : read_name(r);
    if (target->key == NULL) {
        Py_DECREF(target->owner);
        return -1;
    }
    return 0;
}

static PyObject* get(const Target* target, PyObject* names) {
    if (target->owner == NULL) {
        return Py_XNewRef(PyDict_GetItemWithError(names, target->key));
    }
    return target->is_item ? PyObject_GetItem(target->owner, target->key)
                           : PyObject_GetAttr(target->owner, target->key);
}

/* Sets or, with NULL, deletes it. */
static int set(const Target* target, PyObject* names, PyObject* op) {
    if (target->owner == NULL) {
        return op == NULL ? PyDict_DelItem(names, target->key)
                          : PyDict_SetItem(names, target->key, op);
    }
    if (!target->is_item) {
        return PyObject_SetAttr(target->owner, target->key, op);
    }
    return op == NULL ? PyObject_DelItem(target->owner, target->key)
                      : PyObject_SetItem(target->owner, target->key, op);
}

static void drop(Target* target) {
    Py_XDECREF(target->owner);
    Py_DECREF(target->key);
}

/* The = of an assignment, or NULL. */
static const char* assignment(const char* line) {
    int depth = 0;
    for (const char* c = line; *c != '\0'; ++c) {
        if (*c == '\'') {
            c = strchr(c + 1, '\'');
            if (c == NULL) {
                return NULL;
            }
        }
        depth += strchr("([{", *c) != NULL;
        depth -= strchr(")]}", *c) != NULL;
        if (depth == 0 && *c == '=' && c[1] == '=') {
            ++c;
        } else if (depth == 0 && *c == '=' && c > line && strchr("!<>", c[-1]) == NULL) {
            return c;
        }
    }
    return NULL;
}

static int run_assignment(Reader* r, const char* equals) {
    const int is_in_place = strchr("|^&+-*/%", equals[-1]) != NULL;
    Target target;
    if (read_target(r, equals - is_in_place, &target) < 0) {
        return -1;
    }
    r->at = equals + 1;
    PyObject* op = read_value(r);
    if (op != NULL && is_in_place) {
        PyObject* before = get(&target, r->names);
        PyObject* right = op;
        op = before == NULL ? NULL : in_place(equals[-1], before, right);
        Py_XDECREF(before);
        Py_DECREF(right);
    }
    const int done = op == NULL ? -1 : set(&target, r->names, op);
    Py_XDECREF(op);
    drop(&target);
    return done;
}

static int run_line(Reader* r, int shows) {
    const char* equals;
    skip_spaces(r);
    if (take(r, "import")) {
        return run_import(r);
    }
    if (take(r, "provide")) {
        return run_provide(r);
    }
    if (take(r, "for")) {
        return run_for(r);
    }
    if (take(r, "del")) {
        Target target;
        if (read_target(r, r->at + strlen(r->at), &target) < 0) {
            return -1;
        }
        const int done = set(&target, r->names, NULL);
        drop(&target);
        return done;
    }
    if (take(r, "collect")) {
        const int found = PyGC_Collect() > 0;
        if (shows) {
            printf("    %s\n", found ? "garbage" : "no garbage");
        }
        return 0;
    }
    if ((equals = assignment(r->at)) != NULL) {
        return run_assignment(r, equals);
    }
    PyObject* op = read_value(r);
    PyObject* said = op == NULL || !shows ? NULL : PyObject_Repr(op);
    if (said != NULL) {
        printf("    %s\n", PyUnicode_AsUTF8(said));
    }
    Py_XDECREF(said);
    Py_XDECREF(op);
    return PyErr_Occurred() ? -1 : 0;
}

static void run_lines(int begin, int end, PyObject* names, PyObject* before, int shows) {
    for (int i = begin; i < end; ++i) {
        Reader r = {lines[i], names, before, file_name};
        if (shows) {
            printf("%s\n", lines[i]);
        }
        if (run_line(&r, shows) < 0) {
            if (shows) {
                see_raised();
            }
            PyErr_Clear();
        }
        fflush(stdout);
    }
}

/* ---- The file */

typedef struct {
    int begin;
    PyObject* before;
} Rest;

static void* run_rest(void* argument) {
    const Rest* rest = argument;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject* names = PyDict_New();
    run_lines(rest->begin, line_count, names, rest->before, 0);
    Py_DECREF(names);
    PyGILState_Release(state);
    return NULL;
}

static void run_file(int shows) {
    const char* number_of_threads = getenv("WILD_THREADS");
    const int threads = number_of_threads == NULL ? 1 : atoi(number_of_threads);
    int together = 0;
    while (together < line_count && strcmp(lines[together], "together") != 0) {
        ++together;
    }
    PyObject* names = PyDict_New();
    run_lines(0, together, names, NULL, shows);
    Rest rest = {together + 1, names};
    if (together < line_count && threads == 1) {
        PyObject* own = PyDict_New();
        run_lines(rest.begin, line_count, own, names, shows);
        Py_DECREF(own);
    } else if (together < line_count) {
        pthread_t all[kMostThreads];
        PyThreadState* const state = PyEval_SaveThread();
        for (int i = 0; i < threads && i < kMostThreads; ++i) {
            if (pthread_create(&all[i], NULL, run_rest, &rest) != 0) {
                perror("a thread");
                exit(1);
            }
        }
        for (int i = 0; i < threads && i < kMostThreads; ++i) {
            pthread_join(all[i], NULL);
        }
        PyEval_RestoreThread(state);
    }
    Py_DECREF(names);
}

static void read_file(void) {
    static char buffer[kLongest];
    FILE* file = fopen(file_name, "r");
    if (file == NULL) {
        perror(file_name);
        exit(2);
    }
    while (line_count < kMostLines && fgets(buffer, sizeof buffer, file) != NULL) {
        buffer[strcspn(buffer, "\n")] = '\0';
        if (buffer[0] != '\0' && buffer[0] != '#') {
            lines[line_count++] = strdup(buffer);
        }
    }
    fclose(file);
}

static Py_ssize_t containers(void) {
    PyGC_Collect();
    PyObject* gc = PyImport_ImportModule("gc");
    PyObject* all = PyObject_CallMethod(gc, "get_objects", NULL);
    const Py_ssize_t size = PyList_GET_SIZE(all);
    Py_DECREF(all);
    Py_DECREF(gc);
    return size;
}

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    file_name = argv[1];
    read_file();
    Py_Initialize();
    for (char* folder = strtok(getenv("WILD_PATH"), ":"); folder != NULL;
         folder = strtok(NULL, ":")) {
        PyObject* path = PyUnicode_FromString(folder);
        if (PyList_Insert(PySys_GetObject("path"), 0, path) < 0) {
            return 1;
        }
        Py_DECREF(path);
    }
    PyGC_Collect();
    run_file(1);
    for (int i = 0; i < kWarming; ++i) {
        run_file(0);
    }
    const Py_ssize_t before = containers();
    for (int i = 0; i < kCounted; ++i) {
        run_file(0);
    }
    printf("left: %zd\n", (containers() - before + kCounted / 2) / kCounted);
    for (int i = 0; i < line_count; ++i) {
        free(lines[i]);
    }
    return Py_FinalizeEx() < 0;
}
