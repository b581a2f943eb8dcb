// A bytearray is made, read and changed, by C and by its methods, and keeps its size while somebody has a view of it.
// Source: "Byte Array Objects"; "Built-in Types", bytearray.

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using ByteArrays = Things;

PyObject* bytearray(std::string_view content) {
    return PyByteArray_FromStringAndSize(content.data(), static_cast<Py_ssize_t>(content.size()));
}

TEST_P(ByteArrays, AreMadeOfBytesSizesAndIterables) {
    Kept kept;
    EXPECT_EQ(shown(bytearray("abc")), "bytearray(b'abc')");
    PyObject* three = kept(PyLong_FromLong(3));
    EXPECT_EQ(PyByteArray_Size(kept(PyByteArray_FromObject(three))), 3);
    PyObject* op = kept(PyByteArray_FromObject(kept.bytes("xy")));
    EXPECT_TRUE(PyByteArray_CheckExact(op));
    EXPECT_EQ(std::string(PyByteArray_AsString(op)), "xy");
    PyObject* both = kept(PyByteArray_Concat(op, kept.bytes("z")));
    EXPECT_EQ(std::string(PyByteArray_AS_STRING(both)), "xyz");
    EXPECT_EQ(PyByteArray_GET_SIZE(both), 3);
    EXPECT_EQ(PyByteArray_FromStringAndSize(nullptr, -1), nullptr);
    EXPECT_EQ(take_error().type, "SystemError");
    EXPECT_EQ(PyObject_Hash(op), -1);
    EXPECT_EQ(take_error().type, "TypeError");
}

TEST_P(ByteArrays, ChangeTheirItems) {
    Kept kept;
    PyObject* op = kept(bytearray("abc"));
    PyObject* number = kept(PyLong_FromLong('X'));
    EXPECT_EQ(PySequence_SetItem(op, -1, number), 0);
    EXPECT_EQ(PySequence_SetSlice(op, 0, 1, kept.bytes("12")), 0);
    EXPECT_EQ(std::string(PyByteArray_AsString(op)), "12bX");
    EXPECT_EQ(PySequence_DelItem(op, 0), 0);
    kept(PyObject_CallMethod(op, "append", "O", number));
    EXPECT_EQ(std::string(PyByteArray_AsString(op)), "2bXX");
    EXPECT_EQ(PySequence_SetItem(op, 0, kept(PyLong_FromLong(256))), -1);
    EXPECT_EQ(take_error().type, "ValueError");
    EXPECT_EQ(PyByteArray_Resize(op, 1), 0);
    EXPECT_EQ(std::string(PyByteArray_AsString(op)), "2");
    EXPECT_EQ(PyByteArray_Resize(op, 100), 0);
    EXPECT_EQ(PyByteArray_Size(op), 100);
}

TEST_P(ByteArrays, KeepTheirSizeWhileThereAreViews) {
    Kept kept;
    PyObject* op = kept(bytearray("abc"));
    Py_buffer view;
    ASSERT_EQ(PyObject_GetBuffer(op, &view, PyBUF_WRITABLE), 0);
    static_cast<char*>(view.buf)[1] = 'B';
    EXPECT_EQ(PyByteArray_Resize(op, 2), -1);
    EXPECT_EQ(take_error().type, "BufferError");
    EXPECT_EQ(PyObject_CallMethod(op, "clear", nullptr), nullptr);
    EXPECT_EQ(take_error().type, "BufferError");
    EXPECT_EQ(std::string(PyByteArray_AsString(op)), "aBc");
    PyBuffer_Release(&view);
    EXPECT_EQ(PyByteArray_Resize(op, 2), 0);
}

TEST_P(ByteArrays, AreArgumentsOfBytes) {
    Kept kept;
    PyObject* op = kept.bytes("a-b");
    PyObject* dash = kept(bytearray("-"));
    EXPECT_EQ(shown(PyObject_CallMethod(op, "split", "O", dash)), "[b'a', b'b']");
    EXPECT_EQ(shown(PyObject_CallMethod(op, "find", "O", dash)), "1");
    EXPECT_EQ(shown(PyNumber_Add(op, dash)), "b'a-b-'");
    EXPECT_EQ(PySequence_Contains(op, dash), 1);
    PyObject* parts = kept(PyTuple_Pack(2, op, dash));
    EXPECT_EQ(shown(PyBytes_Join(kept.bytes("+"), parts)), "b'a-b+-'");
    EXPECT_EQ(PyBytes_Join(dash, parts), nullptr);
    EXPECT_EQ(take_error().type, "TypeError");
    EXPECT_EQ(shown(PyBytes_FromObject(dash)), "b'-'");
    EXPECT_EQ(PyByteArray_Resize(dash, 5), 0) << "nobody has it";
}

EVERY_WAY_OF_COUNTING(ByteArrays);

}  // namespace
}  // namespace ouro::test
