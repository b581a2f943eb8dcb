// bytearray: its memory, and what it is as a sequence. Source: "Byte Array Objects" in the C API documentation.
//
// Whoever reads or changes the bytes holds the object's lock; no other code runs meanwhile.
#include "core/builtins/container/bytearray.hpp"

#include <algorithm>
#include <cstring>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/slice.hpp"
#include "core/builtins/protocol/position.hpp"
#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/bytes_methods.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/object/compare.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using container::bytearray;
using container::content_of;
using mutator::Guard;
using object::Own;

char _PyByteArray_empty_string[] = "";

namespace {

// Another size; what is new is not set. 0, or -1 with an exception. Under its lock.
int resize(PyObject* op, Py_ssize_t size) {
    PyByteArrayObject* self = bytearray(op);
    if (size == Py_SIZE(op)) {
        return 0;
    }
    if (self->ob_exports > 0) {
        PyErr_SetString(PyExc_BufferError, "Existing exports of data: object cannot be re-sized");
        return -1;
    }
    const bool too_large = size >= self->ob_alloc;
    if (too_large || size < self->ob_alloc / 2) {
        const Py_ssize_t room = too_large ? size + (size >> 3) + 8 : size + 1;
        void* memory =
            room < size ? nullptr : PyMem_Realloc(self->ob_bytes, static_cast<size_t>(room));
        if (memory == nullptr) {
            PyErr_NoMemory();
            return -1;
        }
        self->ob_bytes = self->ob_start = static_cast<char*>(memory);
        self->ob_alloc = room;
    }
    Py_SET_SIZE(op, size);
    self->ob_start[size] = '\0';
    return 0;
}

int bytearray_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* given[3] = {};
    const char* encoding;
    const char* errors;
    if (!call::take_arguments("bytearray", {"source", "encoding", "errors"}, args, kwargs, given) ||
        !call::take_text("bytearray", "encoding", given[1], &encoding) ||
        !call::take_text("bytearray", "errors", given[2], &errors)) {
        return -1;
    }
    PyObject* source = given[0];
    Own content;
    const bool is_str = source != nullptr && PyUnicode_Check(source);
    if (is_str && encoding == nullptr) {
        PyErr_SetString(PyExc_TypeError, "string argument without an encoding");
        return -1;
    }
    if (!is_str && (encoding != nullptr || errors != nullptr)) {
        PyErr_SetString(PyExc_TypeError, encoding != nullptr ? "encoding without a string argument"
                                                             : "errors without a string argument");
        return -1;
    }
    if (is_str) {
        content = Own(PyUnicode_AsEncodedString(source, encoding, errors));
    } else if (source == nullptr) {
        content = Own(PyBytes_FromStringAndSize(nullptr, 0));
    } else if (PyIndex_Check(source) != 0) {
        const Py_ssize_t size = PyNumber_AsSsize_t(source, PyExc_OverflowError);
        if (size < 0) {
            if (PyErr_Occurred() == nullptr) {
                PyErr_SetString(PyExc_ValueError, "negative count");
            }
            return -1;
        }
        const Guard guard(op);
        if (resize(op, size) < 0) {
            return -1;
        }
        std::memset(PyByteArray_AS_STRING(op), 0, static_cast<size_t>(size));
        return 0;
    } else {
        content = Own(container::bytes_from(source));
    }
    if (!content) {
        return -1;
    }
    const Guard guard(op);
    return container::replace_bytes(op, 0, Py_SIZE(op), text::bytes_in(content.get()));
}

void bytearray_dealloc(PyObject* op) {
    if (bytearray(op)->ob_exports > 0) {
        PyErr_SetString(PyExc_SystemError, "deallocated bytearray object has exported buffers");
        PyErr_WriteUnraisable(nullptr);
    }
    PyMem_Free(bytearray(op)->ob_bytes);
    Py_TYPE(op)->tp_free(op);
}

// As that of the bytes, but that a single quote has a backslash even between double ones.
PyObject* bytearray_repr(PyObject* op) {
    const Own bytes(container::bytes_of(op));
    Own text(bytes ? PyObject_Repr(bytes.get()) : nullptr);
    if (text && PyUnicode_ReadChar(text.get(), 1) == '"') {
        const Own quote(PyUnicode_FromString("'"));
        const Own escaped(quote ? PyUnicode_FromString("\\'") : nullptr);
        text =
            Own(escaped ? PyUnicode_Replace(text.get(), quote.get(), escaped.get(), -1) : nullptr);
    }
    return text ? PyUnicode_FromFormat("%s(%U)", Py_TYPE(op)->tp_name, text.get()) : nullptr;
}

