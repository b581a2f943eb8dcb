/* The units of a format that take what exporters of memory have: y s z w, and with * a view. */
#include "tests/same/store.h"

/* Objects of every kind for the units that follow, some of which fail. */
static PyObject* samples(void) {
    Store* lasting = store_of(&Lasting_Type, "lasting");
    Store* inside = store_of(&Lasting_Type, "in-side");
    Store* readonly = store_of(&Store_Type, "readonly");
    Store* closed = store_of(&Store_Type, "closed");
    Store* gaps = store_of(&Store_Type, "gaps");
    Store* lasting_gaps = store_of(&Lasting_Type, "gaps");
    inside->bytes[2] = '\0';
    readonly->readonly = 1;
    closed->fails = 1;
    gaps->gaps = 1;
    lasting_gaps->gaps = 1;
    return V("[OOOOOOOOyy#ysszid[]]", store_of(&Store_Type, "writable"), readonly, closed, gaps,
             lasting, inside, lasting_gaps, Py_True, "bytes", "by\0es", (Py_ssize_t)5, "", "text",
             "\xe2\x82\xac", NULL, 7, 2.5);
}

static const char* const sample_names[] = {
    "a writable store",
    "a readonly store",
    "a closed store",
    "a store with gaps",
    "a lasting store",
    "a lasting store with a zero",
    "a lasting store with gaps",
    "True",
    "bytes",
    "bytes with a zero",
    "no bytes",
    "a str",
    "a euro",
    "None",
    "an int",
    "a float",
    "a list",
};

static Store* as_store(PyObject* op) {
    return PyObject_TypeCheck(op, &Store_Type) || PyObject_TypeCheck(op, &Lasting_Type) ? (Store*)op
                                                                                        : NULL;
}

/* Gives each sample to a format of one unit with a Py_buffer. */
static void give_each(const char* format) {
    PyObject* all = samples();
    Py_ssize_t i;
    for (i = 0; i < PyList_Size(all); ++i) {
        PyObject* op = PyList_GetItem(all, i);
        PyObject* args = T(PyTuple_Pack(1, op));
        Py_buffer view;
        ALIVE_BEFORE(op);
        memset(&view, 0, sizeof view);
        if (PyArg_ParseTuple(args, format, &view)) {
            say("%s takes %s: %.*s", format, sample_names[i], (int)view.len,
                view.buf == NULL ? "" : (const char*)view.buf);
            see_view(&view);
            done("its object", view.obj == op);
            see_count(op);
            PyBuffer_Release(&view);
        } else {
            char label[128];
            snprintf(label, sizeof label, "%s given %s", format, sample_names[i]);
            raised(label);
        }
        see_count(op);
        if (as_store(op) != NULL) {
            see_store(as_store(op));
        }
    }
}

CASE(unit_y_with_a_view) {
    give_each("y*:f");
}

CASE(unit_s_with_a_view) {
    give_each("s*:f");
}

CASE(unit_z_with_a_view) {
    give_each("z*:f");
}

CASE(unit_w_with_a_view) {
    give_each("w*:f");
    give_each("w*");
}

/* The same with a pointer, and a size where there is one. */
static void give_each_pointer(const char* format, int has_size) {
    PyObject* all = samples();
    Py_ssize_t i;
    for (i = 0; i < PyList_Size(all); ++i) {
        PyObject* op = PyList_GetItem(all, i);
        PyObject* args = T(PyTuple_Pack(1, op));
        const char* text = "as before";
        Py_ssize_t size = -7;
        ALIVE_BEFORE(op);
        if (has_size ? PyArg_ParseTuple(args, format, &text, &size)
                     : PyArg_ParseTuple(args, format, &text)) {
            say("%s takes %s: %s", format, sample_names[i], text == NULL ? "NULL" : text);
        } else {
            char label[128];
            snprintf(label, sizeof label, "%s given %s", format, sample_names[i]);
            raised(label);
        }
        done("size", size);
        see_count(op);
        if (as_store(op) != NULL) {
            see_store(as_store(op));
        }
    }
}

CASE(units_that_borrow_from_exporters) {
    give_each_pointer("y:f", 0);
    give_each_pointer("y#:f", 1);
    give_each_pointer("s:f", 0);
    give_each_pointer("s#:f", 1);
    give_each_pointer("z:f", 0);
    give_each_pointer("z#:f", 1);
}

