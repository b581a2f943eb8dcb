/* Types: the slots, the flags, and readying a static type. */
#ifndef OURO_TYPEOBJECT_H
#define OURO_TYPEOBJECT_H

#include "ouroboros/refcount.h"

OURO_BEGIN_C

typedef struct bufferinfo Py_buffer;
typedef struct PyMethodDef PyMethodDef;
typedef struct PyMemberDef PyMemberDef;
typedef struct PyGetSetDef PyGetSetDef;

typedef void (*freefunc)(void*);
typedef void (*destructor)(PyObject*);
typedef PyObject* (*getattrfunc)(PyObject*, char*);
typedef PyObject* (*getattrofunc)(PyObject*, PyObject*);
typedef int (*setattrfunc)(PyObject*, char*, PyObject*);
typedef int (*setattrofunc)(PyObject*, PyObject*, PyObject*);
typedef PyObject* (*reprfunc)(PyObject*);
typedef Py_hash_t (*hashfunc)(PyObject*);
typedef PyObject* (*richcmpfunc)(PyObject*, PyObject*, int);
typedef PyObject* (*getiterfunc)(PyObject*);
typedef PyObject* (*iternextfunc)(PyObject*);
typedef PyObject* (*descrgetfunc)(PyObject*, PyObject*, PyObject*);
typedef int (*descrsetfunc)(PyObject*, PyObject*, PyObject*);
typedef int (*initproc)(PyObject*, PyObject*, PyObject*);
typedef PyObject* (*newfunc)(PyTypeObject*, PyObject*, PyObject*);
typedef PyObject* (*allocfunc)(PyTypeObject*, Py_ssize_t);
typedef PyObject* (*unaryfunc)(PyObject*);
typedef PyObject* (*binaryfunc)(PyObject*, PyObject*);
typedef PyObject* (*ternaryfunc)(PyObject*, PyObject*, PyObject*);
typedef int (*inquiry)(PyObject*);
typedef Py_ssize_t (*lenfunc)(PyObject*);
typedef PyObject* (*ssizeargfunc)(PyObject*, Py_ssize_t);
typedef PyObject* (*ssizessizeargfunc)(PyObject*, Py_ssize_t, Py_ssize_t);
typedef int (*ssizessizeobjargproc)(PyObject*, Py_ssize_t, Py_ssize_t, PyObject*);
typedef int (*ssizeobjargproc)(PyObject*, Py_ssize_t, PyObject*);
typedef int (*objobjproc)(PyObject*, PyObject*);
typedef int (*objobjargproc)(PyObject*, PyObject*, PyObject*);
typedef int (*getbufferproc)(PyObject*, Py_buffer*, int);
typedef void (*releasebufferproc)(PyObject*, Py_buffer*);
typedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*);

/* Called with each object that is being visited; a non-zero result ends the traversal. */
typedef int (*visitproc)(PyObject* object, void* arg);
/* Calls visit(member, arg) for every object that self owns a reference to; returns at once, with
 * that value, when visit returns non-zero. No side effects. */
typedef int (*traverseproc)(PyObject* self, visitproc visit, void* arg);

typedef struct PyAsyncMethods PyAsyncMethods;
typedef struct PyNumberMethods PyNumberMethods;
typedef struct PySequenceMethods PySequenceMethods;
typedef struct PyMappingMethods PyMappingMethods;
typedef struct PyBufferProcs PyBufferProcs;

struct _typeobject {
    PyObject_VAR_HEAD
    const char* tp_name;                  /* "module.name" */
    Py_ssize_t tp_basicsize, tp_itemsize; /* bytes */

    destructor tp_dealloc;
    Py_ssize_t tp_vectorcall_offset;
    getattrfunc tp_getattr;
    setattrfunc tp_setattr;
    PyAsyncMethods* tp_as_async;
    reprfunc tp_repr;

    PyNumberMethods* tp_as_number;
    PySequenceMethods* tp_as_sequence;
    PyMappingMethods* tp_as_mapping;

