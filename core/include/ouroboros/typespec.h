/* Types made at run time: what PyType_FromSpec and its kin take, and what such a type knows of its module. */
#ifndef OURO_TYPESPEC_H
#define OURO_TYPESPEC_H

#include "ouroboros/descriptor.h"

OURO_BEGIN_C

struct PyModuleDef;

/* Slots of a PyType_Slot; the numbers are CPython's. Py_tp_bases is a tuple, Py_tp_base a type. */
#define Py_bf_getbuffer 1
#define Py_bf_releasebuffer 2
#define Py_mp_ass_subscript 3
#define Py_mp_length 4
#define Py_mp_subscript 5
#define Py_nb_absolute 6
#define Py_nb_add 7
#define Py_nb_and 8
#define Py_nb_bool 9
#define Py_nb_divmod 10
#define Py_nb_float 11
#define Py_nb_floor_divide 12
#define Py_nb_index 13
#define Py_nb_inplace_add 14
#define Py_nb_inplace_and 15
#define Py_nb_inplace_floor_divide 16
#define Py_nb_inplace_lshift 17
#define Py_nb_inplace_multiply 18
#define Py_nb_inplace_or 19
#define Py_nb_inplace_power 20
#define Py_nb_inplace_remainder 21
#define Py_nb_inplace_rshift 22
#define Py_nb_inplace_subtract 23
#define Py_nb_inplace_true_divide 24
#define Py_nb_inplace_xor 25
#define Py_nb_int 26
#define Py_nb_invert 27
#define Py_nb_lshift 28
#define Py_nb_multiply 29
#define Py_nb_negative 30
#define Py_nb_or 31
#define Py_nb_positive 32
#define Py_nb_power 33
#define Py_nb_remainder 34
#define Py_nb_rshift 35
#define Py_nb_subtract 36
#define Py_nb_true_divide 37
#define Py_nb_xor 38
#define Py_sq_ass_item 39
#define Py_sq_concat 40
#define Py_sq_contains 41
#define Py_sq_inplace_concat 42
#define Py_sq_inplace_repeat 43
#define Py_sq_item 44
#define Py_sq_length 45
#define Py_sq_repeat 46
#define Py_tp_alloc 47
#define Py_tp_base 48
#define Py_tp_bases 49
#define Py_tp_call 50
#define Py_tp_clear 51
#define Py_tp_dealloc 52
#define Py_tp_del 53
#define Py_tp_descr_get 54
#define Py_tp_descr_set 55
#define Py_tp_doc 56
#define Py_tp_getattr 57
#define Py_tp_getattro 58
#define Py_tp_hash 59
#define Py_tp_init 60
#define Py_tp_is_gc 61
#define Py_tp_iter 62
#define Py_tp_iternext 63
#define Py_tp_methods 64
#define Py_tp_new 65
#define Py_tp_repr 66
#define Py_tp_richcompare 67
#define Py_tp_setattr 68
#define Py_tp_setattro 69
#define Py_tp_str 70
#define Py_tp_traverse 71
#define Py_tp_members 72
#define Py_tp_getset 73
#define Py_tp_free 74
#define Py_nb_matrix_multiply 75
#define Py_nb_inplace_matrix_multiply 76
#define Py_am_await 77
#define Py_am_aiter 78
#define Py_am_anext 79
#define Py_tp_finalize 80
#define Py_am_send 81
#define Py_tp_vectorcall 82
#define Py_tp_token 83

/* For Py_tp_token: the spec itself is the token. */
#define Py_TP_USE_SPEC NULL

typedef struct {
    int slot;
    void* pfunc; /* not NULL, but for Py_tp_token */
} PyType_Slot;

typedef struct {
    const char* name; /* "module.name"; copied */
    int basicsize;    /* bytes; 0: the base's; negative: so many more than the base's, aligned */
    int itemsize;
    unsigned int flags;
    PyType_Slot*
        slots; /* ended by a zero; only what tp_methods and tp_getset point to must outlive the type */
} PyType_Spec;

/* A new type that dies like any object: its instances, its subclasses and whoever else has a reference keep it.
 * New reference. `bases`: a type, a tuple of types, or NULL for what the slots say, else object. `module` may be
 * NULL; the type keeps it. `metaclass`: NULL for the one that the bases need. NULL with SystemError for a bad
 * spec, TypeError for bases that do not go together, MemoryError. */
PyAPI_FUNC(PyObject*) PyType_FromMetaclass(PyTypeObject* metaclass, PyObject* module,
                                           PyType_Spec* spec, PyObject* bases);
PyAPI_FUNC(PyObject*)
    PyType_FromModuleAndSpec(PyObject* module, PyType_Spec* spec, PyObject* bases);
PyAPI_FUNC(PyObject*) PyType_FromSpecWithBases(PyType_Spec* spec, PyObject* bases);
PyAPI_FUNC(PyObject*) PyType_FromSpec(PyType_Spec* spec);

/* The part of op that `cls` added to its base's, which its negative basicsize asked for. Cannot fail if op is an
 * instance of cls. */
