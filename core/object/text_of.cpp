#include "core/object/text_of.hpp"

namespace ouro::object {

PyObject* text_of(PyObject* op, Text kind) {
    if (op == nullptr) {
        return PyUnicode_FromString("<NULL>");
    }
    const PyTypeObject* type = Py_TYPE(op);
    const bool as_str = kind == Text::kStr && type->tp_str != nullptr;
    const reprfunc function = as_str ? type->tp_str : type->tp_repr;
    if (function == nullptr) {
        return PyUnicode_FromFormat("<%s object at %p>", type->tp_name, static_cast<void*>(op));
    }
    PyObject* text = function(op);
    if (text != nullptr && !PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "%s returned non-string (type %.200s)",
                     as_str ? "__str__" : "__repr__", Py_TYPE(text)->tp_name);
        Py_DECREF(text);
        return nullptr;
    }
    return text;
}

PyObject* full_name_of(PyTypeObject* type) {
    return PyUnicode_FromString(type->tp_name);
}

}  // namespace ouro::object
