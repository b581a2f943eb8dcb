#include "core/builtins/module/spec.hpp"

#include "core/object/own.hpp"

using namespace ouro;
using module::as_spec;
using module::Spec;
using object::Own;

namespace {

int spec_traverse(PyObject* op, visitproc visit, void* arg) {
    const Spec* self = as_spec(op);
    Py_VISIT(self->name);
    Py_VISIT(self->loader);
    Py_VISIT(self->origin);
    Py_VISIT(self->locations);
    Py_VISIT(self->dict);
    return 0;
}

int spec_clear(PyObject* op) {
    Spec* self = as_spec(op);
    Py_CLEAR(self->name);
    Py_CLEAR(self->loader);
    Py_CLEAR(self->origin);
    Py_CLEAR(self->locations);
    Py_CLEAR(self->dict);
    return 0;
}

void spec_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    spec_clear(op);
    Py_TYPE(op)->tp_free(op);
}

PyObject* spec_repr(PyObject* op) {
    const Spec* self = as_spec(op);
    const bool has_origin = self->origin != nullptr && self->origin != Py_None;
    const Own origin(has_origin ? PyUnicode_FromFormat(", origin=%R", self->origin)
                                : PyUnicode_FromString(""));
    const bool is_package = self->locations != nullptr && self->locations != Py_None;
    const Own locations(
        is_package ? PyUnicode_FromFormat(", submodule_search_locations=%R", self->locations)
                   : PyUnicode_FromString(""));
    return origin && locations
               ? PyUnicode_FromFormat("ModuleSpec(name=%R, loader=%R%U%U)", self->name,
                                      self->loader, origin.get(), locations.get())
               : nullptr;
}

// The package that the module is in, or is.
PyObject* spec_parent(PyObject* op, void*) {
    const Spec* self = as_spec(op);
    if (self->name == nullptr || !PyUnicode_Check(self->name) || self->locations != Py_None) {
        return Py_NewRef(self->name == nullptr ? Py_None : self->name);
    }
    const Py_ssize_t size = PyUnicode_GetLength(self->name);
    const Py_ssize_t dot = PyUnicode_FindChar(self->name, '.', 0, size, -1);
    return dot < -1 ? nullptr : PyUnicode_Substring(self->name, 0, dot < 0 ? 0 : dot);
}

PyMemberDef spec_members[] = {
    {"name", _Py_T_OBJECT, offsetof(Spec, name), 0, nullptr},
    {"loader", _Py_T_OBJECT, offsetof(Spec, loader), 0, nullptr},
    {"origin", _Py_T_OBJECT, offsetof(Spec, origin), 0, nullptr},
    {"submodule_search_locations", _Py_T_OBJECT, offsetof(Spec, locations), 0, nullptr},
    {"has_location", Py_T_BOOL, offsetof(Spec, has_location), 0, nullptr},
    {"_initializing", Py_T_BOOL, offsetof(Spec, initializing), 0, nullptr},
    {}};

PyGetSetDef spec_getset[] = {{"parent", spec_parent, nullptr, nullptr, nullptr}, {}};

}  // namespace

namespace ouro::module {

PyTypeObject SpecType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "ModuleSpec",
    .tp_basicsize = sizeof(Spec),
    .tp_dealloc = spec_dealloc,
    .tp_repr = spec_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = spec_traverse,
    .tp_clear = spec_clear,
    .tp_members = spec_members,
    .tp_getset = spec_getset,
    .tp_dictoffset = offsetof(Spec, dict),
};

PyObject* new_spec(PyObject* name, PyObject* origin, bool is_file, PyObject* locations) {
    PyObject* op = PyType_GenericAlloc(&SpecType, 0);
    if (op == nullptr) {
        return nullptr;
    }
    Spec* spec = as_spec(op);
    const auto store = [](PyObject** field, PyObject* value) {
        OURO_STORE_FIELD(field, Py_NewRef(value == nullptr ? Py_None : value));
    };
    store(&spec->name, name);
    store(&spec->loader, nullptr);
    store(&spec->origin, origin);
    store(&spec->locations, locations);
    spec->has_location = is_file;
    return op;
}

int describe(PyObject* module, PyObject* op) {
    const Spec* spec = as_spec(op);
    const auto give = [module](const char* name, PyObject* value) {
        Own now;
        const int found = PyObject_GetOptionalAttrString(module, name, now.out());
        if (found < 0) {
            return false;
        }
        return (found > 0 && now.get() != Py_None) ||
               PyObject_SetAttrString(module, name, value) == 0;
    };
    const Own parent(spec_parent(op, nullptr));
    // Whatever a Py_mod_create made may take no attributes, and is a module all the same.
    const bool done = parent && give("__name__", spec->name) && give("__loader__", spec->loader) &&
                      give("__package__", parent.get()) && give("__spec__", op) &&
                      (spec->locations == Py_None || give("__path__", spec->locations)) &&
                      (spec->has_location == 0 || give("__file__", spec->origin));
    if (!done && parent && PyErr_ExceptionMatches(PyExc_AttributeError) != 0) {
        PyErr_Clear();
        return 0;
    }
    return done ? 0 : -1;
}

}  // namespace ouro::module
