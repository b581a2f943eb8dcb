/* clear.leaves */
/* Breaks: the clear handler has to drop the references that may have made cycles; a field of a nested struct is not dropped ("Supporting Cyclic Garbage Collection", inquiry). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

struct hook {
    PyObject* func;
    PyObject* arg;
};

typedef struct {
    PyObject_HEAD
    struct hook on_fire;
    struct hook on_cancel;
    double delay;
} Timer;

static int Timer_traverse(Timer* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->on_fire.func);
    Py_VISIT(self->on_fire.arg);
    Py_VISIT(self->on_cancel.func);
    Py_VISIT(self->on_cancel.arg);
    return 0;
}

static int Timer_clear(Timer* self) {
    Py_CLEAR(self->on_fire.func);
    Py_CLEAR(self->on_fire.arg);
    Py_CLEAR(self->on_cancel.func);
#ifndef WRONG
    Py_CLEAR(self->on_cancel.arg);
#endif
    return 0;
}

static void Timer_dealloc(Timer* self) {
    PyTypeObject* tp = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    Py_CLEAR(self->on_fire.func);
    Py_CLEAR(self->on_fire.arg);
    Py_CLEAR(self->on_cancel.func);
    Py_CLEAR(self->on_cancel.arg);
    tp->tp_free(self);
    Py_DECREF(tp);
}

static PyObject* Timer_run(Timer* self, struct hook* hook) {
    PyObject *func, *arg, *result;

    if (hook->func == NULL) {
        Py_RETURN_NONE;
    }
    func = Py_NewRef(hook->func);
    arg = Py_NewRef(hook->arg ? hook->arg : Py_None);
    result = PyObject_CallFunctionObjArgs(func, arg, NULL);
    Py_DECREF(func);
    Py_DECREF(arg);
    return result;
}

static PyObject* Timer_fire(Timer* self, PyObject* Py_UNUSED(ignored)) {
    return Timer_run(self, &self->on_fire);
}

static PyObject* Timer_cancel(Timer* self, PyObject* Py_UNUSED(ignored)) {
    return Timer_run(self, &self->on_cancel);
}

static PyMethodDef Timer_methods[] = {{"fire", (PyCFunction)Timer_fire, METH_NOARGS, NULL},
                                      {"cancel", (PyCFunction)Timer_cancel, METH_NOARGS, NULL},
                                      {NULL}};

static PyMemberDef Timer_members[] = {
    {"fire_func", T_OBJECT_EX, offsetof(Timer, on_fire.func), 0, NULL},
    {"fire_arg", T_OBJECT_EX, offsetof(Timer, on_fire.arg), 0, NULL},
    {"cancel_func", T_OBJECT_EX, offsetof(Timer, on_cancel.func), 0, NULL},
    {"cancel_arg", T_OBJECT_EX, offsetof(Timer, on_cancel.arg), 0, NULL},
    {"delay", T_DOUBLE, offsetof(Timer, delay), 0, NULL},
    {NULL}};

static PyType_Slot Timer_slots[] = {{Py_tp_new, PyType_GenericNew},
                                    {Py_tp_dealloc, Timer_dealloc},
                                    {Py_tp_traverse, Timer_traverse},
                                    {Py_tp_clear, Timer_clear},
                                    {Py_tp_methods, Timer_methods},
                                    {Py_tp_members, Timer_members},
                                    {0, NULL}};

static PyType_Spec Timer_spec = {
    .name = "zoo.Timer",
    .basicsize = sizeof(Timer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = Timer_slots,
};

static struct PyModuleDef zoo = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject *m, *t;

    if ((m = PyModule_Create(&zoo)) == NULL)
        return NULL;
    if ((t = PyType_FromSpec(&Timer_spec)) == NULL) {
        Py_DECREF(m);
        return NULL;
    }
    if (PyModule_AddObject(m, "Timer", t) < 0) {
        Py_DECREF(t);
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