    hashfunc tp_hash;
    ternaryfunc tp_call;
    reprfunc tp_str;
    getattrofunc tp_getattro;
    setattrofunc tp_setattro;

    PyBufferProcs* tp_as_buffer;
    unsigned long tp_flags;
    const char* tp_doc;

    traverseproc tp_traverse;
    inquiry tp_clear;
    richcmpfunc tp_richcompare;
    Py_ssize_t tp_weaklistoffset;
    getiterfunc tp_iter;
    iternextfunc tp_iternext;

    PyMethodDef* tp_methods;
    PyMemberDef* tp_members;
    PyGetSetDef* tp_getset;
    PyTypeObject* tp_base;
    PyObject* tp_dict;
    descrgetfunc tp_descr_get;
    descrsetfunc tp_descr_set;
    Py_ssize_t tp_dictoffset;
    initproc tp_init;
    allocfunc tp_alloc;
    newfunc tp_new;
    freefunc tp_free;
    inquiry tp_is_gc;
    PyObject* tp_bases;
    PyObject* tp_mro;
    PyObject* tp_cache;
    void* tp_subclasses;
    PyObject* tp_weaklist;
    destructor tp_del;
    unsigned int tp_version_tag;
    destructor tp_finalize;
    vectorcallfunc tp_vectorcall;
    unsigned char tp_watched;
    uint16_t tp_versions_used;
};

/* What all types have. */
#define Py_TPFLAGS_HAVE_FINALIZE (1UL << 0)
#define Py_TPFLAGS_HAVE_VERSION_TAG 0
#define Py_TPFLAGS_HAVE_STACKLESS_EXTENSION 0
#define Py_TPFLAGS_MANAGED_WEAKREF (1UL << 3)
#define Py_TPFLAGS_MANAGED_DICT (1UL << 4)
#define Py_TPFLAGS_SEQUENCE (1UL << 5)
#define Py_TPFLAGS_MAPPING (1UL << 6)
#define Py_TPFLAGS_DISALLOW_INSTANTIATION (1UL << 7)
#define Py_TPFLAGS_IMMUTABLETYPE (1UL << 8)
#define Py_TPFLAGS_DEFAULT (1UL << 18)
#define Py_TPFLAGS_HEAPTYPE (1UL << 9)
#define Py_TPFLAGS_BASETYPE (1UL << 10)
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#define Py_TPFLAGS_READY (1UL << 12)
#define Py_TPFLAGS_READYING (1UL << 13)
#define Py_TPFLAGS_HAVE_GC (1UL << 14)
#define Py_TPFLAGS_METHOD_DESCRIPTOR (1UL << 17)
#define Py_TPFLAGS_IS_ABSTRACT (1UL << 20)
/* The type's promise that tp_traverse may run on another thread while mutators use the object: its
 * fields are single words, replaced whole by the likes of Py_SETREF and OURO_STORE_FIELD, and what they
 * point to comes from PyMem_ or PyObject_ memory, which is not freed under a traversal. A field is changed
 * before what it pointed to is freed; what PyMem_Realloc and PyObject_Realloc return is stored before
 * anything else is resized, an object is made or other code runs. The traversal may see a field before or
 * after a change, and NULL. A type that inherits tp_traverse inherits this, set or not, with it;
 * no other does. Without it an object is traversed while the world is stopped. */
#define OURO_TPFLAGS_CONCURRENT_TRAVERSE (1UL << 21)
#define Py_TPFLAGS_ITEMS_AT_END (1UL << 23)
#define Py_TPFLAGS_LONG_SUBCLASS (1UL << 24)
#define Py_TPFLAGS_LIST_SUBCLASS (1UL << 25)
#define Py_TPFLAGS_TUPLE_SUBCLASS (1UL << 26)
#define Py_TPFLAGS_BYTES_SUBCLASS (1UL << 27)
#define Py_TPFLAGS_UNICODE_SUBCLASS (1UL << 28)
#define Py_TPFLAGS_DICT_SUBCLASS (1UL << 29)
#define Py_TPFLAGS_BASE_EXC_SUBCLASS (1UL << 30)
#define Py_TPFLAGS_TYPE_SUBCLASS (1UL << 31)

