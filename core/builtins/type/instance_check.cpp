// Whether an object is an instance of a class, and a class a subclass of another (PEP 3119): what the metaclass says
// (__instancecheck__, __subclasscheck__), else what the type is or its __class__ says. What has a tuple as its __bases__
// is considered a class.
#include "core/builtins/type/instance_check.hpp"

#include <utility>

#include "core/builtins/exception/recursion.hpp"
#include "core/builtins/type/heap_type.hpp"
#include "core/builtins/type/special.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;
using namespace ouro::type::literals;

namespace {

constexpr const char* kNoInstance =
    "isinstance() arg 2 must be a type, a tuple of types, or a union";
constexpr const char* kNoClass = "issubclass() arg 1 must be a class";
constexpr const char* kNoBase =
    "issubclass() arg 2 must be a class, a tuple of classes, or a union";

// The tuple that is its __bases__; null without an exception if it has none, or with one.
Own bases_of(PyObject* op) {
    Own bases;
    PyObject_GetOptionalAttr(op, "__bases__"_name, bases.out());
    return bases && PyTuple_Check(bases.get()) ? std::move(bases) : Own();
}

// 0, or -1 with an exception.
int check_class(PyObject* op, const char* message) {
    if (bases_of(op)) {
        return 0;
    }
    if (PyErr_Occurred() == nullptr) {
        PyErr_SetString(PyExc_TypeError, message);
    }
    return -1;
}

int is_among_bases(PyObject* derived, PyObject* base) {
    if (derived == base) {
        return 1;
    }
    const Own bases = bases_of(derived);
    if (!bases) {
        return PyErr_Occurred() == nullptr ? 0 : -1;
    }
    const exception::NestedCall nested(" in __issubclass__");
    if (!nested) {
        return -1;
    }
    int found = 0;
    for (Py_ssize_t i = 0; found == 0 && i < PyTuple_GET_SIZE(bases.get()); ++i) {
        found = is_among_bases(PyTuple_GET_ITEM(bases.get(), i), base);
    }
    return found;
}

// Of a tuple, however nested, any; else what the class of the class says, if it says anything, or `ask`.
template <class Ask>
int any_of(PyObject* op, PyObject* classes, PyObject* check, const Ask& ask) {
    if (PyType_CheckExact(classes)) {
        return ask(op, classes);
    }
    const exception::NestedCall nested(" in __instancecheck__");
    if (!nested) {
        return -1;
    }
    int found = 0;
    if (PyTuple_Check(classes)) {
        for (Py_ssize_t i = 0; found == 0 && i < PyTuple_GET_SIZE(classes); ++i) {
            found = any_of(op, PyTuple_GET_ITEM(classes, i), check, ask);
        }
    } else {
        Own checker;
        found = type::bind_special(classes, check, checker.out());
        if (found > 0) {
            const Own result(PyObject_CallOneArg(checker.get(), op));
            found = result ? PyObject_IsTrue(result.get()) : -1;
        } else if (found == 0) {
            found = ask(op, classes);
        }
    }
    return found;
}

}  // namespace

int type::is_instance(PyObject* op, PyObject* type) {
    const bool is_type = PyType_Check(type);
    if (is_type && PyObject_TypeCheck(op, as_type(type))) {
        return 1;
    }
    if (!is_type && check_class(type, kNoInstance) < 0) {
        return -1;
    }
    Own said;
    if (const int found = PyObject_GetOptionalAttr(op, "__class__"_name, said.out()); found <= 0) {
        return found;
    }
    if (!is_type) {
        return is_among_bases(said.get(), type);
    }
    return PyType_Check(said.get()) && PyType_IsSubtype(as_type(said.get()), as_type(type));
}

int type::is_subclass(PyObject* derived, PyObject* type) {
    if (PyType_Check(derived) && PyType_Check(type)) {
        return PyType_IsSubtype(as_type(derived), as_type(type));
    }
    if (check_class(derived, kNoClass) < 0 || check_class(type, kNoBase) < 0) {
        return -1;
    }
    return is_among_bases(derived, type);
}

int PyObject_IsInstance(PyObject* op, PyObject* type) {
    if (reinterpret_cast<PyObject*>(Py_TYPE(op)) == type) {
        return 1;
    }
    return any_of(op, type, "__instancecheck__"_name, type::is_instance);
}

int PyObject_IsSubclass(PyObject* derived, PyObject* type) {
    return any_of(derived, type, "__subclasscheck__"_name, type::is_subclass);
}
