// memoryview: attributes and methods.
#include <algorithm>
#include <string_view>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/memory_format.hpp"
#include "core/builtins/container/memoryview.hpp"
#include "core/builtins/text/bytes_methods.hpp"

using namespace ouro;
using container::Held;
using container::memoryview;
using container::view_of;
using object::Own;

namespace {

PyObject* type_error(const char* what) {
    PyErr_SetString(PyExc_TypeError, what);
    return nullptr;
}

PyObject* value_error(const char* what) {
    PyErr_SetString(PyExc_ValueError, what);
    return nullptr;
}

// An attribute, made of the view by `Make` unless it was released.
template <PyObject* (*Make)(const Py_buffer&)>
PyObject* get(PyObject* op, void*) {
    const Held held(op);
    return held ? Make(view_of(op)) : nullptr;
}

PyObject* numbers(const Py_ssize_t* from, int count) {
    Own made(PyTuple_New(from == nullptr ? 0 : count));
    for (Py_ssize_t i = 0; made && i < PyTuple_GET_SIZE(made.get()); ++i) {
        PyObject* number = PyLong_FromSsize_t(from[i]);
        if (number == nullptr) {
            return nullptr;
        }
        PyTuple_SET_ITEM(made.get(), i, number);
    }
    return made.release();
}

PyObject* get_obj(const Py_buffer& view) {
    return Py_NewRef(view.obj == nullptr ? Py_None : view.obj);
}
PyObject* get_nbytes(const Py_buffer& view) {
    return PyLong_FromSsize_t(view.len);
}
PyObject* get_itemsize(const Py_buffer& view) {
    return PyLong_FromSsize_t(view.itemsize);
}
PyObject* get_format(const Py_buffer& view) {
    return PyUnicode_FromString(view.format);
}
PyObject* get_ndim(const Py_buffer& view) {
    return PyLong_FromLong(view.ndim);
}
PyObject* get_readonly(const Py_buffer& view) {
    return PyBool_FromLong(view.readonly);
}
PyObject* get_shape(const Py_buffer& view) {
    return numbers(view.shape, view.ndim);
}
PyObject* get_strides(const Py_buffer& view) {
    return numbers(view.strides, view.ndim);
}
PyObject* get_suboffsets(const Py_buffer& view) {
    return numbers(view.suboffsets, view.ndim);
}
template <char order>
PyObject* get_contiguous(const Py_buffer& view) {
    return PyBool_FromLong(PyBuffer_IsContiguous(&view, order));
}

PyObject* enter(PyObject* op, PyObject*) {
    const Held held(op);
    return held ? Py_NewRef(op) : nullptr;
}

PyObject* leave(PyObject* op, PyObject*) {
    return container::memoryview_release(op, nullptr);
}

PyObject* to_bytes(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* given = nullptr;
    const char* order = nullptr;
    if (!call::take_arguments("tobytes", {"order"}, args, kwargs, &given) ||
        !call::take_text("tobytes", "order", given == Py_None ? nullptr : given, &order)) {
        return nullptr;
    }
    const std::string_view letter = order == nullptr ? "C" : order;
    if (letter != "C" && letter != "F" && letter != "A") {
        return value_error("order must be 'C', 'F' or 'A'");
    }
    return container::bytes_in_order(op, letter[0]);
}

PyObject* to_hex(PyObject* op, PyObject* args, PyObject* kwargs) {
    const Own bytes(container::bytes_in_order(op, 'C'));
    return bytes ? text::bytes_hex(bytes.get(), args, kwargs) : nullptr;
}

PyObject* to_readonly(PyObject* op, PyObject*) {
    const Held held(op);
    PyObject* made = held ? container::another_view(op, view_of(op).ndim) : nullptr;
    if (made != nullptr) {
        memoryview(made)->view.readonly = 1;
    }
    return made;
}

// Of one dimension.
PyObject* cast_items(PyObject* op, const char* format) {
    const Py_buffer& from = view_of(op);
    const char source = container::native_letter(from.format);
    if (source == '\0') {
        return value_error("memoryview: source format must be a native single character format "
                           "prefixed with an optional '@'");
    }
    Py_ssize_t itemsize;
    const char* lasting = container::lasting_format(format, &itemsize);
    if (lasting == nullptr) {
        return value_error(
            "memoryview: destination format must be a native single character format "
            "prefixed with an optional '@'");
    }
    if (!container::is_byte(source) && !container::is_byte(container::native_letter(lasting))) {
        return type_error("memoryview: cannot cast between two non-byte formats");
    }
    if (from.len % itemsize != 0) {
        return type_error("memoryview: length is not a multiple of itemsize");
    }
    PyObject* made = container::another_view(op, 1);
    if (made != nullptr) {
        Py_buffer& view = memoryview(made)->view;
        view.format = const_cast<char*>(lasting);
        view.itemsize = itemsize;
        view.shape[0] = from.len / itemsize;
        view.strides[0] = itemsize;
        view.suboffsets = nullptr;
    }
    return made;
}

// Reads a shape; its product, or -1 with an exception.
Py_ssize_t take_shape(PyObject* shape, Py_ssize_t* sizes) {
    Py_ssize_t product = 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); ++i) {
        PyObject* item = PyTuple_GET_ITEM(shape, i);
        if (!PyLong_Check(item)) {
            type_error("memoryview.cast(): elements of shape must be integers");
            return -1;
        }
        sizes[i] = PyLong_AsSsize_t(item);
        if (sizes[i] == -1 && PyErr_Occurred() != nullptr) {
            return -1;
        }
        if (sizes[i] <= 0) {
            value_error("memoryview.cast(): elements of shape must be integers > 0");
            return -1;
        }
        if (sizes[i] > PY_SSIZE_T_MAX / product) {
            value_error("memoryview.cast(): product(shape) > SSIZE_MAX");
            return -1;
        }
        product *= sizes[i];
    }
    return product;
}

