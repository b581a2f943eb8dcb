/* Contexts, context variables and their tokens. */
#include "tests/same/same.h"

static void see_var(const char* label, PyObject* var, PyObject* otherwise) {
    PyObject* value = NULL;
    done(label, PyContextVar_Get(var, otherwise, &value));
    got(label, value == NULL ? Py_NewRef(Py_Ellipsis) : value);
}

CASE(context_variables_are_set_and_reset) {
    PyObject* var = T(PyContextVar_New("same", NULL));
    PyObject* with_default = T(PyContextVar_New("other", I(7)));
    see("it", var);
    see("with a default", with_default);
    see_var("not set", var, NULL);
    see_var("not set, otherwise", var, S("otherwise"));
    see_var("default", with_default, NULL);
    see_var("default, otherwise", with_default, S("otherwise"));
    PyObject* first = T(PyContextVar_Set(var, I(1)));
    see("token", first);
    see_var("set", var, S("otherwise"));
    PyObject* second = T(PyContextVar_Set(var, I(2)));
    got("old", PyObject_GetAttrString(second, "old_value"));
    got("var", PyObject_GetAttrString(second, "var"));
    see_var("set again", var, NULL);
    done("reset", PyContextVar_Reset(var, second));
    see_var("reset", var, NULL);
    done("reset twice", PyContextVar_Reset(var, second));
    done("another variable", PyContextVar_Reset(with_default, first));
    done("reset", PyContextVar_Reset(var, first));
    see_var("reset", var, NULL);
    done("no variable", PyContextVar_Reset(Py_None, first));
    done("no token", PyContextVar_Reset(var, Py_None));
    got("no variable", PyContextVar_Set(Py_None, Py_None));
    PyObject* value = NULL;
    done("no variable", PyContextVar_Get(Py_None, NULL, &value));
}

CASE(contexts_are_entered_and_exited) {
    PyObject* var = T(PyContextVar_New("same", I(0)));
    PyObject* context = T(PyContext_New());
    done("size", PyObject_Size(context));
    done("exit", PyContext_Exit(context));
    done("enter", PyContext_Enter(context));
    done("enter", PyContext_Enter(context));
    PyObject* token = T(PyContextVar_Set(var, I(5)));
    see_var("inside", var, NULL);
    PyObject* inner = T(PyContext_CopyCurrent());
    done("enter the copy", PyContext_Enter(inner));
    see_var("in the copy", var, NULL);
    T(PyContextVar_Set(var, I(6)));
    done("a token of another context", PyContextVar_Reset(var, token));
    done("exit the outer", PyContext_Exit(context));
    done("exit the copy", PyContext_Exit(inner));
    see_var("inside again", var, NULL);
    done("exit", PyContext_Exit(context));
    see_var("outside", var, NULL);
    got("in the context", PyObject_GetItem(context, var));
    got("in the copy", PyObject_GetItem(inner, var));
    PyObject* copy = T(PyContext_Copy(context));
    got("equal", PyObject_RichCompare(copy, context, Py_EQ));
    got("not equal", PyObject_RichCompare(copy, inner, Py_EQ));
    got("less", PyObject_RichCompare(copy, inner, Py_LT));
    done("no context", PyContext_Enter(Py_None));
    done("no context", PyContext_Exit(Py_None));
    got("no context", PyContext_Copy(Py_None));
    say("checks: %d %d %d %d", PyContext_CheckExact(context), PyContextVar_CheckExact(var),
        PyContextToken_CheckExact(token), PyContext_CheckExact(var));
}

static PyObject* current_value(PyObject* var, PyObject* otherwise) {
    PyObject* value = NULL;
    return PyContextVar_Get(var, otherwise, &value) < 0 ? NULL : value;
}
static PyObject* raise_value(PyObject* var, PyObject* otherwise) {
    (void)var;
    PyErr_SetObject(PyExc_ValueError, otherwise);
    return NULL;
}

