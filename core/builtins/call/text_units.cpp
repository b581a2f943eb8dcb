#include "core/builtins/call/text_units.hpp"

#include <cstring>

#include "core/builtins/call/convert.hpp"

namespace ouro::call {
namespace {

int release(PyObject*, void* address) {
    PyBuffer_Release(static_cast<Py_buffer*>(address));
    return 0;
}

// From here on the view is the caller's, unless a later argument fails.
bool hand_over(Units& units, Py_buffer* view) {
    return units.cleanups.add(release, view);
}

bool require_contiguous(Py_buffer* view, PyObject* arg, Complaint& complaint) {
    if (PyBuffer_IsContiguous(view, 'C') == 0) {
        PyBuffer_Release(view);
        return refuse(complaint, "contiguous buffer", arg);
    }
    return true;
}

// A view of the bytes that arg exports.
bool get_view(PyObject* arg, Py_buffer* view, Complaint& complaint) {
    if (PyObject_GetBuffer(arg, view, PyBUF_SIMPLE) != 0) {
        return refuse(complaint, "bytes-like object", arg);
    }
    return require_contiguous(view, arg, complaint);
}

// The bytes that arg exports, for as long as it lives: it may not depend on being told of the end of a view.
bool borrow_bytes(PyObject* arg, const char** bytes, Py_ssize_t* size, Complaint& complaint) {
    *bytes = nullptr;
    const PyBufferProcs* procs = Py_TYPE(arg)->tp_as_buffer;
    if (procs != nullptr && procs->bf_releasebuffer != nullptr) {
        return refuse(complaint, "read-only bytes-like object", arg);
    }
    Py_buffer view;
    if (!get_view(arg, &view, complaint)) {
        return false;
    }
    *bytes = static_cast<const char*>(view.buf);
    *size = view.len;
    PyBuffer_Release(&view);
    return true;
}

// Memory of no bytes may be nowhere.
bool has_zero(const char* text, Py_ssize_t size) {
    return size > 0 && std::memchr(text, 0, static_cast<size_t>(size)) != nullptr;
}

// s* and z*
bool store_text_view(Units& units, PyObject* arg, bool allows_none, Complaint& complaint) {
    Py_buffer* view = units.next<Py_buffer*>();
    if (allows_none && arg == Py_None) {
        PyBuffer_FillInfo(view, nullptr, nullptr, 0, 1, PyBUF_SIMPLE);
    } else if (PyUnicode_Check(arg)) {
        Py_ssize_t size;
        const char* text = to_utf8(arg, &size);
        if (text == nullptr) {
            return false;
        }
        PyBuffer_FillInfo(view, arg, const_cast<char*>(text), size, 1, PyBUF_SIMPLE);
    } else if (!get_view(arg, view, complaint)) {
        return false;
    }
    return hand_over(units, view);
}

// s# and z#
bool store_sized_text(Units& units, PyObject* arg, bool allows_none, Complaint& complaint) {
    const char** target = units.next<const char**>();
    Py_ssize_t* size = units.next<Py_ssize_t*>();
    if (allows_none && arg == Py_None) {
        *target = nullptr;
        *size = 0;
        return true;
    }
    if (!PyUnicode_Check(arg)) {
        return borrow_bytes(arg, target, size, complaint);
    }
    Py_ssize_t count;
    const char* text = to_utf8(arg, &count);
    if (text == nullptr) {
        return false;
    }
    *target = text;
    *size = count;
    return true;
}

int free_buffer(PyObject*, void* address) {
    char** buffer = static_cast<char**>(address);
    PyMem_Free(*buffer);
    *buffer = nullptr;
    return 0;
}

// `text` ends with a zero byte. A buffer of its own is freed if a later argument fails.
bool copy_text(Units& units, const char* text, Py_ssize_t size, char** buffer,
               const Py_ssize_t* capacity) {
    const auto bytes = static_cast<size_t>(size) + 1;
    if (capacity != nullptr && *buffer != nullptr) {
        if (size >= *capacity) {
            PyErr_Format(PyExc_ValueError, "encoded string too long (%zd, maximum length %zd)",
                         size, *capacity - 1);
            return false;
        }
        std::memcpy(*buffer, text, bytes);
        return true;
    }
    *buffer = static_cast<char*>(PyMem_Malloc(bytes));
    if (*buffer == nullptr) {
        PyErr_NoMemory();
        return false;
    }
    std::memcpy(*buffer, text, bytes);
    return units.cleanups.add(free_buffer, buffer);
}

}  // namespace

bool store_text(Units& units, PyObject* arg, bool allows_none, Complaint& complaint) {
    if (take_mark(units, '*')) {
        return store_text_view(units, arg, allows_none, complaint);
    }
    if (take_mark(units, '#')) {
        return store_sized_text(units, arg, allows_none, complaint);
    }
    const char** target = units.next<const char**>();
    if (allows_none && arg == Py_None) {
        *target = nullptr;
        return true;
    }
    if (!PyUnicode_Check(arg)) {
        return refuse(complaint, allows_none ? "str or None" : "str", arg);
    }
    Py_ssize_t size;
    const char* text = to_utf8(arg, &size);
    if (text == nullptr) {
        return false;
    }
    if (has_zero(text, size)) {
        PyErr_SetString(PyExc_ValueError, "embedded null character");
        return false;
    }
    *target = text;
    return true;
}

bool store_bytes(Units& units, PyObject* arg, Complaint& complaint) {
    if (take_mark(units, '*')) {
        Py_buffer* view = units.next<Py_buffer*>();
        return get_view(arg, view, complaint) && hand_over(units, view);
    }
    const bool has_size = take_mark(units, '#');
    const char** target = units.next<const char**>();
    Py_ssize_t* size_target = has_size ? units.next<Py_ssize_t*>() : nullptr;
    Py_ssize_t size = 0;
    if (!borrow_bytes(arg, target, &size, complaint)) {
        return false;
    }
    if (has_size) {
        *size_target = size;
    } else if (has_zero(*target, size)) {
        PyErr_SetString(PyExc_ValueError, "embedded null byte");
        return false;
    }
    return true;
}

bool store_writable(Units& units, PyObject* arg, Complaint& complaint) {
    Py_buffer* view = units.next<Py_buffer*>();
    if (!take_mark(units, '*')) {
        return refuse_format(complaint, "invalid use of 'w' format character");
    }
    if (PyObject_GetBuffer(arg, view, PyBUF_WRITABLE) != 0) {
        PyErr_Clear();
        return refuse(complaint, "read-write bytes-like object", arg);
    }
    return require_contiguous(view, arg, complaint) && hand_over(units, view);
}

bool store_encoded(Units& units, PyObject* arg, Complaint& complaint) {
    const char* encoding = units.next<const char*>();
    const bool is_es = take_mark(units, 's');
    if (!is_es && !take_mark(units, 't')) {
        return refuse_format(complaint, "unknown parser marker combination");
    }
    char** buffer = units.next<char**>();
    if (buffer == nullptr) {
        return refuse_format(complaint, "buffer is NULL");
    }
    const bool is_array = !is_es && PyByteArray_Check(arg);
    const bool is_ready = is_array || (!is_es && PyBytes_Check(arg));
    if (!is_ready && !PyUnicode_Check(arg)) {
        return refuse(complaint, is_es ? "str" : "str, bytes or bytearray", arg);
    }
    const bool has_size = take_mark(units, '#');
    Py_ssize_t* size_target = has_size ? units.next<Py_ssize_t*>() : nullptr;
    if (has_size && size_target == nullptr) {
        return refuse_format(complaint, "buffer_len is NULL");
    }
    PyObject* holder;
    const char* text;
    Py_ssize_t size;
    if (is_ready) {
        holder = Py_NewRef(arg);
        text = is_array ? PyByteArray_AS_STRING(arg) : PyBytes_AS_STRING(arg);
        size = is_array ? PyByteArray_GET_SIZE(arg) : PyBytes_GET_SIZE(arg);
    } else if (!encode(arg, encoding, &holder, &text, &size)) {
        return false;
    }
    bool stored = false;
    if (!has_size && has_zero(text, size)) {
        refuse(complaint, "encoded string without null bytes", arg);
    } else if (copy_text(units, text, size, buffer, size_target)) {
        if (has_size) {
            *size_target = size;
        }
        stored = true;
    }
    Py_DECREF(holder);
    return stored;
}

}  // namespace ouro::call
