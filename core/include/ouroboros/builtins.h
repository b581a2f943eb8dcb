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
/* A tuple of so many objects, which follow; not stolen. New reference. */
PyAPI_FUNC(PyObject*) PyTuple_Pack(Py_ssize_t size, ...);
/* The items from low up to high, each moved to the end that it lies beyond. New reference. */
PyAPI_FUNC(PyObject*) PyTuple_GetSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high);
/* Another size for a tuple that nobody else has; new items are NULL. The tuple may move. -1, with *op NULL
 * and the tuple dropped: SystemError if it is shared or no tuple, MemoryError. */
PyAPI_FUNC(int) _PyTuple_Resize(PyObject** op, Py_ssize_t size);
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
/* The same as a new reference, which in free-threaded use is the only safe one. TypeError if op is not a
 * list. */
PyAPI_FUNC(PyObject*) PyList_GetItemRef(PyObject* op, Py_ssize_t index);
/* Steals item, also when it fails; drops what was there. */
PyAPI_FUNC(int) PyList_SetItem(PyObject* op, Py_ssize_t index, PyObject* item);
/* Does not steal. 0, or -1 with MemoryError. */
PyAPI_FUNC(int) PyList_Append(PyObject* op, PyObject* item);
/* Puts item, not stolen, before the one at index; a negative index counts from the end, and one beyond an
 * end means that end. 0, or -1 with an exception; so are the next ones. */
PyAPI_FUNC(int) PyList_Insert(PyObject* op, Py_ssize_t index, PyObject* item);
/* Appends what an iterable gives; what came before an exception stays. */
PyAPI_FUNC(int) PyList_Extend(PyObject* op, PyObject* iterable);
/* Replaces the items from low up to high, each moved to the end that it lies beyond, by those of an
 * iterable; NULL: by none. */
PyAPI_FUNC(int) PyList_SetSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high, PyObject* items);
PyAPI_FUNC(int) PyList_Clear(PyObject* op);
PyAPI_FUNC(int) PyList_Reverse(PyObject* op);
/* In ascending order of `<`; equal items stay in the order they have. ValueError if the list was changed
 * meanwhile: to others it is empty. After an exception it has the same items in some order. */
PyAPI_FUNC(int) PyList_Sort(PyObject* op);
/* A list with the items of such a slice. New reference. */
PyAPI_FUNC(PyObject*) PyList_GetSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high);
/* New reference. */
PyAPI_FUNC(PyObject*) PyList_AsTuple(PyObject* op);
/* Of what is a list: read whole, as others may be changing it. Its items, borrowed, are read under its lock. */
#define PyList_GET_SIZE(op) \
    __atomic_load_n(&OURO_CAST(PyVarObject*, (op))->ob_size, __ATOMIC_RELAXED)
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
PyAPI_FUNC(int) PyDict_GetItemStringRef(PyObject* op, const char* key, PyObject** value);
/* The value of the key, which is `value`, not stolen, if there was none. Borrowed; NULL with an exception. */
PyAPI_FUNC(PyObject*) PyDict_SetDefault(PyObject* op, PyObject* key, PyObject* value);
/* The same as a new reference in *result, unless that is NULL: 1 if the key was there, 0 if it was not, -1
 * and NULL with an exception. */
PyAPI_FUNC(int)
    PyDict_SetDefaultRef(PyObject* op, PyObject* key, PyObject* value, PyObject** result);
/* 0, or -1 with KeyError. */
PyAPI_FUNC(int) PyDict_DelItem(PyObject* op, PyObject* key);
PyAPI_FUNC(int) PyDict_DelItemString(PyObject* op, const char* key);
/* Removes the key: 1, and its value as a new reference in *value, unless that is NULL; 0 and NULL if it is
 * missing; -1 and NULL with an exception. */
PyAPI_FUNC(int) PyDict_Pop(PyObject* op, PyObject* key, PyObject** value);
PyAPI_FUNC(int) PyDict_PopString(PyObject* op, const char* key, PyObject** value);
/* 1, 0, or -1 with an exception. */
PyAPI_FUNC(int) PyDict_Contains(PyObject* op, PyObject* key);
PyAPI_FUNC(int) PyDict_ContainsString(PyObject* op, const char* key);
PyAPI_FUNC(void) PyDict_Clear(PyObject* op);
/* New references: a dict with the same items; lists of the keys, of the values, of tuples of both. */
PyAPI_FUNC(PyObject*) PyDict_Copy(PyObject* op);
PyAPI_FUNC(PyObject*) PyDict_Keys(PyObject* op);
PyAPI_FUNC(PyObject*) PyDict_Values(PyObject* op);
PyAPI_FUNC(PyObject*) PyDict_Items(PyObject* op);
/* Stores the items of `other`, a mapping with keys(); of keys that are there already only with `replace`. 0, or -1
 * with an exception: AttributeError if `other` has no keys(). */
PyAPI_FUNC(int) PyDict_Merge(PyObject* op, PyObject* other, int replace);
PyAPI_FUNC(int) PyDict_Update(PyObject* op, PyObject* other);
/* Steps through the items: *position is 0 at first; key and value are borrowed. 0 at the end. Where
 * other threads may change the dict the caller holds its lock. */
PyAPI_FUNC(int) PyDict_Next(PyObject* op, Py_ssize_t* position, PyObject** key, PyObject** value);

OURO_END_C

#endif
