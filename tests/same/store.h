/* An exporter of memory, and how a view is shown. */
#ifndef OURO_TESTS_SAME_STORE_H
#define OURO_TESTS_SAME_STORE_H

#include "tests/same/same.h"

/* Exports `size` bytes, as it is told to. Not for several threads. */
typedef struct {
    PyObject_HEAD
    char bytes[16];
    Py_ssize_t size;
    int readonly;
    int gaps;  /* a view says that every other byte is an item, whatever was asked for */
    int fails; /* with this BufferError */
    Py_ssize_t shape[1];
    Py_ssize_t strides[1];
    int views;    /* that were given and not released */
    int releases; /* that it was told of */
} Store;

extern PyTypeObject Store_Type;
/* Need not be told of the end of a view. */
extern PyTypeObject Lasting_Type;
/* Those of Store_Type. */
int store_getbuffer(PyObject* op, Py_buffer* view, int flags);
void store_releasebuffer(PyObject* op, Py_buffer* view);

/* Released when the case is over. */
Store* store_of(PyTypeObject* type, const char* bytes);
void see_store(const Store* self);
void see_view(const Py_buffer* view);

#endif
