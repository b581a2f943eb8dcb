// Exceptions as objects, and their classes.
#include "core/builtins/exception/exceptions.hpp"
#include "core/builtins/container/tuple.hpp"

#include <cstring>
#include <string_view>

#include "core/builtins/exception/errors.hpp"
#include "core/builtins/text/message.hpp"
#include "core/builtins/type/names.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/object/object.hpp"
#include "core/object/take.hpp"

namespace ouro::exception {
namespace {

PyObject* exception_repr(PyObject* op) {
    PyObject* args = PyException_GetArgs(op);
    text::Message text;
    text.add(type::last_part(Py_TYPE(op)->tp_name));
    if (PyTuple_GET_SIZE(args) == 1) {
        text.add("(").add_repr(PyTuple_GET_ITEM(args, 0)).add(")");
    } else {
        text.add_repr(args);
    }
    Py_DECREF(args);
    return text.finish();
}

// The dict of its attributes, made where there is none: new reference, or nullptr with MemoryError.
PyObject* attributes_of(PyObject* op) {
    PyObject** field = &as_exception(op)->dict;
    PyObject* dict = object::take([field] { return field; }, op);
    if (dict != nullptr) {
        return dict;
    }
    PyObject* made = PyDict_New();
    if (made == nullptr) {
        return nullptr;
    }
    {
        const mutator::Guard guard(op);
        if (*field == nullptr) {
            OURO_STORE_FIELD(field, Py_NewRef(made));
        }
        dict = Py_NewRef(*field);  // another thread may have been first
    }
    Py_DECREF(made);
    return dict;
}

// The list of notes is an attribute like any other: somebody may have replaced it.
PyObject* add_note(PyObject* op, PyObject* note) {
    if (!PyUnicode_Check(note)) {
        return PyErr_Format(PyExc_TypeError, "note must be a str, not '%s'",
                            Py_TYPE(note)->tp_name);
    }
    if (is_shared_memory_error(op)) {
        return Py_NewRef(Py_None);
    }
    PyObject* dict = attributes_of(op);
    PyObject* key = dict == nullptr ? nullptr : PyUnicode_FromString("__notes__");
    PyObject* notes = nullptr;
    int status = key == nullptr ? -1 : PyDict_GetItemRef(dict, key, &notes);
    if (status == 0) {
        notes = PyList_New(0);
        status = notes == nullptr ? -1 : PyDict_SetItem(dict, key, notes);
    }
    if (status >= 0 && !PyList_Check(notes)) {
        PyErr_SetString(PyExc_TypeError, "Cannot add note: __notes__ is not a list");
        status = -1;
    }
    if (status >= 0) {
        status = PyList_Append(notes, note);
    }
    Py_XDECREF(notes);
    Py_XDECREF(key);
    Py_XDECREF(dict);
    return status < 0 ? nullptr : Py_NewRef(Py_None);
}

PyObject* with_traceback(PyObject* op, PyObject* traceback) {
    return PyException_SetTraceback(op, traceback) < 0 ? nullptr : Py_NewRef(op);
}

PyMethodDef exception_methods[] = {
    {"add_note", add_note, METH_O, nullptr},
    {"with_traceback", with_traceback, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

constexpr unsigned long kFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_BASE_EXC_SUBCLASS;
constexpr unsigned long kContainer = Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE;

template <class Object, PyObject* Object::*... fields>
constexpr void add_fields(PyTypeObject& type, PyMemberDef* members, initproc init,
                          reprfunc str = nullptr) {
    using Slots = Fields<Object, fields...>;
    type.tp_basicsize = sizeof(Object);
    type.tp_flags |= kContainer;
    type.tp_dealloc = Slots::dealloc;
    type.tp_traverse = Slots::traverse;
    type.tp_clear = Slots::clear;
    type.tp_members = members;
    type.tp_init = init;
    type.tp_str = str;
}

constexpr void add_unicode_fields(PyTypeObject& type, initproc init, reprfunc str) {
    using Object = PyUnicodeErrorObject;
    add_fields<Object, &Object::encoding, &Object::object, &Object::reason>(
        type, unicode_error_members, init, str);
}

// What distinguishes a class from its base; most have nothing but a name.
constexpr PyTypeObject exception_class(const char* full_name, PyTypeObject* base) {
    PyTypeObject type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = full_name,
                         .tp_flags = kFlags,
                         .tp_base = base};
    const std::string_view name = full_name;
    if (name == "SystemExit") {
        add_fields<PySystemExitObject, &PySystemExitObject::code>(type, system_exit_members,
                                                                  system_exit_init);
    } else if (name == "StopIteration") {
        add_fields<PyStopIterationObject, &PyStopIterationObject::value>(
            type, stop_iteration_members, stop_iteration_init);
    } else if (name == "ImportError") {
        using Object = PyImportErrorObject;
        add_fields<Object, &Object::msg, &Object::name, &Object::path, &Object::name_from>(
            type, import_error_members, import_error_init, import_error_str);
    } else if (name == "AttributeError") {
        using Object = PyAttributeErrorObject;
        add_fields<Object, &Object::obj, &Object::name>(type, attribute_error_members,
                                                        attribute_error_init);
    } else if (name == "NameError") {
        add_fields<PyNameErrorObject, &PyNameErrorObject::name>(type, name_error_members,
                                                                name_error_init);
    } else if (name == "KeyError") {
        type.tp_str = key_error_str;
    } else if (name == "OSError") {
        using Object = PyOSErrorObject;
        add_fields<Object, &Object::myerrno, &Object::strerror, &Object::filename,
                   &Object::filename2>(type, os_error_members, os_error_init, os_error_str);
        type.tp_getset = os_error_getset;
        type.tp_new = os_error_new;
    } else if (name == "UnicodeEncodeError") {
        add_unicode_fields(type, unicode_encode_error_init, unicode_encode_error_str);
    } else if (name == "UnicodeDecodeError") {
        add_unicode_fields(type, unicode_decode_error_init, unicode_decode_error_str);
    } else if (name == "UnicodeTranslateError") {
        add_unicode_fields(type, unicode_translate_error_init, unicode_translate_error_str);
    } else if (name == "MemoryError") {
        type.tp_dealloc = memory_error_dealloc;
    }
    return type;
}

}  // namespace

PyObject* pack_argument(PyObject* op) {
    PyObject* tuple = object::allocate_container_at_once(
        &PyTuple_Type, offsetof(PyTupleObject, ob_item) + sizeof(PyObject*));
    if (tuple != nullptr) {
        Py_SET_SIZE(tuple, 1);
        PyTuple_SET_ITEM(tuple, 0, Py_NewRef(op));
        object::track(tuple);
    }
    return tuple;
}

PyObject* call_exception(PyObject* type_object, PyObject* args, PyObject* kwargs) {
    auto* type = reinterpret_cast<PyTypeObject*>(type_object);
    PyObject* op = type->tp_new(type, args, kwargs);
    if (op != nullptr && PyObject_TypeCheck(op, type) && Py_TYPE(op)->tp_init != nullptr &&
        Py_TYPE(op)->tp_init(op, args, kwargs) < 0) {
        Py_CLEAR(op);
    }
    return op;
}

void replace(PyObject* op, PyObject** field, PyObject* value) {
    PyObject* old;
    {
        const mutator::Guard guard(op);
        old = *field;
        OURO_STORE_FIELD(field, value);
    }
    Py_XDECREF(old);  // arbitrary code, without the lock
}

PyObject* exception_new(PyTypeObject* type, PyObject* args, PyObject*) {
    const bool is_plain =
        type->tp_alloc == PyType_GenericAlloc && !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE);
    PyObject* op;
    if (is_plain) {
        // An exception may be set where no other code is expected to run.
        const auto bytes = static_cast<size_t>(type->tp_basicsize);
        op = object::allocate_container_at_once(type, bytes);
        if (op != nullptr) {
            std::memset(op + 1, 0, bytes - sizeof(PyObject));
        }
    } else {
        op = type->tp_alloc(type, 0);
    }
    if (op != nullptr) {
        PyObject* given = args == nullptr ? &container::empty_tuple.ob_base.ob_base : args;
        OURO_STORE_FIELD(&as_exception(op)->args, Py_NewRef(given));
        if (is_plain) {
            object::track(op);
        }
    }
    return op;
}

int exception_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    if (kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        PyErr_Format(PyExc_TypeError, "%.200s() takes no keyword arguments", Py_TYPE(op)->tp_name);
        return -1;
    }
    PyException_SetArgs(op, args);
    return 0;
}

