/* Fields of a struct as attributes: every kind, read, written, deleted, and out of range. */
#include "tests/same/same.h"

typedef struct {
    PyObject_HEAD
    short a_short;
    int an_int;
    long a_long;
    float a_float;
    double a_double;
    const char* a_string;
    PyObject* an_object;
    char a_char;
    signed char a_byte;
    unsigned char a_ubyte;
    unsigned short a_ushort;
    unsigned int a_uint;
    unsigned long a_ulong;
    char an_inplace[8];
    char a_bool;
    PyObject* an_object_ex;
    long long a_longlong;
    unsigned long long a_ulonglong;
    Py_ssize_t a_ssize;
    int readonly;
} Fields;

#define FIELD(name, kind) \
    { #name, kind, offsetof(Fields, name), 0, "the field " #name }
static PyMemberDef Fields_members[] = {
    FIELD(a_short, Py_T_SHORT),
    FIELD(an_int, Py_T_INT),
    FIELD(a_long, Py_T_LONG),
    FIELD(a_float, Py_T_FLOAT),
    FIELD(a_double, Py_T_DOUBLE),
    FIELD(a_string, Py_T_STRING),
    FIELD(an_object, _Py_T_OBJECT),
    FIELD(a_char, Py_T_CHAR),
    FIELD(a_byte, Py_T_BYTE),
    FIELD(a_ubyte, Py_T_UBYTE),
    FIELD(a_ushort, Py_T_USHORT),
    FIELD(a_uint, Py_T_UINT),
    FIELD(a_ulong, Py_T_ULONG),
    FIELD(an_inplace, Py_T_STRING_INPLACE),
    FIELD(a_bool, Py_T_BOOL),
    FIELD(an_object_ex, Py_T_OBJECT_EX),
    FIELD(a_longlong, Py_T_LONGLONG),
    FIELD(a_ulonglong, Py_T_ULONGLONG),
    FIELD(a_ssize, Py_T_PYSSIZET),
    {"readonly", Py_T_INT, offsetof(Fields, readonly), Py_READONLY, NULL},
    {"a_none", _Py_T_NONE, 0, 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static void Fields_dealloc(PyObject* op) {
    Py_XDECREF(((Fields*)op)->an_object);
    Py_XDECREF(((Fields*)op)->an_object_ex);
    Py_TYPE(op)->tp_free(op);
}

static PyTypeObject Fields_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Fields",
    .tp_basicsize = sizeof(Fields),
    .tp_dealloc = Fields_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_members = Fields_members,
    .tp_new = PyType_GenericNew,
};

static PyObject* fields(void) {
    PyObject* op;
    (void)PyType_Ready(&Fields_Type);
    op = T(PyObject_CallNoArgs((PyObject*)&Fields_Type));
    ((Fields*)op)->a_string = "constant";
    strcpy(((Fields*)op)->an_inplace, "inside");
    ((Fields*)op)->a_char = 'c';
    ((Fields*)op)->readonly = 99;
    return op;
}

/* What reading gives, what storing each value gives, and what deleting gives. */
static void try_field(const char* name, PyObject* values) {
    PyObject* op = fields();
    Py_ssize_t i;
    got("at first", PyObject_GetAttrString(op, name));
    for (i = 0; i < PyList_Size(values); ++i) {
        PyObject* text = T(PyObject_Repr(PyList_GetItem(values, i)));
        char label[256];
        snprintf(label, sizeof label, "store %s", PyUnicode_AsUTF8(text));
        /* What the field holds after a value that was refused is nobody's promise. */
        if (PyObject_SetAttrString(op, name, PyList_GetItem(values, i)) < 0) {
            raised(label);
        } else {
            got(label, PyObject_GetAttrString(op, name));
        }
    }
    done("delete", PyObject_DelAttrString(op, name));
}

static PyObject* big(const char* digits) {
    return PyLong_FromString(digits, NULL, 10);
}

CASE(member_short) {
    try_field("a_short", V("[iisd]", 32767, -32768, "x", 1.0));
}
CASE(member_int) {
    try_field("an_int", V("[iisd]", 2147483647, -7, "x", 1.0));
}
CASE(member_long) {
    try_field("a_long",
              V("[LNsO]", -9223372036854775807LL, big("9223372036854775808"), "x", Py_None));
}
CASE(member_float) {
    try_field("a_float", V("[disO]", 0.5, 3, "x", Py_None));
}
CASE(member_double) {
    try_field("a_double", V("[disO]", 0.1, 3, "x", Py_True));
}
CASE(member_string) {
    try_field("a_string", V("[sO]", "x", Py_None));
}
CASE(member_object) {
    try_field("an_object", V("[s[]]", "x"));
}
CASE(member_object_ex) {
    try_field("an_object_ex", V("[s[]]", "x"));
}
CASE(member_char) {
    try_field("a_char", V("[sssi]", "z", "zz", "", 65));
}
CASE(member_byte) {
    try_field("a_byte", V("[iis]", 127, -128, "x"));
}
CASE(member_ubyte) {
    try_field("a_ubyte", V("[iis]", 255, 0, "x"));
}
CASE(member_ushort) {
    try_field("a_ushort", V("[iis]", 65535, 0, "x"));
}
CASE(member_uint) {
    try_field("a_uint", V("[Lis]", 4294967295LL, 0, "x"));
}
CASE(member_ulong) {
    try_field("a_ulong", V("[Nis]", big("18446744073709551615"), 0, "x"));
}
CASE_LEFT_OUT(member_ulong_out_of_range, "3.13 says unsigned long") {
    try_field("a_uint", V("[N]", big("99999999999999999999999")));
    try_field("a_ulong", V("[N]", big("18446744073709551616")));
}
CASE(member_string_in_place) {
    try_field("an_inplace", V("[s]", "x"));
}
CASE(member_bool) {
    try_field("a_bool", V("[OOis]", Py_True, Py_False, 1, "x"));
}
CASE(member_longlong) {
    try_field("a_longlong", V("[LsN]", -5LL, "x", big("9223372036854775808")));
}
CASE(member_ulonglong) {
    try_field("a_ulonglong",
              V("[NsN]", big("18446744073709551615"), "x", big("18446744073709551616")));
}
CASE(member_ssize_t) {
    try_field("a_ssize", V("[LsN]", -5LL, "x", big("9223372036854775808")));
}
CASE(member_readonly) {
    try_field("readonly", V("[i]", 1));
}
CASE(member_none) {
    PyObject* op = fields();
    got("at first", PyObject_GetAttrString(op, "a_none"));
    done("store", PyObject_SetAttrString(op, "a_none", I(1)));
}

CASE(members_from_the_class) {
    PyObject* type;
    PyObject* member;
    (void)fields();
    type = (PyObject*)&Fields_Type;
    member = T(PyObject_GetAttrString(type, "an_int"));
    see("member", member);
    got("doc", PyObject_GetAttrString(member, "__doc__"));
    got("of no doc",
        PyObject_GetAttrString(T(PyObject_GetAttrString(type, "readonly")), "__doc__"));
    got("objclass", PyObject_GetAttrString(member, "__objclass__"));
    got("__get__", PyObject_CallMethod(member, "__get__", "OO", fields(), type));
    got("__get__ of another", PyObject_CallMethod(member, "__get__", "iO", 1, type));
    got("__set__ of another", PyObject_CallMethod(member, "__set__", "ii", 1, 1));
}

CASE(members_are_inherited) {
    PyObject* op;
    (void)fields();
    op = T(PyObject_CallNoArgs(T(derive("D", (PyObject*)&Fields_Type, NULL))));
    done("store", PyObject_SetAttrString(op, "an_int", I(5)));
    done("it is in the struct", ((Fields*)op)->an_int);
    got("__dict__", PyObject_GetAttrString(op, "__dict__"));
}

CASE(members_count_their_references) {
    PyObject* op = fields();
    PyObject* list = V("[]");
    ALIVE_BEFORE(list);
    done("store", PyObject_SetAttrString(op, "an_object", list));
    done("store", PyObject_SetAttrString(op, "an_object_ex", list));
    see_count(list);
    T(PyObject_GetAttrString(op, "an_object_ex"));
    see_count(list);
    done("delete", PyObject_DelAttrString(op, "an_object"));
    done("store None", PyObject_SetAttrString(op, "an_object_ex", Py_None));
    see_count(list);
}

CASE(members_without_an_object) {
    PyMemberDef member = {"x", Py_T_INT, 0, 0, NULL};
    PyMemberDef unknown = {"x", 77, 0, 0, NULL};
    int value = 5;
    got("get", PyMember_GetOne((const char*)&value, &member));
    done("set", PyMember_SetOne((char*)&value, &member, I(8)));
    done("value", value);
    done("an unknown kind", PyMember_SetOne((char*)&value, &unknown, I(1)));
}

static PyObject* get_by_closure(PyObject* self, void* closure) {
    (void)self;
    return PyUnicode_FromFormat("got %s", (const char*)closure);
}
static int set_by_closure(PyObject* self, PyObject* value, void* closure) {
    (void)self;
    if (value == NULL) {
        say("delete %s", (const char*)closure);
    } else {
        say("set %s", (const char*)closure);
    }
    return 0;
}
static int refuse(PyObject* self, PyObject* value, void* closure) {
    (void)self;
    (void)value;
    (void)closure;
    PyErr_SetString(PyExc_ValueError, "refused");
    return -1;
}
static PyGetSetDef Computed_getset[] = {
    {"one", get_by_closure, set_by_closure, "the one", (void*)"ONE"},
    {"two", get_by_closure, set_by_closure, NULL, (void*)"TWO"},
    {"readonly", get_by_closure, NULL, NULL, (void*)"READONLY"},
    {"writeonly", NULL, set_by_closure, NULL, (void*)"WRITEONLY"},
    {"stubborn", get_by_closure, refuse, NULL, (void*)"STUBBORN"},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyTypeObject Computed_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Computed",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_getset = Computed_getset,
    .tp_new = PyType_GenericNew,
};
static PyObject* computed(void) {
    (void)PyType_Ready(&Computed_Type);
    return T(PyObject_CallNoArgs((PyObject*)&Computed_Type));
}

CASE(one_getter_serves_several_by_its_closure) {
    PyObject* op = computed();
    got("one", PyObject_GetAttrString(op, "one"));
    got("two", PyObject_GetAttrString(op, "two"));
    done("set one", PyObject_SetAttrString(op, "one", Py_None));
    done("delete two", PyObject_DelAttrString(op, "two"));
}

CASE(a_getter_without_a_setter) {
    PyObject* op = computed();
    got("get", PyObject_GetAttrString(op, "readonly"));
    done("set", PyObject_SetAttrString(op, "readonly", Py_None));
    done("delete", PyObject_DelAttrString(op, "readonly"));
}

CASE(a_setter_without_a_getter) {
    PyObject* op = computed();
    got("get", PyObject_GetAttrString(op, "writeonly"));
    done("set", PyObject_SetAttrString(op, "writeonly", Py_None));
}

CASE(a_setter_that_raises) {
    PyObject* op = computed();
    done("set", PyObject_SetAttrString(op, "stubborn", Py_None));
    done("delete", PyObject_DelAttrString(op, "stubborn"));
}

CASE(getters_from_the_class) {
    PyObject* descriptor;
    (void)computed();
    descriptor = T(PyObject_GetAttrString((PyObject*)&Computed_Type, "one"));
    see("descriptor", descriptor);
    see("type", (PyObject*)Py_TYPE(descriptor));
    got("doc", PyObject_GetAttrString(descriptor, "__doc__"));
    got("name", PyObject_GetAttrString(descriptor, "__name__"));
    got("qualname", PyObject_GetAttrString(descriptor, "__qualname__"));
    got("__get__", PyObject_CallMethod(descriptor, "__get__", "O", computed()));
    got("__get__ of None",
        PyObject_CallMethod(descriptor, "__get__", "OO", Py_None, (PyObject*)&Computed_Type));
    got("__get__ of another", PyObject_CallMethod(descriptor, "__get__", "i", 1));
}
