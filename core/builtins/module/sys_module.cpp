// The module sys, as far as there is something to it without an interpreter of Python.
#include <array>

#include "core/builtins/module/builtin_modules.hpp"
#include "core/builtins/module/import.hpp"
#include "core/builtins/module/named_tuple.hpp"
#include "core/builtins/module/own_modules.hpp"
#include "core/builtins/module/standard_stream.hpp"
#include "core/builtins/module/sys_dict.hpp"
#include "core/builtins/module/sys_hooks.hpp"
#include "core/heap/heap.hpp"
#include "core/include/ouroboros.h"
#include "core/mutator/world.hpp"
#include "core/object/own.hpp"
#include "ouroboros/version.h"

using namespace ouro;
using object::Own;

namespace {

PyGetSetDef version_fields[] = {
    module::named_item("major", 0),  module::named_item("minor", 1),
    module::named_item("micro", 2),  module::named_item("releaselevel", 3),
    module::named_item("serial", 4), {},
};

PyTypeObject version_type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "sys.version_info",
    .tp_repr = module::named_tuple_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = PyDoc_STR("Version information as a named tuple."),
    .tp_getset = version_fields,
    .tp_base = &PyTuple_Type,
};

PyGetSetDef implementation_fields[] = {
    module::named_item("name", 0),
    module::named_item("cache_tag", 1),
    module::named_item("version", 2),
    module::named_item("hexversion", 3),
    {},
};

PyTypeObject implementation_type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "sys.implementation",
    .tp_repr = module::named_tuple_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = PyDoc_STR("What runs this program, as a named tuple."),
    .tp_getset = implementation_fields,
    .tp_base = &PyTuple_Type,
};

PyObject* new_version() {
    const std::array<PyObject*, 5> items = {
        PyLong_FromLong(PY_MAJOR_VERSION), PyLong_FromLong(PY_MINOR_VERSION),
        PyLong_FromLong(PY_MICRO_VERSION), PyUnicode_FromString("final"), PyLong_FromLong(0)};
    return module::new_named_tuple(&version_type, items);
}

PyObject* new_implementation() {
    const std::array<PyObject*, 4> items = {PyUnicode_FromString("ouroboros"), Py_NewRef(Py_None),
                                            new_version(), PyLong_FromLong(PY_VERSION_HEX)};
    return module::new_named_tuple(&implementation_type, items);
}

PyObject* getrefcount(PyObject*, PyObject* op) {
    return PyLong_FromSsize_t(Py_REFCNT(op));
}

// Of a type that does not say it by __sizeof__: the object itself, without what it refers to.
PyObject* size_of(PyObject* op) {
    PyObject* method = nullptr;
    if (PyObject_GetOptionalAttrString(op, "__sizeof__", &method) < 0) {
        return nullptr;
    }
    const Own held(method);
    if (held) {
        return PyObject_CallNoArgs(method);
    }
    const PyTypeObject* type = Py_TYPE(op);
    const Py_ssize_t items = type->tp_itemsize == 0 ? 0 : Py_SIZE(op);
    return PyLong_FromSsize_t(type->tp_basicsize +
                              type->tp_itemsize * (items < 0 ? -items : items));
}

PyObject* getsizeof(PyObject*, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"object", "default", nullptr};
    PyObject* op;
    PyObject* otherwise = nullptr;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:getsizeof", names, &op, &otherwise) == 0) {
        return nullptr;
    }
    const Own size(size_of(op));
    const Py_ssize_t bytes = size ? PyLong_AsSsize_t(size.get()) : -1;
    if (bytes == -1 && PyErr_Occurred() != nullptr) {
        if (otherwise == nullptr || PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
            return nullptr;
        }
        PyErr_Clear();
        return Py_NewRef(otherwise);
    }
    if (bytes < 0) {
        PyErr_SetString(PyExc_ValueError, "__sizeof__() should return >= 0");
        return nullptr;
    }
    return PyLong_FromSsize_t(bytes);
}

