/* Exceptions: setting, taking, matching, chaining, deriving, and printing them. */
#include "tests/same/same.h"

#include <errno.h>

CASE(exceptions_are_set_and_asked_for) {
    done("none", PyErr_Occurred() == NULL);
    PyErr_SetString(PyExc_ValueError, "a message");
    say("class: %s", ((PyTypeObject*)PyErr_Occurred())->tp_name);
    PyErr_SetString(PyExc_ValueError, "another");
    raised("set");
    PyErr_SetNone(PyExc_KeyError);
    raised("without a value");
    PyErr_SetObject(PyExc_KeyError, S("key"));
    raised("of an object");
    PyErr_SetObject(PyExc_ValueError, V("(is)", 1, "two"));
    raised("of a tuple");
    PyErr_SetObject(PyExc_ValueError, Py_None);
    raised("of None");
    PyErr_SetObject(PyExc_ValueError,
                    T(PyObject_CallFunction(PyExc_ValueError, "s", "made before")));
    raised("of an instance");
    PyErr_SetString(PyExc_ValueError, "cleared");
    PyErr_Clear();
    raised("cleared");
}

CASE(exceptions_by_format) {
    PyErr_Format(PyExc_TypeError, "%s has %d of %R", "it", 3, S("x"));
    raised("format");
    done("result", PyErr_Format(PyExc_TypeError, "plain") == NULL);
    PyErr_SetString(PyExc_TypeError, "\xc3\xa9");
    raised("UTF-8");
    done("NoMemory", PyErr_NoMemory() == NULL);
    done("BadArgument", PyErr_BadArgument());
    PyErr_BadInternalCall();
    raised("BadInternalCall");
}

CASE(what_is_no_exception_cannot_be_set) {
    PyErr_SetString((PyObject*)&PyLong_Type, "no");
    raised("int");
    PyErr_SetObject(Py_None, Py_None);
    raised("None");
}

static void see_match(const char* label, PyObject* type) {
    say("%s: %d", label, PyErr_ExceptionMatches(type));
}

CASE(exceptions_match) {
    PyObject* nested = V("((O))", PyExc_KeyError);
    PyObject* flat = V("(OO)", PyExc_IndexError, PyExc_KeyError);
    PyErr_SetNone(PyExc_KeyError);
    see_match("itself", PyExc_KeyError);
    see_match("base", PyExc_LookupError);
    see_match("Exception", PyExc_Exception);
    see_match("another", PyExc_IndexError);
    see_match("a tuple", flat);
    see_match("a nested tuple", nested);
    PyErr_Clear();
    done("given class", PyErr_GivenExceptionMatches(PyExc_IndexError, PyExc_LookupError));
    done("given instance",
         PyErr_GivenExceptionMatches(T(PyObject_CallNoArgs(PyExc_IndexError)), PyExc_LookupError));
    done("given NULL", PyErr_GivenExceptionMatches(NULL, PyExc_LookupError));
    done("no class", PyErr_GivenExceptionMatches(PyExc_IndexError, I(1)));
}

CASE(exceptions_are_fetched_and_restored) {
    PyObject *type, *value, *traceback;
    PyErr_SetString(PyExc_ValueError, "kept");
    PyErr_Fetch(&type, &value, &traceback);
    done("nothing is set", PyErr_Occurred() == NULL);
    see("type", type);
    done("no traceback", traceback == NULL);
    PyErr_NormalizeException(&type, &value, &traceback);
    see("value", value);
    PyErr_Restore(type, value, traceback);
    raised("restored");
    PyErr_Fetch(&type, &value, &traceback);
    done("nothing", type == NULL && value == NULL && traceback == NULL);
    PyErr_Restore(NULL, NULL, NULL);
    raised("restored nothing");
}

