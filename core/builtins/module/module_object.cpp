// Module objects.
#include "core/builtins/module/module_object.hpp"

#include <cstdarg>
#include <string_view>

#include "core/object/object.hpp"
#include "core/object/own.hpp"
#include "core/object/weakref.hpp"

using namespace ouro;
using module::as_module;
using module::ModuleObject;
using object::Own;

namespace {

// What every module's dictionary has from the beginning.
int fill_dict(ModuleObject* self, PyObject* name, PyObject* doc) {
    if (PyDict_SetItemString(self->dict, "__name__", name) < 0 ||
        PyDict_SetItemString(self->dict, "__doc__", doc) < 0) {
        return -1;
    }
    for (const char* later : {"__package__", "__loader__", "__spec__"}) {
        if (PyDict_SetItemString(self->dict, later, Py_None) < 0) {
            return -1;
        }
    }
    if (PyUnicode_CheckExact(name)) {
        Py_XDECREF(std::exchange(self->name, Py_NewRef(name)));
    }
    return 0;
}

PyObject* module_new(PyTypeObject* type, PyObject*, PyObject*) {
    Own op(type->tp_alloc(type, 0));
    if (op) {
        as_module(op.get())->needs_gil = true;
        PyObject* dict = PyDict_New();
        if (dict == nullptr) {
            return nullptr;
        }
        as_module(op.get())->dict = dict;
    }
    return op.release();
}

int module_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"name", "doc", nullptr};
    PyObject* name;
    PyObject* doc = Py_None;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "U|O:module", const_cast<char**>(names), &name,
                                    &doc) == 0) {
        return -1;
    }
    return fill_dict(as_module(op), name, doc);
}

// The functions of a definition are not called for a state that was asked for and is not there.
bool has_what_it_asked_for(const ModuleObject* self) {
    return self->def != nullptr && (self->def->m_size <= 0 || self->state != nullptr);
}

int module_traverse(PyObject* op, visitproc visit, void* arg) {
    const ModuleObject* self = as_module(op);
    if (has_what_it_asked_for(self) && self->def->m_traverse != nullptr) {
        const int result = self->def->m_traverse(op, visit, arg);
        if (result != 0) {
            return result;
        }
    }
    Py_VISIT(self->dict);
    return 0;
}

int module_clear(PyObject* op) {
    ModuleObject* self = as_module(op);
    if (has_what_it_asked_for(self) && self->def->m_clear != nullptr) {
        self->def->m_clear(op);
        if (PyErr_Occurred() != nullptr) {
            PyErr_FormatUnraisable("Exception ignored in m_clear of module%s%V",
                                   self->name == nullptr ? "" : " ", self->name, "");
        }
    }
    Py_CLEAR(self->dict);
    return 0;
}

void module_dealloc(PyObject* op) {
    ModuleObject* self = as_module(op);
    PyObject_GC_UnTrack(op);
    object::clear_weak_references(op, &self->weaklist);
    if (has_what_it_asked_for(self) && self->def->m_free != nullptr) {
        self->def->m_free(op);
    }
    Py_XDECREF(self->dict);
    Py_XDECREF(self->name);
    PyMem_Free(self->state);
    Py_TYPE(op)->tp_free(op);
}

// New references, or nullptr without an exception.
PyObject* text_attribute(PyObject* op, const char* name) {
    PyObject* value;
    if (PyObject_GetOptionalAttrString(op, name, &value) < 0) {
        PyErr_Clear();
    }
    if (value != nullptr && !PyUnicode_Check(value)) {
        Py_CLEAR(value);
    }
    return value;
}

