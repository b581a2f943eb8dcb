/* What the calls cost that extension code makes all the time: the same loops, compiled against CPython and against
 * Ouroboros. Prints a line for each: the name and the CPU time in ns of one operation. Arguments: how many operations;
 * the name of a loop, to run it alone. Source of the type: the tutorial "Defining Extension Types". */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>
#include <time.h>

typedef struct {
    PyObject_HEAD
    PyObject* first;
    int number;
} Custom;

static int custom_traverse(Custom* self, visitproc visit, void* arg) {
    Py_VISIT(self->first);
    return 0;
}

static int custom_clear(Custom* self) {
    Py_CLEAR(self->first);
    return 0;
}

static void custom_dealloc(Custom* self) {
    PyObject_GC_UnTrack(self);
    custom_clear(self);
    Py_TYPE(self)->tp_free((PyObject*)self);
}

static PyObject* custom_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    (void)args;
    (void)kwargs;
    Custom* self = (Custom*)type->tp_alloc(type, 0);
    if (self != NULL) {
        Py_INCREF(Py_None);
        self->first = Py_None;
    }
    return (PyObject*)self;
}

static PyObject* custom_name(PyObject* self, PyObject* ignored) {
    (void)ignored;
    PyObject* first = ((Custom*)self)->first;
    Py_INCREF(first);
    return first;
}

static PyMethodDef custom_methods[] = {{"name", custom_name, METH_NOARGS, NULL},
                                       {NULL, NULL, 0, NULL}};

static PyMemberDef custom_members[] = {
    {"first", T_OBJECT_EX, offsetof(Custom, first), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject CustomType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "costs.Custom",
    .tp_basicsize = sizeof(Custom),
    .tp_dealloc = (destructor)custom_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = (traverseproc)custom_traverse,
    .tp_clear = (inquiry)custom_clear,
    .tp_methods = custom_methods,
    .tp_members = custom_members,
    .tp_new = custom_new,
};

/* What the loops work on; references are kept to the end. */
static PyObject *custom, *instance, *method_name, *member_name, *bound, *keys[16], *dict, *small;

static void check(int ok, const char* what) {
    if (!ok) {
        PyErr_Print();
        fprintf(stderr, "costs: %s failed\n", what);
        exit(1);
    }
}

static void drop(PyObject* op) {
    check(op != NULL, "an operation");
    Py_DECREF(op);
}

static void method_call(long count) {
    for (long i = 0; i < count; ++i) {
        drop(PyObject_CallMethodNoArgs(instance, method_name));
    }
}

static void bound_call(long count) {
    for (long i = 0; i < count; ++i) {
        drop(PyObject_CallNoArgs(bound));
    }
}

static void attribute_get(long count) {
    for (long i = 0; i < count; ++i) {
        drop(PyObject_GetAttr(instance, member_name));
    }
}

static void attribute_set(long count) {
    for (long i = 0; i < count; ++i) {
        check(PyObject_SetAttr(instance, member_name, Py_None) == 0, "PyObject_SetAttr");
    }
}

static void type_call_and_dealloc(long count) {
    for (long i = 0; i < count; ++i) {
        drop(PyObject_CallNoArgs(custom));
    }
}

static void list_append(long count) {
    for (long i = 0; i < count; i += 64) {
        PyObject* list = PyList_New(0);
        for (int k = 0; k < 64; ++k) {
            check(PyList_Append(list, small) == 0, "PyList_Append");
        }
        Py_DECREF(list);
    }
}

static void dict_set(long count) {
    for (long i = 0; i < count; ++i) {
        check(PyDict_SetItem(dict, keys[i & 15], small) == 0, "PyDict_SetItem");
    }
}

static void dict_get(long count) {
    for (long i = 0; i < count; ++i) {
        check(PyDict_GetItemWithError(dict, keys[i & 15]) != NULL, "PyDict_GetItemWithError");
    }
}

static void tuple_creation(long count) {
    for (long i = 0; i < count; ++i) {
        PyObject* tuple = PyTuple_New(3);
        check(tuple != NULL, "PyTuple_New");
        for (int k = 0; k < 3; ++k) {
            Py_INCREF(small);
            PyTuple_SET_ITEM(tuple, k, small);
        }
        Py_DECREF(tuple);
    }
}

/* Containers that stay: free lists of what was just dropped do not serve these. */
#define KEPT 1000
static PyObject* kept[KEPT];

static void drop_kept(void) {
    for (int k = 0; k < KEPT; ++k) {
        Py_CLEAR(kept[k]);
    }
}

static void tuple_allocation(long count) {
    for (long i = 0; i < count; i += KEPT) {
        for (int k = 0; k < KEPT; ++k) {
            kept[k] = PyTuple_New(1);
            Py_INCREF(small);
            PyTuple_SET_ITEM(kept[k], 0, small);
        }
        drop_kept();
    }
}

static void list_allocation(long count) {
    for (long i = 0; i < count; i += KEPT) {
        for (int k = 0; k < KEPT; ++k) {
            kept[k] = PyList_New(0);
        }
        drop_kept();
    }
}

static void dict_allocation(long count) {
    for (long i = 0; i < count; i += KEPT) {
        for (int k = 0; k < KEPT; ++k) {
            kept[k] = PyDict_New();
        }
        drop_kept();
    }
}

static void object_allocation(long count) {
    for (long i = 0; i < count; i += KEPT) {
        for (int k = 0; k < KEPT; ++k) {
            kept[k] = CustomType.tp_alloc(&CustomType, 0);
        }
        drop_kept();
    }
}

static double cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static const struct {
    const char* name;
    void (*loop)(long);
} loops[] = {
    {"method call", method_call},
    {"bound method call", bound_call},
    {"attribute get", attribute_get},
    {"attribute set", attribute_set},
    {"type call and dealloc", type_call_and_dealloc},
    {"list append", list_append},
    {"dict set", dict_set},
    {"dict get", dict_get},
    {"tuple creation", tuple_creation},
    {"tuple allocation", tuple_allocation},
    {"list allocation", list_allocation},
    {"dict allocation", dict_allocation},
    {"object allocation", object_allocation},
};

int main(int argc, char** argv) {
    const long count = argc > 1 ? atol(argv[1]) : 2000000;
    Py_Initialize();
    check(PyType_Ready(&CustomType) == 0, "PyType_Ready");
    custom = (PyObject*)&CustomType;
    instance = PyObject_CallNoArgs(custom);
    check(instance != NULL, "the type's call");
    method_name = PyUnicode_InternFromString("name");
    member_name = PyUnicode_InternFromString("first");
    bound = PyObject_GetAttr(instance, method_name);
    dict = PyDict_New();
    small = PyUnicode_FromString("small");
    for (int k = 0; k < 16; ++k) {
        keys[k] = PyUnicode_FromFormat("key%d", k);
        check(PyDict_SetItem(dict, keys[k], small) == 0, "PyDict_SetItem");
    }
    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); ++i) {
        if (argc > 2 && strcmp(argv[2], loops[i].name) != 0) {
            continue;
        }
        loops[i].loop(count / 10); /* caches and free lists as they are later */
        const double start = cpu_ns();
        loops[i].loop(count);
        printf("%s\t%.2f\n", loops[i].name, (cpu_ns() - start) / (double)count);
    }
    for (int k = 0; k < 16; ++k) {
        Py_DECREF(keys[k]);
    }
    Py_DECREF(small);
    Py_DECREF(dict);
    Py_DECREF(bound);
    Py_DECREF(method_name);
    Py_DECREF(member_name);
    Py_DECREF(instance);
    return Py_FinalizeEx() < 0;
}
