// Exceptions and warnings on stderr.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/builtins/exception/exceptions.hpp"
#include "core/builtins/exception/output.hpp"
#include "core/builtins/text/message.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/type/names.hpp"
#include "core/include/ouroboros.h"
#include "core/object/own.hpp"

using namespace ouro;

namespace {

const exception::SysHooks* sys_hooks = nullptr;

// acquire: pairs with set_sys_hooks; what the hooks use is there.
const exception::SysHooks* load_hooks() {
    return __atomic_load_n(&sys_hooks, __ATOMIC_ACQUIRE);
}

void write(std::string_view text) {
    exception::write_stderr(text);
}

// Writes a str, or instead of none (an exception is set then) what is to be said of it.
void write_or(PyObject* text, std::string_view otherwise) {
    Py_ssize_t size;
    const char* bytes = text == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(text, &size);
    write(bytes == nullptr ? otherwise : std::string_view(bytes, static_cast<size_t>(size)));
    if (bytes == nullptr) {
        PyErr_Clear();
    }
    Py_XDECREF(text);
}

bool is_implied(std::string_view module) {
    return module == "builtins" || module == "__main__";
}

// The class as a program names it: without the module where that goes without saying. A static type's name
// needs no memory.
void write_class(PyTypeObject* type) {
    if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) {
        std::string_view name = type->tp_name;
        if (const size_t dot = name.rfind('.');
            dot != name.npos && is_implied(name.substr(0, dot))) {
            name.remove_prefix(dot + 1);
        }
        write(name);
        return;
    }
    const object::Own module(type::module_name_of(type));
    PyErr_Clear();
    if (!module || !PyUnicode_Check(module.get())) {
        write("<unknown>.");
    } else if (!is_implied(text::text_in(module.get()))) {
        write_or(Py_NewRef(module.get()), "<unknown>");
        write(".");
    }
    write_or(type::qualified_name_of(type), "<unknown>");
}

void write_note(PyObject* note) {
    write_or(PyObject_Str(note), "<note str() failed>");
    write("\n");
}

void write_notes(PyObject* op) {
    PyObject* dict = exception::as_exception(op)->dict;
    PyObject* notes = dict == nullptr ? nullptr : PyDict_GetItemString(dict, "__notes__");
    if (notes == nullptr || notes == Py_None) {
        return;
    }
    Py_INCREF(notes);
    if (PyList_Check(notes)) {
        for (Py_ssize_t i = 0; i < PyList_Size(notes); ++i) {
            if (PyObject* note = PyList_GetItemRef(notes, i)) {
                write_note(note);
                Py_DECREF(note);
            } else {
                PyErr_Clear();  // the list has become shorter
            }
        }
    } else if (PyTuple_Check(notes)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(notes); ++i) {
            write_note(PyTuple_GET_ITEM(notes, i));
        }
    } else {
        write_or(PyObject_Repr(notes), "<__notes__ repr() failed>");
        write("\n");
    }
    Py_DECREF(notes);
}

// "module.Class: message", with nothing after the class where there is no message.
void write_one(PyObject* op) {
    write_class(Py_TYPE(op));
    PyObject* text = PyObject_Str(op);
    Py_ssize_t size = 0;
    if (text == nullptr || (PyUnicode_AsUTF8AndSize(text, &size) != nullptr && size > 0)) {
        write(": ");
        write_or(text, "<exception str() failed>");
    } else {
        Py_DECREF(text);
    }
    write("\n");
    write_notes(op);
}

// One of a chain, and how what is printed after it came of it.
struct Link {
    PyObject* exception;  // owned
    std::string_view then;
};

// The exception before this one, or nullptr, and what is said between the two.
PyObject* before(PyObject* op, std::string_view* then) {
    PyObject* cause = PyException_GetCause(op);
    if (cause != nullptr) {
        *then = "\nThe above exception was the direct cause of the following exception:\n\n";
        return cause;
    }
    if (exception::as_exception(op)->suppress_context != 0) {
        return nullptr;
    }
    *then = "\nDuring handling of the above exception, another exception occurred:\n\n";
    return PyException_GetContext(op);
}