int exception_traverse(PyObject* op, visitproc visit, void* arg) {
    const PyBaseExceptionObject* self = as_exception(op);
    Py_VISIT(self->dict);
    Py_VISIT(self->args);
    Py_VISIT(self->notes);
    Py_VISIT(self->traceback);
    Py_VISIT(self->context);
    Py_VISIT(self->cause);
    return 0;
}

int exception_clear(PyObject* op) {
    PyBaseExceptionObject* self = as_exception(op);
    Py_CLEAR(self->dict);
    Py_CLEAR(self->args);
    Py_CLEAR(self->notes);
    Py_CLEAR(self->traceback);
    Py_CLEAR(self->context);
    Py_CLEAR(self->cause);
    return 0;
}

PyObject* exception_str(PyObject* op) {
    PyObject* args = PyException_GetArgs(op);
    text::Message text;
    if (PyTuple_GET_SIZE(args) == 1) {
        text.add_str(PyTuple_GET_ITEM(args, 0));
    } else if (PyTuple_GET_SIZE(args) > 1) {
        text.add_repr(args);
    }
    Py_DECREF(args);
    return text.finish();
}

}  // namespace ouro::exception

using namespace ouro;
using exception::as_exception;

static constinit PyTypeObject BaseException_class = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "BaseException",
    .tp_basicsize = sizeof(PyBaseExceptionObject),
    .tp_dealloc = exception::Fields<PyBaseExceptionObject>::dealloc,
    .tp_repr = exception::exception_repr,
    .tp_str = exception::exception_str,
    .tp_flags = exception::kFlags | exception::kContainer,
    .tp_traverse = exception::exception_traverse,
    .tp_clear = exception::exception_clear,
    .tp_methods = exception::exception_methods,
    .tp_members = exception::exception_members,
    .tp_getset = exception::exception_getset,
    .tp_dictoffset = offsetof(PyBaseExceptionObject, dict),
    .tp_init = exception::exception_init,
    .tp_new = exception::exception_new,
};
PyObject* PyExc_BaseException = reinterpret_cast<PyObject*>(&BaseException_class);