// With whatever exports memory.
PyObject* bytearray_richcompare(PyObject* a, PyObject* b, int operation) {
    if (PyObject_CheckBuffer(a) == 0 || PyObject_CheckBuffer(b) == 0) {
        return Py_NewRef(Py_NotImplemented);
    }
    const Own left(container::bytes_from(a));
    const Own right(left ? container::bytes_from(b) : nullptr);
    return right ? PyBool_FromLong(
                       object::holds(operation, object::order_of(text::bytes_in(left.get()),
                                                                 text::bytes_in(right.get()))))
                 : nullptr;
}

Py_ssize_t bytearray_length(PyObject* op) {
    return __atomic_load_n(&bytearray(op)->ob_base.ob_size, __ATOMIC_RELAXED);
}

PyObject* bytearray_repeat(PyObject* op, Py_ssize_t times) {
    const Own content(container::bytes_of(op));
    const Own repeated(content ? PySequence_Repeat(content.get(), times) : nullptr);
    return repeated ? container::new_bytearray(text::bytes_in(repeated.get())) : nullptr;
}

PyObject* bytearray_item(PyObject* op, Py_ssize_t index) {
    const Guard guard(op);
    if (index < 0 || index >= Py_SIZE(op)) {
        PyErr_SetString(PyExc_IndexError, "bytearray index out of range");
        return nullptr;
    }
    return PyLong_FromLong(static_cast<unsigned char>(PyByteArray_AS_STRING(op)[index]));
}

PyObject* bytearray_subscript(PyObject* op, PyObject* key) {
    return container::subscript(
        key, "bytearray indices must be integers or slices, not %.200s",
        [op] { return bytearray_length(op); },
        [op](Py_ssize_t index) { return bytearray_item(op, index); },
        [op](container::Stride stride) -> PyObject* {
            const Guard guard(op);
            container::adjust(&stride, Py_SIZE(op));
            PyObject* made = PyByteArray_FromStringAndSize(nullptr, stride.count);
            for (Py_ssize_t i = 0; made != nullptr && i < stride.count; ++i) {
                PyByteArray_AS_STRING(made)[i] =
                    PyByteArray_AS_STRING(op)[stride.start + i * stride.step];
            }
            return made;
        });
}

int assign_item(PyObject* op, Py_ssize_t index, PyObject* value) {
    char byte = 0;
    if (value != nullptr) {
        const Own number(PyNumber_Index(value));
        if (!number || !text::byte_of(number.get(), "byte must be in range(0, 256)", &byte)) {
            return -1;
        }
    }
    const Guard guard(op);
    if (index < 0 || index >= Py_SIZE(op)) {
        PyErr_SetString(PyExc_IndexError, "bytearray index out of range");
        return -1;
    }
    if (value == nullptr) {
        return container::replace_bytes(op, index, 1, {});
    }
    PyByteArray_AS_STRING(op)[index] = byte;
    return 0;
}

int assign_slice(PyObject* op, container::Stride stride, PyObject* value) {
    const Own content(value == nullptr ? PyBytes_FromStringAndSize(nullptr, 0)
                                       : container::bytes_from(value));
    if (!content) {
        return -1;
    }
    const std::string_view by = text::bytes_in(content.get());
    const Guard guard(op);
    container::adjust(&stride, Py_SIZE(op));
    if (stride.step == 1) {
        return container::replace_bytes(op, stride.start, stride.count, by);
    }
    if (value != nullptr) {
        if (stride.count != Py_SIZE(content.get())) {
            PyErr_Format(PyExc_ValueError,
                         "attempt to assign bytes of size %zd to extended slice of size %zd",
                         Py_SIZE(content.get()), stride.count);
            return -1;
        }
        for (Py_ssize_t i = 0; i < stride.count; ++i) {
            PyByteArray_AS_STRING(op)[stride.start + i * stride.step] = by[static_cast<size_t>(i)];
        }
        return 0;
    }
    // From the end on, so that the places before it stay what they are.
    for (Py_ssize_t i = 0; i < stride.count; ++i) {
        const Py_ssize_t k = stride.step > 0 ? stride.count - 1 - i : i;
        if (container::replace_bytes(op, stride.start + k * stride.step, 1, {}) < 0) {
            return -1;
        }
    }
    return 0;
}

int bytearray_ass_subscript(PyObject* op, PyObject* key, PyObject* value) {
    if (PyIndex_Check(key) != 0) {
        const Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (index == -1 && PyErr_Occurred() != nullptr) {
            return -1;
        }
        return assign_item(op, index < 0 ? index + bytearray_length(op) : index, value);
    }
    container::Stride stride;
    if (!PySlice_Check(key)) {
        PyErr_Format(PyExc_TypeError, "bytearray indices must be integers or slices, not %.200s",
                     Py_TYPE(key)->tp_name);
        return -1;
    }
    return container::unpack_slice(key, &stride) ? assign_slice(op, stride, value) : -1;
}

