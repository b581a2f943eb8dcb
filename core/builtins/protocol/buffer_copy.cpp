// Copies between views and memory without gaps, and the oldest way to an object's memory. Source: "Buffer Protocol" in
// the C API documentation.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "core/include/Python.h"

namespace {

// Calls step(place) with the place of each item of a view, in the order of C or, if `fortran`, of Fortran.
template <class Step>
void for_each_item(const Py_buffer& view, bool fortran, Step step) {
    std::array<Py_ssize_t, PyBUF_MAX_NDIM> index{};
    const int ndim = view.ndim;
    if (ndim > 0 && std::any_of(view.shape, view.shape + ndim, [](auto n) { return n == 0; })) {
        return;
    }
    for (;;) {
        step(static_cast<char*>(PyBuffer_GetPointer(&view, index.data())));
        int moved = 0;
        for (; moved < ndim; ++moved) {
            const auto i = static_cast<size_t>(fortran ? moved : ndim - 1 - moved);
            if (++index[i] < view.shape[i]) {
                break;
            }
            index[i] = 0;
        }
        if (moved == ndim) {
            return;
        }
    }
}

// The order that a letter means for a view.
bool is_fortran(const Py_buffer& view, char order) {
    return order == 'F' || (order == 'A' && PyBuffer_IsContiguous(&view, 'C') == 0 &&
                            PyBuffer_IsContiguous(&view, 'F') != 0);
}

// Whether the memory is one piece in that order.
bool is_one_piece(const Py_buffer& view, bool fortran) {
    return view.shape == nullptr || PyBuffer_IsContiguous(&view, fortran ? 'F' : 'C') != 0;
}

// A view for the oldest functions, which cannot release one: it is, at once.
int take_memory(PyObject* op, int flags, void** memory, Py_ssize_t* size) {
    if (op == nullptr || memory == nullptr || size == nullptr) {
        PyErr_BadArgument();
        return -1;
    }
    Py_buffer view;
    if (PyObject_GetBuffer(op, &view, flags) < 0) {
        return -1;
    }
    *memory = view.buf;
    *size = view.len;
    PyBuffer_Release(&view);
    return 0;
}

}  // namespace

int PyBuffer_ToContiguous(void* memory, const Py_buffer* view, Py_ssize_t size, char order) {
    if (size != view->len) {
        PyErr_SetString(PyExc_ValueError, "PyBuffer_ToContiguous: len != view->len");
        return -1;
    }
    const bool fortran = is_fortran(*view, order);
    if (is_one_piece(*view, fortran)) {
        if (size > 0) {
            std::memcpy(memory, view->buf, static_cast<size_t>(size));
        }
        return 0;
    }
    auto* to = static_cast<char*>(memory);
    const auto each = static_cast<size_t>(view->itemsize);
    for_each_item(*view, fortran, [&](const char* item) {
        std::memcpy(to, item, each);
        to += each;
    });
    return 0;
}

int PyBuffer_FromContiguous(const Py_buffer* view, const void* memory, Py_ssize_t size,
                            char order) {
    const bool fortran = is_fortran(*view, order);
    const auto most = static_cast<size_t>(std::min(size, view->len));
    if (is_one_piece(*view, fortran)) {
        if (most > 0) {
            std::memcpy(view->buf, memory, most);
        }
        return 0;
    }
    const auto* from = static_cast<const char*>(memory);
    const auto each = static_cast<size_t>(view->itemsize);
    size_t left = most / each;
    for_each_item(*view, fortran, [&](char* item) {
        if (left > 0) {
            std::memcpy(item, from, each);
            from += each;
            --left;
        }
    });
    return 0;
}

int PyObject_CopyData(PyObject* to, PyObject* from) {
    Py_buffer source, target;
    if (PyObject_CheckBuffer(to) == 0 || PyObject_CheckBuffer(from) == 0) {
        PyErr_SetString(PyExc_TypeError, "both destination and source must be bytes-like objects");
        return -1;
    }
    if (PyObject_GetBuffer(to, &target, PyBUF_FULL) < 0) {
        return -1;
    }
    if (PyObject_GetBuffer(from, &source, PyBUF_FULL_RO) < 0) {
        PyBuffer_Release(&target);
        return -1;
    }
    int result = -1;
    if (target.len < source.len) {
        PyErr_SetString(PyExc_BufferError, "destination is too small to receive data from source");
    } else if (void* between = PyMem_Malloc(static_cast<size_t>(source.len))) {
        result = PyBuffer_ToContiguous(between, &source, source.len, 'C') == 0 &&
                         PyBuffer_FromContiguous(&target, between, source.len, 'C') == 0
                     ? 0
                     : -1;
        PyMem_Free(between);
    } else {
        PyErr_NoMemory();
    }
    PyBuffer_Release(&source);
    PyBuffer_Release(&target);
    return result;
}

Py_ssize_t PyBuffer_SizeFromFormat(const char* format) {
    static constexpr std::string_view kLetters = "?cbBhHiIlLqQnNPefd";
    static constexpr Py_ssize_t kSizes[] = {1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 8, 8, 8, 2, 4, 8};
    std::string_view text = format == nullptr ? "B" : format;
    if (text.starts_with('@')) {
        text.remove_prefix(1);
    }
    const size_t found = text.size() == 1 ? kLetters.find(text[0]) : std::string_view::npos;
    if (found == std::string_view::npos) {
        PyErr_Format(PyExc_ValueError, "unsupported format %s", format);
        return -1;
    }
    return kSizes[found];
}

int PyObject_AsReadBuffer(PyObject* op, const void** memory, Py_ssize_t* size) {
    return take_memory(op, PyBUF_SIMPLE, const_cast<void**>(memory), size);
}

int PyObject_AsCharBuffer(PyObject* op, const char** memory, Py_ssize_t* size) {
    return take_memory(op, PyBUF_SIMPLE, reinterpret_cast<void**>(const_cast<char**>(memory)),
                       size);
}

int PyObject_AsWriteBuffer(PyObject* op, void** memory, Py_ssize_t* size) {
    return take_memory(op, PyBUF_WRITABLE, memory, size);
}

int PyObject_CheckReadBuffer(PyObject* op) {
    Py_buffer view;
    if (PyObject_CheckBuffer(op) == 0 || PyObject_GetBuffer(op, &view, PyBUF_SIMPLE) < 0) {
        PyErr_Clear();
        return 0;
    }
    PyBuffer_Release(&view);
    return 1;
}
