/* The built-in objects: None, list, tuple, dict. */
#ifndef OURO_BUILTINS_H
#define OURO_BUILTINS_H

#include "ouroboros/gc.h"

OURO_BEGIN_C

PyAPI_DATA(PyObject) _Py_NoneStruct;
#define Py_None (&_Py_NoneStruct)
#define Py_RETURN_NONE return Py_None
#define Py_IsNone(op) Py_Is((op), Py_None)

PyAPI_DATA(PyObject) _Py_NotImplementedStruct;
#define Py_NotImplemented (&_Py_NotImplementedStruct)
#define Py_RETURN_NOTIMPLEMENTED return Py_NotImplemented

/* 24 bytes and 8 for each item. */
typedef struct {
    PyObject_VAR_HEAD
    PyObject* ob_item[1];
} PyTupleObject;

PyAPI_DATA(PyTypeObject) PyTuple_Type;
#define PyTuple_Check(op) PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_TUPLE_SUBCLASS)
#define PyTuple_CheckExact(op) Py_IS_TYPE((op), &PyTuple_Type)
/* Items are NULL until they are set. New reference. */
PyAPI_FUNC(PyObject*) PyTuple_New(Py_ssize_t size);
PyAPI_FUNC(Py_ssize_t) PyTuple_Size(PyObject* op);
/* Borrowed; NULL with IndexError. */
PyAPI_FUNC(PyObject*) PyTuple_GetItem(PyObject* op, Py_ssize_t index);
/* Steals item, also when it fails. For new tuples only. */
PyAPI_FUNC(int) PyTuple_SetItem(PyObject* op, Py_ssize_t index, PyObject* item);
#define PyTuple_GET_SIZE(op) Py_SIZE(op)
#define PyTuple_GET_ITEM(op, i) (OURO_CAST(PyTupleObject*, (op))->ob_item[i])
#define PyTuple_SET_ITEM(op, i, v) \
    OURO_STORE_FIELD(&OURO_CAST(PyTupleObject*, (op))->ob_item[i], (v))

/* 32 bytes; the items are an array of their own, whose capacity is the size of its slot. */
typedef struct {
    PyObject_VAR_HEAD
    PyObject** ob_item;
} PyListObject;

PyAPI_DATA(PyTypeObject) PyList_Type;
#define PyList_Check(op) PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_LIST_SUBCLASS)
#define PyList_CheckExact(op) Py_IS_TYPE((op), &PyList_Type)
/* Items are NULL until they are set. New reference. */
PyAPI_FUNC(PyObject*) PyList_New(Py_ssize_t size);
PyAPI_FUNC(Py_ssize_t) PyList_Size(PyObject* op);
/* Borrowed; NULL with IndexError. */
PyAPI_FUNC(PyObject*) PyList_GetItem(PyObject* op, Py_ssize_t index);
/* The same as a new reference, which in free-threaded use is the only safe one. */
PyAPI_FUNC(PyObject*) PyList_GetItemRef(PyObject* op, Py_ssize_t index);
/* Steals item, also when it fails; drops what was there. */
PyAPI_FUNC(int) PyList_SetItem(PyObject* op, Py_ssize_t index, PyObject* item);
/* Does not steal. 0, or -1 with MemoryError. */
PyAPI_FUNC(int) PyList_Append(PyObject* op, PyObject* item);
#define PyList_GET_SIZE(op) Py_SIZE(op)
#define PyList_GET_ITEM(op, i) (OURO_CAST(PyListObject*, (op))->ob_item[i])
#define PyList_SET_ITEM(op, i, v) OURO_STORE_FIELD(&OURO_CAST(PyListObject*, (op))->ob_item[i], (v))

/* 32 bytes; index and entries are one table of their own. Keeps insertion order. A traversal leaves
 * out the keys if there was never a container among them. */
typedef struct {
    PyObject_HEAD
    Py_ssize_t ma_used;
    struct _ouro_dict_table* ma_table;
} PyDictObject;

PyAPI_DATA(PyTypeObject) PyDict_Type;
#define PyDict_Check(op) PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_DICT_SUBCLASS)
#define PyDict_CheckExact(op) Py_IS_TYPE((op), &PyDict_Type)
PyAPI_FUNC(PyObject*) PyDict_New(void);
PyAPI_FUNC(Py_ssize_t) PyDict_Size(PyObject* op);
/* Does not steal. 0, or -1 with an exception (TypeError for a key that is not hashable). */
PyAPI_FUNC(int) PyDict_SetItem(PyObject* op, PyObject* key, PyObject* value);
PyAPI_FUNC(int) PyDict_SetItemString(PyObject* op, const char* key, PyObject* value);
/* Borrowed; NULL without an exception if the key is missing. */
PyAPI_FUNC(PyObject*) PyDict_GetItem(PyObject* op, PyObject* key);
PyAPI_FUNC(PyObject*) PyDict_GetItemString(PyObject* op, const char* key);
/* Borrowed; NULL with an exception if hashing or comparing failed. */
PyAPI_FUNC(PyObject*) PyDict_GetItemWithError(PyObject* op, PyObject* key);
/* 1 and a new reference in *value; 0 and NULL if the key is missing; -1 and NULL with an exception. */
PyAPI_FUNC(int) PyDict_GetItemRef(PyObject* op, PyObject* key, PyObject** value);
/* 0, or -1 with KeyError. */
PyAPI_FUNC(int) PyDict_DelItem(PyObject* op, PyObject* key);
PyAPI_FUNC(int) PyDict_Contains(PyObject* op, PyObject* key);
PyAPI_FUNC(void) PyDict_Clear(PyObject* op);
/* Steps through the items: *position is 0 at first; key and value are borrowed. 0 at the end. */
PyAPI_FUNC(int) PyDict_Next(PyObject* op, Py_ssize_t* position, PyObject** key, PyObject** value);

OURO_END_C

#endif
