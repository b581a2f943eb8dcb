// str: the type, and single code points.
#include "core/builtins/text/unicode.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/slice.hpp"
#include "core/builtins/text/unicode_methods.hpp"
#include "core/builtins/type/names.hpp"
#include "core/object/compare.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using text::text_in;
using text::unicode;

namespace {

// The text of an exact str begins where the fields end, in what would pad them.
constexpr size_t kTextOffset = offsetof(PyUnicodeObject, writable) + 1;

void set_text(PyObject* op, char* text, size_t bytes) {
    unicode(op)->hash = -1;
    unicode(op)->size = static_cast<Py_ssize_t>(bytes);
    unicode(op)->utf8 = text;
    unicode(op)->wide = nullptr;
    unicode(op)->interned = 0;
    unicode(op)->kind = 0;
    unicode(op)->writable = 0;
    text[bytes] = '\0';
}

void unicode_dealloc(PyObject* op) {
    if (__atomic_load_n(&unicode(op)->interned, __ATOMIC_RELAXED) != 0) {
        text::forget_interned(op);
    }
    if (unicode(op)->utf8 != text::room_of(op)) {
        PyMem_Free(unicode(op)->utf8);
    }
    PyMem_Free(unicode(op)->wide);
    Py_TYPE(op)->tp_free(op);
}

Py_hash_t unicode_hash(PyObject* op) {
    Py_hash_t hash = __atomic_load_n(&unicode(op)->hash, __ATOMIC_RELAXED);
    if (hash == -1) {
        hash = static_cast<Py_hash_t>(std::hash<std::string_view>()(text_in(op)));
        hash = hash == -1 ? -2 : hash;
        __atomic_store_n(&unicode(op)->hash, hash, __ATOMIC_RELAXED);
    }
    return hash;
}

PyObject* unicode_str(PyObject* op) {
    return PyUnicode_FromObject(op);
}

// An object of a type derived from str with the text of `made`, which is stolen.
PyObject* as_subtype(PyTypeObject* type, PyObject* made) {
    const std::string_view text = text_in(made);
    char* copy = static_cast<char*>(PyMem_Malloc(text.size() + 1));
    PyObject* op = copy == nullptr ? PyErr_NoMemory() : type->tp_alloc(type, 0);
    if (copy == nullptr || op == nullptr) {
        PyMem_Free(copy);
    } else {
        std::memcpy(copy, text.data(), text.size());
        set_text(op, copy, text.size());
        unicode(op)->length = unicode(made)->length;
        unicode(op)->has_surrogates = unicode(made)->has_surrogates;
    }
    Py_DECREF(made);
    return op;
}

// str(object="", encoding="utf-8", errors="strict")
PyObject* unicode_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* given[3] = {};
    const char* encoding;
    const char* errors;
    if (!call::take_arguments("str", {"object", "encoding", "errors"}, args, kwargs, given) ||
        !call::take_text("str", "encoding", given[1], &encoding) ||
        !call::take_text("str", "errors", given[2], &errors)) {
        return nullptr;
    }
    PyObject* made;
    if (given[0] == nullptr) {
        made = text::new_text({});
    } else if (encoding == nullptr && errors == nullptr) {
        made = PyObject_Str(given[0]);
    } else {
        made = PyUnicode_FromEncodedObject(given[0], encoding, errors);
    }
    return made == nullptr || type == &PyUnicode_Type ? made : as_subtype(type, made);
}

Py_ssize_t unicode_length(PyObject* op) {
    return unicode(op)->length;
}

// Outside the text is an IndexError, a negative index too.
PyObject* unicode_item(PyObject* op, Py_ssize_t index) {
    if (index < 0 || index >= unicode(op)->length) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return nullptr;
    }
    return PyUnicode_FromOrdinal(static_cast<int>(PyUnicode_READ_CHAR(op, index)));
}

PyObject* unicode_subscript(PyObject* op, PyObject* key) {
    return container::subscript(
        key, "string indices must be integers, not '%.200s'", [op] { return unicode(op)->length; },
        [op](Py_ssize_t index) { return unicode_item(op, index); },
        [op](container::Stride stride) {
            container::adjust(&stride, unicode(op)->length);
            return text::unicode_slice(op, stride);
        });
}

