// mappingproxy: a mapping that can be read through it, and not changed.
#include "core/builtins/call/new_arguments.hpp"
#include "core/object/object.hpp"

using namespace ouro;

namespace {

struct Proxy {
    PyObject ob_base;
    PyObject* mapping;
};

PyObject* mapping_of(PyObject* op) {
    return reinterpret_cast<Proxy*>(op)->mapping;
}

PyObject* new_proxy(PyTypeObject* type, PyObject* mapping) {
    if (PyMapping_Check(mapping) == 0 || PyList_Check(mapping) || PyTuple_Check(mapping)) {
        return PyErr_Format(PyExc_TypeError, "mappingproxy() argument must be a mapping, not %s",
                            Py_TYPE(mapping)->tp_name);
    }
    PyObject* op = _PyObject_GC_New(type);
    if (op != nullptr) {
        reinterpret_cast<Proxy*>(op)->mapping = Py_NewRef(mapping);
        object::track(op);
    }
    return op;
}

PyObject* proxy_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* mapping = nullptr;
    if (!call::take_arguments("mappingproxy", {"mapping"}, args, kwargs, &mapping)) {
        return nullptr;
    }
    if (mapping == nullptr) {
        PyErr_SetString(PyExc_TypeError,
                        "mappingproxy() missing required argument 'mapping' (pos 1)");
        return nullptr;
    }
    return new_proxy(type, mapping);
}

void proxy_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_DECREF(mapping_of(op));
    Py_TYPE(op)->tp_free(op);
}

int proxy_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(mapping_of(op));
    return 0;
}

// Of a proxy what it stands for.
PyObject* unwrapped(PyObject* op) {
    return Py_IS_TYPE(op, &PyDictProxy_Type) ? mapping_of(op) : op;
}

// Calls a method of the mapping.
template <const char* name>
PyObject* ask(PyObject* op, PyObject*) {
    PyObject* method = PyObject_GetAttrString(mapping_of(op), name);
    PyObject* result = method == nullptr ? nullptr : PyObject_CallNoArgs(method);
    Py_XDECREF(method);
    return result;
}

PyObject* get(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    if (!call::check_count("get", nargs, 1, 2)) {
        return nullptr;
    }
    PyObject* method = PyObject_GetAttrString(mapping_of(op), "get");
    if (method == nullptr) {
        return nullptr;
    }
    PyObject* result = PyObject_CallFunctionObjArgs(method, args[0], nargs > 1 ? args[1] : Py_None,
                                                    static_cast<PyObject*>(nullptr));
    Py_DECREF(method);
    return result;
}

constexpr char kKeys[] = "keys";
constexpr char kValues[] = "values";
constexpr char kItems[] = "items";
constexpr char kCopy[] = "copy";
constexpr char kReversed[] = "__reversed__";

PyMethodDef methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("See PEP 585")},
    {"get", _PyCFunction_CAST(get), METH_FASTCALL, "The key's value, or the default."},
    {kKeys, ask<kKeys>, METH_NOARGS, "The keys of the mapping."},
    {kValues, ask<kValues>, METH_NOARGS, "The values of the mapping."},
    {kItems, ask<kItems>, METH_NOARGS, "The items of the mapping."},
    {kCopy, ask<kCopy>, METH_NOARGS, "A copy of the mapping."},
    {kReversed, ask<kReversed>, METH_NOARGS, "An iterator over the keys, the last first."},
    {}};

Py_ssize_t length(PyObject* op) {
    return PyObject_Size(mapping_of(op));
}

PyObject* subscript(PyObject* op, PyObject* key) {
    return PyObject_GetItem(mapping_of(op), key);
}

int contains(PyObject* op, PyObject* key) {
    return PyDict_CheckExact(mapping_of(op)) ? PyDict_Contains(mapping_of(op), key)
                                             : PySequence_Contains(mapping_of(op), key);
}

PyObject* proxy_or(PyObject* a, PyObject* b) {
    return PyNumber_Or(unwrapped(a), unwrapped(b));
}

PyObject* refuse_to_change(PyObject* op, PyObject*) {
    return PyErr_Format(PyExc_TypeError, "'|=' is not supported by %s; use '|' instead",
                        Py_TYPE(op)->tp_name);
}

PyNumberMethods as_number = {.nb_or = proxy_or, .nb_inplace_or = refuse_to_change};
PySequenceMethods as_sequence = {.sq_contains = contains};
PyMappingMethods as_mapping = {.mp_length = length, .mp_subscript = subscript};

}  // namespace

PyTypeObject PyDictProxy_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "mappingproxy",
    .tp_basicsize = sizeof(Proxy),
    .tp_dealloc = proxy_dealloc,
    .tp_repr =
        [](PyObject* op) { return PyUnicode_FromFormat("mappingproxy(%R)", mapping_of(op)); },
    .tp_as_number = &as_number,
    .tp_as_sequence = &as_sequence,
    .tp_as_mapping = &as_mapping,
    .tp_hash = [](PyObject* op) { return PyObject_Hash(mapping_of(op)); },
    .tp_str = [](PyObject* op) { return PyObject_Str(mapping_of(op)); },
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE |
                Py_TPFLAGS_MAPPING,
    .tp_traverse = proxy_traverse,
    .tp_richcompare =
        [](PyObject* a, PyObject* b, int operation) {
            return PyObject_RichCompare(mapping_of(a), unwrapped(b), operation);
        },
    .tp_iter = [](PyObject* op) { return PyObject_GetIter(mapping_of(op)); },
    .tp_methods = methods,
    .tp_new = proxy_new,
};

PyObject* PyDictProxy_New(PyObject* mapping) {
    return new_proxy(&PyDictProxy_Type, mapping);
}