// <module 'name' from 'file'>, or where else its spec says that it came from.
PyObject* module_repr(PyObject* op) {
    Own name(text_attribute(op, "__name__"));
    if (!name) {
        name.reset(PyUnicode_FromString("?"));
        if (!name) {
            return nullptr;
        }
    }
    if (const Own file{text_attribute(op, "__file__")}) {
        return PyUnicode_FromFormat("<module %R from %R>", name.get(), file.get());
    }
    Own spec;
    if (PyObject_GetOptionalAttrString(op, "__spec__", spec.out()) < 0) {
        PyErr_Clear();
    }
    if (spec && spec.get() != Py_None) {
        if (const Own origin{text_attribute(spec.get(), "origin")}) {
            return PyUnicode_FromFormat("<module %R (%U)>", name.get(), origin.get());
        }
    }
    return PyUnicode_FromFormat("<module %R>", name.get());
}

// Whether the module is still being executed, as its spec says.
bool is_initialising(PyObject* dict) {
    PyObject* spec = PyDict_GetItemString(dict, "__spec__");
    if (spec == nullptr || spec == Py_None) {
        return false;
    }
    Own value;
    const Own held(Py_NewRef(spec));
    const int found = PyObject_GetOptionalAttrString(held.get(), "_initializing", value.out());
    const int truth = found > 0 ? PyObject_IsTrue(value.get()) : found;
    if (truth < 0) {
        PyErr_Clear();
    }
    return truth > 0;
}

// What a module has not it may make: its function __getattr__ is asked.
PyObject* module_getattro(PyObject* op, PyObject* name) {
    PyObject* found = PyObject_GenericGetAttr(op, name);
    PyObject* dict = as_module(op)->dict;
    if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0 || dict == nullptr) {
        return found;
    }
    PyErr_Clear();
    Own getattr;
    if (PyDict_GetItemStringRef(dict, "__getattr__", getattr.out()) < 0) {
        return nullptr;
    }
    if (getattr) {
        return PyObject_CallOneArg(getattr.get(), name);
    }
    Own own_name;
    if (PyDict_GetItemStringRef(dict, "__name__", own_name.out()) < 0) {
        return nullptr;
    }
    if (!own_name || !PyUnicode_Check(own_name.get())) {
        return PyErr_Format(PyExc_AttributeError, "module has no attribute '%U'", name);
    }
    return PyErr_Format(PyExc_AttributeError,
                        is_initialising(dict)
                            ? "partially initialized module '%U' has no attribute '%U' (most "
                              "likely due to a circular import)"
                            : "module '%U' has no attribute '%U'",
                        own_name.get(), name);
}

PyObject* module_dict(PyObject* op, void*) {
    PyObject* dict = as_module(op)->dict;
    return Py_NewRef(dict == nullptr ? Py_None : dict);
}

// dir(): the names in its dictionary, or what its own function __dir__ says.
PyObject* module_dir(PyObject* op, PyObject*) {
    const Own dict(PyObject_GetAttrString(op, "__dict__"));
    if (!dict) {
        return nullptr;
    }
    if (!PyDict_Check(dict.get())) {
        PyErr_SetString(PyExc_TypeError, "<module>.__dict__ is not a dictionary");
        return nullptr;
    }
    Own own;
    if (PyDict_GetItemStringRef(dict.get(), "__dir__", own.out()) < 0) {
        return nullptr;
    }
    return own ? PyObject_CallNoArgs(own.get()) : PyDict_Keys(dict.get());
}

PyMethodDef module_methods[] = {
    {"__dir__", module_dir, METH_NOARGS, PyDoc_STR("The names of what it has.")},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef module_getset[] = {
    {"__dict__", module_dict, nullptr, "the module's names and what they stand for", nullptr}, {}};

}  // namespace

PyTypeObject PyModule_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "module",
    .tp_basicsize = sizeof(ModuleObject),
    .tp_dealloc = module_dealloc,
    .tp_repr = module_repr,
    .tp_getattro = module_getattro,
    .tp_setattro = PyObject_GenericSetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "module(name, doc=None)\n--\n\nA module of that name and documentation.",
    .tp_traverse = module_traverse,
    .tp_clear = module_clear,
    .tp_weaklistoffset = offsetof(ModuleObject, weaklist),
    .tp_methods = module_methods,
    .tp_getset = module_getset,
    .tp_dictoffset = offsetof(ModuleObject, dict),
    .tp_init = module_init,
    .tp_new = module_new,
};