// A view of one dimension in another shape.
PyObject* cast_shape(PyObject* op, PyObject* shape) {
    const auto ndim = static_cast<int>(PyTuple_GET_SIZE(shape));
    const Own made(container::another_view(op, ndim));
    if (!made) {
        return nullptr;
    }
    Py_buffer& view = memoryview(made.get())->view;
    const Py_ssize_t length = view_of(op).len;
    const Py_ssize_t count = take_shape(shape, view.shape);
    if (count < 0) {
        return nullptr;
    }
    if (count > PY_SSIZE_T_MAX / view.itemsize || count * view.itemsize != length) {
        return type_error("memoryview: product(shape) * itemsize != buffer size");
    }
    if (ndim > 0) {
        PyBuffer_FillContiguousStrides(ndim, view.shape, view.strides,
                                       static_cast<int>(view.itemsize), 'C');
    }
    view.suboffsets = nullptr;
    container::take_length(made.get());
    return Py_NewRef(made.get());
}

PyObject* cast(PyObject* op, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"format", "shape", nullptr};
    PyObject* format;
    PyObject* shape = nullptr;
    const char* text;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:cast", names, &format, &shape) == 0 ||
        !call::take_text("cast", "format", format, &text)) {
        return nullptr;
    }
    const Held held(op);
    if (!held) {
        return nullptr;
    }
    const Py_buffer& view = view_of(op);
    if (PyBuffer_IsContiguous(&view, 'C') == 0) {
        return type_error("memoryview: casts are restricted to C-contiguous views");
    }
    if ((shape != nullptr || view.ndim != 1) &&
        std::any_of(view.shape, view.shape + view.ndim, [](Py_ssize_t n) { return n == 0; })) {
        return type_error("memoryview: cannot cast view with zeros in shape or strides");
    }
    Own sizes;
    if (shape != nullptr) {
        if (!PyList_Check(shape) && !PyTuple_Check(shape)) {
            return type_error("shape must be a list or a tuple");
        }
        sizes.reset(PySequence_Tuple(shape));
        if (!sizes) {
            return nullptr;
        }
        if (PyTuple_GET_SIZE(sizes.get()) > PyBUF_MAX_NDIM) {
            return PyErr_Format(PyExc_ValueError,
                                "memoryview: number of dimensions must not exceed %d",
                                PyBUF_MAX_NDIM);
        }
        if (view.ndim != 1 && PyTuple_GET_SIZE(sizes.get()) != 1) {
            return type_error("memoryview: cast must be 1D -> ND or ND -> 1D");
        }
    }
    const Own line(cast_items(op, text));
    if (!line || !sizes) {
        return Py_XNewRef(line.get());
    }
    return cast_shape(line.get(), sizes.get());
}

// Whether lookup of values is possible at all.
bool check_lookup(PyObject* op) {
    const Held held(op);
    if (!held) {
        return false;
    }
    if (view_of(op).ndim == 0) {
        type_error("invalid lookup on 0-dim memory");
    } else if (view_of(op).ndim > 1) {
        PyErr_SetString(PyExc_NotImplementedError, "multi-dimensional lookup is not implemented");
    }
    return view_of(op).ndim == 1;
}

