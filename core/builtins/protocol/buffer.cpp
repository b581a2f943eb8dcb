// Views of an object's memory. Source: "Buffer Protocol" in the C API documentation.
#include <algorithm>
#include <span>

#include "core/include/Python.h"

namespace {

const PyBufferProcs* exporter_of(PyObject* op) {
    const PyBufferProcs* procs = Py_TYPE(op)->tp_as_buffer;
    return procs == nullptr || procs->bf_getbuffer == nullptr ? nullptr : procs;
}

// The flags of PyMemoryView_FromMemory ask for no view.
bool check_flags(int flags) {
    if (flags == PyBUF_READ || flags == PyBUF_WRITE) {
        PyErr_BadInternalCall();
        return false;
    }
    return true;
}

bool asks(int flags, int what) {
    return (flags & what) == what;
}

bool is_c_contiguous(const Py_buffer& view) {
    if (view.len == 0 || view.strides == nullptr) {
        return true;
    }
    Py_ssize_t stride = view.itemsize;
    for (int i = view.ndim - 1; i >= 0; --i) {
        if (view.shape[i] > 1 && view.strides[i] != stride) {
            return false;
        }
        stride *= view.shape[i];
    }
    return true;
}

bool is_fortran_contiguous(const Py_buffer& view) {
    if (view.len == 0) {
        return true;
    }
    if (view.strides == nullptr) {
        // In the order of C, then: the same if no two dimensions have several items.
        return view.ndim <= 1 ||
               std::ranges::count_if(std::span(view.shape, static_cast<size_t>(view.ndim)),
                                     [](Py_ssize_t size) { return size > 1; }) <= 1;
    }
    Py_ssize_t stride = view.itemsize;
    for (int i = 0; i < view.ndim; ++i) {
        if (view.shape[i] > 1 && view.strides[i] != stride) {
            return false;
        }
        stride *= view.shape[i];
    }
    return true;
}

}  // namespace

int PyObject_CheckBuffer(PyObject* op) {
    return exporter_of(op) != nullptr;
}

int PyObject_GetBuffer(PyObject* op, Py_buffer* view, int flags) {
    if (!check_flags(flags)) {
        return -1;
    }
    const PyBufferProcs* procs = exporter_of(op);
    if (procs == nullptr) {
        PyErr_Format(PyExc_TypeError, "a bytes-like object is required, not '%.100s'",
                     Py_TYPE(op)->tp_name);
        return -1;
    }
    return procs->bf_getbuffer(op, view, flags);
}

void PyBuffer_Release(Py_buffer* view) {
    PyObject* op = view->obj;
    if (op == nullptr) {
        return;
    }
    const PyBufferProcs* procs = Py_TYPE(op)->tp_as_buffer;
    if (procs != nullptr && procs->bf_releasebuffer != nullptr) {
        procs->bf_releasebuffer(op, view);
    }
    view->obj = nullptr;
    Py_DECREF(op);
}

int PyBuffer_FillInfo(Py_buffer* view, PyObject* op, void* memory, Py_ssize_t size, int readonly,
                      int flags) {
    if (view == nullptr) {
        PyErr_SetString(PyExc_BufferError, "PyBuffer_FillInfo: view==NULL argument is obsolete");
        return -1;
    }
    if (!check_flags(flags)) {
        return -1;
    }
    if (asks(flags, PyBUF_WRITABLE) && readonly == 1) {
        PyErr_SetString(PyExc_BufferError, "Object is not writable.");
        return -1;
    }
    static char format[] = "B";
    *view = {
        .buf = memory,
        .obj = Py_XNewRef(op),
        .len = size,
        .itemsize = 1,
        .readonly = readonly,
        .ndim = 1,
        .format = asks(flags, PyBUF_FORMAT) ? format : nullptr,
        .shape = asks(flags, PyBUF_ND) ? &view->len : nullptr,
        .strides = asks(flags, PyBUF_STRIDES) ? &view->itemsize : nullptr,
        .suboffsets = nullptr,
        .internal = nullptr,
    };
    return 0;
}

int PyBuffer_IsContiguous(const Py_buffer* view, char order) {
    if (view->suboffsets != nullptr) {
        return 0;
    }
    switch (order) {
        case 'C':
            return is_c_contiguous(*view);
        case 'F':
            return is_fortran_contiguous(*view);
        case 'A':
            return is_c_contiguous(*view) || is_fortran_contiguous(*view);
        default:
            return 0;
    }
}

void* PyBuffer_GetPointer(const Py_buffer* view, const Py_ssize_t* indices) {
    char* at = static_cast<char*>(view->buf);
    for (int i = 0; i < view->ndim; ++i) {
        at += view->strides[i] * indices[i];
        if (view->suboffsets != nullptr && view->suboffsets[i] >= 0) {
            at = *reinterpret_cast<char**>(at) + view->suboffsets[i];
        }
    }
    return at;
}

void PyBuffer_FillContiguousStrides(int ndim, Py_ssize_t* shape, Py_ssize_t* strides, int itemsize,
                                    char order) {
    Py_ssize_t stride = itemsize;
    for (int step = 0; step < ndim; ++step) {
        const int i = order == 'F' ? step : ndim - 1 - step;
        strides[i] = stride;
        stride *= shape[i];
    }
}
