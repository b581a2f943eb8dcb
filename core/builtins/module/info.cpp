// What floats, ints and threads are, as tuples with names. Source: sys.float_info, int_info and thread_info in the
// documentation of the module sys.
#include <unistd.h>

#include <cfloat>

#include "core/builtins/module/named_tuple.hpp"

using namespace ouro;
using module::named_item;

namespace {

PyGetSetDef float_items[] = {
    named_item("max", 0),   named_item("max_exp", 1),  named_item("max_10_exp", 2),
    named_item("min", 3),   named_item("min_exp", 4),  named_item("min_10_exp", 5),
    named_item("dig", 6),   named_item("mant_dig", 7), named_item("epsilon", 8),
    named_item("radix", 9), named_item("rounds", 10),  {}};

PyGetSetDef int_items[] = {named_item("bits_per_digit", 0),
                           named_item("sizeof_digit", 1),
                           named_item("default_max_str_digits", 2),
                           named_item("str_digits_check_threshold", 3),
                           {}};

PyGetSetDef thread_items[] = {
    named_item("name", 0), named_item("lock", 1), named_item("version", 2), {}};

PyTypeObject FloatInfo = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "sys.float_info",
    .tp_repr = module::named_tuple_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_getset = float_items,
    .tp_base = &PyTuple_Type,
};

PyTypeObject IntInfo = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "sys.int_info",
    .tp_repr = module::named_tuple_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_getset = int_items,
    .tp_base = &PyTuple_Type,
};

PyTypeObject ThreadInfo = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "sys.thread_info",
    .tp_repr = module::named_tuple_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_getset = thread_items,
    .tp_base = &PyTuple_Type,
};

// What the C library calls its threads; None if it does not say.
PyObject* thread_version() {
    char text[64];
    const size_t size = confstr(_CS_GNU_LIBPTHREAD_VERSION, text, sizeof text);
    return size == 0 || size > sizeof text ? Py_NewRef(Py_None) : PyUnicode_FromString(text);
}

}  // namespace

PyObject* PyFloat_GetInfo(void) {
    PyObject* const items[] = {
        PyFloat_FromDouble(DBL_MAX), PyLong_FromLong(DBL_MAX_EXP),  PyLong_FromLong(DBL_MAX_10_EXP),
        PyFloat_FromDouble(DBL_MIN), PyLong_FromLong(DBL_MIN_EXP),  PyLong_FromLong(DBL_MIN_10_EXP),
        PyLong_FromLong(DBL_DIG),    PyLong_FromLong(DBL_MANT_DIG), PyFloat_FromDouble(DBL_EPSILON),
        PyLong_FromLong(FLT_RADIX),  PyLong_FromLong(FLT_ROUNDS)};
    return module::new_named_tuple(&FloatInfo, items);
}

PyObject* PyLong_GetInfo(void) {
    const PyLongLayout* layout = PyLong_GetNativeLayout();
    PyObject* const items[] = {PyLong_FromLong(layout->bits_per_digit),
                               PyLong_FromLong(layout->digit_size), PyLong_FromLong(4300),
                               PyLong_FromLong(640)};
    return module::new_named_tuple(&IntInfo, items);
}

PyObject* PyThread_GetInfo(void) {
    PyObject* const items[] = {PyUnicode_FromString("pthread"), Py_NewRef(Py_None),
                               thread_version()};
    return module::new_named_tuple(&ThreadInfo, items);
}