#define X(name, base)                                                                              \
    static constinit PyTypeObject name##_class = exception::exception_class(#name, &base##_class); \
    PyObject* PyExc_##name = reinterpret_cast<PyObject*>(&name##_class);
OURO_EXCEPTIONS(X)
#undef X

PyObject* PyExc_EnvironmentError = reinterpret_cast<PyObject*>(&OSError_class);
PyObject* PyExc_IOError = reinterpret_cast<PyObject*>(&OSError_class);

PyTypeObject PyTraceBack_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "traceback",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

const char*(PyExceptionClass_Name)(PyObject* type) {
    return reinterpret_cast<PyTypeObject*>(type)->tp_name;
}

namespace {

PyObject* get(PyObject* op, PyObject** field) {
    return object::take([field] { return field; }, op);
}

// Steals, also where nothing is kept.
void set(PyObject* op, PyObject** field, PyObject* value) {
    if (exception::is_shared_memory_error(op)) {
        Py_XDECREF(value);
    } else {
        exception::replace(op, field, value);
    }
}

}  // namespace

PyObject* PyException_GetTraceback(PyObject* op) {
    return get(op, &as_exception(op)->traceback);
}

PyObject* PyException_GetContext(PyObject* op) {
    return get(op, &as_exception(op)->context);
}

PyObject* PyException_GetCause(PyObject* op) {
    return get(op, &as_exception(op)->cause);
}

int PyException_SetTraceback(PyObject* op, PyObject* traceback) {
    if (traceback == nullptr) {
        PyErr_SetString(PyExc_TypeError, "__traceback__ may not be deleted");
        return -1;
    }
    if (traceback != Py_None && !PyTraceBack_Check(traceback)) {
        PyErr_SetString(PyExc_TypeError, "__traceback__ must be a traceback or None");
        return -1;
    }
    set(op, &as_exception(op)->traceback, traceback == Py_None ? nullptr : Py_NewRef(traceback));
    return 0;
}

void PyException_SetContext(PyObject* op, PyObject* context) {
    set(op, &as_exception(op)->context, context);
}

void PyException_SetCause(PyObject* op, PyObject* cause) {
    if (!exception::is_shared_memory_error(op)) {
        __atomic_store_n(&as_exception(op)->suppress_context, char{1}, __ATOMIC_RELAXED);
    }
    set(op, &as_exception(op)->cause, cause);
}

PyObject* PyException_GetArgs(PyObject* op) {
    PyObject* args = get(op, &as_exception(op)->args);
    return args != nullptr ? args : Py_NewRef(&container::empty_tuple);  // it has been cleared
}

void PyException_SetArgs(PyObject* op, PyObject* args) {
    set(op, &as_exception(op)->args, Py_NewRef(args));
}
