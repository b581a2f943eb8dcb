/* How cases show results, and what they are made with: everything of same.h but the list of cases. */
#include "tests/same/same.h"

#include <ctype.h>
#include <unistd.h>

/* Prints a line with every 0x... of eight digits or more shortened, for addresses differ, and without the
 * place in the runtime's own sources that a bad internal call is reported with. */
static void put_line(const char* text) {
    const char* place = strstr(text, ": bad argument to internal function");
    const char* place_begin = place;
    while (place_begin != NULL && place_begin > text && place_begin[-1] != ' ') {
        --place_begin;
    }
    while (*text != '\0') {
        if (place != NULL && text == place_begin) {
            fputs("FILE:LINE", stdout);
            text = place;
        }
        if (text[0] == '0' && text[1] == 'x') {
            int digits = 0;
            while (isxdigit((unsigned char)text[2 + digits])) {
                ++digits;
            }
            if (digits >= 8) {
                fputs("0x...", stdout);
                text += 2 + digits;
                continue;
            }
        }
        fputc(*text++, stdout);
    }
    fputc('\n', stdout);
}

void say(const char* format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    put_line(line);
}

/* The text of a str for printing, in a buffer that the next call but three uses again. */
static const char* text_of(PyObject* text) {
    static char buffers[4][2048];
    static int next;
    char* buffer = buffers[next = (next + 1) % 4];
    PyObject* bytes;
    if (text == NULL) {
        PyErr_Clear();
        return "(its text cannot be had)";
    }
    bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    if (bytes == NULL) {
        PyErr_Clear();
        return "(its text cannot be encoded)";
    }
    snprintf(buffer, sizeof buffers[0], "%s", PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    return buffer;
}

static void show_exception(const char* label, PyObject* exception, int depth) {
    PyObject* text = PyObject_Str(exception);
    PyObject* cause;
    PyObject* context;
    const char* class_name = Py_TYPE(exception)->tp_name;
    const char* shown = text_of(text);
    Py_XDECREF(text);
    say("%*s%s: %s%s%s", depth * 2, "", label, class_name, *shown == '\0' ? "" : ": ", shown);
    if (depth > 4) {
        return;
    }
    cause = PyException_GetCause(exception);
    if (cause != NULL) {
        show_exception("cause", cause, depth + 1);
        Py_DECREF(cause);
    }
    context = PyException_GetContext(exception);
    if (context != NULL) {
        show_exception("context", context, depth + 1);
        Py_DECREF(context);
    }
}

void see_exception(const char* label, PyObject* exception) {
    show_exception(label, exception, 0);
}

static int show_raised(const char* label, const char* words) {
    PyObject* type;
    PyObject* value;
    PyObject* traceback;
    char full[512];
    if (PyErr_Occurred() == NULL) {
        return 0;
    }
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    snprintf(full, sizeof full, "%s %s", label, words);
    show_exception(full, value, 0);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return 1;
}

void raised(const char* label) {
    if (!show_raised(label, "raises")) {
        say("%s raises nothing", label);
    }
}

static void show(const char* label, PyObject* op, PyObject* (*convert)(PyObject*)) {
    PyObject* text;
    if (op == NULL) {
        if (!show_raised(label, "raises")) {
            say("%s: NULL, nothing raised", label);
        }
        return;
    }
    (void)show_raised(label, "has a result, but raises");
    text = convert(op);
    if (text == NULL) {
        (void)show_raised(label, "cannot be shown and raises");
        return;
    }
    say("%s: %s", label, text_of(text));
    Py_DECREF(text);
}

void see(const char* label, PyObject* op) {
    show(label, op, PyObject_Repr);
}

void see_text(const char* label, PyObject* op) {
    show(label, op, PyObject_Str);
}

void got(const char* label, PyObject* op) {
    show(label, op, PyObject_Repr);
    Py_XDECREF(op);
}

void done(const char* label, long long result) {
    char words[64];
    snprintf(words, sizeof words, "gives %lld and raises", result);
    if (!show_raised(label, words)) {
        say("%s: %lld", label, result);
    }
}

jmp_buf same_way_out;
static PyObject* kept[1024];
static int kept_count;

PyObject* T(PyObject* op) {
    if (op == NULL || kept_count == (int)(sizeof kept / sizeof *kept)) {
        say(op == NULL ? "T() is given NULL: the case ends here" : "too many objects for one case");
        raised("what was to be made");
        longjmp(same_way_out, 1);
    }
    kept[kept_count++] = op;
    return op;
}

void same_release(void) {
    while (kept_count > 0) {
        PyObject* op = kept[--kept_count];
        Py_DECREF(op);
    }
}

PyObject* derive(const char* name, PyObject* base, PyObject* dict) {
    PyObject* names = dict != NULL ? PyDict_Copy(dict) : PyDict_New();
    PyObject* module = PyUnicode_FromString("same");
    PyObject* type = NULL;
    if (names != NULL && module != NULL && PyDict_SetItemString(names, "__module__", module) == 0) {
        type = PyObject_CallFunction(TYPE_TYPE, "s(O)O", name, base, names);
    }
    Py_XDECREF(names);
    Py_XDECREF(module);
    return type;
}

PyObject* method_of(PyMethodDef* definition) {
    return PyDescr_NewMethod(&PyBaseObject_Type, definition);
}

PyObject* function_of(PyMethodDef* definition) {
    return PyCFunction_NewEx(definition, NULL, NULL);
}

static FILE* captured;
static int real_stderr;

void capture_begin(void) {
    fflush(stderr);
    fflush(stdout);
    captured = tmpfile();
    real_stderr = dup(2);
    if (captured == NULL || real_stderr < 0 || dup2(fileno(captured), 2) < 0) {
        abort();
    }
}

void capture_end(void) {
    char line[2048];
    fflush(stderr);
    if (dup2(real_stderr, 2) < 0) {
        abort();
    }
    close(real_stderr);
    rewind(captured);
    while (fgets(line, sizeof line, captured) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        say("stderr: %s", line);
    }
    fclose(captured);
}
