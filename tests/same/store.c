/* The exporter of memory. */
#include "tests/same/store.h"

int store_getbuffer(PyObject* op, Py_buffer* view, int flags) {
    Store* self = (Store*)op;
    if (self->fails) {
        PyErr_SetString(PyExc_BufferError, "the store is closed");
        view->obj = NULL;
        return -1;
    }
    if (PyBuffer_FillInfo(view, op, self->bytes, self->size, self->readonly, flags) < 0) {
        return -1;
    }
    if (self->gaps) {
        self->shape[0] = self->size / 2;
        self->strides[0] = 2;
        view->len = self->size / 2;
        view->shape = self->shape;
        view->strides = self->strides;
    }
    ++self->views;
    return 0;
}

void store_releasebuffer(PyObject* op, Py_buffer* view) {
    Store* self = (Store*)op;
    --self->views;
    ++self->releases;
}

static PyBufferProcs store_procs = {store_getbuffer, store_releasebuffer};
static PyBufferProcs lasting_procs = {store_getbuffer, NULL};

PyTypeObject Store_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Store",
    .tp_basicsize = sizeof(Store),
    .tp_as_buffer = &store_procs,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = PyType_GenericNew,
};

PyTypeObject Lasting_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Lasting",
    .tp_basicsize = sizeof(Store),
    .tp_as_buffer = &lasting_procs,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = PyType_GenericNew,
};

Store* store_of(PyTypeObject* type, const char* bytes) {
    Store* self;
    if (PyType_Ready(type) < 0) {
        return (Store*)T(NULL);
    }
    self = (Store*)T(PyObject_CallNoArgs((PyObject*)type));
    self->size = (Py_ssize_t)strlen(bytes);
    memcpy(self->bytes, bytes, strlen(bytes));
    return self;
}

void see_store(const Store* self) {
    say("views: %d, releases: %d", self->views, self->releases);
}

void see_view(const Py_buffer* view) {
    say("len %zd itemsize %zd readonly %d ndim %d format %s shape %zd strides %zd%s%s", view->len,
        view->itemsize, view->readonly, view->ndim, view->format == NULL ? "NULL" : view->format,
        view->shape == NULL ? -1 : view->shape[0], view->strides == NULL ? -1 : view->strides[0],
        view->suboffsets == NULL ? "" : " suboffsets", view->internal == NULL ? "" : " internal");
}