PyObject* exc_info(PyObject*, PyObject*) {
    PyObject *type, *value, *traceback;
    PyErr_GetExcInfo(&type, &value, &traceback);
    const Own held[] = {Own(type), Own(value), Own(traceback)};
    const auto shown = [](PyObject* op) { return op == nullptr ? Py_None : op; };
    return PyTuple_Pack(3, shown(type), shown(value), shown(traceback));
}

PyObject* sys_exception(PyObject*, PyObject*) {
    PyObject* handled = PyErr_GetHandledException();
    return handled == nullptr ? Py_NewRef(Py_None) : handled;
}

PyObject* sys_exit(PyObject*, PyObject* args) {
    PyObject* status = Py_None;
    if (PyArg_UnpackTuple(args, "exit", 0, 1, &status) != 0) {
        PyErr_SetObject(PyExc_SystemExit, status);
    }
    return nullptr;
}

PyObject* getrecursionlimit(PyObject*, PyObject*) {
    return PyLong_FromLong(Py_GetRecursionLimit());
}

PyObject* setrecursionlimit(PyObject*, PyObject* arg) {
    int limit;
    if (PyArg_Parse(arg, "i:setrecursionlimit", &limit) == 0) {
        return nullptr;
    }
    if (limit < 1) {
        PyErr_SetString(PyExc_ValueError, "recursion limit must be greater or equal than 1");
        return nullptr;
    }
    Py_SetRecursionLimit(limit);
    return Py_NewRef(Py_None);
}

PyObject* intern(PyObject*, PyObject* text) {
    if (!PyUnicode_Check(text)) {
        return PyErr_Format(PyExc_TypeError, "intern() argument must be str, not %s",
                            Py_IsNone(text) ? "None" : Py_TYPE(text)->tp_name);
    }
    if (!PyUnicode_CheckExact(text)) {
        return PyErr_Format(PyExc_TypeError, "can't intern %s", Py_TYPE(text)->tp_name);
    }
    Py_INCREF(text);
    PyUnicode_InternInPlace(&text);
    return text;
}

PyObject* is_finalizing(PyObject*, PyObject*) {
    return PyBool_FromLong(Py_IsFinalizing());
}

PyObject* is_gil_enabled(PyObject*, PyObject*) {
    return PyBool_FromLong(!mutator::is_free_threaded());
}

PyObject* encoding(PyObject*, PyObject*) {
    return PyUnicode_FromString("utf-8");
}

PyMethodDef functions[] = {
    {"_is_gil_enabled", is_gil_enabled, METH_NOARGS,
     PyDoc_STR("Return True if the GIL is currently enabled.")},
    {"exc_info", exc_info, METH_NOARGS,
     PyDoc_STR("Return current exception information: (type, value, traceback).")},
    {"excepthook", _PyCFunction_CAST(module::sys_excepthook), METH_FASTCALL,
     PyDoc_STR("Handle an exception by displaying it on sys.stderr.")},
    {"exception", sys_exception, METH_NOARGS, PyDoc_STR("Return the exception that is handled.")},
    {"exit", sys_exit, METH_VARARGS, PyDoc_STR("Raise SystemExit(status).")},
    {"getdefaultencoding", encoding, METH_NOARGS,
     PyDoc_STR("Return the default encoding used by the Unicode implementation.")},
    {"getfilesystemencoding", encoding, METH_NOARGS,
     PyDoc_STR("Return the encoding used to convert Unicode filenames to OS filenames.")},
    {"getrecursionlimit", getrecursionlimit, METH_NOARGS,
     PyDoc_STR("Return how deep calls may nest.")},
    {"getrefcount", getrefcount, METH_O, PyDoc_STR("Return the reference count of object.")},
    {"getsizeof", _PyCFunction_CAST(getsizeof), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("getsizeof(object [, default]) -> int\n\nReturn the size of object in bytes.")},
    {"intern", intern, METH_O, PyDoc_STR("Return the interned str of that text.")},
    {"is_finalizing", is_finalizing, METH_NOARGS,
     PyDoc_STR("Return True if the runtime is being ended.")},
    {"setrecursionlimit", setrecursionlimit, METH_O, PyDoc_STR("Set how deep calls may nest.")},
    {"unraisablehook", module::sys_unraisablehook, METH_O,
     PyDoc_STR("Handle an unraisable exception.")},
    {nullptr, nullptr, 0, nullptr},
};

