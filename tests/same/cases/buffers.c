/* The buffer protocol: exporters written in C, what views of them hold, and who inherits the slots. */
#include "tests/same/store.h"

static const struct {
    const char* name;
    int flags;
} requests[] = {
    {"SIMPLE", PyBUF_SIMPLE},
    {"WRITABLE", PyBUF_WRITABLE},
    {"FORMAT", PyBUF_FORMAT},
    {"ND", PyBUF_ND},
    {"STRIDES", PyBUF_STRIDES},
    {"C_CONTIGUOUS", PyBUF_C_CONTIGUOUS},
    {"F_CONTIGUOUS", PyBUF_F_CONTIGUOUS},
    {"ANY_CONTIGUOUS", PyBUF_ANY_CONTIGUOUS},
    {"INDIRECT", PyBUF_INDIRECT},
    {"CONTIG", PyBUF_CONTIG},
    {"CONTIG_RO", PyBUF_CONTIG_RO},
    {"STRIDED", PyBUF_STRIDED},
    {"STRIDED_RO", PyBUF_STRIDED_RO},
    {"RECORDS", PyBUF_RECORDS},
    {"RECORDS_RO", PyBUF_RECORDS_RO},
    {"FULL", PyBUF_FULL},
    {"FULL_RO", PyBUF_FULL_RO},
};

static void request_all(PyObject* op) {
    size_t i;
    for (i = 0; i < sizeof requests / sizeof requests[0]; ++i) {
        Py_buffer view;
        memset(&view, 0, sizeof view);
        done(requests[i].name, PyObject_GetBuffer(op, &view, requests[i].flags));
        if (view.obj != NULL) {
            see_view(&view);
            done("the object", view.obj == op);
            PyBuffer_Release(&view);
            done("released", view.obj == NULL);
        }
    }
}

CASE(views_of_bytes) {
    PyObject* op = V("y#", "by\0es", (Py_ssize_t)5);
    Py_buffer view;
    ALIVE_BEFORE(op);
    request_all(op);
    see_count(op);
    done("get", PyObject_GetBuffer(op, &view, PyBUF_SIMPLE));
    see_count(op);
    done("the same memory", view.buf == PyBytes_AsString(op));
    PyBuffer_Release(&view);
    PyBuffer_Release(&view);
    see_count(op);
}

CASE(views_of_derived_bytes) {
    PyObject* type = T(derive("Derived", (PyObject*)&PyBytes_Type, NULL));
    PyObject* op = T(PyObject_CallFunction(type, "y", "bytes"));
    done("exports", PyObject_CheckBuffer(op));
    request_all(op);
}

CASE(views_of_what_may_be_written) {
    Store* op = store_of(&Store_Type, "stored");
    ALIVE_BEFORE(op);
    request_all((PyObject*)op);
    see_count(op);
    see_store(op);
    op->readonly = 1;
    request_all((PyObject*)op);
    see_count(op);
    see_store(op);
}

CASE(what_exports_no_memory) {
    PyObject* all = V("[isdO{}]", 1, "text", 2.5, Py_None);
    Py_ssize_t i;
    for (i = 0; i < PyList_Size(all); ++i) {
        Py_buffer view;
        done("exports", PyObject_CheckBuffer(PyList_GetItem(all, i)));
        done("get", PyObject_GetBuffer(PyList_GetItem(all, i), &view, PyBUF_SIMPLE));
    }
    done("bytes export", PyObject_CheckBuffer(V("y", "x")));
}

CASE(an_exporter_that_fails) {
    Store* op = store_of(&Store_Type, "stored");
    Py_buffer view;
    ALIVE_BEFORE(op);
    op->fails = 1;
    done("exports", PyObject_CheckBuffer((PyObject*)op));
    done("get", PyObject_GetBuffer((PyObject*)op, &view, PyBUF_SIMPLE));
    done("no object", view.obj == NULL);
    see_count(op);
    see_store(op);
}

CASE(filling_in_a_view) {
    char memory[] = "memory";
    PyObject* op = S("owner");
    Py_buffer view;
    ALIVE_BEFORE(op);
    done("without a view", PyBuffer_FillInfo(NULL, op, memory, 6, 0, PyBUF_SIMPLE));
    done("of no object", PyBuffer_FillInfo(&view, NULL, memory, 6, 0, PyBUF_FULL));
    see_view(&view);
    PyBuffer_Release(&view);
    done("of an object", PyBuffer_FillInfo(&view, op, memory, 6, 1, PyBUF_FULL_RO));
    see_view(&view);
    see_count(op);
    PyBuffer_Release(&view);
    see_count(op);
    done("to write", PyBuffer_FillInfo(&view, op, memory, 6, 1, PyBUF_WRITABLE));
    see_count(op);
    done("to write", PyBuffer_FillInfo(&view, op, memory, 0, 0, PyBUF_WRITABLE));
    see_view(&view);
    PyBuffer_Release(&view);
}

