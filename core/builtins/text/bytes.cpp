// bytes: the type and what is done with it. Source: "Bytes Objects" in the C API documentation.
#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

#include "core/builtins/container/slice.hpp"
#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/bytes_methods.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/object/compare.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using text::bytes;
using text::bytes_in;

namespace {

constexpr size_t kBytesOffset = offsetof(PyBytesObject, ob_sval);

// So many, to be filled in; nullptr with OverflowError or MemoryError.
PyObject* allocate(size_t size) {
    if (size > static_cast<size_t>(PY_SSIZE_T_MAX) - kBytesOffset - 1) {
        PyErr_SetString(PyExc_OverflowError, "byte string is too large");
        return nullptr;
    }
    PyObject* op = object::allocate_atom(&PyBytes_Type, kBytesOffset + size + 1);
    if (op != nullptr) {
        Py_SET_SIZE(op, static_cast<Py_ssize_t>(size));
        bytes(op)->ob_shash = -1;
        PyBytes_AS_STRING(op)[size] = '\0';
    }
    return op;
}

// The very object, but not one of a derived class.
PyObject* exactly(PyObject* op) {
    return PyBytes_CheckExact(op) ? Py_NewRef(op) : text::new_bytes(bytes_in(op));
}

Py_hash_t bytes_hash(PyObject* op) {
    Py_hash_t hash = __atomic_load_n(&bytes(op)->ob_shash, __ATOMIC_RELAXED);
    if (hash == -1) {
        hash = Py_HashBuffer(PyBytes_AS_STRING(op), Py_SIZE(op));
        __atomic_store_n(&bytes(op)->ob_shash, hash, __ATOMIC_RELAXED);
    }
    return hash;
}

PyObject* bytes_richcompare(PyObject* a, PyObject* b, int operation) {
    if (!PyBytes_Check(a) || !PyBytes_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (operation == Py_EQ || operation == Py_NE) {
        return PyBool_FromLong((bytes_in(a) == bytes_in(b)) == (operation == Py_EQ));
    }
    return PyBool_FromLong(object::holds(operation, object::order_of(bytes_in(a), bytes_in(b))));
}

PyObject* bytes_repr(PyObject* op) {
    return PyBytes_Repr(op, 1);
}

Py_ssize_t bytes_length(PyObject* op) {
    return Py_SIZE(op);
}

PyObject* bytes_concat(PyObject* a, PyObject* b) {
    if (PyObject_CheckBuffer(a) == 0 || PyObject_CheckBuffer(b) == 0) {
        return PyErr_Format(PyExc_TypeError, "can't concat %.100s to %.100s", Py_TYPE(b)->tp_name,
                            Py_TYPE(a)->tp_name);
    }
    if (PyBytes_CheckExact(b) && PyBytes_Check(a) && Py_SIZE(a) == 0) {
        return Py_NewRef(b);
    }
    if (PyBytes_CheckExact(a) && PyBytes_Check(b) && Py_SIZE(b) == 0) {
        return Py_NewRef(a);
    }
    text::BytesArgument left, right;
    if (!left.take(a) || !right.take(b)) {
        return nullptr;
    }
    const std::string_view first = left.content();
    const std::string_view second = right.content();
    PyObject* op = allocate(first.size() + second.size());
    if (op != nullptr) {
        std::ranges::copy(first, PyBytes_AS_STRING(op));
        std::ranges::copy(second, PyBytes_AS_STRING(op) + first.size());
    }
    return op;
}

PyObject* bytes_repeat(PyObject* op, Py_ssize_t times) {
    const std::string_view content = bytes_in(op);
    const auto count = static_cast<size_t>(std::max<Py_ssize_t>(times, 0));
    size_t size;
    if (__builtin_mul_overflow(content.size(), count, &size) ||
        size > static_cast<size_t>(PY_SSIZE_T_MAX)) {
        PyErr_SetString(PyExc_OverflowError, "repeated bytes are too long");
        return nullptr;
    }
    if (times == 1) {
        return exactly(op);
    }
    PyObject* made = allocate(size);
    for (size_t i = 0; made != nullptr && size > 0 && i < count; ++i) {
        std::ranges::copy(content, PyBytes_AS_STRING(made) + i * content.size());
    }
    return made;
}

PyObject* bytes_item(PyObject* op, Py_ssize_t index) {
    if (index < 0 || index >= Py_SIZE(op)) {
        PyErr_SetString(PyExc_IndexError, "index out of range");
        return nullptr;
    }
    return PyLong_FromLong(static_cast<unsigned char>(PyBytes_AS_STRING(op)[index]));
}

PyObject* bytes_subscript(PyObject* op, PyObject* key) {
    return container::subscript(
        key, "byte indices must be integers or slices, not %.200s", [op] { return Py_SIZE(op); },
        [op](Py_ssize_t index) { return bytes_item(op, index); },
        [op](container::Stride stride) {
            container::adjust(&stride, Py_SIZE(op));
            if (stride.count == Py_SIZE(op) && stride.step == 1) {
                return exactly(op);
            }
            PyObject* slice = allocate(static_cast<size_t>(stride.count));
            for (Py_ssize_t i = 0; slice != nullptr && i < stride.count; ++i) {
                PyBytes_AS_STRING(slice)[i] = PyBytes_AS_STRING(op)[stride.start + i * stride.step];
            }
            return slice;
        });
}

int bytes_contains(PyObject* op, PyObject* part) {
    if (PyLong_Check(part)) {
        char byte;
        return text::byte_of(part, "byte must be in range(0, 256)", &byte)
                   ? bytes_in(op).find(byte) != std::string_view::npos
                   : -1;
    }
    text::BytesArgument argument;
    return argument.take(part) ? bytes_in(op).find(argument.content()) != std::string_view::npos
                               : -1;
}

PySequenceMethods as_sequence = {
    .sq_length = bytes_length,
    .sq_concat = bytes_concat,
    .sq_repeat = bytes_repeat,
    .sq_item = bytes_item,
    .sq_contains = bytes_contains,
};

PyMappingMethods as_mapping = {
    .mp_length = bytes_length,
    .mp_subscript = bytes_subscript,
};

int bytes_getbuffer(PyObject* op, Py_buffer* view, int flags) {
    return PyBuffer_FillInfo(view, op, PyBytes_AS_STRING(op), Py_SIZE(op), 1, flags);
}

PyBufferProcs as_buffer = {
    .bf_getbuffer = bytes_getbuffer,
};

bool require_bytes(PyObject* op) {
    if (!PyBytes_Check(op)) {
        PyErr_Format(PyExc_TypeError, "expected bytes, %.200s found", Py_TYPE(op)->tp_name);
        return false;
    }
    return true;
}

}  // namespace

PyTypeObject PyBytes_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "bytes",
    .tp_basicsize = kBytesOffset + 1,
    .tp_itemsize = 1,
    .tp_repr = bytes_repr,
    .tp_as_sequence = &as_sequence,
    .tp_as_mapping = &as_mapping,
    .tp_hash = bytes_hash,
    .tp_str = bytes_repr,
    .tp_as_buffer = &as_buffer,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_BYTES_SUBCLASS,
    .tp_richcompare = bytes_richcompare,
    .tp_iter = text::bytes_iterate,
    .tp_methods = text::bytes_methods,
    .tp_new = text::bytes_new,
};

