// bytes: made of memory, text and other objects; read, compared, joined and resized; and the
// exception for each misuse. Source: "Bytes Objects".

#include <cstring>

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using Bytes = Things;

const std::string kContents[] = {"", "a", std::string("a\0\xff", 3), std::string(100'000, 'x')};

TEST_P(Bytes, AreReadAsTheyWere) {
    for (const std::string& content : kContents) {
        PyObject* op = bytes(content);
        const auto size = static_cast<Py_ssize_t>(content.size());
        EXPECT_TRUE(PyBytes_Check(op));
        EXPECT_TRUE(PyBytes_CheckExact(op));
        EXPECT_EQ(PyBytes_Size(op), size);
        EXPECT_EQ(PyBytes_GET_SIZE(op), size);
        EXPECT_EQ(PyBytes_AsString(op), PyBytes_AS_STRING(op));
        EXPECT_EQ(std::string(PyBytes_AsString(op), content.size() + 1), content + '\0');
        char* read = nullptr;
        Py_ssize_t read_size = -1;
        EXPECT_EQ(PyBytes_AsStringAndSize(op, &read, &read_size), 0);
        EXPECT_EQ(read, PyBytes_AS_STRING(op));
        EXPECT_EQ(read_size, size);
        Py_DECREF(op);
    }
    EXPECT_EQ(shown(PyBytes_FromString("text")), "b'text'");
    PyObject* empty = PyBytes_FromStringAndSize(nullptr, 3);
    std::memcpy(PyBytes_AS_STRING(empty), "xyz", 3);
    EXPECT_EQ(shown(empty), "b'xyz'") << "filled in by its maker";
}

TEST_P(Bytes, OfAnotherTypeAreATypeError) {
    const std::string error = "TypeError: expected bytes, bool found";
    char* read;
    EXPECT_EQ(shown_number(PyBytes_Size(Py_True)), error);
    EXPECT_EQ(PyBytes_AsString(Py_True), nullptr);
    EXPECT_EQ(taken_error(), error);
    EXPECT_EQ(shown_number(PyBytes_AsStringAndSize(Py_True, &read, nullptr)), error);
}

TEST_P(Bytes, WithAZeroNeedAPlaceForTheSize) {
    Kept kept;
    char* read = nullptr;
    EXPECT_EQ(PyBytes_AsStringAndSize(kept.bytes("ab"), &read, nullptr), 0);
    EXPECT_STREQ(read, "ab");
    PyObject* op = kept.bytes(std::string_view("a\0b", 3));
    EXPECT_EQ(shown_number(PyBytes_AsStringAndSize(op, &read, nullptr)),
              "ValueError: embedded null byte");
    EXPECT_EQ(shown_number(PyBytes_AsStringAndSize(op, nullptr, nullptr)),
              "SystemError: bad argument to internal function");
}

TEST_P(Bytes, OfAnImpossibleSizeAreRefused) {
    EXPECT_EQ(shown(PyBytes_FromStringAndSize("", -1)),
              "SystemError: Negative size passed to PyBytes_FromStringAndSize");
    EXPECT_EQ(shown(PyBytes_FromStringAndSize(nullptr, PY_SSIZE_T_MAX)),
              "OverflowError: byte string is too large");
    EXPECT_EQ(shown(PyBytes_FromStringAndSize(nullptr, PY_SSIZE_T_MAX / 2)), "MemoryError: ");
}

TEST_P(Bytes, CompareAndHashByContent) {
    for (const std::string& x : kContents) {
        for (const std::string& y : kContents) {
            Kept kept;
            PyObject* a = kept.bytes(x);
            PyObject* b = kept.bytes(y);
            const bool results[] = {x<y, x <= y, x == y, x != y, x> y, x >= y};
            for (const int operation : {Py_LT, Py_LE, Py_EQ, Py_NE, Py_GT, Py_GE}) {
                EXPECT_EQ(PyObject_RichCompareBool(a, b, operation), results[operation]);
            }
            EXPECT_EQ(PyObject_Hash(a) == PyObject_Hash(b), x == y);
        }
    }
    Kept kept;
    EXPECT_EQ(PyObject_RichCompareBool(kept.bytes("a"), kept.str("a"), Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(kept.bytes("\x7f"), kept.bytes("\x80"), Py_LT), 1);
}

TEST_P(Bytes, AreASequenceOfInts) {
    Kept kept;
    PyObject* op = kept.bytes("a\xFFz");
    const std::string error = "IndexError: index out of range";
    EXPECT_EQ(sequence_of(op)->sq_length(op), 3);
    EXPECT_EQ(Py_TYPE(op)->tp_as_mapping->mp_length(op), 3);
    EXPECT_EQ(shown(sequence_of(op)->sq_item(op, 1)), "255");
    EXPECT_EQ(shown(sequence_of(op)->sq_item(op, 3)), error);
    EXPECT_EQ(shown(sequence_of(op)->sq_item(op, -1)), error);
    const auto subscript = [&](PyObject* key) {
        return shown(Py_TYPE(op)->tp_as_mapping->mp_subscript(op, key));
    };
    EXPECT_EQ(subscript(kept(PyLong_FromLong(-1))), "122");
    EXPECT_EQ(subscript(kept(PyLong_FromLong(-4))), error);
    EXPECT_EQ(subscript(op), "TypeError: byte indices must be integers or slices, not bytes");
    const auto contains = [&](PyObject* part) {
        return shown_number(sequence_of(op)->sq_contains(op, part));
    };
    EXPECT_EQ(contains(kept(PyLong_FromLong(255))), "1");
    EXPECT_EQ(contains(kept(PyLong_FromLong(1))), "0");
    EXPECT_EQ(contains(kept.bytes("\xFFz")), "1");
    EXPECT_EQ(contains(kept.bytes("az")), "0");
    for (const long wrong : {-1L, 256L}) {
        EXPECT_EQ(contains(kept(PyLong_FromLong(wrong))),
                  "ValueError: byte must be in range(0, 256)");
    }
    EXPECT_EQ(contains(kept.str("a")), "TypeError: a bytes-like object is required, not 'str'");
    EXPECT_EQ(shown(sequence_of(op)->sq_repeat(op, 2)), R"(b'a\xffza\xffz')");
    EXPECT_EQ(shown(sequence_of(op)->sq_repeat(op, -1)), "b''");
    EXPECT_EQ(kept(sequence_of(op)->sq_repeat(op, 1)), op);
    EXPECT_EQ(shown(sequence_of(op)->sq_repeat(op, PY_SSIZE_T_MAX)),
              "OverflowError: repeated bytes are too long");
    EXPECT_EQ(shown(sequence_of(op)->sq_concat(op, kept.bytes("!"))), R"(b'a\xffz!')");
    EXPECT_EQ(kept(sequence_of(op)->sq_concat(op, kept.bytes(""))), op);
    EXPECT_EQ(kept(sequence_of(op)->sq_concat(kept.bytes(""), op)), op);
    EXPECT_EQ(shown(sequence_of(op)->sq_concat(op, kept.str("!"))),
              "TypeError: can't concat str to bytes");
}

TEST_P(Bytes, AreConcatenatedInPlace) {
    Kept kept;
    PyObject* b = kept.bytes("b");
    PyObject* op = bytes("a");
    PyBytes_Concat(&op, b);
    PyBytes_ConcatAndDel(&op, bytes("c"));
    EXPECT_EQ(shown(Py_NewRef(op)), "b'abc'");
    PyBytes_Concat(&op, Py_True);
    EXPECT_EQ(op, nullptr);
    EXPECT_EQ(taken_error(), "TypeError: can't concat bool to bytes");
    PyBytes_Concat(&op, b);
    PyBytes_ConcatAndDel(&op, bytes("dropped"));
    EXPECT_EQ(op, nullptr);
    op = bytes("a");
    PyBytes_Concat(&op, nullptr);
    EXPECT_EQ(op, nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST_P(Bytes, OfOneOwnerAreResized) {
    PyObject* op = bytes("abc");
    ASSERT_EQ(_PyBytes_Resize(&op, 3), 0);
    ASSERT_EQ(_PyBytes_Resize(&op, 5), 0);
    EXPECT_EQ(PyBytes_GET_SIZE(op), 5);
    std::memcpy(PyBytes_AS_STRING(op) + 3, "de", 3);
    EXPECT_EQ(shown(Py_NewRef(op)), "b'abcde'");
    ASSERT_EQ(_PyBytes_Resize(&op, 1), 0);
    EXPECT_EQ(shown(Py_NewRef(op)), "b'a'");
    ASSERT_EQ(_PyBytes_Resize(&op, 0), 0);
    EXPECT_EQ(shown(op), "b''");

    const std::string error = "SystemError: bad argument to internal function";
    op = bytes("abc");
    PyObject* other = Py_NewRef(op);
    EXPECT_EQ(shown_number(_PyBytes_Resize(&op, 1)), error);
    EXPECT_EQ(op, nullptr);
    EXPECT_EQ(Py_REFCNT(other), 1);
    EXPECT_EQ(shown_number(_PyBytes_Resize(&other, -1)), error);
    EXPECT_EQ(other, nullptr);
    op = str("a");
    EXPECT_EQ(shown_number(_PyBytes_Resize(&op, 1)), error);
    EXPECT_EQ(op, nullptr);
    op = bytes("abc");
    EXPECT_EQ(shown_number(_PyBytes_Resize(&op, PY_SSIZE_T_MAX / 2)), "MemoryError: ");
    EXPECT_EQ(op, nullptr);
}

TEST_P(Bytes, AreMadeOfIterablesOfInts) {
    Kept kept;
    PyObject* list = kept(PyList_New(0));
    for (const long value : {0L, 65L, 255L}) {
        PyList_Append(list, kept(PyLong_FromLong(value)));
    }
    EXPECT_EQ(shown(PyBytes_FromObject(list)), R"(b'\x00A\xff')");
    PyObject* op = kept.bytes("a");
    EXPECT_EQ(kept(PyBytes_FromObject(op)), op);
    EXPECT_EQ(shown(PyBytes_FromObject(kept(PyTuple_New(0)))), "b''");
    EXPECT_EQ(shown(PyBytes_FromObject(nullptr)), "SystemError: bad argument to internal function");
    EXPECT_EQ(shown(PyBytes_FromObject(Py_True)),
              "TypeError: cannot convert 'bool' object to bytes");
    EXPECT_EQ(shown(PyBytes_FromObject(kept.str("a"))),
              "TypeError: cannot convert 'str' object to bytes");
    PyList_Append(list, kept(PyLong_FromLong(256)));
    EXPECT_EQ(shown(PyBytes_FromObject(list)), "ValueError: bytes must be in range(0, 256)");
    ASSERT_EQ(PyList_SetItem(list, 3, str("a")), 0);
    EXPECT_EQ(shown(PyBytes_FromObject(list)),
              "TypeError: 'str' object cannot be interpreted as an integer");
}

EVERY_WAY_OF_COUNTING(Bytes);

}  // namespace
}  // namespace ouro::test