CASE_LEFT_OUT(flags_that_ask_for_no_view, "3.11 does not look at them everywhere") {
    PyObject* op = V("y", "bytes");
    Py_buffer view;
    done("READ", PyObject_GetBuffer(op, &view, PyBUF_READ));
    done("WRITE", PyObject_GetBuffer(op, &view, PyBUF_WRITE));
}

CASE(what_is_contiguous) {
    char memory[24];
    Py_ssize_t shape[3] = {2, 3, 4};
    Py_ssize_t strides[3];
    Py_ssize_t suboffsets[3] = {-1, -1, -1};
    const char orders[] = "CFAX";
    Py_buffer view;
    size_t i;
#define SEE_ORDERS(label)                                                            \
    for (i = 0; i < 4; ++i) {                                                        \
        say("%s %c: %d", label, orders[i], PyBuffer_IsContiguous(&view, orders[i])); \
    }
    memset(&view, 0, sizeof view);
    view.buf = memory;
    view.len = 24;
    view.itemsize = 1;
    view.ndim = 3;
    view.shape = shape;
    SEE_ORDERS("without strides")
    view.strides = strides;
    PyBuffer_FillContiguousStrides(3, shape, strides, 1, 'C');
    say("%zd %zd %zd", strides[0], strides[1], strides[2]);
    SEE_ORDERS("C")
    PyBuffer_FillContiguousStrides(3, shape, strides, 1, 'F');
    say("%zd %zd %zd", strides[0], strides[1], strides[2]);
    SEE_ORDERS("Fortran")
    strides[0] = 2;
    SEE_ORDERS("gaps")
    view.len = 0;
    SEE_ORDERS("no items")
    view.len = 24;
    view.suboffsets = suboffsets;
    PyBuffer_FillContiguousStrides(3, shape, strides, 1, 'C');
    SEE_ORDERS("suboffsets")
    view.suboffsets = NULL;
    shape[0] = 1;
    shape[1] = 1;
    view.len = 4;
    strides[0] = 99;
    strides[1] = 77;
    strides[2] = 1;
    SEE_ORDERS("one row")
    view.strides = NULL;
    SEE_ORDERS("one row without strides")
    shape[1] = 2;
    view.len = 8;
    SEE_ORDERS("two rows without strides")
    view.ndim = 1;
    view.len = 1;
    SEE_ORDERS("one dimension")
    view.strides = strides;
    strides[0] = -1;
    shape[0] = 24;
    view.len = 24;
    SEE_ORDERS("backwards")
}

CASE(pointers_to_items) {
    char memory[25] = "abcdefghijklmnopqrstuvwx";
    char rows[2][4] = {"ABC", "DEF"};
    char* addresses[2];
    Py_ssize_t shape[3] = {2, 3, 4};
    Py_ssize_t strides[3];
    Py_ssize_t suboffsets[2] = {1, -1};
    Py_ssize_t at[3] = {1, 2, 3};
    Py_buffer view;
    memset(&view, 0, sizeof view);
    view.buf = memory;
    view.ndim = 3;
    view.shape = shape;
    view.strides = strides;
    PyBuffer_FillContiguousStrides(3, shape, strides, 1, 'C');
    say("%c", *(char*)PyBuffer_GetPointer(&view, at));
    at[0] = 0;
    say("%c", *(char*)PyBuffer_GetPointer(&view, at));
    PyBuffer_FillContiguousStrides(3, shape, strides, 1, 'F');
    say("%c", *(char*)PyBuffer_GetPointer(&view, at));
    view.ndim = 0;
    say("%c", *(char*)PyBuffer_GetPointer(&view, NULL));
    addresses[0] = rows[0];
    addresses[1] = rows[1];
    view.buf = addresses;
    view.ndim = 2;
    view.suboffsets = suboffsets;
    strides[0] = sizeof(char*);
    strides[1] = 1;
    at[0] = 1;
    at[1] = 1;
    say("%c", *(char*)PyBuffer_GetPointer(&view, at));
}

/* Who has which of the two slots. */
static void see_slots(const char* label, PyTypeObject* type) {
    const PyBufferProcs* procs = type->tp_as_buffer;
    say("%s: getbuffer %s, releasebuffer %s", label,
        procs == NULL || procs->bf_getbuffer == NULL ? "none"
        : procs->bf_getbuffer == store_getbuffer     ? "the base's"
                                                     : "another",
        procs == NULL || procs->bf_releasebuffer == NULL ? "none"
        : procs->bf_releasebuffer == store_releasebuffer ? "the base's"
                                                         : "another");
}

