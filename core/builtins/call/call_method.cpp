// Methods called by their name.
#include <array>
#include <cstdarg>

#include "core/builtins/call/build.hpp"
#include "core/builtins/call/result.hpp"
#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/instance_dict.hpp"
#include "core/builtins/type/lookup.hpp"
#include "core/object/own.hpp"

using namespace ouro;

namespace {

PyObject* call_with_format(const object::Own& method, const char* format, std::va_list list) {
    if (!method) {
        return nullptr;
    }
    if (PyCallable_Check(method.get()) == 0) {
        return PyErr_Format(PyExc_TypeError, "attribute of type '%.200s' is not callable",
                            Py_TYPE(method.get())->tp_name);
    }
    if (format == nullptr || *format == '\0') {
        return PyObject_CallNoArgs(method.get());
    }
    call::Values values;
    if (!values.build(format, list)) {
        return nullptr;
    }
    return call::call_with(method.get(), values);
}

// The method descriptor that the object's type has under a name, where nothing of the object's own comes before it: 1
// and a new reference; 0: look it up as an attribute; -1 with an exception.
int find_unbound(PyObject* op, PyObject* name, PyObject** method) {
    PyTypeObject* type = Py_TYPE(op);
    if (type->tp_getattro != PyObject_GenericGetAttr || !PyUnicode_CheckExact(name)) {
        return 0;
    }
    object::Own found;
    if (type::lookup(type, name, found.out()) < 0) {
        return -1;
    }
    if (!found || !Py_IS_TYPE(found.get(), &PyMethodDescr_Type)) {
        return 0;
    }
    if (type::has_instance_dict(op)) {
        if (const object::Own dict{type::instance_dict(op, false)}) {
            if (const int own = PyDict_Contains(dict.get(), name)) {
                return own < 0 ? -1 : 0;
            }
        } else if (PyErr_Occurred() != nullptr) {
            return -1;
        }
    }
    *method = found.release();
    return 1;
}

}  // namespace

PyObject* PyObject_VectorcallMethod(PyObject* name, PyObject* const* args, size_t nargsf,
                                    PyObject* kwnames) {
    PyObject* unbound = nullptr;
    const int found = find_unbound(args[0], name, &unbound);
    const object::Own held(unbound);
    if (found < 0) {
        return nullptr;
    }
    if (found > 0) {
        return call::checked_result(unbound, type::call_method(unbound, args, nargsf, kwnames));
    }
    const object::Own method(PyObject_GetAttr(args[0], name));
    if (!method) {
        return nullptr;
    }
    // The place of the object itself is one that the callee may use, as that before it was.
    return PyObject_Vectorcall(method.get(), args + 1,
                               static_cast<size_t>(PyVectorcall_NARGS(nargsf) - 1) |
                                   PY_VECTORCALL_ARGUMENTS_OFFSET,
                               kwnames);
}

PyObject* PyObject_CallMethodNoArgs(PyObject* op, PyObject* name) {
    PyObject* args[] = {op};
    return PyObject_VectorcallMethod(name, args, 1, nullptr);
}

PyObject* PyObject_CallMethodOneArg(PyObject* op, PyObject* name, PyObject* arg) {
    PyObject* args[] = {op, arg};
    return PyObject_VectorcallMethod(name, args, 2, nullptr);
}

PyObject* PyObject_CallMethodObjArgs(PyObject* op, PyObject* name, ...) {
    if (op == nullptr || name == nullptr) {
        return call::refuse_null();
    }
    constexpr size_t kFew = 8;
    std::array<PyObject*, kFew> few = {op};
    size_t count = 1;
    std::va_list list;
    va_start(list, name);
    while (PyObject* arg = va_arg(list, PyObject*)) {
        if (count < kFew) {
            few[count] = arg;
        }
        ++count;
    }
    va_end(list);
    if (count <= kFew) {
        return PyObject_VectorcallMethod(name, few.data(), count, nullptr);
    }
    PyObject** many = PyMem_New(PyObject*, count);
    if (many == nullptr) {
        return PyErr_NoMemory();
    }
    many[0] = op;
    va_start(list, name);
    for (size_t i = 1; i < count; ++i) {
        many[i] = va_arg(list, PyObject*);
    }
    va_end(list);
    PyObject* result = PyObject_VectorcallMethod(name, many, count, nullptr);
    PyMem_Free(many);
    return result;
}

PyObject* PyObject_CallMethod(PyObject* op, const char* name, const char* format, ...) {
    if (op == nullptr || name == nullptr) {
        return call::refuse_null();
    }
    std::va_list list;
    va_start(list, format);
    PyObject* result =
        call_with_format(object::Own(PyObject_GetAttrString(op, name)), format, list);
    va_end(list);
    return result;
}
