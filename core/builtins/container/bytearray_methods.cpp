// bytearray: methods. Those that do not change it are those of the bytes that it has, and give bytearrays for bytes.
#include <algorithm>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/bytearray.hpp"
#include "core/builtins/text/bytes.hpp"
#include "core/builtins/type/special.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using container::bytearray;
using container::content_of;
using mutator::Guard;
using object::Own;

namespace {

// What a method of bytes takes for an argument, or for an item of one: bytes for a bytearray, which is new, anything else
// as it is.
PyObject* as_argument(PyObject* op) {
    if (PyByteArray_Check(op)) {
        return container::bytes_of(op);
    }
    if (!PyList_CheckExact(op) && !PyTuple_CheckExact(op)) {
        return Py_NewRef(op);
    }
    const Own items(PySequence_Tuple(op));
    Own made(items ? PyTuple_New(PyTuple_GET_SIZE(items.get())) : nullptr);
    for (Py_ssize_t i = 0; made && i < PyTuple_GET_SIZE(items.get()); ++i) {
        PyObject* item = as_argument(PyTuple_GET_ITEM(items.get(), i));
        if (item == nullptr) {
            return nullptr;
        }
        PyTuple_SET_ITEM(made.get(), i, item);
    }
    return made.release();
}

// What a method of bytearray gives for what that of bytes gave, which is stolen.
PyObject* as_result(PyObject* op) {
    const Own given(op);
    if (op == nullptr || (!PyBytes_Check(op) && !PyList_Check(op) && !PyTuple_Check(op))) {
        return Py_XNewRef(op);
    }
    if (PyBytes_Check(op)) {
        return container::new_bytearray(text::bytes_in(op));
    }
    const bool is_list = PyList_Check(op);
    const Py_ssize_t count = PySequence_Size(op);
    Own made(is_list ? PyList_New(count) : PyTuple_New(count));
    for (Py_ssize_t i = 0; made && i < count; ++i) {
        PyObject* item = as_result(PySequence_GetItem(op, i));
        if (item == nullptr) {
            return nullptr;
        }
        if (is_list) {
            PyList_SET_ITEM(made.get(), i, item);
        } else {
            PyTuple_SET_ITEM(made.get(), i, item);
        }
    }
    return made.release();
}

template <type::NameText name>
PyObject* as_bytes(PyObject* op, PyObject* args, PyObject* kwargs) {
    const Own content(container::bytes_of(op));
    const Own method(content ? PyObject_GetAttrString(content.get(), name.text) : nullptr);
    const Own arguments(method ? as_argument(args) : nullptr);
    return arguments ? as_result(PyObject_Call(method.get(), arguments.get(), kwargs)) : nullptr;
}

// One byte of an int.
bool take_byte(PyObject* op, char* byte) {
    const Own number(PyNumber_Index(op));
    return number && text::byte_of(number.get(), "byte must be in range(0, 256)", byte);
}

// Puts bytes at a place; None, or nullptr.
PyObject* put(PyObject* op, Py_ssize_t index, std::string_view bytes) {
    return container::replace_bytes(op, index, 0, bytes) < 0 ? nullptr : Py_NewRef(Py_None);
}

PyObject* append(PyObject* op, PyObject* item) {
    char byte;
    if (!take_byte(item, &byte)) {
        return nullptr;
    }
    const Guard guard(op);
    return put(op, Py_SIZE(op), {&byte, 1});
}

PyObject* extend(PyObject* op, PyObject* items) {
    const Own content(container::bytes_from(items));
    if (!content) {
        return nullptr;
    }
    const Guard guard(op);
    return put(op, Py_SIZE(op), text::bytes_in(content.get()));
}

PyObject* insert(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Py_ssize_t index;
    char byte;
    if (!call::check_count("insert", nargs, 2, 2) || !call::take_ssize(args[0], &index) ||
        !take_byte(args[1], &byte)) {
        return nullptr;
    }
    const Guard guard(op);
    const Py_ssize_t size = Py_SIZE(op);
    return put(op, std::clamp<Py_ssize_t>(index < 0 ? index + size : index, 0, size), {&byte, 1});
}

PyObject* pop(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Py_ssize_t index = -1;
    if (!call::check_count("pop", nargs, 0, 1) ||
        (nargs > 0 && !call::take_ssize(args[0], &index))) {
        return nullptr;
    }
    const Guard guard(op);
    const Py_ssize_t size = Py_SIZE(op);
    index = index < 0 ? index + size : index;
    if (size == 0 || index < 0 || index >= size) {
        PyErr_SetString(PyExc_IndexError,
                        size == 0 ? "pop from empty bytearray" : "pop index out of range");
        return nullptr;
    }
    const char byte = PyByteArray_AS_STRING(op)[index];
    return container::replace_bytes(op, index, 1, {}) < 0
               ? nullptr
               : PyLong_FromLong(static_cast<unsigned char>(byte));
}

PyObject* remove(PyObject* op, PyObject* item) {
    char byte;
    if (!take_byte(item, &byte)) {
        return nullptr;
    }
    const Guard guard(op);
    const size_t place = content_of(op).find(byte);
    if (place == std::string_view::npos) {
        PyErr_SetString(PyExc_ValueError, "value not found in bytearray");
        return nullptr;
    }
    return container::replace_bytes(op, static_cast<Py_ssize_t>(place), 1, {}) < 0
               ? nullptr
               : Py_NewRef(Py_None);
}

PyObject* reverse(PyObject* op, PyObject*) {
    const Guard guard(op);
    char* begin = PyByteArray_AS_STRING(op);
    std::reverse(begin, begin + Py_SIZE(op));
    return Py_NewRef(Py_None);
}

PyObject* clear(PyObject* op, PyObject*) {
    return PyByteArray_Resize(op, 0) < 0 ? nullptr : Py_NewRef(Py_None);
}

PyObject* copy(PyObject* op, PyObject*) {
    const Guard guard(op);
    return container::new_bytearray(content_of(op));
}

PyObject* from_hex(PyObject* type, PyObject* text) {
    const Own bytes(
        PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyBytes_Type), "fromhex", "O", text));
    return bytes ? PyObject_CallOneArg(type, bytes.get()) : nullptr;
}

