#include "core/builtins/module/sys_hooks.hpp"

#include <array>

#include "core/builtins/exception/exceptions.hpp"
#include "core/builtins/exception/output.hpp"
#include "core/builtins/module/named_tuple.hpp"
#include "core/builtins/module/standard_stream.hpp"
#include "core/builtins/module/sys_dict.hpp"
#include "core/object/own.hpp"
#include "core/object/saved_error.hpp"

namespace ouro::module {
namespace {

using object::Own;

PyGetSetDef hook_fields[] = {
    named_item("exc_type", 0), named_item("exc_value", 1), named_item("exc_traceback", 2),
    named_item("err_msg", 3),  named_item("object", 4),    {},
};

PyTypeObject hook_args_type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "UnraisableHookArgs",
    .tp_repr = named_tuple_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = PyDoc_STR("Type used to pass arguments to sys.unraisablehook."),
    .tp_getset = hook_fields,
    .tp_base = &PyTuple_Type,
};

PyObject* none_for_null(PyObject* op) {
    return Py_NewRef(op == nullptr ? Py_None : op);
}

PyObject* null_for_none(PyObject* op) {
    return Py_IsNone(op) ? nullptr : op;
}

bool is_function(PyObject* op, PyCFunction function) {
    return PyCFunction_Check(op) && PyCFunction_GET_FUNCTION(op) == function;
}

PyObject* new_hook_args(PyObject* raised, PyObject* op, PyObject* message) {
    PyObject* traceback = PyException_GetTraceback(raised);
    const std::array<PyObject*, 5> items = {Py_NewRef(PyExceptionInstance_Class(raised)),
                                            Py_NewRef(raised),
                                            traceback == nullptr ? Py_NewRef(Py_None) : traceback,
                                            none_for_null(message), none_for_null(op)};
    return new_named_tuple(&hook_args_type, items);
}

bool write_to_stderr(std::string_view text) {
    const Own file(sys_attribute("stderr"));
    if (!file || Py_IS_TYPE(file.get(), &standard_stream_type)) {
        return false;  // the C library's, without a detour
    }
    if (Py_IsNone(file.get())) {
        return true;  // nobody wants to see it
    }
    const Own string(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    const bool done = string && PyFile_WriteObject(string.get(), file.get(), Py_PRINT_RAW) == 0;
    PyErr_Clear();
    return done;
}

void note_last(PyObject* raised) {
    const object::SavedError saved;
    const Own traceback(PyException_GetTraceback(raised));
    const bool noted =
        PySys_SetObject("last_exc", raised) == 0 &&
        PySys_SetObject("last_type", PyExceptionInstance_Class(raised)) == 0 &&
        PySys_SetObject("last_value", raised) == 0 &&
        PySys_SetObject("last_traceback", traceback ? traceback.get() : Py_None) == 0;
    if (!noted) {
        PyErr_Clear();
    }
}

bool call_excepthook(PyObject* raised) {
    note_last(raised);
    const Own hook(sys_attribute("excepthook"));
    if (!hook) {
        exception::write_stderr("sys.excepthook is missing\n");
        return false;
    }
    if (is_function(hook.get(), _PyCFunction_CAST(sys_excepthook))) {
        return false;
    }
    const Own traceback(PyException_GetTraceback(raised));
    if (const Own result(PyObject_CallFunctionObjArgs(hook.get(), PyExceptionInstance_Class(raised),
                                                      raised, traceback ? traceback.get() : Py_None,
                                                      nullptr));
        !result) {
        const Own second(PyErr_GetRaisedException());
        exception::write_stderr("Error in sys.excepthook:\n");
        PyErr_DisplayException(second.get());
        exception::write_stderr("\nOriginal exception was:\n");
        return false;
    }
    return true;
}

bool call_unraisablehook(PyObject* raised, PyObject* op, PyObject* message) {
    const Own hook(sys_attribute("unraisablehook"));
    if (!hook || Py_IsNone(hook.get()) || is_function(hook.get(), sys_unraisablehook)) {
        return false;
    }
    const Own args(new_hook_args(raised, op, message));
    if (!args) {
        PyErr_Clear();  // without memory the first hook does
        return false;
    }
    if (const Own result(PyObject_CallOneArg(hook.get(), args.get())); !result) {
        const Own second(PyErr_GetRaisedException());
        const Own what(PyUnicode_FromString("Exception ignored in sys.unraisablehook"));
        PyErr_Clear();
        exception::show_unraisable(second.get(), hook.get(), what.get());
    }
    return true;
}

constexpr exception::SysHooks kHooks = {write_to_stderr, call_excepthook, call_unraisablehook};

}  // namespace

PyObject* sys_excepthook(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    if (nargs != 3) {
        return PyErr_Format(PyExc_TypeError, "excepthook expected 3 arguments, got %zd", nargs);
    }
    if (PyExceptionInstance_Check(args[1])) {
        PyErr_DisplayException(args[1]);
    } else {
        const Own text(PyUnicode_FromFormat("TypeError: print_exception(): Exception expected for "
                                            "value, %s found\n",
                                            Py_TYPE(args[1])->tp_name));
        if (!text) {
            return nullptr;
        }
        const char* bytes = PyUnicode_AsUTF8(text.get());
        exception::write_stderr(bytes == nullptr ? "" : bytes);
    }
    return Py_NewRef(Py_None);
}

PyObject* sys_unraisablehook(PyObject*, PyObject* args) {
    if (!Py_IS_TYPE(args, &hook_args_type)) {
        return PyErr_Format(PyExc_TypeError,
                            "sys.unraisablehook argument type must be UnraisableHookArgs");
    }
    PyObject* raised = PyTuple_GET_ITEM(args, 1);
    if (PyExceptionInstance_Check(raised)) {
        PyObject* message = PyTuple_GET_ITEM(args, 3);
        exception::show_unraisable(raised, null_for_none(PyTuple_GET_ITEM(args, 4)),
                                   PyUnicode_Check(message) ? message : nullptr);
    }
    return Py_NewRef(Py_None);
}

void install_sys_hooks() {
    exception::set_sys_hooks(&kHooks);
}

void remove_sys_hooks() {
    exception::set_sys_hooks(nullptr);
}

}  // namespace ouro::module
