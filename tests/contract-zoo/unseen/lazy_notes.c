/* traverse.unsafe-call */
/* Rule broken: tp_traverse must not create objects nor change the instance; here it calls the helper that makes the list of notes on first use (GC support, limits of the traversal function). */
#define BEFORE                                                            \
    static PyObject* holder_notes(Holder* self) {                         \
        if (self->other == NULL) {                                        \
            self->other = PyList_New(0);                                  \
        }                                                                 \
        return self->other;                                               \
    }                                                                     \
    static PyObject* holder_note(PyObject* op, PyObject* text) {          \
        PyObject* notes = holder_notes((Holder*)op);                      \
        if (notes == NULL) {                                              \
            return NULL;                                                  \
        }                                                                 \
        if (!PyList_Check(notes)) {                                       \
            PyErr_SetString(PyExc_TypeError, "the notes are not a list"); \
            return NULL;                                                  \
        }                                                                 \
        if (PyList_Append(notes, text) < 0) {                             \
            return NULL;                                                  \
        }                                                                 \
        Py_RETURN_NONE;                                                   \
    }
#define METHODS {"note", holder_note, METH_O, "add a note"},
#ifdef WRONG
#define TRAVERSE                  \
    VISIT_TYPE                    \
    Py_VISIT(self->item);         \
    Py_VISIT(holder_notes(self)); \
    return 0;
#else
#define TRAVERSE           \
    VISIT_TYPE             \
    Py_VISIT(self->item);  \
    Py_VISIT(self->other); \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