constexpr const char* kSame = PyDoc_STR("As bytes has it.");
constexpr int kNamed = METH_VARARGS | METH_KEYWORDS;

}  // namespace

#define OURO_AS_BYTES(name) \
    { name, _PyCFunction_CAST((as_bytes<name>)), kNamed, kSame }

PyMethodDef container::bytearray_methods[] = {
    {"append", append, METH_O, PyDoc_STR("Appends one byte.")},
    {"clear", clear, METH_NOARGS, PyDoc_STR("Removes all bytes.")},
    {"copy", copy, METH_NOARGS, PyDoc_STR("A copy.")},
    {"extend", extend, METH_O, PyDoc_STR("Appends the bytes of a buffer or of an iterable.")},
    {"fromhex", from_hex, METH_O | METH_CLASS, PyDoc_STR("Of hexadecimal digits in a str.")},
    {"insert", _PyCFunction_CAST(insert), METH_FASTCALL, PyDoc_STR("Puts one before a place.")},
    {"pop", _PyCFunction_CAST(pop), METH_FASTCALL, PyDoc_STR("Removes one and returns it.")},
    {"remove", remove, METH_O, PyDoc_STR("Removes the first that equals another.")},
    {"reverse", reverse, METH_NOARGS, PyDoc_STR("Turns the order round.")},
    OURO_AS_BYTES("capitalize"),
    OURO_AS_BYTES("center"),
    OURO_AS_BYTES("count"),
    OURO_AS_BYTES("decode"),
    OURO_AS_BYTES("endswith"),
    OURO_AS_BYTES("find"),
    OURO_AS_BYTES("hex"),
    OURO_AS_BYTES("index"),
    OURO_AS_BYTES("isalnum"),
    OURO_AS_BYTES("isalpha"),
    OURO_AS_BYTES("isascii"),
    OURO_AS_BYTES("isdigit"),
    OURO_AS_BYTES("islower"),
    OURO_AS_BYTES("isspace"),
    OURO_AS_BYTES("isupper"),
    OURO_AS_BYTES("join"),
    OURO_AS_BYTES("ljust"),
    OURO_AS_BYTES("lower"),
    OURO_AS_BYTES("lstrip"),
    OURO_AS_BYTES("partition"),
    OURO_AS_BYTES("removeprefix"),
    OURO_AS_BYTES("removesuffix"),
    OURO_AS_BYTES("replace"),
    OURO_AS_BYTES("rfind"),
    OURO_AS_BYTES("rindex"),
    OURO_AS_BYTES("rjust"),
    OURO_AS_BYTES("rpartition"),
    OURO_AS_BYTES("rsplit"),
    OURO_AS_BYTES("rstrip"),
    OURO_AS_BYTES("split"),
    OURO_AS_BYTES("splitlines"),
    OURO_AS_BYTES("startswith"),
    OURO_AS_BYTES("strip"),
    OURO_AS_BYTES("swapcase"),
    OURO_AS_BYTES("title"),
    OURO_AS_BYTES("upper"),
    OURO_AS_BYTES("zfill"),
    {nullptr, nullptr, 0, nullptr},
};

#undef OURO_AS_BYTES
