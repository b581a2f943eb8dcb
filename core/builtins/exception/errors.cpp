// The calling thread's error indicator: the exception that is set, and the one that is handled.
#include "core/builtins/exception/errors.hpp"

#include <cstdarg>
#include <utility>

#include "core/builtins/container/tuple.hpp"
#include "core/builtins/exception/exceptions.hpp"
#include "core/builtins/text/message.hpp"
#include "core/mutator/allocation_trigger.hpp"
#include "core/mutator/misuse.hpp"
#include "core/mutator/state.hpp"

using namespace ouro;

namespace {

mutator::Indicator& indicator() {
    return mutator::error;
}

// What was set before something else is set: out of the way while that is made, because no code may be
// called with an exception set, and dropped when it is in its place.
class Replaced {
public:
    Replaced() : old_(std::exchange(indicator().raised, nullptr)) {}
    ~Replaced() { Py_XDECREF(old_); }
    Replaced(const Replaced&) = delete;
    Replaced& operator=(const Replaced&) = delete;

private:
    PyObject* const old_;
};

// An instance of the class, of what may be given instead of one: new reference, or nullptr with an
// exception.
PyObject* instance_of(PyObject* type, PyObject* value) {
    PyObject* args;
    if (value == nullptr || value == Py_None) {
        args = Py_NewRef(&container::empty_tuple);
    } else if (PyTuple_Check(value)) {
        args = Py_NewRef(value);
    } else {
        args = exception::pack_argument(value);
    }
    if (args == nullptr) {
        return nullptr;
    }
    PyObject* made = exception::call_exception(type, args, nullptr);
    Py_DECREF(args);
    if (made != nullptr && !PyExceptionInstance_Check(made)) {
        text::Message message;
        message.add("calling ").add_repr(type);
        message.add(" should have returned an instance of BaseException, not ");
        PyObject* text = message.add(Py_TYPE(made)->tp_name).finish();
        Py_CLEAR(made);
        if (text != nullptr) {
            PyErr_SetObject(PyExc_TypeError, text);
            Py_DECREF(text);
        }
    }
    return made;
}

// Takes `value` out of the chain of contexts that begins at `first`, so that the chain can become its
// context. A chain that is a ring already is followed once.
void unchain(PyObject* first, const PyObject* value) {
    PyObject* slow = Py_NewRef(first);
    PyObject* at = Py_NewRef(first);
    for (bool step_slow = false;; step_slow = !step_slow) {
        PyObject* next = PyException_GetContext(at);
        if (next == nullptr) {
            break;
        }
        if (next == value) {
            PyException_SetContext(at, nullptr);
            Py_DECREF(next);
            break;
        }
        Py_SETREF(at, next);
        if (at == slow) {
            break;
        }
        if (step_slow) {
            PyObject* after = PyException_GetContext(slow);
            if (after == nullptr) {  // another thread has cut it
                break;
            }
            Py_SETREF(slow, after);
        }
    }
    Py_DECREF(at);
    Py_DECREF(slow);
}

}  // namespace

void exception::raise(PyObject* instance) {
    PyObject* handled = indicator().handled;
    if (handled != nullptr && handled != instance) {
        unchain(handled, instance);
        PyException_SetContext(instance, Py_NewRef(handled));
    }
    PyErr_SetRaisedException(instance);
}

PyObject* PyErr_GetRaisedException(void) {
    return std::exchange(indicator().raised, nullptr);
}

void PyErr_SetRaisedException(PyObject* exception) {
    PyObject* old = std::exchange(indicator().raised, exception);
    Py_XDECREF(old);
}

void PyErr_Fetch(PyObject** type, PyObject** value, PyObject** traceback) {
    *value = PyErr_GetRaisedException();
    *type = *value == nullptr ? nullptr : Py_NewRef(Py_TYPE(*value));
    *traceback = *value == nullptr ? nullptr : PyException_GetTraceback(*value);
}

void PyErr_Restore(PyObject* type, PyObject* value, PyObject* traceback) {
    const Replaced replaced;
    if (type == nullptr) {
        Py_XDECREF(value);
        Py_XDECREF(traceback);
        return;
    }
    PyObject* made = value;
    if (value == nullptr || type != PyExceptionInstance_Class(value)) {
        made = instance_of(type, value);
        Py_XDECREF(value);
    }
    if (made != nullptr) {
        PyObject* kept = traceback == nullptr ? Py_None : traceback;
        if (kept == Py_None || PyTraceBack_Check(kept)) {
            PyException_SetTraceback(made, kept);
            PyErr_SetRaisedException(made);
        } else {
            PyErr_SetString(PyExc_TypeError, "traceback must be a Traceback or None");
            Py_DECREF(made);
        }
    }
    Py_DECREF(type);
    Py_XDECREF(traceback);
}

