/* The gc module, as C code reaches it by PyImport_ImportModule. */
#include "tests/same/same.h"

static PyObject* gc(void) {
    return T(PyImport_ImportModule("gc"));
}

/* A list that holds itself, dropped. */
static void drop_a_cycle(void) {
    PyObject* l = PyList_New(0);
    PyList_Append(l, l);
    Py_DECREF(l);
}

CASE(gc_collects_generations) {
    int generation;
    for (generation = 0; generation < 3; ++generation) {
        drop_a_cycle();
        got("collect", PyObject_CallMethod(gc(), "collect", "i", generation));
    }
    drop_a_cycle();
    got("collect()", PyObject_CallMethod(gc(), "collect", NULL));
    got("by name", PyObject_Call(T(PyObject_GetAttrString(gc(), "collect")), V("()"),
                                 V("{s:i}", "generation", 1)));
    got("-1", PyObject_CallMethod(gc(), "collect", "i", -1));
    got("3", PyObject_CallMethod(gc(), "collect", "i", 3));
    got("'x'", PyObject_CallMethod(gc(), "collect", "s", "x"));
}

CASE(gc_is_switched) {
    got("isenabled", PyObject_CallMethod(gc(), "isenabled", NULL));
    got("disable", PyObject_CallMethod(gc(), "disable", NULL));
    got("isenabled", PyObject_CallMethod(gc(), "isenabled", NULL));
    done("PyGC_IsEnabled", PyGC_IsEnabled());
    drop_a_cycle();
    done("PyGC_Collect", PyGC_Collect());
    got("collect while disabled", PyObject_CallMethod(gc(), "collect", NULL));
    got("enable", PyObject_CallMethod(gc(), "enable", NULL));
    done("PyGC_IsEnabled", PyGC_IsEnabled());
}

CASE(gc_has_thresholds) {
    PyObject* before = T(PyObject_CallMethod(gc(), "get_threshold", NULL));
    done("three", PyTuple_Size(before));
    got("set", PyObject_CallMethod(gc(), "set_threshold", "iii", 500, 7, 8));
    got("get", PyObject_CallMethod(gc(), "get_threshold", NULL));
    got("set one", PyObject_CallMethod(gc(), "set_threshold", "i", 600));
    got("get", PyObject_CallMethod(gc(), "get_threshold", NULL));
    got("no number", PyObject_CallMethod(gc(), "set_threshold", "s", "x"));
    got("back", PyObject_CallMethod(gc(), "set_threshold", "O", before));
    done("counts", PyTuple_Size(T(PyObject_CallMethod(gc(), "get_count", NULL))));
}

CASE_LEFT_OUT(the_first_threshold, "700 in CPython 3.11, 2000 since 3.13") {
    got("get", PyObject_CallMethod(gc(), "get_threshold", NULL));
}

CASE(gc_knows_what_is_tracked) {
    PyObject* l = V("[]");
    got("a list", PyObject_CallMethod(gc(), "is_tracked", "(O)", l));
    got("an int", PyObject_CallMethod(gc(), "is_tracked", "i", 1));
    got("a tale", PyObject_CallMethod(gc(), "is_tracked", "N", tale("t", NULL)));
    got("finalized list", PyObject_CallMethod(gc(), "is_finalized", "(O)", l));
    got("finalized int", PyObject_CallMethod(gc(), "is_finalized", "i", 1));
}

