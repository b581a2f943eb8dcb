/* What belongs to dicts: their views and iterators, and mappings that can only be read. */
#ifndef OURO_DICT_H
#define OURO_DICT_H

#include "ouroboros/builtins.h"

OURO_BEGIN_C

/* The size of what is a dict, read whole, as others may be changing it. */
#define PyDict_GET_SIZE(op) \
    __atomic_load_n(&OURO_CAST(PyDictObject*, (op))->ma_used, __ATOMIC_RELAXED)

/* Stores pairs: an iterable of what can be read as sequences of two, a key and its value; of keys that are there
 * already only with `replace`. 0, or -1 with an exception: TypeError for an element that is no sequence,
 * ValueError for one of another length. */
PyAPI_FUNC(int) PyDict_MergeFromSeq2(PyObject* op, PyObject* pairs, int replace);

/* What keys(), values() and items() of a dict return. */
typedef struct {
    PyObject_HEAD
    PyDictObject* dv_dict;
} _PyDictViewObject;

PyAPI_DATA(PyTypeObject) PyDictKeys_Type;
PyAPI_DATA(PyTypeObject) PyDictValues_Type;
PyAPI_DATA(PyTypeObject) PyDictItems_Type;
#define PyDictKeys_Check(op) PyObject_TypeCheck((op), &PyDictKeys_Type)
#define PyDictValues_Check(op) PyObject_TypeCheck((op), &PyDictValues_Type)
#define PyDictItems_Check(op) PyObject_TypeCheck((op), &PyDictItems_Type)
/* Those that are sets of a kind. */
#define PyDictViewSet_Check(op) (PyDictKeys_Check(op) || PyDictItems_Check(op))

/* What iter() and reversed() of them return. */
PyAPI_DATA(PyTypeObject) PyDictIterKey_Type;
PyAPI_DATA(PyTypeObject) PyDictIterValue_Type;
PyAPI_DATA(PyTypeObject) PyDictIterItem_Type;
PyAPI_DATA(PyTypeObject) PyDictRevIterKey_Type;
PyAPI_DATA(PyTypeObject) PyDictRevIterValue_Type;
PyAPI_DATA(PyTypeObject) PyDictRevIterItem_Type;

/* collections.OrderedDict, a class derived from dict: items can be moved to either end, and its order counts when two are
 * compared. What takes a dict takes it. Its views, and the iterators over it and over them. */
PyAPI_DATA(PyTypeObject) PyODict_Type;
PyAPI_DATA(PyTypeObject) PyODictKeys_Type;
PyAPI_DATA(PyTypeObject) PyODictValues_Type;
PyAPI_DATA(PyTypeObject) PyODictItems_Type;
PyAPI_DATA(PyTypeObject) PyODictIter_Type;
#define PyODict_Check(op) PyObject_TypeCheck((op), &PyODict_Type)
#define PyODict_CheckExact(op) Py_IS_TYPE((op), &PyODict_Type)
/* An empty one; new reference. */
PyAPI_FUNC(PyObject*) PyODict_New(void);
/* As PyDict_SetItem and PyDict_DelItem. */
PyAPI_FUNC(int) PyODict_SetItem(PyObject* op, PyObject* key, PyObject* value);
PyAPI_FUNC(int) PyODict_DelItem(PyObject* op, PyObject* key);

/* A mapping through which another one can be read, and not changed. New reference; TypeError if `mapping` is
 * none. */
PyAPI_DATA(PyTypeObject) PyDictProxy_Type;
PyAPI_FUNC(PyObject*) PyDictProxy_New(PyObject* mapping);

/* What is about to happen to a dict that is watched: a key is added, or gets another value; a key is deleted; the dict,
 * which is empty, becomes a copy of another (`key` is that one); all of it goes (no key); it ends (no key). */
typedef enum {
    PyDict_EVENT_ADDED,
    PyDict_EVENT_MODIFIED,
    PyDict_EVENT_DELETED,
    PyDict_EVENT_CLONED,
    PyDict_EVENT_CLEARED,
    PyDict_EVENT_DEALLOCATED
} PyDict_WatchEvent;
/* Called before it happens; `new_value` is that of a key that is added or modified, else NULL. 0; or -1 with an
 * exception, which goes to sys.unraisablehook. It may look at the dict, and may not change it. Of one that ends it may take
 * a reference: then the dict lives on, and is watched still. Where threads change a dict at once, what it is told may be
 * another's doing already. */
typedef int (*PyDict_WatchCallback)(PyDict_WatchEvent event, PyObject* dict, PyObject* key,
                                    PyObject* new_value);
/* An identifier of the callback; -1 with RuntimeError when there are eight. They are forgotten at the end of the
 * runtime. */
PyAPI_FUNC(int) PyDict_AddWatcher(PyDict_WatchCallback callback);
/* Each 0; or -1 with ValueError if there is no watcher of that identifier, or `dict` is no dict. Watch may raise
 * MemoryError, too. */
PyAPI_FUNC(int) PyDict_ClearWatcher(int watcher_id);
PyAPI_FUNC(int) PyDict_Watch(int watcher_id, PyObject* dict);
PyAPI_FUNC(int) PyDict_Unwatch(int watcher_id, PyObject* dict);

/* The same as PyDict_New: the table grows by itself. Not documented, but used by well-known modules. */
#define _PyDict_NewPresized(size) ((void)(size), PyDict_New())

OURO_END_C

#endif