PyObject* find(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Py_ssize_t start = 0;
    Py_ssize_t stop = PY_SSIZE_T_MAX;
    if (!call::check_count("index", nargs, 1, 3) ||
        (nargs > 1 && !call::take_ssize(args[1], &start)) ||
        (nargs > 2 && !call::take_ssize(args[2], &stop)) || !check_lookup(op)) {
        return nullptr;
    }
    const Py_ssize_t count = view_of(op).shape[0];
    start = start < 0 ? std::max<Py_ssize_t>(start + count, 0) : start;
    stop = stop < 0 ? std::max<Py_ssize_t>(stop + count, 0) : std::min(stop, count);
    for (Py_ssize_t i = start; i < stop; ++i) {
        const Own item(container::memoryview_item(op, i));
        const int equal = item ? PyObject_RichCompareBool(item.get(), args[0], Py_EQ) : -1;
        if (equal != 0) {
            return equal < 0 ? nullptr : PyLong_FromSsize_t(i);
        }
    }
    return value_error("memoryview.index(x): x not found");
}

PyObject* count_equal(PyObject* op, PyObject* value) {
    if (!check_lookup(op)) {
        return nullptr;
    }
    Py_ssize_t many = 0;
    for (Py_ssize_t i = 0; i < view_of(op).shape[0]; ++i) {
        const Own item(container::memoryview_item(op, i));
        const int equal = item ? PyObject_RichCompareBool(item.get(), value, Py_EQ) : -1;
        if (equal < 0) {
            return nullptr;
        }
        many += equal;
    }
    return PyLong_FromSsize_t(many);
}

constexpr int kNamed = METH_VARARGS | METH_KEYWORDS;

}  // namespace

PyObject* container::bytes_in_order(PyObject* op, char order) {
    const Held held(op);
    Own made(held ? PyBytes_FromStringAndSize(nullptr, view_of(op).len) : nullptr);
    if (made && PyBuffer_ToContiguous(PyBytes_AS_STRING(made.get()), &view_of(op), view_of(op).len,
                                      order) < 0) {
        return nullptr;
    }
    return made.release();
}

PyMethodDef container::memoryview_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", leave, METH_VARARGS, PyDoc_STR("Releases it.")},
    {"cast", _PyCFunction_CAST(cast), kNamed, PyDoc_STR("In another format or another shape.")},
    {"count", count_equal, METH_O, PyDoc_STR("How many items equal a value.")},
    {"hex", _PyCFunction_CAST(to_hex), kNamed, PyDoc_STR("Hexadecimal digits of the bytes.")},
    {"index", _PyCFunction_CAST(find), METH_FASTCALL, PyDoc_STR("Where the first such item is.")},
    {"release", memoryview_release, METH_NOARGS, PyDoc_STR("Lets go of the memory.")},
    {"tobytes", _PyCFunction_CAST(to_bytes), kNamed, PyDoc_STR("The bytes, in an order.")},
    {"tolist", memoryview_tolist, METH_NOARGS, PyDoc_STR("The items, in lists of lists.")},
    {"toreadonly", to_readonly, METH_NOARGS, PyDoc_STR("One that cannot be written to.")},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef container::memoryview_getset[] = {
    {"c_contiguous", get<get_contiguous<'C'>>, nullptr, PyDoc_STR("In C's order."), nullptr},
    {"contiguous", get<get_contiguous<'A'>>, nullptr, PyDoc_STR("In either order."), nullptr},
    {"f_contiguous", get<get_contiguous<'F'>>, nullptr, PyDoc_STR("In Fortran's."), nullptr},
    {"format", get<get_format>, nullptr, PyDoc_STR("Of an item."), nullptr},
    {"itemsize", get<get_itemsize>, nullptr, PyDoc_STR("Bytes of an item."), nullptr},
    {"nbytes", get<get_nbytes>, nullptr, PyDoc_STR("Bytes of all items."), nullptr},
    {"ndim", get<get_ndim>, nullptr, PyDoc_STR("How many dimensions."), nullptr},
    {"obj", get<get_obj>, nullptr, PyDoc_STR("Whose memory it is."), nullptr},
    {"readonly", get<get_readonly>, nullptr, PyDoc_STR("It cannot be written to."), nullptr},
    {"shape", get<get_shape>, nullptr, PyDoc_STR("Items in each dimension."), nullptr},
    {"strides", get<get_strides>, nullptr, PyDoc_STR("Bytes from one to the next."), nullptr},
    {"suboffsets", get<get_suboffsets>, nullptr, PyDoc_STR("Of pointers to items."), nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