PyObject* builtin_module_names() {
    Own names(PyList_New(0));
    for (const struct _inittab* entry = PyImport_Inittab; names && entry->name != nullptr;
         ++entry) {
        const Own name(PyUnicode_FromString(entry->name));
        if (!name || PyList_Append(names.get(), name.get()) < 0) {
            return nullptr;
        }
    }
    return names ? PyList_AsTuple(names.get()) : nullptr;
}

// The same object under two names, of which a program may replace the first.
int add_twice(PyObject* self, const char* name, const char* first, PyObject* value) {
    const Own held(value);
    return value != nullptr && PyModule_AddObjectRef(self, name, value) == 0 &&
                   PyModule_AddObjectRef(self, first, value) == 0
               ? 0
               : -1;
}

int keep_first(PyObject* self, const char* name, const char* first) {
    const Own value(PyObject_GetAttrString(self, name));
    return value ? PyModule_AddObjectRef(self, first, value.get()) : -1;
}

int execute(PyObject* self) {
    if (PyType_Ready(&module::standard_stream_type) < 0) {
        return -1;
    }
    const bool done =
        PyModule_AddObjectRef(self, "modules", PyImport_GetModuleDict()) == 0 &&
        PyModule_AddObjectRef(self, "path", module::search_path()) == 0 &&
        PyModule_Add(self, "argv", Py_BuildValue("[s]", "")) == 0 &&
        PyModule_AddObjectRef(self, "stdin", Py_None) == 0 &&
        add_twice(self, "stdout", "__stdout__",
                  module::new_standard_stream(stdout, "<stdout>", "strict")) == 0 &&
        add_twice(self, "stderr", "__stderr__",
                  module::new_standard_stream(stderr, "<stderr>", "backslashreplace")) == 0 &&
        keep_first(self, "excepthook", "__excepthook__") == 0 &&
        keep_first(self, "unraisablehook", "__unraisablehook__") == 0 &&
        PyModule_AddStringConstant(self, "version", PY_VERSION " (Ouroboros " OURO_VERSION ")") ==
            0 &&
        PyModule_Add(self, "version_info", new_version()) == 0 &&
        PyModule_AddIntConstant(self, "hexversion", PY_VERSION_HEX) == 0 &&
        PyModule_AddIntConstant(self, "api_version", PYTHON_API_VERSION) == 0 &&
        PyModule_Add(self, "implementation", new_implementation()) == 0 &&
        PyModule_AddIntConstant(self, "maxsize", PY_SSIZE_T_MAX) == 0 &&
        PyModule_AddIntConstant(self, "maxunicode", 0x10FFFF) == 0 &&
        PyModule_AddStringConstant(self, "byteorder", "little") == 0 &&
        PyModule_AddStringConstant(self, "platform", "linux") == 0 &&
        PyModule_Add(self, "builtin_module_names", builtin_module_names()) == 0;
    if (!done) {
        return -1;
    }
    module::adopt_sys_dict(PyModule_GetDict(self));
    module::install_sys_hooks();
    return 0;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, nullptr},
};

PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "sys",
    .m_doc = PyDoc_STR("What the runtime is and has, and how it says what went wrong."),
    .m_methods = functions,
    .m_slots = slots,
};

}  // namespace

PyObject* module::init_sys() {
    return PyModuleDef_Init(&definition);
}

void module::finish_sys() {
    remove_sys_hooks();
    drop_sys_dict();
}
