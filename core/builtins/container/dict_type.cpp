// dict: the type, and what operators make of it.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/dict.hpp"
#include "core/builtins/container/repr.hpp"
#include "core/builtins/type/special.hpp"

using namespace ouro;
using namespace ouro::type::literals;

namespace {

// What a class derived from dict says of a key that it has not: 1 and a new reference; 0 if it says nothing; -1
// with an exception.
int ask_missing(PyObject* op, PyObject* key, PyObject** value) {
    const type::SpecialMethod method(op, "__missing__"_name);
    if (method.missing()) {
        return 0;
    }
    *value = method.failed() ? nullptr : method.call(key);
    return *value == nullptr ? -1 : 1;
}

PyObject* dict_subscript(PyObject* op, PyObject* key) {
    PyObject* value;
    int found = PyDict_GetItemRef(op, key, &value);
    if (found == 0 && !PyDict_CheckExact(op)) {
        found = ask_missing(op, key, &value);
    }
    if (found == 0) {
        container::set_key_error(key);
    }
    return value;
}

int dict_assign(PyObject* op, PyObject* key, PyObject* value) {
    return value == nullptr ? PyDict_DelItem(op, key) : PyDict_SetItem(op, key, value);
}

// 1, 0, or -1 with an exception. Comparing values may change both.
int are_equal(PyObject* a, PyObject* b) {
    if (PyDict_Size(a) != PyDict_Size(b)) {
        return 0;
    }
    int equal = 1;
    container::DictEntry item;
    for (Py_ssize_t position = 0; equal > 0 && container::next_item(a, &position, &item);) {
        PyObject* other;
        equal = container::get_item(b, item.key, item.hash, &other);
        if (equal > 0) {
            equal = PyObject_RichCompareBool(item.value, other, Py_EQ);
            Py_DECREF(other);
        }
        item.drop();
    }
    return equal;
}

PyObject* dict_compare(PyObject* a, PyObject* b, int operation) {
    if (!PyDict_Check(a) || !PyDict_Check(b) || (operation != Py_EQ && operation != Py_NE)) {
        return Py_NewRef(Py_NotImplemented);
    }
    const int equal = are_equal(a, b);
    return equal < 0 ? nullptr : PyBool_FromLong(equal == (operation == Py_EQ));
}

// Of two dicts, the one on the right deciding.
PyObject* dict_or(PyObject* a, PyObject* b) {
    if (!PyDict_Check(a) || !PyDict_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    PyObject* both = PyDict_Copy(a);
    if (both != nullptr && !container::update(both, b)) {
        Py_CLEAR(both);
    }
    return both;
}

PyObject* dict_update_in_place(PyObject* op, PyObject* other) {
    return container::update(op, other) ? Py_NewRef(op) : nullptr;
}

PyObject* dict_new(PyTypeObject* type, PyObject*, PyObject*) {
    return type->tp_alloc(type, 0);
}

int dict_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    return container::update_from_arguments(op, "dict", &PyTuple_GET_ITEM(args, 0),
                                            PyTuple_GET_SIZE(args), kwargs)
               ? 0
               : -1;
}

PyNumberMethods as_number = {.nb_or = dict_or, .nb_inplace_or = dict_update_in_place};

PySequenceMethods as_sequence = {.sq_contains = PyDict_Contains};

PyMappingMethods as_mapping = {
    .mp_length = PyDict_Size,
    .mp_subscript = dict_subscript,
    .mp_ass_subscript = dict_assign,
};

}  // namespace

PyTypeObject PyDict_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "dict",
    .tp_basicsize = sizeof(PyDictObject),
    .tp_dealloc = container::dict_dealloc,
    .tp_repr = container::dict_repr,
    .tp_as_number = &as_number,
    .tp_as_sequence = &as_sequence,
    .tp_as_mapping = &as_mapping,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE | Py_TPFLAGS_DICT_SUBCLASS | Py_TPFLAGS_MAPPING,
    .tp_traverse = container::dict_traverse,
    .tp_clear = container::dict_clear,
    .tp_richcompare = dict_compare,
    .tp_iter = container::dict_iter,
    .tp_methods = container::dict_methods,
    .tp_init = dict_init,
    .tp_new = dict_new,
};