namespace ouro::module {

bool allocate_state(ModuleObject* module, const PyModuleDef* def) {
    if (def->m_size <= 0 || module->state != nullptr) {
        return true;
    }
    // A traversal takes a state that is there for a whole one.
    module->state = PyMem_Calloc(1, static_cast<size_t>(def->m_size));
    if (module->state == nullptr) {
        PyErr_NoMemory();
    }
    return module->state != nullptr;
}

void empty_dict(PyObject* dict) {
    for (const bool private_ones : {true, false}) {
        const Own names(PyDict_Keys(dict));
        for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(names.get()); ++i) {
            PyObject* name = PyList_GET_ITEM(names.get(), i);
            const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
            const bool is_private = text != nullptr && text[0] == '_' && text[1] != '_';
            if (text != nullptr && is_private == private_ones &&
                std::string_view(text) != "__builtins__") {
                PyDict_SetItem(dict, name, Py_None);
            }
            PyErr_Clear();
        }
        PyErr_Clear();
    }
}

}  // namespace ouro::module

PyObject* PyModule_NewObject(PyObject* name) {
    Own op(module_new(&PyModule_Type, nullptr, nullptr));
    if (!op || fill_dict(as_module(op.get()), name, Py_None) < 0) {
        return nullptr;
    }
    return op.release();
}

PyObject* PyModule_New(const char* name) {
    const Own text(PyUnicode_FromString(name));
    return text ? PyModule_NewObject(text.get()) : nullptr;
}

PyObject* PyModule_GetDict(PyObject* op) {
    if (!PyModule_Check(op)) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    return as_module(op)->dict;
}

namespace {

PyObject* text_in_dict(PyObject* op, const char* key, const char* missing) {
    if (!PyModule_Check(op)) {
        PyErr_BadArgument();
        return nullptr;
    }
    Own value;
    if (as_module(op)->dict != nullptr &&
        PyDict_GetItemStringRef(as_module(op)->dict, key, value.out()) < 0) {
        return nullptr;
    }
    if (!value || !PyUnicode_Check(value.get())) {
        PyErr_SetString(PyExc_SystemError, missing);
        return nullptr;
    }
    return value.release();
}

// The UTF-8 of a str that its module keeps alive.
const char* utf8_of(const Own& text) {
    return text ? PyUnicode_AsUTF8(text.get()) : nullptr;
}

}  // namespace

PyObject* PyModule_GetNameObject(PyObject* op) {
    return text_in_dict(op, "__name__", "nameless module");
}

const char* PyModule_GetName(PyObject* op) {
    return utf8_of(Own(PyModule_GetNameObject(op)));
}

PyObject* PyModule_GetFilenameObject(PyObject* op) {
    return text_in_dict(op, "__file__", "module filename missing");
}

const char* PyModule_GetFilename(PyObject* op) {
    return utf8_of(Own(PyModule_GetFilenameObject(op)));
}

PyModuleDef* PyModule_GetDef(PyObject* op) {
    if (!PyModule_Check(op)) {
        PyErr_BadArgument();
        return nullptr;
    }
    return as_module(op)->def;
}

void* PyModule_GetState(PyObject* op) {
    if (!PyModule_Check(op)) {
        PyErr_BadArgument();
        return nullptr;
    }
    return as_module(op)->state;
}

int PyModule_GetToken(PyObject* op, void** result) {
    if (PyModule_GetToken_DuringGC(op, result) < 0) {
        PyErr_Format(PyExc_TypeError, "expected module, got %T", op);
        return -1;
    }
    return 0;
}

void* PyModule_GetState_DuringGC(PyObject* op) {
    return PyModule_Check(op) ? as_module(op)->state : nullptr;
}

int PyModule_GetToken_DuringGC(PyObject* op, void** result) {
    *result = nullptr;
    if (!PyModule_Check(op)) {
        return -1;
    }
    *result = const_cast<void*>(as_module(op)->token);
    return 0;
}