int bytearray_contains(PyObject* op, PyObject* part) {
    const Own content(container::bytes_of(op));
    const Own looked_for(content && PyObject_CheckBuffer(part) != 0 ? container::bytes_from(part)
                                                                    : Py_NewRef(part));
    return content && looked_for ? PySequence_Contains(content.get(), looked_for.get()) : -1;
}

PyObject* bytearray_inplace_concat(PyObject* op, PyObject* other) {
    if (PyObject_CheckBuffer(other) == 0) {
        return PyErr_Format(PyExc_TypeError, "can't concat %.100s to %.100s",
                            Py_TYPE(other)->tp_name, Py_TYPE(op)->tp_name);
    }
    const Own content(container::bytes_from(other));
    if (!content) {
        return nullptr;
    }
    const Guard guard(op);
    const std::string_view added = text::bytes_in(content.get());
    return container::replace_bytes(op, Py_SIZE(op), 0, added) < 0 ? nullptr : Py_NewRef(op);
}

PyObject* bytearray_inplace_repeat(PyObject* op, Py_ssize_t times) {
    const Own repeated(bytearray_repeat(op, times));
    if (!repeated) {
        return nullptr;
    }
    const Guard guard(op);
    return container::replace_bytes(op, 0, Py_SIZE(op), content_of(repeated.get())) < 0
               ? nullptr
               : Py_NewRef(op);
}

int bytearray_getbuffer(PyObject* op, Py_buffer* view, int flags) {
    const Guard guard(op);
    if (PyBuffer_FillInfo(view, op, PyByteArray_AS_STRING(op), Py_SIZE(op), 0, flags) < 0) {
        return -1;
    }
    ++bytearray(op)->ob_exports;
    return 0;
}

void bytearray_releasebuffer(PyObject* op, Py_buffer*) {
    const Guard guard(op);
    --bytearray(op)->ob_exports;
}

PyObject* byte_at(PyObject* op, Py_ssize_t index) {
    const Guard guard(op);
    return index < Py_SIZE(op)
               ? PyLong_FromLong(static_cast<unsigned char>(PyByteArray_AS_STRING(op)[index]))
               : nullptr;
}

PyObject* iterator_next(PyObject* op) {
    return protocol::step(op, 1, byte_at);
}

PyObject* iterator_hint(PyObject* op, PyObject*) {
    const protocol::Place place = protocol::place_of(op);
    return PyLong_FromSsize_t(
        place.over ? std::max<Py_ssize_t>(bytearray_length(place.over.get()) - place.index, 0) : 0);
}

PyMethodDef iterator_methods[] = {
    {"__length_hint__", iterator_hint, METH_NOARGS, PyDoc_STR("How many items are left.")},
    {nullptr, nullptr, 0, nullptr},
};

PyObject* bytearray_iterate(PyObject* op) {
    return protocol::new_position(&PyByteArrayIter_Type, op, 0);
}

PySequenceMethods as_sequence = {
    .sq_length = bytearray_length,
    .sq_concat = PyByteArray_Concat,
    .sq_repeat = bytearray_repeat,
    .sq_item = bytearray_item,
    .sq_ass_item = assign_item,
    .sq_contains = bytearray_contains,
    .sq_inplace_concat = bytearray_inplace_concat,
    .sq_inplace_repeat = bytearray_inplace_repeat,
};

PyMappingMethods as_mapping = {
    .mp_length = bytearray_length,
    .mp_subscript = bytearray_subscript,
    .mp_ass_subscript = bytearray_ass_subscript,
};

PyBufferProcs as_buffer = {
    .bf_getbuffer = bytearray_getbuffer,
    .bf_releasebuffer = bytearray_releasebuffer,
};

}  // namespace

PyTypeObject PyByteArray_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "bytearray",
    .tp_basicsize = sizeof(PyByteArrayObject),
    .tp_dealloc = bytearray_dealloc,
    .tp_repr = bytearray_repr,
    .tp_as_sequence = &as_sequence,
    .tp_as_mapping = &as_mapping,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_str = bytearray_repr,
    .tp_as_buffer = &as_buffer,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_richcompare = bytearray_richcompare,
    .tp_iter = bytearray_iterate,
    .tp_methods = container::bytearray_methods,
    .tp_init = bytearray_init,
    .tp_new = PyType_GenericNew,
};

constinit PyTypeObject PyByteArrayIter_Type =
    protocol::position_type("bytearray_iterator", iterator_next, iterator_methods);