PyObject* PyBytes_FromStringAndSize(const char* content, Py_ssize_t size) {
    if (size < 0) {
        PyErr_SetString(PyExc_SystemError, "Negative size passed to PyBytes_FromStringAndSize");
        return nullptr;
    }
    PyObject* op = allocate(static_cast<size_t>(size));
    if (op != nullptr && content != nullptr && size > 0) {
        std::memcpy(PyBytes_AS_STRING(op), content, static_cast<size_t>(size));
    }
    return op;
}

PyObject* PyBytes_FromString(const char* text) {
    return text::new_bytes(text);
}

Py_ssize_t PyBytes_Size(PyObject* op) {
    return require_bytes(op) ? Py_SIZE(op) : -1;
}

char* PyBytes_AsString(PyObject* op) {
    return require_bytes(op) ? PyBytes_AS_STRING(op) : nullptr;
}

int PyBytes_AsStringAndSize(PyObject* op, char** content, Py_ssize_t* size) {
    if (content == nullptr) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (!require_bytes(op)) {
        return -1;
    }
    if (size == nullptr && bytes_in(op).find('\0') != std::string_view::npos) {
        PyErr_SetString(PyExc_ValueError, "embedded null byte");
        return -1;
    }
    *content = PyBytes_AS_STRING(op);
    if (size != nullptr) {
        *size = Py_SIZE(op);
    }
    return 0;
}

void PyBytes_Concat(PyObject** left, PyObject* right) {
    if (*left == nullptr) {
        return;
    }
    PyObject* old = *left;
    *left = right == nullptr ? nullptr : bytes_concat(old, right);
    Py_DECREF(old);
}

void PyBytes_ConcatAndDel(PyObject** left, PyObject* right) {
    PyBytes_Concat(left, right);
    Py_XDECREF(right);
}

int _PyBytes_Resize(PyObject** op, Py_ssize_t size) {
    PyObject* old = *op;
    if (PyBytes_Check(old) && size >= 0 && Py_SIZE(old) == size) {
        return 0;
    }
    if (!PyBytes_Check(old) || size < 0 || Py_REFCNT(old) != 1) {
        *op = nullptr;
        Py_DECREF(old);
        PyErr_BadInternalCall();
        return -1;
    }
    *op = allocate(static_cast<size_t>(size));
    if (*op != nullptr) {
        std::memcpy(PyBytes_AS_STRING(*op), PyBytes_AS_STRING(old),
                    static_cast<size_t>(std::min(size, Py_SIZE(old))));
    }
    Py_DECREF(old);
    return *op == nullptr ? -1 : 0;
}

Py_hash_t Py_HashBuffer(const void* memory, Py_ssize_t size) {
    const std::string_view content(static_cast<const char*>(memory), static_cast<size_t>(size));
    const auto hash = static_cast<Py_hash_t>(std::hash<std::string_view>()(content));
    return hash == -1 ? -2 : hash;
}

PyObject* PyBytes_Repr(PyObject* op, int smart) {
    const std::string_view content = bytes_in(op);
    const bool has_single = smart != 0 && content.find('\'') != std::string_view::npos;
    const char quote = has_single && content.find('"') == std::string_view::npos ? '"' : '\'';
    text::TextBuffer out;
    out.append('b');
    out.append(quote);
    for (const char c : content) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\t' || c == '\n' || c == '\r') {
            out.append(c == '\t' ? "\\t" : c == '\n' ? "\\n" : "\\r");
        } else if (byte < 0x20 || byte >= 0x7F) {
            out.append_escape(byte);
        } else {
            if (c == quote || c == '\\') {
                out.append('\\');
            }
            out.append(c);
        }
    }
    out.append(quote);
    return out.to_str();
}
