/* Errors in the middle of construction, destruction under way, and code that runs inside both. */
#include "tests/same/same.h"

static int fail_at;

typedef struct {
    PyObject_HEAD
    PyObject* first;
    PyObject* second;
} Twin;

static int Twin_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Twin*)op)->first);
    Py_VISIT(((Twin*)op)->second);
    return 0;
}
static int Twin_clear(PyObject* op) {
    Py_CLEAR(((Twin*)op)->first);
    Py_CLEAR(((Twin*)op)->second);
    return 0;
}
static void Twin_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    say("dealloc with first %s, second %s", ((Twin*)op)->first ? "set" : "NULL",
        ((Twin*)op)->second ? "set" : "NULL");
    (void)Twin_clear(op);
    Py_TYPE(op)->tp_free(op);
}
static PyObject* Twin_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    Twin* self = (Twin*)type->tp_alloc(type, 0);
    (void)args;
    (void)kwargs;
    if (self == NULL) {
        return NULL;
    }
    if (fail_at == 1) {
        PyErr_SetString(PyExc_MemoryError, "before first");
        Py_DECREF(self);
        return NULL;
    }
    self->first = PyList_New(0);
    if (fail_at == 2) {
        PyErr_SetString(PyExc_MemoryError, "before second");
        Py_DECREF(self);
        return NULL;
    }
    self->second = PyList_New(0);
    return (PyObject*)self;
}
static int Twin_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    (void)args;
    (void)kwargs;
    if (fail_at == 3) {
        PyErr_Format(PyExc_ValueError, "in init, with %zd references", Py_REFCNT(op));
        return -1;
    }
    if (fail_at == 4) {
        return -1;
    }
    return 0;
}
static PyTypeObject Twin_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Twin",
    .tp_basicsize = sizeof(Twin),
    .tp_dealloc = Twin_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = Twin_traverse,
    .tp_clear = Twin_clear,
    .tp_init = Twin_init,
    .tp_new = Twin_new,
};

static PyObject* twin(int fail) {
    PyObject* op;
    (void)PyType_Ready(&Twin_Type);
    fail_at = fail;
    op = PyObject_CallNoArgs((PyObject*)&Twin_Type);
    fail_at = 0;
    return op;
}

CASE(a_constructor_that_fails_early) {
    got("twin", twin(1));
    done("nothing to collect", PyGC_Collect());
}

CASE(a_constructor_that_fails_late) {
    got("twin", twin(2));
    done("nothing to collect", PyGC_Collect());
}

CASE(an_initializer_that_fails) {
    got("twin", twin(3));
    done("nothing to collect", PyGC_Collect());
}

CASE(an_initializer_that_fails_without_a_reason) {
    got("twin", twin(4));
}

CASE(a_constructor_that_succeeds) {
    see("type", (PyObject*)Py_TYPE(T(twin(0))));
}

CASE(a_subclass_whose_constructor_fails) {
    PyObject* derived;
    Py_XDECREF(twin(0));
    derived = T(derive("Derived", (PyObject*)&Twin_Type, NULL));
    fail_at = 2;
    got("Derived()", PyObject_CallNoArgs(derived));
    fail_at = 3;
    got("Derived()", PyObject_CallNoArgs(derived));
    fail_at = 0;
    (void)PyGC_Collect();
}

CASE(init_is_not_called_for_what_new_made_of_another_type) {
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Changeling",
        .tp_basicsize = sizeof(Twin),
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_init = Twin_init,
    };
    (void)PyType_Ready(&type);
    got("no new", PyObject_CallNoArgs((PyObject*)&type));
}

static PyObject* new_gives_an_int(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    (void)type;
    (void)args;
    (void)kwargs;
    return PyLong_FromLong(7);
}
CASE(new_may_give_something_else) {
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Seven",
        .tp_basicsize = sizeof(Twin),
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_init = Twin_init,
        .tp_new = new_gives_an_int,
    };
    (void)PyType_Ready(&type);
    fail_at = 3;
    got("an int, and init is not called", PyObject_CallNoArgs((PyObject*)&type));
    fail_at = 0;
}

