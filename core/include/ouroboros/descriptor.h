/* What a type's dictionary holds of its C functions and fields: descriptors. */
#ifndef OURO_DESCRIPTOR_H
#define OURO_DESCRIPTOR_H

#include "ouroboros/call.h"

OURO_BEGIN_C

typedef PyObject* (*getter)(PyObject* self, void* closure);
/* `value` is NULL where the attribute is being deleted. */
typedef int (*setter)(PyObject* self, PyObject* value, void* closure);

struct PyGetSetDef {
    const char* name;
    getter get;
    setter set; /* NULL: the attribute cannot be changed */
    const char* doc;
    void* closure;
};

/* A field of an object's struct. */
struct PyMemberDef {
    const char* name;
    int type;          /* Py_T_... */
    Py_ssize_t offset; /* in bytes from the object's start */
    int flags;         /* Py_READONLY, Py_RELATIVE_OFFSET, ... */
    const char* doc;
};

#define Py_T_SHORT 0
#define Py_T_INT 1
#define Py_T_LONG 2
#define Py_T_FLOAT 3
#define Py_T_DOUBLE 4
#define Py_T_STRING 5 /* const char*; cannot be changed */
#define _Py_T_OBJECT 6
#define Py_T_CHAR 7
#define Py_T_BYTE 8
#define Py_T_UBYTE 9
#define Py_T_USHORT 10
#define Py_T_UINT 11
#define Py_T_ULONG 12
#define Py_T_STRING_INPLACE 13 /* char[]; cannot be changed */
#define Py_T_BOOL 14           /* char */
#define Py_T_OBJECT_EX 16      /* NULL: the object has no such attribute */
#define Py_T_LONGLONG 17
#define Py_T_ULONGLONG 18
#define Py_T_PYSSIZET 19
#define _Py_T_NONE 20

#define Py_READONLY 1
#define Py_AUDIT_READ 2
#define _Py_WRITE_RESTRICTED 4
#define Py_RELATIVE_OFFSET 8

/* The value of a field of the struct at `address` as a new reference; NULL with AttributeError if it is
 * a Py_T_OBJECT_EX that is NULL, with SystemError if the definition is bad. */
PyAPI_FUNC(PyObject*) PyMember_GetOne(const char* address, PyMemberDef* member);
/* Stores a value, or deletes it (NULL). 0, or -1 with TypeError, AttributeError, OverflowError or SystemError. */
PyAPI_FUNC(int) PyMember_SetOne(char* address, PyMemberDef* member, PyObject* value);

PyAPI_DATA(PyTypeObject) PyGetSetDescr_Type;
PyAPI_DATA(PyTypeObject) PyMemberDescr_Type;
PyAPI_DATA(PyTypeObject) PyMethodDescr_Type;
PyAPI_DATA(PyTypeObject) PyClassMethodDescr_Type;

/* New references; the definitions must outlive the descriptors. `type` is where the attribute is. */
PyAPI_FUNC(PyObject*) PyDescr_NewMethod(PyTypeObject* type, PyMethodDef* method);
PyAPI_FUNC(PyObject*) PyDescr_NewClassMethod(PyTypeObject* type, PyMethodDef* method);
PyAPI_FUNC(PyObject*) PyDescr_NewMember(PyTypeObject* type, PyMemberDef* member);
PyAPI_FUNC(PyObject*) PyDescr_NewGetSet(PyTypeObject* type, PyGetSetDef* getset);
/* Whether it has tp_descr_set. */
PyAPI_FUNC(int) PyDescr_IsData(PyObject* descriptor);

/* A special method in C: the name of a slot, and what calls the function that fills it. */
typedef PyObject* (*wrapperfunc)(PyObject* self, PyObject* args, void* wrapped);
typedef PyObject* (*wrapperfunc_kwds)(PyObject* self, PyObject* args, void* wrapped,
                                      PyObject* kwargs);
struct wrapperbase {
    const char* name;
    int offset;     /* of the slot in PyHeapTypeObject */
    void* function; /* what fills the slot where a class has such a method of its own, or NULL */
    wrapperfunc wrapper;
    const char* doc;
    int flags;             /* PyWrapperFlag_KEYWORDS: `wrapper` is a wrapperfunc_kwds */
    PyObject* name_strobj; /* `name` as a str, or NULL */
};
#define PyWrapperFlag_KEYWORDS 1

PyAPI_DATA(PyTypeObject) PyWrapperDescr_Type;
PyAPI_DATA(PyTypeObject) _PyMethodWrapper_Type;
/* A descriptor whose calls are wrapper(self, args, wrapped); `base` and `wrapped` must outlive it. New reference. */
PyAPI_FUNC(PyObject*)
    PyDescr_NewWrapper(PyTypeObject* type, struct wrapperbase* base, void* wrapped);
/* Such a descriptor bound to an object of its type. New reference. */
PyAPI_FUNC(PyObject*) PyWrapper_New(PyObject* descriptor, PyObject* self);

PyAPI_DATA(PyTypeObject) PyStaticMethod_Type;
PyAPI_DATA(PyTypeObject) PyClassMethod_Type;
/* As a type's attribute: the callable itself; and the callable bound to the class. New references. */
PyAPI_FUNC(PyObject*) PyStaticMethod_New(PyObject* callable);
PyAPI_FUNC(PyObject*) PyClassMethod_New(PyObject* callable);

PyAPI_DATA(PyTypeObject) PyMethod_Type;
#define PyMethod_Check(op) Py_IS_TYPE((op), &PyMethod_Type)
/* A callable that calls `function` with `self` before the other arguments. New reference; SystemError if
 * self is NULL. */
PyAPI_FUNC(PyObject*) PyMethod_New(PyObject* function, PyObject* self);
/* Borrowed; SystemError if op is no method. */
PyAPI_FUNC(PyObject*) PyMethod_Function(PyObject* op);
PyAPI_FUNC(PyObject*) PyMethod_Self(PyObject* op);
#define PyMethod_GET_FUNCTION(op) PyMethod_Function(_PyObject_CAST(op))
#define PyMethod_GET_SELF(op) PyMethod_Self(_PyObject_CAST(op))

/* A callable that, as an attribute of a class, becomes a method bound to the object that is asked for it, whatever
 * `function` is. New reference. */
PyAPI_DATA(PyTypeObject) PyInstanceMethod_Type;
#define PyInstanceMethod_Check(op) Py_IS_TYPE((op), &PyInstanceMethod_Type)
PyAPI_FUNC(PyObject*) PyInstanceMethod_New(PyObject* function);
/* Borrowed; SystemError if op is none. */
PyAPI_FUNC(PyObject*) PyInstanceMethod_Function(PyObject* op);
#define PyInstanceMethod_GET_FUNCTION(op) PyInstanceMethod_Function(_PyObject_CAST(op))

OURO_END_C

#endif