CASE(contexts_are_mappings) {
    PyObject* var = T(PyContextVar_New("same", NULL));
    PyObject* missing = T(PyContextVar_New("missing", NULL));
    PyObject* context = T(PyObject_CallNoArgs((PyObject*)&PyContext_Type));
    done("enter", PyContext_Enter(context));
    T(PyContextVar_Set(var, I(5)));
    done("exit", PyContext_Exit(context));
    done("size", PyObject_Size(context));
    done("contains", PySequence_Contains(context, var));
    done("contains", PySequence_Contains(context, missing));
    done("contains no variable", PySequence_Contains(context, Py_None));
    got("get", PyObject_CallMethod(context, "get", "O", var));
    got("get", PyObject_CallMethod(context, "get", "O", missing));
    got("get", PyObject_CallMethod(context, "get", "Os", missing, "otherwise"));
    got("get", PyObject_CallMethod(context, "get", "s", "name"));
    got("missing", PyObject_GetItem(context, missing));
    got("keys", PySequence_List(T(PyObject_CallMethod(context, "keys", NULL))));
    got("values", PySequence_List(T(PyObject_CallMethod(context, "values", NULL))));
    got("items", PySequence_List(T(PyObject_CallMethod(context, "items", NULL))));
    got("list", PySequence_List(context));
    got("copy",
        PyObject_RichCompare(T(PyObject_CallMethod(context, "copy", NULL)), context, Py_EQ));
    done("hash", PyObject_Hash(context));
    done("set", PyObject_SetItem(context, var, var));
    PyObject* other = T(PyObject_CallFunction((PyObject*)&PyContextVar_Type, "s", "called"));
    see("called", other);
    got("get", PyObject_CallMethod(other, "get", NULL));
    got("get", PyObject_CallMethod(other, "get", "i", 3));
    got("set", PyObject_GetAttrString(T(PyObject_CallMethod(other, "set", "i", 4)), "old_value"));
    got("get", PyObject_CallMethod(other, "get", "i", 3));
    got("name", PyObject_GetAttrString(other, "name"));
    done("set name", PyObject_SetAttrString(other, "name", other));
    got("reset", PyObject_CallMethod(other, "reset", "i", 4));
    got("no name", PyObject_CallNoArgs((PyObject*)&PyContextVar_Type));
    got("no str", PyObject_CallFunction((PyObject*)&PyContextVar_Type, "i", 4));
    got("a token", PyObject_CallNoArgs((PyObject*)&PyContextToken_Type));
    got("arguments", PyObject_CallFunction((PyObject*)&PyContext_Type, "i", 4));
    got("int", PyObject_GetItem((PyObject*)&PyContextVar_Type, (PyObject*)&PyLong_Type));
    static PyMethodDef definition = {"current", current_value, METH_O, NULL};
    static PyMethodDef raising = {"raising", raise_value, METH_O, NULL};
    PyObject* function = T(PyCFunction_New(&definition, var));
    got("run", PyObject_CallMethod(context, "run", "Os", function, "otherwise"));
    got("outside", PyObject_CallFunction(function, "s", "otherwise"));
    got("raised", PyObject_CallMethod(context, "run", "Oi", T(PyCFunction_New(&raising, NULL)), 8));
    got("nothing to run", PyObject_CallMethod(context, "run", NULL));
    done("left again", PyContext_Enter(context));
    got("inside itself", PyObject_CallMethod(context, "run", "Os", function, "otherwise"));
    done("exit", PyContext_Exit(context));
}

CASE(contexts_in_cycles_are_collected) {
    PyGC_Collect();
    PyObject* var = PyContextVar_New("same", NULL);
    PyObject* context = PyContext_New();
    Tale* held = tale("held", context);
    held->quiet = 1;
    done("enter", PyContext_Enter(context));
    PyObject* token = PyContextVar_Set(var, (PyObject*)held);
    done("exit", PyContext_Exit(context));
    Py_DECREF(token);
    Py_DECREF(var);
    Py_DECREF(held);
    Py_DECREF(context);
    const int before = tales_finalized;
    PyGC_Collect();
    say("finalized: %d", tales_finalized - before);
}
