/* Importing modules. Source: "Importing Modules" in the C API documentation. There are no import hooks: a
 * module is what sys.modules has, built in, or a shared object in a directory of sys.path. */
#ifndef OURO_IMPORT_H
#define OURO_IMPORT_H

#include "ouroboros/object.h"

OURO_BEGIN_C

/* The dictionary sys.modules: borrowed, lives as long as the runtime; NULL with MemoryError. */
PyAPI_FUNC(PyObject*) PyImport_GetModuleDict(void);
/* What it has: a new reference; NULL with an exception, or without one if there is no such module. */
PyAPI_FUNC(PyObject*) PyImport_GetModule(PyObject* name);
/* The module of that name, which is an empty one if there was none: it is not imported. Borrowed; _Ref: a new
 * reference. NULL with an exception. */
PyAPI_FUNC(PyObject*) PyImport_AddModuleObject(PyObject* name);
PyAPI_FUNC(PyObject*) PyImport_AddModule(const char* name);
PyAPI_FUNC(PyObject*) PyImport_AddModuleRef(const char* name);

/* The module of that name, imported if it was not yet: "a.b" is b, of which a is the package. New reference, or
 * NULL with an exception: ModuleNotFoundError if there is none, ImportError if it cannot be loaded, and what it
 * raised itself; then it is not in sys.modules. */
PyAPI_FUNC(PyObject*) PyImport_ImportModule(const char* name);
/* A module's attribute: imports the module. New reference, or NULL with an exception. */
PyAPI_FUNC(PyObject*) PyImport_ImportModuleAttrString(const char* module, const char* name);
PyAPI_FUNC(PyObject*) PyImport_ImportModuleAttr(PyObject* module, PyObject* name);
PyAPI_FUNC(PyObject*) PyImport_ImportModuleNoBlock(const char* name);
PyAPI_FUNC(PyObject*) PyImport_Import(PyObject* name);
/* As the statement does it: the package a of "a.b", or b if `fromlist`, a sequence of names, has any; those
 * that are modules of the package are imported too. `level` counts the dots before the name, which is then
 * relative to the package that `globals`, a dict, names. */
PyAPI_FUNC(PyObject*)
    PyImport_ImportModuleLevelObject(PyObject* name, PyObject* globals, PyObject* locals,
                                     PyObject* fromlist, int level);
PyAPI_FUNC(PyObject*) PyImport_ImportModuleLevel(const char* name, PyObject* globals,
                                                 PyObject* locals, PyObject* fromlist, int level);
#define PyImport_ImportModuleEx(name, globals, locals, fromlist) \
    PyImport_ImportModuleLevel((name), (globals), (locals), (fromlist), 0)

/* Built-in modules: names, which are not copied, and the functions that make them. Before Py_Initialize, by
 * one thread; after it, a fatal error. They stay when the runtime ends. 0, or -1 when memory is out. */
struct _inittab {
    const char* name;
    PyObject* (*initfunc)(void);
};
/* All of them; ends with a NULL name. */
PyAPI_DATA(struct _inittab*) PyImport_Inittab;
PyAPI_FUNC(int) PyImport_AppendInittab(const char* name, PyObject* (*initfunc)(void));
PyAPI_FUNC(int) PyImport_ExtendInittab(struct _inittab* added);

OURO_END_C

#endif
