// super(type, object): attributes as the types behind `type` in the object's order of resolution have them. Source:
// "Built-in Functions", super.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/type/lookup.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

struct Super {
    PyObject ob_base;
    PyTypeObject* type;
    PyObject* self;           // an instance of the type, or a type that derives from it
    PyTypeObject* self_type;  // whose order of resolution it is
};

Super* super(PyObject* op) {
    return reinterpret_cast<Super*>(op);
}

void super_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(super(op)->type);
    Py_XDECREF(super(op)->self);
    Py_XDECREF(super(op)->self_type);
    Py_TYPE(op)->tp_free(op);
}

int super_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(super(op)->type);
    Py_VISIT(super(op)->self);
    Py_VISIT(super(op)->self_type);
    return 0;
}

// Whose order of resolution is meant; borrowed, or nullptr with TypeError.
PyTypeObject* order_for(PyTypeObject* type, PyObject* self) {
    if (PyType_Check(self)) {
        auto* derived = reinterpret_cast<PyTypeObject*>(self);
        if (PyType_IsSubtype(derived, type) != 0) {
            return derived;
        }
    }
    if (PyType_IsSubtype(Py_TYPE(self), type) != 0) {
        return Py_TYPE(self);
    }
    PyErr_SetString(PyExc_TypeError,
                    "super(type, obj): obj must be an instance or subtype of type");
    return nullptr;
}

PyObject* super_new(PyTypeObject* made, PyObject* args, PyObject* kwargs) {
    if (!call::refuse_keywords("super", kwargs) ||
        !call::check_count("super", PyTuple_GET_SIZE(args), 2, 2)) {
        return nullptr;
    }
    PyObject* type = PyTuple_GET_ITEM(args, 0);
    PyObject* self = PyTuple_GET_ITEM(args, 1);
    if (!PyType_Check(type)) {
        return PyErr_Format(PyExc_TypeError, "super() argument 1 must be a type, not %.200s",
                            Py_TYPE(type)->tp_name);
    }
    PyTypeObject* order = order_for(reinterpret_cast<PyTypeObject*>(type), self);
    PyObject* op = order == nullptr ? nullptr : made->tp_alloc(made, 0);
    if (op != nullptr) {
        OURO_STORE_FIELD(reinterpret_cast<PyObject**>(&super(op)->type), Py_NewRef(type));
        OURO_STORE_FIELD(&super(op)->self, Py_NewRef(self));
        OURO_STORE_FIELD(reinterpret_cast<PyObject**>(&super(op)->self_type), Py_NewRef(order));
    }
    return op;
}

// What the types behind it have of that name: 1 and a new reference; 0; -1 with an exception.
int find_behind(const Super& op, PyObject* name, PyObject** found) {
    PyObject* order = op.self_type->tp_mro;
    const Py_ssize_t count = order == nullptr ? 0 : PyTuple_GET_SIZE(order);
    Py_ssize_t i = 0;
    while (i < count && PyTuple_GET_ITEM(order, i) != reinterpret_cast<PyObject*>(op.type)) {
        ++i;
    }
    for (++i; i < count; ++i) {
        PyObject* dict = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(order, i))->tp_dict;
        const int result = dict == nullptr ? 0 : PyDict_GetItemRef(dict, name, found);
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

PyObject* super_getattro(PyObject* op, PyObject* name) {
    if (!type::check_name(name)) {
        return nullptr;
    }
    const Super& self = *super(op);
    Own found;
    const bool is_class = PyUnicode_CompareWithASCIIString(name, "__class__") == 0;
    const int result = is_class ? 0 : find_behind(self, name, found.out());
    if (result <= 0) {
        return result < 0 ? nullptr : PyObject_GenericGetAttr(op, name);
    }
    const descrgetfunc get = Py_TYPE(found.get())->tp_descr_get;
    if (get == nullptr) {
        return found.release();
    }
    auto* order = reinterpret_cast<PyObject*>(self.self_type);
    return get(found.get(), self.self == order ? nullptr : self.self, order);
}

PyObject* super_repr(PyObject* op) {
    return PyUnicode_FromFormat("<super: <class '%s'>, <%s object>>", super(op)->type->tp_name,
                                super(op)->self_type->tp_name);
}

PyMemberDef super_members[] = {
    {"__thisclass__", _Py_T_OBJECT, offsetof(Super, type), Py_READONLY, nullptr},
    {"__self__", _Py_T_OBJECT, offsetof(Super, self), Py_READONLY, nullptr},
    {"__self_class__", _Py_T_OBJECT, offsetof(Super, self_type), Py_READONLY, nullptr},
    {}};

}  // namespace

PyTypeObject PySuper_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "super",
    .tp_basicsize = sizeof(Super),
    .tp_dealloc = super_dealloc,
    .tp_repr = super_repr,
    .tp_getattro = super_getattro,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = super_traverse,
    .tp_members = super_members,
    .tp_new = super_new,
};