/* Fills what a static type left empty from its bases (object if it names none), gives it a dictionary with
 * what its tp_methods, tp_members and tp_getset define, and marks it ready. Inherits tp_traverse and
 * tp_clear, with the GC flag, if the type has neither of them and not the flag. Returns 0, or -1:
 * SystemError for the flag without a traversal, or a negative size; MemoryError. */
PyAPI_FUNC(int) PyType_Ready(PyTypeObject* type);
PyAPI_FUNC(int) PyType_IsSubtype(PyTypeObject* a, PyTypeObject* b);

/* The default tp_alloc: zeroed memory for `nitems` items, tracked at once if the type is a
 * container. New reference, or NULL with MemoryError. */
PyAPI_FUNC(PyObject*) PyType_GenericAlloc(PyTypeObject* type, Py_ssize_t nitems);
PyAPI_FUNC(PyObject*) PyType_GenericNew(PyTypeObject* type, PyObject* args, PyObject* kwargs);

static inline int PyType_HasFeature(PyTypeObject* type, unsigned long feature) {
    return (type->tp_flags & feature) != 0;
}

static inline int PyObject_TypeCheck(PyObject* op, PyTypeObject* type) {
    return Py_IS_TYPE(op, type) || PyType_IsSubtype(Py_TYPE(op), type);
}

#define PyObject_TypeCheck(op, type) PyObject_TypeCheck(_PyObject_CAST(op), (type))
#define PyType_FastSubclass(type, flag) PyType_HasFeature((type), (flag))

/* Comparison operators of tp_richcompare. */
#define Py_LT 0
#define Py_LE 1
#define Py_EQ 2
#define Py_NE 3
#define Py_GT 4
#define Py_GE 5

/* Returns what comparing two C values gives: True or False. */
#define Py_RETURN_RICHCOMPARE(x, y, operation)          \
    do {                                                \
        switch (operation) {                            \
            case Py_EQ:                                 \
                return OURO_RETURNED_TRUTH((x) == (y)); \
            case Py_NE:                                 \
                return OURO_RETURNED_TRUTH((x) != (y)); \
            case Py_LT:                                 \
                return OURO_RETURNED_TRUTH((x) < (y));  \
            case Py_GT:                                 \
                return OURO_RETURNED_TRUTH((x) > (y));  \
            case Py_LE:                                 \
                return OURO_RETURNED_TRUTH((x) <= (y)); \
            case Py_GE:                                 \
                return OURO_RETURNED_TRUTH((x) >= (y)); \
            default:                                    \
                Py_UNREACHABLE();                       \
        }                                               \
    } while (0)
#define OURO_RETURNED_TRUTH(condition) ((condition) ? Py_True : Py_False)

/* What was found of types' attributes is forgotten by itself: 0. */
PyAPI_FUNC(unsigned int) PyType_ClearCache(void);
/* An attribute as the type's order of resolution has it first, not bound: borrowed; NULL without an exception. */
PyAPI_FUNC(PyObject*) _PyType_Lookup(PyTypeObject* type, PyObject* name);

/* -1 with TypeError if the type is not hashable. */
PyAPI_FUNC(Py_hash_t) PyObject_Hash(PyObject* op);
/* The tp_hash of types whose objects are not hashable: -1 with TypeError. */
PyAPI_FUNC(Py_hash_t) PyObject_HashNotImplemented(PyObject* op);
/* 1, 0, or -1 with an exception. Identical objects are equal. */
PyAPI_FUNC(int) PyObject_RichCompareBool(PyObject* x, PyObject* y, int operation);

PyAPI_DATA(PyTypeObject) PyBaseObject_Type;
PyAPI_DATA(PyTypeObject) PyType_Type;

#define PyType_Check(op) PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_TYPE_SUBCLASS)
#define PyType_CheckExact(op) Py_IS_TYPE((op), &PyType_Type)
#define PyType_IS_GC(type) PyType_HasFeature((type), Py_TPFLAGS_HAVE_GC)

OURO_END_C

#endif
