// memoryview: its items, one at a time, in slices, and all of them.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "core/builtins/container/memory_format.hpp"
#include "core/builtins/container/memoryview.hpp"
#include "core/builtins/container/slice.hpp"
#include "core/builtins/protocol/position.hpp"

using namespace ouro;
using container::Held;
using container::memoryview;
using container::view_of;
using object::Own;

namespace {

PyObject* not_implemented(const char* what) {
    PyErr_SetString(PyExc_NotImplementedError, what);
    return nullptr;
}

PyObject* type_error(const char* what) {
    PyErr_SetString(PyExc_TypeError, what);
    return nullptr;
}

// What a key is.
enum class Key { kIndex, kSlice, kIndexes, kSlices, kEmpty, kEllipsis, kOther };

Key kind_of(PyObject* key) {
    if (key == Py_Ellipsis) {
        return Key::kEllipsis;
    }
    if (PyIndex_Check(key) != 0) {
        return Key::kIndex;
    }
    if (PySlice_Check(key)) {
        return Key::kSlice;
    }
    if (!PyTuple_Check(key)) {
        return Key::kOther;
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(key);
    Py_ssize_t indexes = 0;
    Py_ssize_t slices = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        indexes += PyIndex_Check(PyTuple_GET_ITEM(key, i)) != 0 ? 1 : 0;
        slices += PySlice_Check(PyTuple_GET_ITEM(key, i)) ? 1 : 0;
    }
    return count == 0         ? Key::kEmpty
           : indexes == count ? Key::kIndexes
           : slices == count  ? Key::kSlices
                              : Key::kOther;
}

// Where item `index` of one dimension is, of those that there are.
char* place_in(const Py_buffer& view, int dimension, char* at, Py_ssize_t index) {
    at += view.strides[dimension] * index;
    return view.suboffsets != nullptr && view.suboffsets[dimension] >= 0
               ? *reinterpret_cast<char**>(at) + view.suboffsets[dimension]
               : at;
}

// The same, of any index; nullptr with IndexError.
char* item_at(const Py_buffer& view, int dimension, char* at, Py_ssize_t index) {
    const Py_ssize_t count = view.shape[dimension];
    index = index < 0 ? index + count : index;
    if (index < 0 || index >= count) {
        PyErr_Format(PyExc_IndexError, "index out of bounds on dimension %d", dimension + 1);
        return nullptr;
    }
    return place_in(view, dimension, at, index);
}

// The place of an item with an index for each dimension; nullptr with an exception.
char* place_of(const Py_buffer& view, PyObject* indexes) {
    const Py_ssize_t count = PyTuple_GET_SIZE(indexes);
    if (count < view.ndim) {
        not_implemented("sub-views are not implemented");
        return nullptr;
    }
    if (count > view.ndim) {
        PyErr_Format(PyExc_TypeError, "cannot index %zd-dimension view with %zd-element tuple",
                     static_cast<Py_ssize_t>(view.ndim), count);
        return nullptr;
    }
    auto* place = static_cast<char*>(view.buf);
    for (int i = 0; i < view.ndim && place != nullptr; ++i) {
        const Py_ssize_t index = PyNumber_AsSsize_t(PyTuple_GET_ITEM(indexes, i), PyExc_IndexError);
        place =
            index == -1 && PyErr_Occurred() != nullptr ? nullptr : item_at(view, i, place, index);
    }
    return place;
}

// The place of an item of a view of one dimension. `refusal`: what is said of one of more.
char* place_of(const Py_buffer& view, Py_ssize_t index, const char* refusal) {
    if (view.ndim == 0) {
        type_error("invalid indexing of 0-dim memory");
        return nullptr;
    }
    if (view.ndim > 1) {
        not_implemented(refusal);
        return nullptr;
    }
    return item_at(view, 0, static_cast<char*>(view.buf), index);
}

constexpr char kNoSubViews[] = "multi-dimensional sub-views are not implemented";

PyObject* unpack_at(const Py_buffer& view, const char* place) {
    return place == nullptr ? nullptr : container::unpack_item(place, view.format);
}

// A part of the first dimension. Pre: there is one.
PyObject* slice_of(PyObject* op, PyObject* key) {
    container::Stride stride;
    if (!container::unpack_slice(key, &stride)) {
        return nullptr;
    }
    PyObject* made = container::another_view(op, view_of(op).ndim);
    if (made != nullptr) {
        Py_buffer& view = memoryview(made)->view;
        container::adjust(&stride, view.shape[0]);
        view.buf = static_cast<char*>(view.buf) + view.strides[0] * stride.start;
        view.shape[0] = stride.count;
        view.strides[0] *= stride.step;
        container::take_length(made);
    }
    return made;
}

// The value is packed before the place is looked for: packing may run code.
int assign(PyObject* op, PyObject* key, PyObject* value) {
    alignas(8) std::array<char, container::kLargestItem> item;
    const Py_buffer& view = view_of(op);
    const Key kind = kind_of(key);
    char* place = nullptr;
    if (view.ndim == 0) {
        if (kind != Key::kEllipsis && kind != Key::kEmpty) {
            type_error("invalid indexing of 0-dim memory");
            return -1;
        }
        place = static_cast<char*>(view.buf);
    } else if (kind == Key::kIndexes || kind == Key::kEmpty) {
        place = place_of(view, key);
    } else {
        const Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (index != -1 || PyErr_Occurred() == nullptr) {
            place = place_of(view, index, "sub-views are not implemented");
        }
    }
    if (place == nullptr || !container::pack_item(item.data(), value, view.format)) {
        return -1;
    }
    if (!Held(op)) {  // the value's own code released it
        return -1;
    }
    std::memcpy(place, item.data(), static_cast<size_t>(view.itemsize));
    return 0;
}

bool is_same_format(const Py_buffer& a, const Py_buffer& b) {
    const char* format_a = a.format[0] == '@' ? a.format + 1 : a.format;
    const char* format_b = b.format == nullptr ? container::kBytes : b.format;
    format_b = format_b[0] == '@' ? format_b + 1 : format_b;
    return a.itemsize == b.itemsize && std::strcmp(format_a, format_b) == 0;
}

bool is_same_shape(const Py_buffer& a, const Py_buffer& b) {
    if (a.ndim != b.ndim) {
        return false;
    }
    for (int i = 0; i < a.ndim; ++i) {
        if (a.shape[i] != b.shape[i]) {
            return false;
        }
        if (a.shape[i] == 0) {
            break;
        }
    }
    return true;
}

// Pre: one dimension, held.
int assign_slice(PyObject* op, PyObject* key, PyObject* value) {
    if (PyObject_CheckBuffer(value) == 0) {
        PyErr_Format(PyExc_TypeError, "a bytes-like object is required, not '%.100s'",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    const Own from(PyMemoryView_FromObject(value));
    const Own to(from ? slice_of(op, key) : nullptr);
    if (!to) {
        return -1;
    }
    const Py_buffer& source = view_of(from.get());
    const Py_buffer& target = view_of(to.get());
    if (!is_same_format(target, source) || !is_same_shape(target, source)) {
        PyErr_SetString(PyExc_ValueError,
                        "memoryview assignment: lvalue and rvalue have different structures");
        return -1;
    }
    // They may overlap.
    const std::unique_ptr<void, void (*)(void*)> between(
        PyMem_Malloc(static_cast<size_t>(source.len)), PyMem_Free);
    if (between == nullptr) {
        PyErr_NoMemory();
        return -1;
    }
    return PyBuffer_ToContiguous(between.get(), &source, source.len, 'C') < 0
               ? -1
               : PyBuffer_FromContiguous(&target, between.get(), source.len, 'C');
}

// The items from a dimension on.
PyObject* list_from(const Py_buffer& view, int dimension, char* place) {
    if (dimension == view.ndim) {
        return unpack_at(view, place);
    }
    Own made(PyList_New(view.shape[dimension]));
    for (Py_ssize_t i = 0; made && i < view.shape[dimension]; ++i) {
        PyObject* item = list_from(view, dimension + 1, place_in(view, dimension, place, i));
        if (item == nullptr) {
            return nullptr;
        }
        PyList_SET_ITEM(made.get(), i, item);
    }
    return made.release();
}

// Whether all items from a dimension on are equal: 1, 0, or -1 with an exception.
int equal_from(const Py_buffer& a, char* place_a, const Py_buffer& b, char* place_b,
               int dimension) {
    if (dimension == a.ndim) {
        return container::same_items(place_a, a, place_b, b);
    }
    int equal = 1;
    for (Py_ssize_t i = 0; equal > 0 && i < a.shape[dimension]; ++i) {
        equal = equal_from(a, place_in(a, dimension, place_a, i), b,
                           place_in(b, dimension, place_b, i), dimension + 1);
    }
    return equal;
}

// Whether two memoryviews, which are held, are equal.
int equal_to(PyObject* op, PyObject* other) {
    const Py_buffer& a = view_of(op);
    const Py_buffer& b = view_of(other);
    return is_same_shape(a, b)
               ? equal_from(a, static_cast<char*>(a.buf), b, static_cast<char*>(b.buf), 0)
               : 0;
}

PyObject* iterator_next(PyObject* op) {
    return protocol::step(op, 1, [](PyObject* over, Py_ssize_t index) -> PyObject* {
        return index < view_of(over).shape[0] ? container::memoryview_item(over, index) : nullptr;
    });
}

}  // namespace

constinit PyTypeObject container::MemoryIteratorType =
    protocol::position_type("memory_iterator", iterator_next, nullptr);

Py_ssize_t container::memoryview_length(PyObject* op) {
    if (!Held(op)) {
        return -1;
    }
    if (view_of(op).ndim == 0) {
        type_error("0-dim memory has no length");
        return -1;
    }
    return view_of(op).shape[0];
}

PyObject* container::memoryview_item(PyObject* op, Py_ssize_t index) {
    const Held held(op);
    return held ? unpack_at(view_of(op), place_of(view_of(op), index, kNoSubViews)) : nullptr;
}

PyObject* container::memoryview_subscript(PyObject* op, PyObject* key) {
    const Held held(op);
    if (!held) {
        return nullptr;
    }
    const Py_buffer& view = view_of(op);
    const Key kind = kind_of(key);
    if (view.ndim == 0) {
        return kind == Key::kEmpty      ? unpack_at(view, static_cast<char*>(view.buf))
               : kind == Key::kEllipsis ? Py_NewRef(op)
                                        : type_error("invalid indexing of 0-dim memory");
    }
    switch (kind) {
        case Key::kIndex: {
            const Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
            return index == -1 && PyErr_Occurred() != nullptr ? nullptr
                                                              : memoryview_item(op, index);
        }
        case Key::kSlice:
            return slice_of(op, key);
        case Key::kIndexes:
        case Key::kEmpty:
            return unpack_at(view, place_of(view, key));
        case Key::kSlices:
            return not_implemented("multi-dimensional slicing is not implemented");
        default:
            return type_error("memoryview: invalid slice key");
    }
}

int container::memoryview_ass_subscript(PyObject* op, PyObject* key, PyObject* value) {
    const Held held(op);
    if (!held) {
        return -1;
    }
    const Py_buffer& view = view_of(op);
    if (view.readonly != 0) {
        type_error("cannot modify read-only memory");
        return -1;
    }
    if (value == nullptr) {
        type_error("cannot delete memory");
        return -1;
    }
    const Key kind = kind_of(key);
    if (view.ndim == 0 || kind == Key::kIndex || kind == Key::kIndexes || kind == Key::kEmpty) {
        return assign(op, key, value);
    }
    if (kind == Key::kSlice && view.ndim == 1) {
        return assign_slice(op, key, value);
    }
    if (kind == Key::kSlice || kind == Key::kSlices) {
        not_implemented("memoryview slice assignments are currently restricted to ndim = 1");
        return -1;
    }
    type_error("memoryview: invalid slice key");
    return -1;
}

PyObject* container::memoryview_tolist(PyObject* op, PyObject*) {
    const Held held(op);
    return held ? list_from(view_of(op), 0, static_cast<char*>(view_of(op).buf)) : nullptr;
}

PyObject* container::memoryview_iterate(PyObject* op) {
    const Held held(op);
    if (!held) {
        return nullptr;
    }
    if (view_of(op).ndim != 1) {
        return view_of(op).ndim == 0 ? type_error("invalid indexing of 0-dim memory")
                                     : not_implemented(kNoSubViews);
    }
    return protocol::new_position(&MemoryIteratorType, op, 0);
}

PyObject* container::memoryview_richcompare(PyObject* a, PyObject* b, int operation) {
    if (operation != Py_EQ && operation != Py_NE) {
        return Py_NewRef(Py_NotImplemented);
    }
    int equal = a == b ? 1 : 0;
    if (Held::is_possible(a) && (!PyMemoryView_Check(b) || Held::is_possible(b))) {
        const Held held(a);
        const Own other(PyMemoryView_FromObject(b));
        if (!held || !other) {
            PyErr_Clear();
            return Py_NewRef(Py_NotImplemented);
        }
        equal = equal_to(a, other.get());
    }
    return equal < 0 ? nullptr : PyBool_FromLong((equal != 0) == (operation == Py_EQ));
}

Py_hash_t container::memoryview_hash(PyObject* op) {
    PyMemoryViewObject* self = memoryview(op);
    const Py_hash_t known = __atomic_load_n(&self->hash, __ATOMIC_RELAXED);
    if (known != -1) {
        return known;
    }
    const Held held(op);
    if (!held) {
        return -1;
    }
    if (self->view.readonly == 0) {
        PyErr_SetString(PyExc_ValueError, "cannot hash writable memoryview object");
        return -1;
    }
    if (!is_byte(native_letter(self->view.format))) {
        PyErr_SetString(PyExc_ValueError,
                        "memoryview: hashing is restricted to formats 'B', 'b' or 'c'");
        return -1;
    }
    if (self->view.obj != nullptr && PyObject_Hash(self->view.obj) == -1) {
        return -1;
    }
    const Own bytes(bytes_in_order(op, 'C'));
    const Py_hash_t hash = bytes ? PyObject_Hash(bytes.get()) : -1;
    __atomic_store_n(&self->hash, hash, __ATOMIC_RELAXED);
    return hash;
}