PyAPI_FUNC(void*) PyObject_GetTypeData(PyObject* op, PyTypeObject* cls);
/* Bytes of that part; negative with TypeError if cls has none of its own. */
PyAPI_FUNC(Py_ssize_t) PyType_GetTypeDataSize(PyTypeObject* cls);
/* The items of an object whose type has Py_TPFLAGS_ITEMS_AT_END; NULL with TypeError for another. */
PyAPI_FUNC(void*) PyObject_GetItemData(PyObject* op);

/* The module that the type was made with. Borrowed; NULL with TypeError if there is none. */
PyAPI_FUNC(PyObject*) PyType_GetModule(PyTypeObject* type);
/* The state of that module; NULL with TypeError if there is no module, without an exception if it has none. */
PyAPI_FUNC(void*) PyType_GetModuleState(PyTypeObject* type);
/* The module, of the type or the first of its bases whose module was made from `def`. Borrowed; NULL with
 * TypeError. */
PyAPI_FUNC(PyObject*) PyType_GetModuleByDef(PyTypeObject* type, struct PyModuleDef* def);
/* The same for a module with that token; new reference. */
PyAPI_FUNC(PyObject*) PyType_GetModuleByToken(PyTypeObject* type, const void* token);
/* Of the type and its bases the first that was made with the token: 1, and a new reference in *result unless
 * `result` is NULL; 0 and NULL if there is none; -1 with SystemError for a token that is NULL. */
PyAPI_FUNC(int) PyType_GetBaseByToken(PyTypeObject* type, void* token, PyTypeObject** result);

/* The same for a tp_traverse handler: no side effects, no exception, borrowed references, which are valid as long
 * as the handler runs. */
PyAPI_FUNC(void*) PyObject_GetTypeData_DuringGC(PyObject* op, PyTypeObject* cls);
PyAPI_FUNC(void*) PyObject_GetItemData_DuringGC(PyObject* op);
PyAPI_FUNC(PyObject*) PyType_GetModule_DuringGC(PyTypeObject* type);
PyAPI_FUNC(void*) PyType_GetModuleState_DuringGC(PyTypeObject* type);
PyAPI_FUNC(PyObject*) PyType_GetModuleByToken_DuringGC(PyTypeObject* type, const void* token);
PyAPI_FUNC(int)
    PyType_GetBaseByToken_DuringGC(PyTypeObject* type, void* token, PyTypeObject** result);

/* What a slot of the type holds, as PyType_Slot.pfunc; NULL for an empty one, and with SystemError for a number
 * that is no slot. */
PyAPI_FUNC(void*) PyType_GetSlot(PyTypeObject* type, int slot);
PyAPI_FUNC(unsigned long) PyType_GetFlags(PyTypeObject* type);
/* New references. The fully qualified name is the module's and the qualified one, without "builtins". */
PyAPI_FUNC(PyObject*) PyType_GetName(PyTypeObject* type);
PyAPI_FUNC(PyObject*) PyType_GetQualName(PyTypeObject* type);
PyAPI_FUNC(PyObject*) PyType_GetModuleName(PyTypeObject* type);
PyAPI_FUNC(PyObject*) PyType_GetFullyQualifiedName(PyTypeObject* type);
PyAPI_FUNC(PyObject*) PyType_GetDict(PyTypeObject* type);
/* To be called by who changed a type in another way than by setting attributes. */
PyAPI_FUNC(void) PyType_Modified(PyTypeObject* type);

/* What watchers of types are told: the type, whose attributes, or those of a base, are being changed. Called before the
 * change and after, or once. 0; or -1 with an exception, which goes to sys.unraisablehook. The callback may not change
 * the type. */
typedef int (*PyType_WatchCallback)(PyObject* type);
/* An identifier of the callback; -1 with RuntimeError when there are eight. They are forgotten at the end of the
 * runtime. */
PyAPI_FUNC(int) PyType_AddWatcher(PyType_WatchCallback callback);
/* Each 0; or -1 with ValueError if there is no watcher of that identifier, or `type` is no type. */
PyAPI_FUNC(int) PyType_ClearWatcher(int watcher_id);
PyAPI_FUNC(int) PyType_Watch(int watcher_id, PyObject* type);
PyAPI_FUNC(int) PyType_Unwatch(int watcher_id, PyObject* type);
/* No attribute of the type can be set any more. 0; or -1 with TypeError if one of its bases can be changed. */
PyAPI_FUNC(int) PyType_Freeze(PyTypeObject* type);
/* 1 if the type has a version that is another after each change; 0 if versions are used up. */
PyAPI_FUNC(int) PyUnstable_Type_AssignVersionTag(PyTypeObject* type);

/* The dictionary of an instance whose type has Py_TPFLAGS_MANAGED_DICT, which lies before the object: visits it;
 * drops it. For tp_traverse and tp_clear (and tp_dealloc) of such a type; they do nothing for another. */
PyAPI_FUNC(int) PyObject_VisitManagedDict(PyObject* op, visitproc visit, void* arg);
PyAPI_FUNC(void) PyObject_ClearManagedDict(PyObject* op);

OURO_END_C

#endif
