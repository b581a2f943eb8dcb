/* Types made from a spec: slots, bases, modules and their state, and how such types live and die. */
#include "tests/same/same.h"

typedef struct {
    PyObject_HEAD
    PyObject* held;
    int number;
} Box;

static int Box_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Box*)op)->held);
    return 0;
}
static int Box_clear(PyObject* op) {
    Py_CLEAR(((Box*)op)->held);
    return 0;
}
static void Box_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    (void)Box_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}
static PyObject* Box_repr(PyObject* op) {
    return PyUnicode_FromFormat("<box %d>", ((Box*)op)->number);
}
static int Box_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    static char* names[] = {"number", NULL};
    return PyArg_ParseTupleAndKeywords(args, kwargs, "|i:Box", names, &((Box*)op)->number) ? 0 : -1;
}
static PyMemberDef Box_members[] = {
    {"held", Py_T_OBJECT_EX, offsetof(Box, held), 0, NULL},
    {"number", Py_T_INT, offsetof(Box, number), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot Box_slots[] = {
    {Py_tp_doc, (void*)"Box(number=0)\n--\n\nHolds something."},
    {Py_tp_traverse, (void*)Box_traverse},
    {Py_tp_clear, (void*)Box_clear},
    {Py_tp_dealloc, (void*)Box_dealloc},
    {Py_tp_repr, (void*)Box_repr},
    {Py_tp_init, (void*)Box_init},
    {Py_tp_new, (void*)PyType_GenericNew},
    {Py_tp_members, Box_members},
    {0, NULL},
};
static PyType_Spec Box_spec = {"same.boxes.Box", sizeof(Box), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                               Box_slots};

CASE(a_type_from_a_spec) {
    PyObject* type = T(PyType_FromSpec(&Box_spec));
    PyObject* op = T(PyObject_CallFunction(type, "i", 5));
    see("type", type);
    see("its type", (PyObject*)Py_TYPE(type));
    got("name", PyObject_GetAttrString(type, "__name__"));
    got("qualname", PyObject_GetAttrString(type, "__qualname__"));
    got("module", PyObject_GetAttrString(type, "__module__"));
    got("doc", PyObject_GetAttrString(type, "__doc__"));
    got("signature", PyObject_GetAttrString(type, "__text_signature__"));
    got("base", PyObject_GetAttrString(type, "__base__"));
    got("bases", PyObject_GetAttrString(type, "__bases__"));
    got("basicsize is the struct's",
        PyBool_FromLong(((PyTypeObject*)type)->tp_basicsize == sizeof(Box)));
    see("op", op);
    got("number", PyObject_GetAttrString(op, "number"));
    got("held", PyObject_GetAttrString(op, "held"));
    done("heap type", PyType_HasFeature((PyTypeObject*)type, Py_TPFLAGS_HEAPTYPE));
    got("PyType_GetName", PyType_GetName((PyTypeObject*)type));
    got("PyType_GetQualName", PyType_GetQualName((PyTypeObject*)type));
}

CASE(an_instance_keeps_its_type) {
    PyObject* type = PyType_FromSpec(&Box_spec);
    PyObject* op;
    ALIVE_BEFORE(type);
    op = PyObject_CallNoArgs(type);
    see_count(type);
    Py_DECREF(op);
    see_count(type);
    Py_DECREF(type);
}

CASE(a_type_and_its_instance_die_together) {
    PyObject* type = PyType_FromSpec(&Box_spec);
    PyObject* watch = T(PyWeakref_NewRef(type, NULL));
    PyObject* op = PyObject_CallNoArgs(type);
    Py_DECREF(type);
    (void)PyGC_Collect();
    done("the instance keeps it", PyWeakref_GetObject(watch) != Py_None);
    Py_DECREF(op);
    done("anything collected", PyGC_Collect() > 0);
    done("alive", PyWeakref_GetObject(watch) != Py_None);
}

CASE(a_type_in_a_cycle_with_its_instance_dies) {
    PyObject* type = PyType_FromSpec(&Box_spec);
    PyObject* watch = T(PyWeakref_NewRef(type, NULL));
    PyObject* op = PyObject_CallNoArgs(type);
    done("the instance holds the type", PyObject_SetAttrString(op, "held", type));
    done("the type holds the instance", PyObject_SetAttrString(type, "instance", op));
    Py_DECREF(op);
    Py_DECREF(type);
    done("anything collected", PyGC_Collect() > 0);
    done("alive", PyWeakref_GetObject(watch) != Py_None);
}

CASE(a_type_from_a_spec_can_be_changed) {
    PyObject* type = T(PyType_FromSpec(&Box_spec));
    done("set", PyObject_SetAttrString(type, "x", I(5)));
    got("from an instance", PyObject_GetAttrString(T(PyObject_CallNoArgs(type)), "x"));
    done("delete", PyObject_DelAttrString(type, "x"));
    got("afterwards", PyObject_GetAttrString(type, "x"));
    done("__name__", PyObject_SetAttrString(type, "__name__", S("Crate")));
    see("type", type);
    done("__name__ = 1", PyObject_SetAttrString(type, "__name__", I(1)));
    done("del __name__", PyObject_DelAttrString(type, "__name__"));
}

CASE(an_immutable_type_from_a_spec) {
    PyType_Spec spec = Box_spec;
    PyObject* type;
    spec.flags |= Py_TPFLAGS_IMMUTABLETYPE;
    type = T(PyType_FromSpec(&spec));
    done("set", PyObject_SetAttrString(type, "x", I(5)));
    done("instances are as before",
         PyObject_SetAttrString(T(PyObject_CallNoArgs(type)), "held", I(1)));
}

CASE(a_type_that_cannot_be_instantiated) {
    PyType_Slot slots[] = {{Py_tp_doc, (void*)"none of these"}, {0, NULL}};
    PyType_Spec spec = {"same.None_", sizeof(PyObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    PyObject* type = T(PyType_FromSpec(&spec));
    got("call", PyObject_CallNoArgs(type));
    done("tp_new is NULL", ((PyTypeObject*)type)->tp_new == NULL);
}

CASE(a_type_without_basetype) {
    PyType_Spec spec = Box_spec;
    spec.flags &= ~(unsigned)Py_TPFLAGS_BASETYPE;
    got("derived", derive("D", T(PyType_FromSpec(&spec)), NULL));
}

CASE(a_type_with_bases) {
    PyType_Slot slots[] = {{0, NULL}};
    PyType_Spec spec = {"same.Crate", sizeof(Box), 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* box = T(PyType_FromSpec(&Box_spec));
    PyObject* crate = T(PyType_FromSpecWithBases(&spec, V("(O)", box)));
    PyObject* single = T(PyType_FromSpecWithBases(&spec, box));
    PyObject* op = T(PyObject_CallFunction(crate, "i", 3));
    see("op", op);
    got("mro", PyObject_GetAttrString(crate, "__mro__"));
    got("base of the other", PyObject_GetAttrString(single, "__base__"));
    done("is a container", PyObject_IS_GC(op));
    done("flag inherited", PyType_HasFeature((PyTypeObject*)crate, Py_TPFLAGS_HAVE_GC));
    done("isinstance", PyObject_IsInstance(op, box));
    done("issubclass", PyObject_IsSubclass(crate, box));
}

CASE(a_base_by_slot) {
    PyObject* box = T(PyType_FromSpec(&Box_spec));
    PyType_Slot slots[] = {{Py_tp_base, box}, {0, NULL}};
    PyType_Spec spec = {"same.Crate", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* crate = T(PyType_FromSpec(&spec));
    got("base", PyObject_GetAttrString(crate, "__base__"));
    done("basicsize inherited", ((PyTypeObject*)crate)->tp_basicsize == sizeof(Box));
    done("PyType_GetSlot", PyType_GetSlot((PyTypeObject*)crate, Py_tp_base) == (void*)box);
}

CASE(bases_that_cannot_be) {
    PyType_Slot slots[] = {{0, NULL}};
    PyType_Spec spec = {"same.Crate", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    got("bool", PyType_FromSpecWithBases(&spec, V("(O)", (PyObject*)&PyBool_Type)));
    got("no type", PyType_FromSpecWithBases(&spec, V("(i)", 1)));
}

CASE(slots_of_a_type_are_asked_for) {
    PyObject* type = T(PyType_FromSpec(&Box_spec));
    done("init", PyType_GetSlot((PyTypeObject*)type, Py_tp_init) == (void*)Box_init);
    done("repr", PyType_GetSlot((PyTypeObject*)type, Py_tp_repr) == (void*)Box_repr);
    done("call", PyType_GetSlot((PyTypeObject*)type, Py_tp_call) == NULL);
    done("nb_add", PyType_GetSlot((PyTypeObject*)type, Py_nb_add) == NULL);
    done("of int", PyType_GetSlot(&PyLong_Type, Py_nb_add) != NULL);
    done("a slot that is not", PyType_GetSlot((PyTypeObject*)type, 32767) == NULL);
}

CASE(slots_that_cannot_be) {
    PyType_Slot unknown[] = {{32767, (void*)Box_repr}, {0, NULL}};
    PyType_Slot negative[] = {{-5, (void*)Box_repr}, {0, NULL}};
    PyType_Spec spec = {"same.Bad", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, unknown};
    got("unknown", PyType_FromSpec(&spec));
    spec.slots = negative;
    got("negative", PyType_FromSpec(&spec));
}

CASE(a_container_type_needs_a_traverse) {
    PyType_Slot slots[] = {{0, NULL}};
    PyType_Spec spec = {"same.Bad", sizeof(Box), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    PyObject* type = PyType_FromSpec(&spec);
    done("made", type != NULL);
    Py_XDECREF(type);
}

CASE(a_name_without_a_module) {
    PyType_Slot slots[] = {{0, NULL}};
    PyType_Spec spec = {"Plain", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* type = T(PyType_FromSpec(&spec));
    got("name", PyObject_GetAttrString(type, "__name__"));
    got("has a module", PyBool_FromLong(PyObject_HasAttrString(type, "__module__")));
}

static PyObject* Box_add(PyObject* left, PyObject* right) {
    return Py_BuildValue("(sss)", "add", Py_TYPE(left)->tp_name, Py_TYPE(right)->tp_name);
}
static Py_ssize_t Box_length(PyObject* op) {
    return ((Box*)op)->number;
}
static PyObject* Box_item(PyObject* op, Py_ssize_t index) {
    if (index < 0 || index >= ((Box*)op)->number) {
        PyErr_SetString(PyExc_IndexError, "box index out of range");
        return NULL;
    }
    return PyLong_FromSsize_t(index * 10);
}

CASE(number_and_sequence_slots_of_a_spec) {
    PyType_Slot slots[] = {
        {Py_tp_base, T(PyType_FromSpec(&Box_spec))},
        {Py_nb_add, (void*)Box_add},
        {Py_sq_length, (void*)Box_length},
        {Py_sq_item, (void*)Box_item},
        {0, NULL},
    };
    PyType_Spec spec = {"same.Row", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* type = T(PyType_FromSpec(&spec));
    PyObject* op = T(PyObject_CallFunction(type, "i", 3));
    got("op + 1", PyNumber_Add(op, I(1)));
    got("1 + op", PyNumber_Add(I(1), op));
    done("length", PyObject_Size(op));
    got("list", PySequence_List(op));
    got("item", PySequence_GetItem(op, -1));
    got("too far", PySequence_GetItem(op, 3));
    got("__len__", PyObject_CallMethod(op, "__len__", NULL));
    got("__add__", PyObject_CallMethod(op, "__add__", "i", 1));
    got("__getitem__", PyObject_CallMethod(op, "__getitem__", "i", 2));
}

typedef struct {
    int calls;
} State;

static int counting_exec(PyObject* module) {
    State* state = PyModule_GetState(module);
    state->calls = 100;
    return 0;
}
static PyModuleDef_Slot counting_slots[] = {{Py_mod_exec, (void*)counting_exec}, {0, NULL}};
static PyModuleDef counting_definition = {.m_base = PyModuleDef_HEAD_INIT,
                                          .m_name = "counting",
                                          .m_size = sizeof(State),
                                          .m_slots = counting_slots};

static PyObject* count_in_module(PyObject* self, PyTypeObject* defining, PyObject* const* args,
                                 Py_ssize_t count, PyObject* names) {
    State* state = PyType_GetModuleState(defining);
    (void)self;
    (void)args;
    (void)count;
    (void)names;
    return state == NULL ? NULL : PyLong_FromLong(++state->calls);
}
static PyMethodDef Counter_methods[] = {
    {"count", (PyCFunction)(void (*)(void))count_in_module,
     METH_METHOD | METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot Counter_slots[] = {{Py_tp_methods, Counter_methods}, {0, NULL}};
static PyType_Spec Counter_spec = {"counting.Counter", sizeof(PyObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, Counter_slots};

/* A module of counting_definition, as an import makes one. */
static PyObject* counting_module(void) {
    PyObject* spec_type = T(derive("Spec", OBJECT_TYPE, V("{s:s}", "name", "counting")));
    PyObject* module =
        T(PyModule_FromDefAndSpec(&counting_definition, T(PyObject_CallNoArgs(spec_type))));
    if (PyModule_ExecDef(module, &counting_definition) < 0) {
        raised("exec");
    }
    return module;
}

CASE(a_type_of_a_module_finds_its_state) {
    PyObject* module = counting_module();
    PyObject* type = T(PyType_FromModuleAndSpec(module, &Counter_spec, NULL));
    PyObject* derived = T(derive("Derived", type, NULL));
    PyObject* op = T(PyObject_CallNoArgs(derived));
    got("count", PyObject_CallMethod(op, "count", NULL));
    got("count", PyObject_CallMethod(op, "count", NULL));
    done("module", PyType_GetModule((PyTypeObject*)type) == module);
    done("state", ((State*)PyType_GetModuleState((PyTypeObject*)type))->calls);
    done("by definition",
         PyType_GetModuleByDef((PyTypeObject*)derived, &counting_definition) == module);
    done("module of the derived", PyType_GetModule((PyTypeObject*)derived) == NULL);
    done("state of the derived", PyType_GetModuleState((PyTypeObject*)derived) == NULL);
}

CASE(a_type_without_a_module) {
    PyObject* type = T(PyType_FromSpec(&Box_spec));
    done("module", PyType_GetModule((PyTypeObject*)type) == NULL);
    done("by definition", PyType_GetModuleByDef((PyTypeObject*)type, &counting_definition) == NULL);
    done("of a static type", PyType_GetModule(&PyLong_Type) == NULL);
}

CASE(a_type_keeps_its_module) {
    PyObject* module = PyModule_New("kept");
    PyObject* type;
    ALIVE_BEFORE(module);
    type = PyType_FromModuleAndSpec(module, &Box_spec, NULL);
    see_count(module);
    Py_DECREF(type);
    (void)PyGC_Collect();
    see_count(module);
    Py_DECREF(module);
}

typedef struct {
    PyObject_HEAD
    PyObject* dict;
    PyObject* weak_list;
} Open;
static void Open_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_ClearWeakRefs(op);
    Py_CLEAR(((Open*)op)->dict);
    type->tp_free(op);
    Py_DECREF(type);
}
static PyMemberDef Open_members[] = {
    {"__dictoffset__", Py_T_PYSSIZET, offsetof(Open, dict), Py_READONLY, NULL},
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(Open, weak_list), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot Open_slots[] = {
    {Py_tp_members, Open_members}, {Py_tp_dealloc, (void*)Open_dealloc}, {0, NULL}};
static PyType_Spec Open_spec = {"same.Open", sizeof(Open), 0, Py_TPFLAGS_DEFAULT, Open_slots};

CASE(a_dict_and_a_weak_list_by_offset) {
    PyObject* type = T(PyType_FromSpec(&Open_spec));
    PyObject* op = PyObject_CallNoArgs(type);
    PyObject* ref = T(PyWeakref_NewRef(op, NULL));
    done("set", PyObject_SetAttrString(op, "x", I(1)));
    got("get", PyObject_GetAttrString(op, "x"));
    see("the dict", ((Open*)op)->dict);
    Py_DECREF(op);
    see("ref", PyWeakref_GetObject(ref));
}
