// list[int]: a type with arguments, which is otherwise like the type. Source: "Generic Alias Type".
#include <array>
#include <string_view>

#include "core/builtins/text/message.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/type/names.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

struct Alias {
    PyObject ob_base;
    PyObject* origin;
    PyObject* args;  // a tuple
};

Alias* alias(PyObject* op) {
    return reinterpret_cast<Alias*>(op);
}

void alias_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(alias(op)->origin);
    Py_XDECREF(alias(op)->args);
    Py_TYPE(op)->tp_free(op);
}

int alias_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(alias(op)->origin);
    Py_VISIT(alias(op)->args);
    return 0;
}

// A type by its name, anything else by its repr.
void show(text::Message* out, PyObject* op) {
    if (!PyType_Check(op)) {
        out->add_repr(op);
        return;
    }
    const Own name(type::full_name_of(reinterpret_cast<PyTypeObject*>(op)));
    if (name) {
        out->add(PyUnicode_AsUTF8(name.get()));
    }
}

PyObject* alias_repr(PyObject* op) {
    text::Message out;
    show(&out, alias(op)->origin);
    out.add("[");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(alias(op)->args); ++i) {
        out.add(i == 0 ? "" : ", ");
        show(&out, PyTuple_GET_ITEM(alias(op)->args, i));
    }
    out.add(PyTuple_GET_SIZE(alias(op)->args) == 0 ? "()]" : "]");
    return PyErr_Occurred() == nullptr ? out.finish() : nullptr;
}

PyObject* alias_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    return PyObject_Call(alias(op)->origin, args, kwargs);
}

// Its own attributes are few; all others are those of the type.
PyObject* alias_getattro(PyObject* op, PyObject* name) {
    static constexpr std::array<std::string_view, 6> kOwn = {
        "__origin__", "__args__", "__parameters__", "__mro_entries__", "__class__", "__reduce__"};
    if (PyUnicode_Check(name)) {
        const std::string_view text = text::text_in(name);
        for (const std::string_view each : kOwn) {
            if (text == each) {
                return PyObject_GenericGetAttr(op, name);
            }
        }
    }
    return PyObject_GetAttr(alias(op)->origin, name);
}

PyObject* alias_richcompare(PyObject* a, PyObject* b, int operation) {
    if (!Py_IS_TYPE(b, &Py_GenericAliasType) || (operation != Py_EQ && operation != Py_NE)) {
        return Py_NewRef(Py_NotImplemented);
    }
    int equal = PyObject_RichCompareBool(alias(a)->origin, alias(b)->origin, Py_EQ);
    if (equal > 0) {
        equal = PyObject_RichCompareBool(alias(a)->args, alias(b)->args, Py_EQ);
    }
    return equal < 0 ? nullptr : PyBool_FromLong((equal != 0) == (operation == Py_EQ));
}

Py_hash_t alias_hash(PyObject* op) {
    const Py_hash_t origin = PyObject_Hash(alias(op)->origin);
    const Py_hash_t args = origin == -1 ? -1 : PyObject_Hash(alias(op)->args);
    return args == -1 ? -1 : (origin ^ args) == -1 ? -2 : origin ^ args;
}

// As a base of a class it stands for the type.
PyObject* alias_mro_entries(PyObject* op, PyObject*) {
    return PyTuple_Pack(1, alias(op)->origin);
}

PyObject* alias_parameters(PyObject*, void*) {
    return PyTuple_New(0);
}

PyMethodDef alias_methods[] = {
    {"__mro_entries__", alias_mro_entries, METH_O, PyDoc_STR("The type that it stands for.")},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef alias_members[] = {
    {"__origin__", _Py_T_OBJECT, offsetof(Alias, origin), Py_READONLY, nullptr},
    {"__args__", _Py_T_OBJECT, offsetof(Alias, args), Py_READONLY, nullptr},
    {}};

PyGetSetDef alias_getset[] = {
    {"__parameters__", alias_parameters, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyObject* alias_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    PyObject* origin;
    PyObject* arguments;
    if (kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "GenericAlias() takes no keyword arguments");
        return nullptr;
    }
    return PyArg_UnpackTuple(args, "GenericAlias", 2, 2, &origin, &arguments) == 0
               ? nullptr
               : Py_GenericAlias(origin, arguments);
}

}  // namespace

PyTypeObject Py_GenericAliasType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "types.GenericAlias",
    .tp_basicsize = sizeof(Alias),
    .tp_dealloc = alias_dealloc,
    .tp_repr = alias_repr,
    .tp_hash = alias_hash,
    .tp_call = alias_call,
    .tp_getattro = alias_getattro,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = alias_traverse,
    .tp_richcompare = alias_richcompare,
    .tp_methods = alias_methods,
    .tp_members = alias_members,
    .tp_getset = alias_getset,
    .tp_new = alias_new,
};

PyObject* Py_GenericAlias(PyObject* origin, PyObject* arguments) {
    Own args(PyTuple_Check(arguments) ? Py_NewRef(arguments) : PyTuple_Pack(1, arguments));
    PyObject* op = args ? _PyObject_GC_New(&Py_GenericAliasType) : nullptr;
    if (op != nullptr) {
        alias(op)->origin = Py_NewRef(origin);
        alias(op)->args = args.release();
        object::track_new(op);
    }
    return op;
}
