/* The end of each tutorial module: its definition and init function, as the documents' versions have
 * them. A source defines, before it includes this, MODULE (the name), TYPE_NAME, TYPE (a PyTypeObject)
 * and, if the type has one, BASE; with SAME_MULTI_PHASE it is initialised in phases, else in one. */
#define AS_TEXT_(x) #x
#define AS_TEXT(x) AS_TEXT_(x)
#define INIT_OF_(module) PyInit_##module
#define INIT_OF(module) INIT_OF_(module)

#ifdef SAME_MULTI_PHASE

static int module_exec(PyObject* m) {
#ifdef BASE
    TYPE.tp_base = &BASE;
#endif
    if (PyType_Ready(&TYPE) < 0) {
        return -1;
    }
    if (PyModule_AddObjectRef(m, TYPE_NAME, (PyObject*)&TYPE) < 0) {
        return -1;
    }
    return 0;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void*)module_exec},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyModuleDef module_definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = AS_TEXT(MODULE),
    .m_doc = "Example module that creates an extension type.",
    .m_size = 0,
    .m_slots = module_slots,
};

PyMODINIT_FUNC INIT_OF(MODULE)(void) {
    return PyModuleDef_Init(&module_definition);
}

#else

static PyModuleDef module_definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = AS_TEXT(MODULE),
    .m_doc = "Example module that creates an extension type.",
    .m_size = -1,
};

PyMODINIT_FUNC INIT_OF(MODULE)(void) {
    PyObject* m;
#ifdef BASE
    TYPE.tp_base = &BASE;
#endif
    if (PyType_Ready(&TYPE) < 0) {
        return NULL;
    }
    m = PyModule_Create(&module_definition);
    if (m == NULL) {
        return NULL;
    }
    Py_INCREF(&TYPE);
    if (PyModule_AddObject(m, TYPE_NAME, (PyObject*)&TYPE) < 0) {
        Py_DECREF(&TYPE);
        Py_DECREF(m);
        return NULL;
    }
#ifdef Py_GIL_DISABLED
    PyUnstable_Module_SetGIL(m, Py_MOD_GIL_NOT_USED);
#endif
    return m;
}

#endif