PyObject* unicode_repeat(PyObject* op, Py_ssize_t times) {
    if (times == 1) {
        return PyUnicode_FromObject(op);
    }
    const auto count = static_cast<size_t>(times < 0 ? 0 : times);
    if (count > 0 && unicode(op)->length > PY_SSIZE_T_MAX / times) {
        PyErr_SetString(PyExc_OverflowError, "repeated string is too long");
        return nullptr;
    }
    const std::string_view text = text_in(op);
    size_t bytes;
    if (__builtin_mul_overflow(text.size(), count, &bytes)) {
        return PyErr_NoMemory();
    }
    PyObject* made = text::allocate_text(bytes);
    if (made == nullptr) {
        return nullptr;
    }
    for (size_t i = 0; i < count && bytes > 0; ++i) {
        std::memcpy(unicode(made)->utf8 + i * text.size(), text.data(), text.size());
    }
    return text::complete_text(made, {static_cast<size_t>(unicode(op)->length) * count,
                                      count > 0 && unicode(op)->has_surrogates != 0});
}

PySequenceMethods as_sequence = {
    .sq_length = unicode_length,
    .sq_concat = PyUnicode_Concat,
    .sq_repeat = unicode_repeat,
    .sq_item = unicode_item,
    .sq_contains = PyUnicode_Contains,
};

PyMappingMethods as_mapping = {
    .mp_length = unicode_length,
    .mp_subscript = unicode_subscript,
};

}  // namespace

PyTypeObject PyUnicode_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "str",
    .tp_basicsize = sizeof(PyUnicodeObject),
    .tp_dealloc = unicode_dealloc,
    .tp_repr = text::unicode_repr,
    .tp_as_number = &text::unicode_as_number,
    .tp_as_sequence = &as_sequence,
    .tp_as_mapping = &as_mapping,
    .tp_hash = unicode_hash,
    .tp_str = unicode_str,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_UNICODE_SUBCLASS,
    .tp_richcompare = PyUnicode_RichCompare,
    .tp_iter = text::unicode_iterate,
    .tp_methods = text::unicode_methods,
    .tp_new = unicode_new,
};

namespace ouro::text {

PyObject* allocate_text(size_t bytes) {
    if (bytes > static_cast<size_t>(PY_SSIZE_T_MAX) - sizeof(PyUnicodeObject)) {
        return PyErr_NoMemory();
    }
    PyObject* op = object::allocate_atom(&PyUnicode_Type, kTextOffset + bytes + 1);
    if (op != nullptr) {
        set_text(op, room_of(op), bytes);
    }
    return op;
}

PyObject* complete_text(PyObject* op, utf8::Measure measure) {
    unicode(op)->length = static_cast<Py_ssize_t>(measure.length);
    unicode(op)->has_surrogates = measure.has_surrogates;
    return op;
}

PyObject* new_text(std::string_view text) {
    PyObject* op = allocate_text(text.size());
    if (op == nullptr) {
        return nullptr;
    }
    if (!text.empty()) {
        std::memcpy(unicode(op)->utf8, text.data(), text.size());
    }
    return complete_text(op, utf8::measure(text));
}

bool require_str(PyObject* op) {
    if (!PyUnicode_Check(op)) {
        PyErr_Format(PyExc_TypeError, "must be str, not %.100s", Py_TYPE(op)->tp_name);
        return false;
    }
    return true;
}

bool require_str_argument(PyObject* op) {
    if (op == nullptr || !PyUnicode_Check(op)) {
        PyErr_SetString(PyExc_TypeError, "bad argument type for built-in operation");
        return false;
    }
    return true;
}

}  // namespace ouro::text

PyObject* PyUnicode_FromObject(PyObject* op) {
    if (PyUnicode_CheckExact(op)) {
        return Py_NewRef(op);
    }
    if (!PyUnicode_Check(op)) {
        return PyErr_Format(PyExc_TypeError, "Can't convert '%.100s' object to str implicitly",
                            Py_TYPE(op)->tp_name);
    }
    return text::new_text(text_in(op));
}

