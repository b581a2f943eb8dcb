/* Tuples whose items have names, too. Source: "Struct Sequence Objects" in the C API documentation. */
#ifndef OURO_STRUCTSEQ_H
#define OURO_STRUCTSEQ_H

#include "ouroboros/builtins.h"
#include "ouroboros/sequence.h"

OURO_BEGIN_C

typedef struct PyStructSequence_Field {
    const char* name; /* NULL ends an array of them; PyStructSequence_UnnamedField: none */
    const char* doc;
} PyStructSequence_Field;
/* What is pointed to must outlive the type. */
typedef struct PyStructSequence_Desc {
    const char* name; /* "module.name" */
    const char* doc;  /* NULL: none */
    PyStructSequence_Field* fields;
    int n_in_sequence; /* so many of the first fields are items of the tuple, too */
} PyStructSequence_Desc;

PyAPI_DATA(const char* const) PyStructSequence_UnnamedField;

/* A new type: a new reference, or NULL with an exception. Or a static one that is filled in and readied, and is
 * nothing yet: 0, or -1 with an exception; the older form leaves that to be asked for. Readied before: nothing. */
PyAPI_FUNC(PyTypeObject*) PyStructSequence_NewType(PyStructSequence_Desc* desc);
PyAPI_FUNC(int) PyStructSequence_InitType2(PyTypeObject* type, PyStructSequence_Desc* desc);
PyAPI_FUNC(void) PyStructSequence_InitType(PyTypeObject* type, PyStructSequence_Desc* desc);

/* One with all fields NULL, to be set before anybody else sees it. New reference, or NULL with MemoryError. */
PyAPI_FUNC(PyObject*) PyStructSequence_New(PyTypeObject* type);
/* Any field, also one that is no item. Set: steals the value. Get: borrowed. Unchecked. */
PyAPI_FUNC(void) PyStructSequence_SetItem(PyObject* op, Py_ssize_t index, PyObject* value);
PyAPI_FUNC(PyObject*) PyStructSequence_GetItem(PyObject* op, Py_ssize_t index);
#define PyStructSequence_SET_ITEM(op, index, value) \
    PyStructSequence_SetItem(_PyObject_CAST(op), (index), _PyObject_CAST(value))
#define PyStructSequence_GET_ITEM(op, index) PyStructSequence_GetItem(_PyObject_CAST(op), (index))
typedef PyTupleObject PyStructSequence;

OURO_END_C

#endif