CASE(gc_shows_references) {
    PyObject* inner = V("[]");
    PyObject* outer = V("[O]", inner);
    PyObject* referrers = T(PyObject_CallMethod(gc(), "get_referrers", "(O)", inner));
    got("referents", PyObject_CallMethod(gc(), "get_referents", "(O)", outer));
    got("referents of two", PyObject_CallMethod(gc(), "get_referents", "OO", outer, V("(i)", 5)));
    got("referents of an int", PyObject_CallMethod(gc(), "get_referents", "i", 1));
    got("referents of keys",
        PyObject_CallMethod(gc(), "get_referents", "(O)", V("{i:O}", 99999, inner)));
    got("of keys that are str",
        PyObject_CallMethod(gc(), "get_referents", "(O)", V("{s:O}", "k", inner)));
    got("of both",
        PyObject_CallMethod(gc(), "get_referents", "(O)", V("{s:O,i:O}", "k", inner, 7, inner)));
    got("of a set", PyObject_CallMethod(gc(), "get_referents", "(O)", T(PySet_New(V("(s)", "a")))));
    got("referents of nothing", PyObject_CallMethod(gc(), "get_referents", NULL));
    done("referrers", PySequence_Contains(referrers, outer));
    got("referrers of nothing", PyObject_CallMethod(gc(), "get_referrers", NULL));
}

CASE(gc_shows_all_objects) {
    Tale* t = (Tale*)T((PyObject*)tale("t", NULL));
    PyObject* all = T(PyObject_CallMethod(gc(), "get_objects", NULL));
    Py_ssize_t i;
    int found = 0;
    int itself = 0;
    for (i = 0; i < PyList_Size(all); ++i) {
        found += PyList_GetItem(all, i) == (PyObject*)t;
        itself += PyList_GetItem(all, i) == all;
    }
    done("found", found);
    done("the list itself", itself);
    got("generation -2", PyObject_CallMethod(gc(), "get_objects", "i", -2));
    got("generation 3", PyObject_CallMethod(gc(), "get_objects", "i", 3));
    got("generation 'x'", PyObject_CallMethod(gc(), "get_objects", "s", "x"));
}

CASE(gc_keeps_garbage_when_told) {
    PyObject* garbage = T(PyObject_GetAttrString(gc(), "garbage"));
    Tale* t = tale("t", NULL);
    tale_hold(t, (PyObject*)t);
    Py_DECREF(t);
    got("set_debug", PyObject_CallMethod(gc(), "set_debug", "O",
                                         T(PyObject_GetAttrString(gc(), "DEBUG_SAVEALL"))));
    got("get_debug", PyObject_CallMethod(gc(), "get_debug", NULL));
    done("collected", PyGC_Collect());
    done("garbage", PyList_Size(garbage));
    got("set_debug", PyObject_CallMethod(gc(), "set_debug", "i", 0));
    done("it is whole", ((Tale*)PyList_GetItem(garbage, 0))->held == PyList_GetItem(garbage, 0));
    done("emptied", PyList_SetSlice(garbage, 0, PyList_Size(garbage), NULL));
    done("collected", PyGC_Collect());
}

CASE(gc_has_flags) {
    static const char* const names[] = {"DEBUG_STATS", "DEBUG_COLLECTABLE", "DEBUG_UNCOLLECTABLE",
                                        "DEBUG_SAVEALL", "DEBUG_LEAK"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; ++i) {
        got(names[i], PyObject_GetAttrString(gc(), names[i]));
    }
}

static PyObject* tell(PyObject* self, PyObject* args) {
    PyObject* phase;
    PyObject* info;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &phase, &info)) {
        return NULL;
    }
    see("phase", phase);
    see("generation", PyDict_GetItemString(info, "generation"));
    see("collected", PyDict_GetItemString(info, "collected"));
    see("uncollectable", PyDict_GetItemString(info, "uncollectable"));
    Py_RETURN_NONE;
}
DEFINE(tell_definition, "tell", tell, METH_VARARGS);
static PyObject* fail(PyObject* self, PyObject* args) {
    (void)self;
    (void)args;
    PyErr_SetString(PyExc_ValueError, "from a callback");
    return NULL;
}
DEFINE(fail_definition, "fail", fail, METH_VARARGS);