namespace ouro::container {

PyObject* new_bytearray(std::string_view content) {
    return PyByteArray_FromStringAndSize(content.data(), static_cast<Py_ssize_t>(content.size()));
}

PyObject* bytes_of(PyObject* op) {
    const Guard guard(op);
    return text::new_bytes(content_of(op));
}

int replace_bytes(PyObject* op, Py_ssize_t low, Py_ssize_t count, std::string_view by) {
    const auto added = static_cast<Py_ssize_t>(by.size());
    const Py_ssize_t behind = Py_SIZE(op) - low - count;
    if (added > PY_SSIZE_T_MAX - low - behind) {
        PyErr_NoMemory();
        return -1;
    }
    if (added < count) {
        if (bytearray(op)->ob_exports == 0) {
            char* at = PyByteArray_AS_STRING(op) + low;
            std::memmove(at + added, at + count, static_cast<size_t>(behind));
        }
        if (resize(op, low + added + behind) < 0) {
            return -1;
        }
    } else if (added > count) {
        if (resize(op, low + added + behind) < 0) {
            return -1;
        }
        char* at = PyByteArray_AS_STRING(op) + low;
        std::memmove(at + added, at + count, static_cast<size_t>(behind));
    }
    std::ranges::copy(by, PyByteArray_AS_STRING(op) + low);
    return 0;
}

// Of an iterable of ints.
static PyObject* bytes_of_items(PyObject* op) {
    if (PyUnicode_Check(op)) {
        return PyBytes_FromObject(op);  // which says that it takes none
    }
    const Own items(PySequence_List(op));
    Own made(items ? PyBytes_FromStringAndSize(nullptr, PyList_GET_SIZE(items.get())) : nullptr);
    for (Py_ssize_t i = 0; made && i < PyBytes_GET_SIZE(made.get()); ++i) {
        const Own number(PyNumber_Index(PyList_GET_ITEM(items.get(), i)));
        if (!number || !text::byte_of(number.get(), "byte must be in range(0, 256)",
                                      PyBytes_AS_STRING(made.get()) + i)) {
            return nullptr;
        }
    }
    return made.release();
}

PyObject* bytes_from(PyObject* op) {
    if (PyBytes_CheckExact(op)) {
        return Py_NewRef(op);
    }
    if (PyByteArray_Check(op)) {
        return bytes_of(op);
    }
    if (PyObject_CheckBuffer(op) == 0) {
        return bytes_of_items(op);
    }
    Py_buffer view;
    if (PyObject_GetBuffer(op, &view, PyBUF_FULL_RO) < 0) {
        return nullptr;
    }
    PyObject* made = PyBytes_FromStringAndSize(nullptr, view.len);
    if (made != nullptr &&
        PyBuffer_ToContiguous(PyBytes_AS_STRING(made), &view, view.len, 'C') < 0) {
        Py_CLEAR(made);
    }
    PyBuffer_Release(&view);
    return made;
}

}  // namespace ouro::container

PyObject* PyByteArray_FromObject(PyObject* op) {
    return PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyByteArray_Type), op);
}

PyObject* PyByteArray_FromStringAndSize(const char* content, Py_ssize_t size) {
    if (size < 0) {
        PyErr_SetString(PyExc_SystemError, "Negative size passed to PyByteArray_FromStringAndSize");
        return nullptr;
    }
    Own op(PyType_GenericAlloc(&PyByteArray_Type, 0));
    if (!op || resize(op.get(), size) < 0) {
        return nullptr;
    }
    if (content != nullptr && size > 0) {
        std::memcpy(PyByteArray_AS_STRING(op.get()), content, static_cast<size_t>(size));
    }
    return op.release();
}

PyObject* PyByteArray_Concat(PyObject* a, PyObject* b) {
    if (PyObject_CheckBuffer(a) == 0 || PyObject_CheckBuffer(b) == 0) {
        return PyErr_Format(PyExc_TypeError, "can't concat %.100s to %.100s", Py_TYPE(b)->tp_name,
                            Py_TYPE(a)->tp_name);
    }
    const Own left(container::bytes_from(a));
    const Own right(left ? container::bytes_from(b) : nullptr);
    Own made(right ? container::new_bytearray(text::bytes_in(left.get())) : nullptr);
    return made && container::replace_bytes(made.get(), Py_SIZE(left.get()), 0,
                                            text::bytes_in(right.get())) == 0
               ? made.release()
               : nullptr;
}

Py_ssize_t PyByteArray_Size(PyObject* op) {
    return bytearray_length(op);
}

char* PyByteArray_AsString(PyObject* op) {
    return PyByteArray_AS_STRING(op);
}

int PyByteArray_Resize(PyObject* op, Py_ssize_t size) {
    if (size < 0) {
        PyErr_Format(PyExc_ValueError, "Can only resize to positive sizes, got %zd", size);
        return -1;
    }
    const Guard guard(op);
    return resize(op, size);
}
