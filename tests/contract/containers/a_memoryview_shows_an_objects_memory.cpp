// A memoryview shows the memory of an object, which lives and keeps its size as long as the view does and is not
// released; cycles through it are collected. Source: "MemoryView objects"; "Built-in Types", memoryview.
// label: concurrency

#include <atomic>
#include <cstring>

#include "tests/contract/text.hpp"
#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using MemoryViews = Things;

PyObject* bytearray(std::string_view content) {
    return PyByteArray_FromStringAndSize(content.data(), static_cast<Py_ssize_t>(content.size()));
}

TEST_P(MemoryViews, ReadAndWriteTheMemory) {
    Kept kept;
    PyObject* op = kept(bytearray("abcd"));
    PyObject* view = kept(PyMemoryView_FromObject(op));
    EXPECT_TRUE(PyMemoryView_Check(view));
    EXPECT_EQ(PyMemoryView_GET_BASE(view), op);
    EXPECT_EQ(PyMemoryView_GET_BUFFER(view)->len, 4);
    PyObject* last = kept(PyLong_FromLong(-1));
    EXPECT_EQ(shown(PyObject_GetItem(view, last)), "100");
    EXPECT_EQ(PyObject_SetItem(view, last, kept(PyLong_FromLong('X'))), 0);
    EXPECT_EQ(shown(PyObject_CallMethod(view, "tobytes", nullptr)), "b'abcX'");
    PyObject* shorts = kept(PyObject_CallMethod(view, "cast", "s", "h"));
    EXPECT_EQ(shown(PyObject_CallMethod(shorts, "tolist", nullptr)), "[25185, 22627]");
    EXPECT_EQ(shown(PyMemoryView_FromObject(last)),
              "TypeError: memoryview: a bytes-like object is required, not 'int'");
}

TEST_P(MemoryViews, OfMemoryAndOfABuffer) {
    Kept kept;
    char memory[] = "wxyz";
    PyObject* view = kept(PyMemoryView_FromMemory(memory, 4, PyBUF_WRITE));
    EXPECT_EQ(PyMemoryView_GET_BASE(view), nullptr);
    EXPECT_EQ(PyObject_SetItem(view, kept(PyLong_FromLong(0)), kept(PyLong_FromLong('W'))), 0);
    EXPECT_STREQ(memory, "Wxyz");
    Py_ssize_t shape[] = {2, 2};
    Py_ssize_t strides[] = {1, 2};
    char format[] = "B";
    Py_buffer given{};
    given.buf = memory;
    given.len = 4;
    given.itemsize = 1;
    given.ndim = 2;
    given.format = format;
    given.shape = shape;
    given.strides = strides;
    PyObject* square = kept(PyMemoryView_FromBuffer(&given));
    EXPECT_EQ(shown(PyObject_CallMethod(square, "tolist", nullptr)), "[[87, 121], [120, 122]]");
    PyObject* copy = kept(PyMemoryView_GetContiguous(square, PyBUF_READ, 'C'));
    EXPECT_EQ(shown(PyObject_CallMethod(copy, "tobytes", nullptr)), "b'Wyxz'");
    EXPECT_EQ(PyMemoryView_GetContiguous(square, PyBUF_WRITE, 'C'), nullptr);
    EXPECT_EQ(take_error().type, "BufferError");
    given.buf = nullptr;
    EXPECT_EQ(PyMemoryView_FromBuffer(&given), nullptr);
    EXPECT_EQ(take_error().type, "ValueError");
}

// Values of formats that name an order, and of several values.
TEST_P(MemoryViews, OfFormatsThatAreNotTheMachinesOwnAreCompared) {
    Kept kept;
    char little[] = {1, 0, 2, 0};
    char big[] = {0, 1, 0, 2};
    Py_ssize_t shape[] = {2};
    Py_ssize_t one[] = {1};
    const auto view_of = [&](char* memory, const char* format, Py_ssize_t itemsize) {
        Py_buffer given{};
        given.buf = memory;
        given.len = 4;
        given.itemsize = itemsize;
        given.ndim = 1;
        given.format = const_cast<char*>(format);
        given.shape = itemsize == 4 ? one : shape;
        return kept(PyMemoryView_FromBuffer(&given));
    };
    const auto equal = [](PyObject* a, PyObject* b) {
        return PyObject_RichCompareBool(a, b, Py_EQ);
    };
    EXPECT_EQ(equal(view_of(little, "<h", 2), view_of(big, ">h", 2)), 1);
    EXPECT_EQ(equal(view_of(little, "<h", 2), view_of(little, ">h", 2)), 0);
    EXPECT_EQ(equal(view_of(little, "<hh", 4), view_of(little, "<hh", 4)), 1);
    EXPECT_EQ(equal(view_of(little, "<hh", 4), view_of(big, "<hh", 4)), 0);
    EXPECT_EQ(equal(view_of(little, "<f", 4), view_of(little, "f", 4)), 1);
    PyObject* strange = view_of(little, "<h", 2);
    EXPECT_EQ(shown(PySequence_GetItem(strange, 0)),
              "NotImplementedError: memoryview: unsupported format <h");
    EXPECT_EQ(shown(PyObject_CallMethod(strange, "tobytes", nullptr)), "b'\\x01\\x00\\x02\\x00'");
}