CASE(gc_calls_back) {
    PyObject* callbacks = T(PyObject_GetAttrString(gc(), "callbacks"));
    PyObject* callback = T(function_of(&tell_definition));
    done("none", PyList_Size(callbacks));
    done("append", PyList_Append(callbacks, callback));
    drop_a_cycle();
    done("collect", PyGC_Collect());
    drop_a_cycle();
    got("collect(0)", PyObject_CallMethod(gc(), "collect", "i", 0));
    done("remove", PyList_SetSlice(callbacks, 0, 1, NULL));
}

CASE(a_callback_of_gc_may_raise) {
    PyObject* callbacks = T(PyObject_GetAttrString(gc(), "callbacks"));
    done("append", PyList_Append(callbacks, T(function_of(&fail_definition))));
    capture_begin();
    done("collect", PyGC_Collect());
    capture_end();
    done("remove", PyList_SetSlice(callbacks, 0, 1, NULL));
    raised("afterwards");
}

CASE(gc_counts_what_it_does) {
    PyObject* stats = T(PyObject_CallMethod(gc(), "get_stats", NULL));
    PyObject* last = PyList_GetItem(stats, 2);
    PyObject* again;
    done("three", PyList_Size(stats));
    got("keys", PyDict_Keys(last));
    drop_a_cycle();
    done("collected", PyGC_Collect());
    again = PyList_GetItem(T(PyObject_CallMethod(gc(), "get_stats", NULL)), 2);
    got("collections", PyNumber_Subtract(PyDict_GetItemString(again, "collections"),
                                         PyDict_GetItemString(last, "collections")));
    got("collected", PyNumber_Subtract(PyDict_GetItemString(again, "collected"),
                                       PyDict_GetItemString(last, "collected")));
}

CASE(gc_freezes) {
    PyObject* l = PyList_New(0);
    PyList_Append(l, l);
    got("none", PyObject_CallMethod(gc(), "get_freeze_count", NULL));
    got("freeze", PyObject_CallMethod(gc(), "freeze", NULL));
    done("some", PyObject_IsTrue(T(PyObject_CallMethod(gc(), "get_freeze_count", NULL))));
    Py_DECREF(l);
    done("nothing collected", PyGC_Collect());
    got("unfreeze", PyObject_CallMethod(gc(), "unfreeze", NULL));
    got("none", PyObject_CallMethod(gc(), "get_freeze_count", NULL));
    done("collected", PyGC_Collect());
}

static PyObject* seen_by_hook(PyObject* self, PyObject* args) {
    (void)self;
    see("exc_type", T(PyObject_GetAttrString(args, "exc_type")));
    see("exc_value", T(PyObject_GetAttrString(args, "exc_value")));
    see("err_msg", T(PyObject_GetAttrString(args, "err_msg")));
    see("object", T(PyObject_GetAttrString(args, "object")));
    see("exc_traceback", T(PyObject_GetAttrString(args, "exc_traceback")));
    Py_RETURN_NONE;
}
DEFINE(hook_definition, "hook", seen_by_hook, METH_O);

CASE(the_unraisable_hook_of_sys) {
    PyObject* sys = T(PyImport_ImportModule("sys"));
    PyObject* before = T(PyObject_GetAttrString(sys, "unraisablehook"));
    done("set", PyObject_SetAttrString(sys, "unraisablehook", T(function_of(&hook_definition))));
    PyErr_SetString(PyExc_ValueError, "to the hook");
    PyErr_WriteUnraisable(V("[i]", 5));
    done("back", PyObject_SetAttrString(sys, "unraisablehook", before));
    raised("afterwards");
}

CASE(sys_objects_are_read_and_set) {
    see("no such", PySys_GetObject("no_such_thing"));
    done("set", PySys_SetObject("made_by_c", I(5)));
    see("made", PySys_GetObject("made_by_c"));
    done("delete", PySys_SetObject("made_by_c", NULL));
    see("deleted", PySys_GetObject("made_by_c"));
    capture_begin();
    PySys_WriteStderr("to stderr: %d\n", 5);
    PySys_FormatStderr("to stderr: %R\n", S("x"));
    capture_end();
}