static const struct {
    const char* name;
    PyObject** type;
} hierarchy[] = {
#define X(name) \
    { #name, &PyExc_##name }
    X(BaseException),
    X(Exception),
    X(GeneratorExit),
    X(KeyboardInterrupt),
    X(SystemExit),
    X(ArithmeticError),
    X(AssertionError),
    X(AttributeError),
    X(BlockingIOError),
    X(BrokenPipeError),
    X(BufferError),
    X(BytesWarning),
    X(ChildProcessError),
    X(ConnectionAbortedError),
    X(ConnectionError),
    X(ConnectionRefusedError),
    X(ConnectionResetError),
    X(DeprecationWarning),
    X(EOFError),
    X(EncodingWarning),
    X(FileExistsError),
    X(FileNotFoundError),
    X(FloatingPointError),
    X(FutureWarning),
    X(ImportError),
    X(ImportWarning),
    X(IndentationError),
    X(IndexError),
    X(InterruptedError),
    X(IsADirectoryError),
    X(KeyError),
    X(LookupError),
    X(MemoryError),
    X(ModuleNotFoundError),
    X(NameError),
    X(NotADirectoryError),
    X(NotImplementedError),
    X(OSError),
    X(OverflowError),
    X(PendingDeprecationWarning),
    X(PermissionError),
    X(ProcessLookupError),
    X(RecursionError),
    X(ReferenceError),
    X(ResourceWarning),
    X(RuntimeError),
    X(RuntimeWarning),
    X(StopAsyncIteration),
    X(StopIteration),
    X(SyntaxError),
    X(SyntaxWarning),
    X(SystemError),
    X(TabError),
    X(TimeoutError),
    X(TypeError),
    X(UnboundLocalError),
    X(UnicodeDecodeError),
    X(UnicodeEncodeError),
    X(UnicodeError),
    X(UnicodeTranslateError),
    X(UnicodeWarning),
    X(UserWarning),
    X(ValueError),
    X(Warning),
    X(ZeroDivisionError),
    X(EnvironmentError),
    X(IOError),
#undef X
};

CASE(the_hierarchy_of_exceptions) {
    size_t i;
    for (i = 0; i < sizeof hierarchy / sizeof *hierarchy; ++i) {
        got(hierarchy[i].name, PyObject_GetAttrString(*hierarchy[i].type, "__mro__"));
    }
}

CASE(exceptions_show_their_arguments) {
    PyObject* none = T(PyObject_CallNoArgs(PyExc_ValueError));
    PyObject* one = T(PyObject_CallFunction(PyExc_ValueError, "s", "x"));
    PyObject* two = T(PyObject_CallFunction(PyExc_ValueError, "si", "x", 1));
    see("none", none);
    see_text("none", none);
    see("one", one);
    see_text("one", one);
    see("two", two);
    see_text("two", two);
    see_text("a key", T(PyObject_CallFunction(PyExc_KeyError, "s", "x")));
    got("args", PyObject_GetAttrString(two, "args"));
    done("set args", PyObject_SetAttrString(two, "args", V("[i]", 5)));
    got("args", PyObject_GetAttrString(two, "args"));
    got("names", PyObject_Call(PyExc_ValueError, V("()"), V("{s:i}", "a", 1)));
    done("an attribute", PyObject_SetAttrString(two, "mine", I(1)));
    got("__dict__", PyObject_GetAttrString(two, "__dict__"));
}

CASE(exceptions_have_causes_and_contexts) {
    PyObject* a = T(PyObject_CallFunction(PyExc_ValueError, "s", "a"));
    PyObject* b = T(PyObject_CallFunction(PyExc_KeyError, "s", "b"));
    done("no cause", PyException_GetCause(a) == NULL);
    PyException_SetCause(a, Py_NewRef(b));
    see_exception("a", a);
    got("suppressed", PyObject_GetAttrString(a, "__suppress_context__"));
    PyException_SetContext(b, PyObject_CallFunction(PyExc_TypeError, "s", "c"));
    see_exception("a", a);
    PyException_SetCause(a, NULL);
    see_exception("a", a);
    done("cause of another kind", PyObject_SetAttrString(a, "__cause__", I(1)));
    done("context of another kind", PyObject_SetAttrString(a, "__context__", I(1)));
    done("cause None", PyObject_SetAttrString(a, "__cause__", Py_None));
    done("delete the cause", PyObject_DelAttrString(a, "__cause__"));
    got("traceback", PyObject_GetAttrString(a, "__traceback__"));
    done("a bad traceback", PyObject_SetAttrString(a, "__traceback__", I(1)));
    got("with_traceback", PyObject_CallMethod(a, "with_traceback", "O", Py_None));
}

CASE(what_is_raised_while_another_is_handled_has_it_as_context) {
    PyObject* handled = T(PyObject_CallFunction(PyExc_KeyError, "s", "handled"));
    PyObject *type, *value, *traceback;
    PyErr_SetHandledException(handled);
    PyErr_SetString(PyExc_ValueError, "raised meanwhile");
    raised("it");
    PyErr_SetObject(PyExc_KeyError, handled);
    raised("itself");
    PyErr_GetExcInfo(&type, &value, &traceback);
    done("handled", value == handled);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    got("GetHandledException", PyErr_GetHandledException());
    PyErr_SetHandledException(NULL);
    done("none", PyErr_GetHandledException() == NULL);
}

CASE(a_new_class_of_exceptions) {
    PyObject* error = T(PyErr_NewException("same.Error", NULL, NULL));
    PyObject* documented = T(
        PyErr_NewExceptionWithDoc("same.Documented", "What it is.", error, V("{s:i}", "code", 7)));
    PyObject* both =
        T(PyErr_NewException("same.Both", V("(OO)", documented, PyExc_KeyError), NULL));
    see("class", error);
    got("base", PyObject_GetAttrString(error, "__base__"));
    got("module", PyObject_GetAttrString(error, "__module__"));
    got("doc", PyObject_GetAttrString(documented, "__doc__"));
    got("code", PyObject_GetAttrString(documented, "code"));
    got("bases", PyObject_GetAttrString(both, "__bases__"));
    PyErr_SetString(both, "text");
    see_match("its base", error);
    see_match("a built-in base", PyExc_LookupError);
    raised("it");
    see("instance", T(PyObject_CallFunction(error, "s", "x")));
    got("no module", PyErr_NewException("Error", NULL, NULL));
}

CASE(errors_of_the_system) {
    errno = ENOENT;
    PyErr_SetFromErrno(PyExc_OSError);
    raised("ENOENT");
    errno = EACCES;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, "/no/such");
    raised("EACCES");
    errno = EPIPE;
    PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, S("pipe"));
    raised("EPIPE");
    errno = ENOENT;
    PyErr_SetFromErrno(PyExc_ValueError);
    raised("as a ValueError");
    see("made", T(PyObject_CallFunction(PyExc_OSError, "is", ENOENT, "gone")));
    got("errno",
        PyObject_GetAttrString(
            T(PyObject_CallFunction(PyExc_OSError, "iss", EEXIST, "there", "file")), "filename"));
    see_text("one argument", T(PyObject_CallFunction(PyExc_OSError, "s", "x")));
}