CASE(views_are_released_when_a_later_argument_fails) {
    const char* const formats[] = {"y*i:f", "s*i:f", "z*i:f", "w*i:f", "(y*)i:f"};
    size_t i;
    for (i = 0; i < sizeof formats / sizeof formats[0]; ++i) {
        Store* op = store_of(&Store_Type, "stored");
        PyObject* args = V(*formats[i] == '(' ? "((O)s)" : "(Os)", op, "x");
        PyObject* good = V(*formats[i] == '(' ? "((O)i)" : "(Oi)", op, 5);
        Py_buffer view;
        int number = 0;
        ALIVE_BEFORE(op);
        done(formats[i], PyArg_ParseTuple(args, formats[i], &view, &number));
        done("no object", view.obj == NULL);
        see_count(op);
        see_store(op);
        done(formats[i], PyArg_ParseTuple(good, formats[i], &view, &number));
        done("number", number);
        see_count(op);
        see_store(op);
        PyBuffer_Release(&view);
        see_count(op);
        see_store(op);
    }
}

CASE(many_views_are_released_when_a_later_argument_fails) {
    Store* op = store_of(&Store_Type, "stored");
    PyObject* args = V("(OOOOOOOOOOOOs)", op, op, op, op, op, op, op, op, op, op, op, op, "x");
    Py_buffer v[12];
    int number = 0;
    ALIVE_BEFORE(op);
    done("parsed",
         PyArg_ParseTuple(args, "y*y*y*y*y*y*y*y*y*y*y*y*i:f", &v[0], &v[1], &v[2], &v[3], &v[4],
                          &v[5], &v[6], &v[7], &v[8], &v[9], &v[10], &v[11], &number));
    see_count(op);
    see_store(op);
}

CASE(views_by_name) {
    static char* names[] = {"a", "b", "c", "d", "e", "f", NULL};
    Store* op = store_of(&Store_Type, "stored");
    PyObject* kwargs = V("{sOss}", "a", op, "f", "x");
    PyObject* good = V("{sOsi}", "a", op, "f", 5);
    PyObject* none = V("()");
    Py_buffer a, b, c, d;
    const char* text = NULL;
    Py_ssize_t size = 0;
    int number = 0;
    ALIVE_BEFORE(op);
#define PARSE(dict)                                                                                \
    PyArg_ParseTupleAndKeywords(none, dict, "|w*y*s*z*y#i:f", names, &a, &b, &c, &d, &text, &size, \
                                &number)
    done("good", PARSE(good));
    done("number", number);
    see_count(op);
    see_store(op);
    PyBuffer_Release(&a);
    done("bad", PARSE(kwargs));
    see_count(op);
    see_store(op);
}

CASE(units_that_are_passed_over) {
    static char* names[] = {"a", "b", "c", NULL};
    PyObject* kwargs = V("{si}", "c", 5);
    PyObject* op = NULL;
    Py_buffer view;
    const char* text = NULL;
    char byte = 0;
    int number = 0;
    done("y", PyArg_ParseTupleAndKeywords(V("()"), kwargs, "|yci:f", names, &text, &byte, &number));
    done("number", number);
    done("S", PyArg_ParseTupleAndKeywords(V("()"), kwargs, "|Sw*i:f", names, &op, &view, &number));
    done("w without a mark",
         PyArg_ParseTupleAndKeywords(V("()"), kwargs, "|Swi:f", names, &op, &view, &number));
}

CASE(the_unit_w_needs_its_mark) {
    Py_buffer view;
    done("w", PyArg_ParseTuple(V("(y)", "x"), "w", &view));
    done("w#", PyArg_ParseTuple(V("(y)", "x"), "w#", &view));
}

CASE(one_view_by_itself) {
    Store* op = store_of(&Store_Type, "stored");
    Py_buffer view;
    ALIVE_BEFORE(op);
    done("w*", PyArg_Parse((PyObject*)op, "w*", &view));
    memcpy(view.buf, "STO", 3);
    PyBuffer_Release(&view);
    see_count(op);
    see_store(op);
    say("%s", op->bytes);
    done("bytes", PyArg_Parse(V("y", "x"), "w*", &view));
    done("an int", PyArg_Parse(I(1), "y*:f", &view));
}