/* What is dropped by a member's store may look at the object: it finds the new value. */
static PyObject* observed;
static void look_back(PyObject* self) {
    (void)self;
    see("the dying one finds", ((Tale*)observed)->held);
}

CASE(a_dying_value_finds_the_new_one_in_place) {
    Tale* owner = (Tale*)T((PyObject*)tale("owner", NULL));
    Tale* value = tale("value", NULL);
    observed = (PyObject*)owner;
    owner->quiet = value->quiet = 1;
    value->on_finalize = look_back;
    tale_hold(owner, (PyObject*)value);
    Py_DECREF(value);
    done("store", PyObject_SetAttrString((PyObject*)owner, "held", S("new")));
}

static void look_at_cleared(PyObject* self) {
    (void)self;
    say("the dying one finds %s", ((Tale*)observed)->held == NULL ? "NULL" : "something");
}

CASE(clearing_sets_to_null_before_it_drops) {
    Tale* owner = (Tale*)T((PyObject*)tale("owner", NULL));
    Tale* value = tale("value", NULL);
    observed = (PyObject*)owner;
    owner->quiet = value->quiet = 1;
    value->on_finalize = look_at_cleared;
    tale_hold(owner, (PyObject*)value);
    Py_DECREF(value);
    Py_CLEAR(owner->held);
    done("cleared", owner->held == NULL);
}

CASE(deep_nests_die_without_deep_stacks) {
    PyObject* list = PyList_New(0);
    PyObject* tuple = PyTuple_New(0);
    int i;
    for (i = 0; i < 100000; ++i) {
        PyObject* outer = PyList_New(1);
        PyObject* outer_tuple = PyTuple_Pack(1, tuple);
        PyList_SET_ITEM(outer, 0, list);
        Py_DECREF(tuple);
        list = outer;
        tuple = outer_tuple;
    }
    Py_DECREF(list);
    Py_DECREF(tuple);
    say("all gone");
}

CASE(counts_of_objects_are_as_documented) {
    PyObject* op = PyList_New(0);
    done("new", Py_REFCNT(op));
    Py_INCREF(op);
    done("incref", Py_REFCNT(op));
    done("NewRef gives it", Py_NewRef(op) == op);
    done("NewRef", Py_REFCNT(op));
    Py_DECREF(op);
    Py_DECREF(op);
    Py_XINCREF(NULL);
    Py_XDECREF(NULL);
    done("XNewRef of NULL", Py_XNewRef(NULL) == NULL);
    done("at the end", Py_REFCNT(op));
    {
        PyObject* other = PyLong_FromLong(100000);
        PyObject* place = Py_NewRef(op);
        Py_SETREF(place, other);
        done("SETREF", Py_REFCNT(op));
        Py_XSETREF(place, NULL);
        done("XSETREF", place == NULL);
    }
    Py_DECREF(op);
}

CASE(who_owns_what_containers_take) {
    PyObject* item = T(PyList_New(0));
    PyObject* list = PyList_New(1);
    PyObject* tuple = PyTuple_New(1);
    PyObject* dict = PyDict_New();
    ALIVE_BEFORE(item);
    PyList_SET_ITEM(list, 0, Py_NewRef(item));
    see_count(item);
    done("append", PyList_Append(list, item));
    see_count(item);
    done("SetItem steals", PyList_SetItem(list, 0, Py_NewRef(Py_None)));
    see_count(item);
    done("SetItem steals where it fails", PyList_SetItem(list, 7, Py_NewRef(item)));
    see_count(item);
    done("tuple", PyTuple_SetItem(tuple, 0, Py_NewRef(item)));
    see_count(item);
    done("tuple, too far", PyTuple_SetItem(tuple, 7, Py_NewRef(item)));
    see_count(item);
    done("dict", PyDict_SetItemString(dict, "a", item));
    done("dict", PyDict_SetItemString(dict, "a", item));
    see_count(item);
    done("borrowed", PyDict_GetItemString(dict, "a") == item && PyTuple_GetItem(tuple, 0) == item);
    see_count(item);
    Py_DECREF(list);
    Py_DECREF(tuple);
    Py_DECREF(dict);
    see_count(item);
}