CASE(exceptions_with_fields) {
    PyObject* stop = T(PyObject_CallFunction(PyExc_StopIteration, "i", 5));
    PyObject* import = T(PyObject_Call(PyExc_ImportError, V("(s)", "text"),
                                       V("{s:s,s:s}", "name", "n", "path", "p")));
    PyObject* attribute =
        T(PyObject_Call(PyExc_AttributeError, V("(s)", "text"), V("{s:s}", "name", "n")));
    got("value", PyObject_GetAttrString(stop, "value"));
    got("no value", PyObject_GetAttrString(T(PyObject_CallNoArgs(PyExc_StopIteration)), "value"));
    got("name", PyObject_GetAttrString(import, "name"));
    got("path", PyObject_GetAttrString(import, "path"));
    got("msg", PyObject_GetAttrString(import, "msg"));
    got("name of an attribute", PyObject_GetAttrString(attribute, "name"));
    got("code", PyObject_GetAttrString(T(PyObject_CallFunction(PyExc_SystemExit, "i", 3)), "code"));
    PyErr_SetImportError(S("cannot"), S("mod"), S("path"));
    raised("SetImportError");
    got("a key",
        PyObject_GetAttrString(T(PyObject_CallFunction(PyExc_NameError, "s", "x")), "name"));
    PyObject_GetAttrString(I(1), "nothing");
    raised("attribute");
}

CASE(unicode_errors_say_where) {
    PyObject* error = T(PyUnicodeDecodeError_Create("ascii", "a\xff", 2, 1, 2, "a reason"));
    Py_ssize_t at = 0;
    see_text("text", error);
    see("repr", error);
    got("encoding", PyUnicodeDecodeError_GetEncoding(error));
    got("object", PyUnicodeDecodeError_GetObject(error));
    done("start", PyUnicodeDecodeError_GetStart(error, &at));
    done("at", at);
    done("set end", PyUnicodeDecodeError_SetEnd(error, 1));
    got("reason", PyUnicodeDecodeError_GetReason(error));
    got("made badly", PyObject_CallFunction(PyExc_UnicodeDecodeError, "i", 1));
}

CASE(exceptions_are_printed) {
    capture_begin();
    PyErr_SetString(PyExc_ValueError, "printed");
    PyErr_Print();
    PyErr_SetNone(PyExc_KeyError);
    PyErr_Print();
    PyErr_SetObject(PyExc_KeyError, S("quoted"));
    PyErr_PrintEx(0);
    PyErr_SetString(T(PyErr_NewException("same.Error", NULL, NULL)), "of a module");
    PyErr_Print();
    PyErr_SetString(PyExc_ValueError, "two\nlines");
    PyErr_Print();
    capture_end();
    raised("afterwards");
}