static int other_getbuffer(PyObject* op, Py_buffer* view, int flags) {
    return PyBuffer_FillInfo(view, op, ((Store*)op)->bytes, 1, 1, flags);
}

static PyBufferProcs only_get_procs = {other_getbuffer, NULL};
static PyTypeObject OnlyGet_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.OnlyGet",
    .tp_base = &Store_Type,
    .tp_as_buffer = &only_get_procs,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

static PyBufferProcs empty_procs;
static PyTypeObject Empty_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Empty",
    .tp_base = &Store_Type,
    .tp_as_buffer = &empty_procs,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

static PyTypeObject Plain_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Plain",
    .tp_base = &Store_Type,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

CASE(static_types_inherit_both_slots) {
    done("base", PyType_Ready(&Store_Type));
    done("without slots", PyType_Ready(&Plain_Type));
    done("with empty ones", PyType_Ready(&Empty_Type));
    done("with one", PyType_Ready(&OnlyGet_Type));
    see_slots("base", &Store_Type);
    see_slots("without slots", &Plain_Type);
    see_slots("with empty ones", &Empty_Type);
    see_slots("with one", &OnlyGet_Type);
}

CASE(a_derived_exporter_is_told_by_what_it_inherits) {
    Store* op = store_of(&OnlyGet_Type, "derived");
    Py_buffer view;
    done("get", PyObject_GetBuffer((PyObject*)op, &view, PyBUF_SIMPLE));
    see_view(&view);
    PyBuffer_Release(&view);
    see_store(op);
}

CASE(classes_inherit_both_slots) {
    PyObject* type;
    PyObject* second;
    Store* op;
    (void)store_of(&Store_Type, "");
    type = T(derive("Derived", (PyObject*)&Store_Type, NULL));
    second = T(derive("Second", type, NULL));
    see_slots("class", (PyTypeObject*)type);
    see_slots("class of a class", (PyTypeObject*)second);
    op = (Store*)T(PyObject_CallNoArgs(second));
    op->size = 3;
    request_all((PyObject*)op);
    see_store(op);
    done("object",
         PyObject_CheckBuffer(T(PyObject_CallNoArgs(T(derive("Other", OBJECT_TYPE, NULL))))));
}

static PyObject* type_with(void* get, void* release, PyObject* bases) {
    PyType_Slot slots[3] = {{0, NULL}, {0, NULL}, {0, NULL}};
    PyType_Spec spec = {"same.Specified", sizeof(Store), 0, Py_TPFLAGS_DEFAULT, slots};
    int count = 0;
    if (get != NULL) {
        slots[count].slot = Py_bf_getbuffer;
        slots[count++].pfunc = get;
    }
    if (release != NULL) {
        slots[count].slot = Py_bf_releasebuffer;
        slots[count++].pfunc = release;
    }
    return T(PyType_FromSpecWithBases(&spec, bases));
}

CASE(types_from_specs_have_the_slots_that_they_name) {
    PyObject* bases;
    PyObject* type;
    Store* op;
    (void)store_of(&Store_Type, "");
    bases = T(PyTuple_Pack(1, &Store_Type));
    type = type_with((void*)store_getbuffer, (void*)store_releasebuffer, NULL);
    see_slots("both", (PyTypeObject*)type);
    op = (Store*)T(PyObject_CallNoArgs(type));
    op->size = 4;
    request_all((PyObject*)op);
    see_store(op);
    see_slots("getbuffer", (PyTypeObject*)type_with((void*)store_getbuffer, NULL, NULL));
    see_slots("releasebuffer", (PyTypeObject*)type_with(NULL, (void*)store_releasebuffer, NULL));
    see_slots("none", (PyTypeObject*)type_with(NULL, NULL, NULL));
    see_slots("from a base", (PyTypeObject*)type_with(NULL, NULL, bases));
    see_slots("its own and its base's",
              (PyTypeObject*)type_with((void*)other_getbuffer, NULL, bases));
    done("slot", PyType_GetSlot((PyTypeObject*)type, Py_bf_getbuffer) == (void*)store_getbuffer);
}

CASE(numbers_that_exporters_spell) {
    Store* op = store_of(&Store_Type, " 42 ");
    got("int", PyNumber_Long((PyObject*)op));
    got("float", PyFloat_FromString((PyObject*)op));
    see_store(op);
    op->fails = 1;
    got("int", PyNumber_Long((PyObject*)op));
    got("float", PyFloat_FromString((PyObject*)op));
    op->fails = 0;
    op->bytes[1] = 'x';
    got("int", PyNumber_Long((PyObject*)op));
    got("float", PyFloat_FromString((PyObject*)op));
    see_store(op);
}