// The chain that ends with op, op first: up to one that is in it already, or up to where memory is out.
std::vector<Link> chain_of(PyObject* op) {
    std::vector<Link> chain;
    try {
        std::unordered_set<PyObject*> seen;
        chain.reserve(1);
        chain.push_back({Py_NewRef(op), ""});
        seen.insert(op);
        std::string_view then;
        while (PyObject* earlier = before(chain.back().exception, &then)) {
            if (!PyExceptionInstance_Check(earlier) || seen.contains(earlier)) {
                Py_DECREF(earlier);
                break;
            }
            try {
                seen.insert(earlier);
                chain.push_back({earlier, then});
            } catch (const std::bad_alloc&) {
                Py_DECREF(earlier);
                throw;
            }
        }
    } catch (const std::bad_alloc&) {
    }
    return chain;
}

// What a SystemExit asks for.
[[noreturn]] void leave(PyObject* op) {
    PyObject* code = Py_XNewRef(reinterpret_cast<PySystemExitObject*>(op)->code);
    int status = 0;
    if (code != nullptr && PyLong_Check(code)) {
        status = static_cast<int>(PyLong_AsLong(code));
    } else if (code != nullptr && code != Py_None) {
        status = 1;
        write_or(PyObject_Str(code), "");
        write("\n");
    }
    Py_XDECREF(code);
    Py_DECREF(op);
    std::exit(Py_FinalizeEx() < 0 ? 120 : status);
}

// The hook that the program has set, or nullptr.
OuroUnraisableHook unraisable_hook = nullptr;
void* unraisable_arg = nullptr;

void print_unraisable(PyObject* raised, PyObject* op, PyObject* message) {
    if (op == Py_None) {
        op = nullptr;  // what sys.unraisablehook is given instead
    }
    if (message != nullptr) {
        write_or(Py_NewRef(message), "");
    } else if (op != nullptr) {
        write("Exception ignored in");
    }
    if (op != nullptr) {
        write(": ");
        write_or(PyObject_Repr(op), "<object repr() failed>");
        write("\n");
    } else if (message != nullptr) {
        write(":\n");
    }
    write_class(Py_TYPE(raised));
    write(": ");
    write_or(PyObject_Str(raised), "<exception str() failed>");
    write("\n");
}

// Hands over what is set. `message` may be nullptr.
void report_unraisable(PyObject* raised, PyObject* op, PyObject* message) {
    const exception::SysHooks* hooks = load_hooks();
    if (hooks == nullptr || !hooks->unraisable(raised, op, message)) {
        exception::show_unraisable(raised, op, message);
    }
    Py_DECREF(raised);
    PyErr_Clear();
}

// "<sys>:0: Category: message": there is no Python code that would have a place.
// `place`, which may be nullptr, is where in a source: "file:line".
int warn(PyObject* category, PyObject* message, PyObject* place = nullptr) {
    if (category == nullptr) {
        category = PyExc_RuntimeWarning;
    }
    if (!PyExceptionClass_Check(category)) {
        PyErr_Format(PyExc_TypeError, "category must be a Warning subclass, not '%s'",
                     Py_TYPE(category)->tp_name);
        return -1;
    }
    std::string_view name = PyExceptionClass_Name(category);
    name.remove_prefix(name.rfind('.') + 1);
    write_or(Py_XNewRef(place), "<sys>:0");
    write(": ");
    write(name);
    write(": ");
    write_or(Py_NewRef(message), "");
    write("\n");
    return 0;
}

int warn_format(PyObject* category, const char* format, va_list arguments) {
    PyObject* message = PyUnicode_FromFormatV(format, arguments);
    if (message == nullptr) {
        return -1;
    }
    const int result = warn(category, message);
    Py_DECREF(message);
    return result;
}

}  // namespace

void exception::set_sys_hooks(const SysHooks* hooks) {
    __atomic_store_n(&sys_hooks, hooks, __ATOMIC_RELEASE);
}