PyObject* PyUnicode_FromOrdinal(int ordinal) {
    if (ordinal < 0 || ordinal > static_cast<int>(text::utf8::kLast)) {
        PyErr_SetString(PyExc_ValueError, "chr() arg not in range(0x110000)");
        return nullptr;
    }
    char bytes[text::utf8::kMostBytes];
    return text::new_text({bytes, text::utf8::put(static_cast<char32_t>(ordinal), bytes)});
}

Py_ssize_t PyUnicode_GetLength(PyObject* op) {
    return text::require_str_argument(op) ? unicode(op)->length : -1;
}

Py_UCS4 PyUnicode_ReadChar(PyObject* op, Py_ssize_t index) {
    constexpr auto kNone = static_cast<Py_UCS4>(-1);
    if (!text::require_str_argument(op)) {
        return kNone;
    }
    if (index < 0 || index >= unicode(op)->length) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return kNone;
    }
    return PyUnicode_READ_CHAR(op, index);
}

Py_UCS4 _Ouro_UnicodeReadChar(PyObject* op, Py_ssize_t index) {
    if (const void* wide = __atomic_load_n(&unicode(op)->wide, __ATOMIC_ACQUIRE)) {
        return PyUnicode_READ(unicode(op)->kind, wide, index);
    }
    const std::string_view text = text_in(op);
    const char* p = text.data() + text::utf8::offset_of(text, static_cast<size_t>(index));
    return text::utf8::next(&p);
}

Py_UCS4 _Ouro_UnicodeMaxCharValue(PyObject* op) {
    unsigned char greatest = 0;
    for (const char byte : text_in(op)) {
        greatest = std::max(greatest, static_cast<unsigned char>(byte));
    }
    // The first byte of a sequence tells.
    return greatest < 0x80   ? 0x7F
           : greatest < 0xC4 ? 0xFF
           : greatest < 0xF0 ? 0xFFFF
                             : text::utf8::kLast;
}

PyObject* PyUnicode_RichCompare(PyObject* left, PyObject* right, int operation) {
    if (!PyUnicode_Check(left) || !PyUnicode_Check(right)) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (operation == Py_EQ || operation == Py_NE) {
        const bool equal = left == right || text_in(left) == text_in(right);
        return PyBool_FromLong(equal == (operation == Py_EQ));
    }
    // UTF-8 sorts as its code points do.
    return PyBool_FromLong(
        object::holds(operation, object::order_of(text_in(left), text_in(right))));
}

int PyUnicode_Equal(PyObject* left, PyObject* right) {
    for (PyObject* op : {left, right}) {
        if (!PyUnicode_Check(op)) {
            PyErr_Format(PyExc_TypeError, "expected str, not %.100s", Py_TYPE(op)->tp_name);
            return -1;
        }
    }
    return text_in(left) == text_in(right);
}

int PyUnicode_Compare(PyObject* left, PyObject* right) {
    if (!PyUnicode_Check(left) || !PyUnicode_Check(right)) {
        PyErr_Format(PyExc_TypeError, "Can't compare %.100s and %.100s", Py_TYPE(left)->tp_name,
                     Py_TYPE(right)->tp_name);
        return -1;
    }
    return static_cast<int>(object::order_of(text_in(left), text_in(right)));
}

int PyUnicode_CompareWithASCIIString(PyObject* op, const char* text) {
    const char* p = text_in(op).data();
    const char* const end = p + unicode(op)->size;
    while (p < end && *text != '\0') {
        const char32_t mine = text::utf8::next(&p);
        const char32_t other = static_cast<unsigned char>(*text++);
        if (mine != other) {
            return mine < other ? -1 : 1;
        }
    }
    return p < end ? 1 : *text != '\0' ? -1 : 0;
}

int PyUnicode_EqualToUTF8AndSize(PyObject* op, const char* text, Py_ssize_t size) {
    return text_in(op) == std::string_view(text, static_cast<size_t>(size)) &&
           unicode(op)->has_surrogates == 0;
}

int PyUnicode_EqualToUTF8(PyObject* op, const char* text) {
    return PyUnicode_EqualToUTF8AndSize(op, text, static_cast<Py_ssize_t>(std::strlen(text)));
}