CASE(exceptions_are_printed_with_their_origins) {
    PyObject* a = PyObject_CallFunction(PyExc_ValueError, "s", "the last");
    PyObject* b = PyObject_CallFunction(PyExc_KeyError, "s", "the cause");
    PyException_SetContext(b, PyObject_CallFunction(PyExc_TypeError, "s", "the context"));
    PyException_SetCause(a, b);
    capture_begin();
    PyErr_SetObject(PyExc_ValueError, a);
    PyErr_Print();
    capture_end();
    Py_DECREF(a);
}

CASE(exceptions_have_notes) {
    PyObject* a = T(PyObject_CallFunction(PyExc_ValueError, "s", "noted"));
    got("add_note", PyObject_CallMethod(a, "add_note", "s", "a note"));
    got("add_note of an int", PyObject_CallMethod(a, "add_note", "i", 1));
    got("notes", PyObject_GetAttrString(a, "__notes__"));
    capture_begin();
    PyErr_SetObject(PyExc_ValueError, a);
    PyErr_Print();
    capture_end();
}

static PyObject* bad_repr(PyObject* self) {
    (void)self;
    PyErr_SetString(PyExc_TypeError, "no repr");
    return NULL;
}

CASE(what_cannot_be_raised_is_reported) {
    PyType_Slot slots[] = {{Py_tp_repr, (void*)bad_repr}, {0, NULL}};
    PyType_Spec spec = {"same.Unshown", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* unshown = T(PyObject_CallNoArgs(T(PyType_FromSpec(&spec))));
    capture_begin();
    PyErr_SetString(PyExc_ValueError, "nowhere to go");
    PyErr_WriteUnraisable(S("an object"));
    PyErr_SetString(PyExc_ValueError, "no object");
    PyErr_WriteUnraisable(NULL);
    PyErr_SetString(PyExc_ValueError, "cannot be shown");
    PyErr_WriteUnraisable(unshown);
    capture_end();
    raised("afterwards");
}

CASE(recursion_has_a_limit) {
    int depth = 0;
    int allowed;
    const int limit = Py_GetRecursionLimit();
    done("limit", limit);
    Py_SetRecursionLimit(200);
    while (Py_EnterRecursiveCall(" in a test") == 0) {
        ++depth;
        if (depth > 5000) {
            break;
        }
    }
    allowed = depth > 100 && depth <= 200;
    while (depth-- > 0) {
        Py_LeaveRecursiveCall();
    }
    Py_SetRecursionLimit(limit);
    raised("too deep");
    done("as deep as was allowed", allowed);
}

CASE(capsules_carry_pointers) {
    static int value = 5;
    PyObject* capsule = T(PyCapsule_New(&value, "same.value", NULL));
    see("capsule", capsule);
    done("the pointer", *(int*)PyCapsule_GetPointer(capsule, "same.value"));
    done("by another name", PyCapsule_GetPointer(capsule, "other") == NULL);
    say("%s", PyCapsule_GetName(capsule));
    done("valid", PyCapsule_IsValid(capsule, "same.value"));
    done("valid by another name", PyCapsule_IsValid(capsule, "x"));
    done("valid list", PyCapsule_IsValid(V("[]"), "x"));
    done("context", PyCapsule_SetContext(capsule, &value));
    done("context", PyCapsule_GetContext(capsule) == &value);
    done("name", PyCapsule_SetName(capsule, "same.renamed"));
    done("by its old name", PyCapsule_GetPointer(capsule, "same.value") == NULL);
    got("NULL", PyCapsule_New(NULL, "x", NULL));
    done("of a list", PyCapsule_GetPointer(V("[]"), "x") == NULL);
    done("set NULL", PyCapsule_SetPointer(capsule, NULL));
}

static void capsule_dies(PyObject* capsule) {
    say("the destructor finds %d", *(int*)PyCapsule_GetPointer(capsule, NULL));
}

CASE(capsules_have_destructors) {
    static int value = 9;
    PyObject* capsule = PyCapsule_New(&value, NULL, capsule_dies);
    see("unnamed", capsule);
    done("destructor", PyCapsule_GetDestructor(capsule) == capsule_dies);
    Py_DECREF(capsule);
}