TEST_P(MemoryViews, LetGoWhenTheLastIsReleased) {
    Kept kept;
    PyObject* op = kept(bytearray("abc"));
    PyObject* view = kept(PyMemoryView_FromObject(op));
    PyObject* other = kept(PyMemoryView_FromObject(view));
    EXPECT_EQ(PyByteArray_Resize(op, 9), -1);
    EXPECT_EQ(take_error().type, "BufferError");
    kept(PyObject_CallMethod(view, "release", nullptr));
    EXPECT_EQ(PyByteArray_Resize(op, 9), -1) << "there is another";
    EXPECT_EQ(take_error().type, "BufferError");
    Py_buffer buffer;
    ASSERT_EQ(PyObject_GetBuffer(other, &buffer, PyBUF_SIMPLE), 0);
    EXPECT_EQ(PyObject_CallMethod(other, "release", nullptr), nullptr);
    EXPECT_EQ(take_error().type, "BufferError");
    PyBuffer_Release(&buffer);
    kept(PyObject_CallMethod(other, "release", nullptr));
    EXPECT_EQ(PyByteArray_Resize(op, 9), 0);
    EXPECT_EQ(PyObject_Size(view), -1);
    EXPECT_EQ(take_error().type, "ValueError");
}

// The value's own code may release what it is being stored in.
PyObject* released_by_index;
PyObject* release_and_five(PyObject*) {
    Py_XDECREF(PyObject_CallMethod(released_by_index, "release", nullptr));
    return PyLong_FromLong(5);
}

PyNumberMethods index_as_number = {.nb_index = release_and_five};
PyTypeObject IndexType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Index",
    .tp_basicsize = sizeof(PyObject),
    .tp_as_number = &index_as_number,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

TEST_P(MemoryViews, AreNotWrittenOnceTheValueHasReleasedThem) {
    ASSERT_EQ(PyType_Ready(&IndexType), 0);
    Kept kept;
    PyObject* value = kept(PyType_GenericAlloc(&IndexType, 0));
    PyObject* op = kept(bytearray("abc"));
    PyObject* view = kept(PyMemoryView_FromObject(op));
    released_by_index = view;
    EXPECT_EQ(PyObject_SetItem(view, kept(PyLong_FromLong(0)), value), -1);
    EXPECT_EQ(take_error().type, "ValueError");
    EXPECT_EQ(std::string(PyByteArray_AsString(op)), "abc");
}

// An exporter that refers to the view of its own memory.
struct Exporter {
    PyObject ob_base;
    PyObject* view;
    char memory[4];
};
Exporter* exporter(PyObject* op) {
    return reinterpret_cast<Exporter*>(op);
}
std::atomic<int> exporters_dead;

PyBufferProcs exporter_buffer = {
    [](PyObject* op, Py_buffer* view, int flags) {
        return PyBuffer_FillInfo(view, op, exporter(op)->memory, 4, 0, flags);
    },
    nullptr,
};
PyTypeObject ExporterType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Exporter",
    .tp_basicsize = sizeof(Exporter),
    .tp_dealloc =
        [](PyObject* op) {
            PyObject_GC_UnTrack(op);
            Py_XDECREF(exporter(op)->view);
            ++exporters_dead;
            PyObject_GC_Del(op);
        },
    .tp_as_buffer = &exporter_buffer,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse =
        [](PyObject* op, visitproc visit, void* arg) {
            Py_VISIT(exporter(op)->view);
            return 0;
        },
};

TEST_P(MemoryViews, InACycleAreCollected) {
    ASSERT_EQ(PyType_Ready(&ExporterType), 0);
    exporters_dead = 0;
    PyObject* op = PyType_GenericAlloc(&ExporterType, 0);
    std::memcpy(exporter(op)->memory, "abc", 4);
    exporter(op)->view = PyMemoryView_FromObject(op);
    ASSERT_NE(exporter(op)->view, nullptr);
    PyGC_Collect();
    EXPECT_EQ(exporters_dead, 0);
    EXPECT_EQ(shown(PySequence_GetItem(exporter(op)->view, 0)), "97");
    Py_DECREF(op);
    EXPECT_GT(PyGC_Collect(), 0);
    EXPECT_EQ(exporters_dead, 1);
}

// Readers and writers on threads beside one that releases: each operation sees the memory or ValueError.
TEST_P(MemoryViews, MayBeReleasedBesideReaders) {
    for (int round = 0; round < 20; ++round) {
        PyObject* op = bytearray("abcdefgh");
        PyObject* view = PyMemoryView_FromObject(op);
        Py_DECREF(op);
        Crew crew;
        for (int i = 0; i < 2; ++i) {
            crew.add([view] {
                for (int k = 0; k < 50; ++k) {
                    PyObject* list = PyObject_CallMethod(view, "tolist", nullptr);
                    EXPECT_TRUE(list != nullptr || take_error().type == "ValueError");
                    Py_XDECREF(list);
                }
            });
        }
        crew.add([view] { Py_XDECREF(PyObject_CallMethod(view, "release", nullptr)); });
        crew.join();
        EXPECT_EQ(PyObject_Size(view), -1);
        PyErr_Clear();
        Py_DECREF(view);
    }
}

EVERY_WAY_OF_COUNTING(MemoryViews);

}  // namespace
}  // namespace ouro::test