void PyErr_SetObject(PyObject* type, PyObject* value) {
    const Replaced replaced;
    if (!PyExceptionClass_Check(type)) {
        text::Message message;
        message.add("_PyErr_SetObject: exception ").add_repr(type);
        if (PyObject* text = message.add(" is not a BaseException subclass").finish()) {
            PyErr_SetObject(PyExc_SystemError, text);
            Py_DECREF(text);
        }
        return;
    }
    const bool is_instance = value != nullptr && PyExceptionInstance_Check(value) &&
                             PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(type));
    if (PyObject* made = is_instance ? Py_NewRef(value) : instance_of(type, value)) {
        exception::raise(made);
    }
}

void PyErr_SetNone(PyObject* type) {
    PyErr_SetObject(type, nullptr);
}

void PyErr_SetString(PyObject* type, const char* message) {
    const Replaced replaced;
    if (PyObject* text = PyUnicode_FromString(message)) {
        PyErr_SetObject(type, text);
        Py_DECREF(text);
    }
}

PyObject* PyErr_FormatV(PyObject* type, const char* format, va_list arguments) {
    const Replaced replaced;
    if (PyObject* text = PyUnicode_FromFormatV(format, arguments)) {
        PyErr_SetObject(type, text);
        Py_DECREF(text);
    }
    return nullptr;
}

PyObject* PyErr_Format(PyObject* type, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(type, format, arguments);
    va_end(arguments);
    return nullptr;
}

PyObject* PyErr_NoMemory(void) {
    exception::raise(exception::spare_memory_error());
    return nullptr;
}

int PyErr_BadArgument(void) {
    PyErr_SetString(PyExc_TypeError, "bad argument type for built-in operation");
    return 0;
}

void _PyErr_BadInternalCall(const char* file, int line) {
    PyErr_Format(PyExc_SystemError, "%s:%d: bad argument to internal function", file, line);
}

void(PyErr_BadInternalCall)(void) {
    PyErr_SetString(PyExc_SystemError, "bad argument to internal function");
}

PyObject* PyErr_Occurred(void) {
    PyObject* raised = indicator().raised;
    return raised == nullptr ? nullptr : PyExceptionInstance_Class(raised);
}

int PyErr_GivenExceptionMatches(PyObject* given, PyObject* type) {
    if (given == nullptr || type == nullptr) {
        return 0;
    }
    if (PyTuple_Check(type)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type); ++i) {
            if (PyErr_GivenExceptionMatches(given, PyTuple_GET_ITEM(type, i)) != 0) {
                return 1;
            }
        }
        return 0;
    }
    if (PyExceptionInstance_Check(given)) {
        given = PyExceptionInstance_Class(given);
    }
    if (PyExceptionClass_Check(given) && PyExceptionClass_Check(type)) {
        return PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(given),
                                reinterpret_cast<PyTypeObject*>(type));
    }
    return given == type;
}

int PyErr_ExceptionMatches(PyObject* type) {
    return PyErr_GivenExceptionMatches(PyErr_Occurred(), type);
}

void PyErr_Clear(void) {
    PyErr_SetRaisedException(nullptr);
}

void PyErr_NormalizeException(PyObject** type, PyObject** value, PyObject** traceback) {
    if (*type == nullptr || !PyExceptionClass_Check(*type)) {
        return;
    }
    auto* wanted = reinterpret_cast<PyTypeObject*>(*type);
    const bool is_instance = *value != nullptr && PyExceptionInstance_Check(*value) &&
                             PyObject_TypeCheck(*value, wanted);
    if (!is_instance) {
        PyObject* made = instance_of(*type, *value);
        if (made == nullptr) {
            Py_DECREF(*type);
            Py_XDECREF(*value);
            PyObject* of_that;
            PyErr_Fetch(type, value, &of_that);
            if (of_that != nullptr) {
                Py_XSETREF(*traceback, of_that);
            }
            return;
        }
        Py_XSETREF(*value, made);
    }
    Py_SETREF(*type, Py_NewRef(Py_TYPE(*value)));
}

PyObject* PyErr_GetHandledException(void) {
    return Py_XNewRef(indicator().handled);
}

void PyErr_SetHandledException(PyObject* exception) {
    PyObject* handled = exception == Py_None ? nullptr : Py_XNewRef(exception);
    PyObject* old = std::exchange(indicator().handled, handled);
    Py_XDECREF(old);
}

void PyErr_GetExcInfo(PyObject** type, PyObject** value, PyObject** traceback) {
    *value = PyErr_GetHandledException();
    *type = Py_NewRef(*value == nullptr ? Py_None : PyExceptionInstance_Class(*value));
    *traceback = *value == nullptr ? nullptr : PyException_GetTraceback(*value);
    if (*traceback == nullptr) {
        *traceback = Py_NewRef(Py_None);
    }
}

void PyErr_SetExcInfo(PyObject* type, PyObject* value, PyObject* traceback) {
    PyErr_SetHandledException(value);
    Py_XDECREF(value);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
}

int PyErr_CheckSignals(void) {
    mutator::require_attached("PyErr_CheckSignals");
    mutator::safepoint();
    mutator::call_if_due();
    return 0;
}