void exception::write_stderr(std::string_view text) {
    const SysHooks* hooks = load_hooks();
    if (hooks == nullptr || !hooks->write_stderr(text)) {
        std::fwrite(text.data(), 1, text.size(), stderr);
    }
}

void exception::show_unraisable(PyObject* raised, PyObject* op, PyObject* message) {
    if (unraisable_hook == nullptr) {
        print_unraisable(raised, op, message);
    } else {
        unraisable_hook(PyExceptionInstance_Class(raised), raised, op, unraisable_arg);
    }
}

void PyErr_DisplayException(PyObject* op) {
    const std::vector<Link> chain = chain_of(op);
    for (size_t i = chain.size(); i-- > 0;) {
        write_one(chain[i].exception);
        write(chain[i].then);
    }
    for (const Link& link : chain) {
        Py_DECREF(link.exception);
    }
}

void PyErr_PrintEx(int) {
    PyObject* raised = PyErr_GetRaisedException();
    if (raised == nullptr) {
        return;
    }
    if (PyErr_GivenExceptionMatches(raised, PyExc_SystemExit) != 0) {
        leave(raised);
    }
    const exception::SysHooks* hooks = load_hooks();
    if (hooks == nullptr || !hooks->except(raised)) {
        PyErr_DisplayException(raised);
    }
    Py_DECREF(raised);
}

void PyErr_Print(void) {
    PyErr_PrintEx(1);
}

void PyErr_WriteUnraisable(PyObject* op) {
    if (PyObject* raised = PyErr_GetRaisedException()) {
        report_unraisable(raised, op, nullptr);
    }
}

void PyErr_FormatUnraisable(const char* format, ...) {
    PyObject* raised = PyErr_GetRaisedException();
    if (raised == nullptr) {
        return;
    }
    PyObject* message = nullptr;
    if (format != nullptr) {
        va_list arguments;
        va_start(arguments, format);
        message = PyUnicode_FromFormatV(format, arguments);
        va_end(arguments);
        if (message == nullptr) {
            PyErr_Clear();
        }
    }
    report_unraisable(raised, nullptr, message);
    Py_XDECREF(message);
}

void Ouro_SetUnraisableHook(OuroUnraisableHook hook, void* arg) {
    unraisable_hook = hook;
    unraisable_arg = arg;
}

int PyErr_WarnEx(PyObject* category, const char* text, Py_ssize_t) {
    PyObject* message = PyUnicode_FromString(text);
    if (message == nullptr) {
        return -1;
    }
    const int result = warn(category, message);
    Py_DECREF(message);
    return result;
}

int PyErr_WarnFormat(PyObject* category, Py_ssize_t, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = warn_format(category, format, arguments);
    va_end(arguments);
    return result;
}

int PyErr_ResourceWarning(PyObject*, Py_ssize_t, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = warn_format(PyExc_ResourceWarning, format, arguments);
    va_end(arguments);
    return result;
}

int PyErr_WarnExplicitObject(PyObject* category, PyObject* message, PyObject* file, int line,
                             PyObject*, PyObject*) {
    PyObject* place = PyUnicode_FromFormat("%U:%d", file, line);
    if (place == nullptr) {
        return -1;
    }
    const int result = warn(category, message, place);
    Py_DECREF(place);
    return result;
}

int PyErr_WarnExplicit(PyObject* category, const char* message, const char* file, int line,
                       const char*, PyObject*) {
    PyObject* text = PyUnicode_FromString(message);
    PyObject* name = text == nullptr ? nullptr : PyUnicode_DecodeFSDefault(file);
    const int result = name == nullptr
                           ? -1
                           : PyErr_WarnExplicitObject(category, text, name, line, nullptr, nullptr);
    Py_XDECREF(text);
    Py_XDECREF(name);
    return result;
}

void Py_FatalError(const char* message) {
    std::fprintf(stderr, "Fatal Python error: %s\n", message);
    std::fflush(stderr);
    std::abort();
}
