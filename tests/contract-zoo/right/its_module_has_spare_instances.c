/* A heap type with an ordinary free list, a list of weak references, a count of its instances, a registry of weak
 * references to them, a buffer, and an iterator that is a type of its own. */
#include <Python.h>
#include <stddef.h>
#define MOST 4
typedef struct {
    PyObject_HEAD
    PyObject *weak, *name, *value;
    char bytes[8];
} Item;
typedef struct {
    PyObject *type, *registry;
    Item* spare[MOST];
    int spares;
    Py_ssize_t alive;
} State;
static PyModuleDef def;
static State* state_of(PyTypeObject* t) {
    PyObject* m = PyType_GetModuleByDef(t, &def);
    return m ? PyModule_GetState(m) : NULL;
}
static int i_traverse(PyObject* op, visitproc visit, void* arg) {
    Item* s = (Item*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(s->name);
    Py_VISIT(s->value);
    return 0;
}
static int i_clear(PyObject* op) {
    Item* s = (Item*)op;
    Py_CLEAR(s->value);
    return 0;
}
static void i_dealloc(PyObject* op) {
    Item* s = (Item*)op;
    PyTypeObject* t = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    if (s->weak)
        PyObject_ClearWeakRefs(op);
    i_clear(op);
    Py_CLEAR(s->name);
    State* st = state_of(t);
    if (st)
        --st->alive;
    else
        PyErr_Clear();
    if (st && st->type && st->spares < MOST)
        st->spare[st->spares++] = s;
    else
        PyObject_GC_Del(op);
    Py_DECREF(t);
}
static PyObject* i_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    static char* names[] = {"name", "value", NULL};
    PyObject *name, *value = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U|O", names, &name, &value))
        return NULL;
    State* st = state_of(type);
    if (!st)
        return NULL;
    if (!st->registry) {
        PyErr_SetString(PyExc_RuntimeError, "closed");
        return NULL;
    }
    Item* s;
    if (st->spares > 0) {
        s = st->spare[--st->spares];
        PyObject_Init((PyObject*)s, type);
    } else if (!(s = PyObject_GC_New(Item, type)))
        return NULL;
    ++st->alive;
    s->weak = NULL;
    s->name = Py_NewRef(name);
    s->value = Py_XNewRef(value);
    memcpy(s->bytes, "abcdefg", 8);
    PyObject_GC_Track((PyObject*)s);
    PyObject* ref = PyWeakref_NewRef((PyObject*)s, NULL);
    int r = ref ? PyDict_SetItem(st->registry, name, ref) : -1;
    Py_XDECREF(ref);
    if (r < 0)
        Py_CLEAR(s);
    return (PyObject*)s;
}
static int i_buffer(PyObject* op, Py_buffer* view, int flags) {
    return PyBuffer_FillInfo(view, op, ((Item*)op)->bytes, 8, 1, flags);
}
static PyObject* i_view(PyObject* op, PyObject* none) {
    (void)none;
    return PyMemoryView_FromObject(op);
}
static PyObject* i_get(PyObject* op, void* c) {
    (void)c;
    PyObject* v = ((Item*)op)->value;
    if (!v) {
        PyErr_SetString(PyExc_AttributeError, "value");
        return NULL;
    }
    return Py_NewRef(v);
}
static int i_set(PyObject* op, PyObject* v, void* c) {
    (void)c;
    Py_XSETREF(((Item*)op)->value, Py_XNewRef(v));
    return 0;
}
static PyGetSetDef gs[] = {{"value", i_get, i_set, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef i_methods[] = {{"view", i_view, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(Item, weak), Py_READONLY, NULL},
    {"name", Py_T_OBJECT_EX, offsetof(Item, name), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_new, i_new},       {Py_tp_dealloc, i_dealloc},  {Py_tp_traverse, i_traverse},
    {Py_tp_clear, i_clear},   {Py_tp_getset, gs},          {Py_tp_methods, i_methods},
    {Py_tp_members, members}, {Py_bf_getbuffer, i_buffer}, {0, NULL}};
static PyType_Spec spec = {"zoo.Item", sizeof(Item), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
                           slots};
static PyObject* find(PyObject* m, PyObject* name) {
    State* st = PyModule_GetState(m);
    PyObject *ref, *found = NULL;
    if (!st->registry)
        Py_RETURN_NONE;
    int r = PyDict_GetItemRef(st->registry, name, &ref);
    if (r < 0)
        return NULL;
    if (r == 0)
        Py_RETURN_NONE;
    r = PyWeakref_GetRef(ref, &found);
    Py_DECREF(ref);
    return r < 0 ? NULL : found ? found : Py_NewRef(Py_None);
}
static PyObject* alive(PyObject* m, PyObject* none) {
    (void)none;
    return PyLong_FromSsize_t(((State*)PyModule_GetState(m))->alive);
}
static PyMethodDef methods[] = {
    {"find", find, METH_O, NULL}, {"alive", alive, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static int zoo_exec(PyObject* m) {
    State* st = PyModule_GetState(m);
    st->type = PyType_FromModuleAndSpec(m, &spec, NULL);
    st->registry = PyDict_New();
    return st->type && st->registry ? PyModule_AddObjectRef(m, "Item", st->type) : -1;
}
static int m_traverse(PyObject* m, visitproc visit, void* arg) {
    State* st = PyModule_GetState(m);
    Py_VISIT(st->type);
    Py_VISIT(st->registry);
    return 0;
}
static int m_clear(PyObject* m) {
    State* st = PyModule_GetState(m);
    while (st->spares > 0)
        PyObject_GC_Del(st->spare[--st->spares]); /* while the type lives */
    Py_CLEAR(st->type);
    Py_CLEAR(st->registry);
    return 0;
}
static void m_free(void* m) {
    m_clear((PyObject*)m);
}
static PyModuleDef_Slot mslots[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};
static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "zoo",   .m_size = sizeof(State),
                          .m_methods = methods,  .m_slots = mslots, .m_traverse = m_traverse,
                          .m_clear = m_clear,    .m_free = m_free};
PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&def);
}
