// A view holds a reference to what exports its memory until it is released, and the exporter is told of the end
// of each view that it gave, once: by PyBuffer_Release, or by PyArg_Parse* where a later argument fails or
// memory is out. Source: "Buffer Protocol", "Parsing arguments and building values": y* s* z* w*.

#include <cstring>

#include "tests/contract/things.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

// Exports its bytes, and counts.
struct Store {
    PyObject ob_base;
    char bytes[8];
    bool fails;
    int views;  // that were given and not released
    int releases;
};
Store* store(PyObject* op) {
    return reinterpret_cast<Store*>(op);
}

int store_getbuffer(PyObject* op, Py_buffer* view, int flags) {
    if (store(op)->fails) {
        view->obj = nullptr;
        PyErr_SetString(PyExc_BufferError, "closed");
        return -1;
    }
    ++store(op)->views;
    return PyBuffer_FillInfo(view, op, store(op)->bytes, sizeof store(op)->bytes, 0, flags);
}

void store_releasebuffer(PyObject* op, Py_buffer*) {
    --store(op)->views;
    ++store(op)->releases;
}

PyBufferProcs store_procs = {store_getbuffer, store_releasebuffer};
PyTypeObject StoreType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Store",
    .tp_basicsize = sizeof(Store),
    .tp_as_buffer = &store_procs,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

class Views : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&StoreType), 0);
        store_ = PyType_GenericAlloc(&StoreType, 0);
        ASSERT_NE(store_, nullptr);
    }
    void TearDown() override {
        EXPECT_EQ(store(store_)->views, 0);
        EXPECT_EQ(Py_REFCNT(store_), 1);
        Py_CLEAR(store_);
        Things::TearDown();
    }
    PyObject* store_ = nullptr;
};

TEST_P(Views, HoldAReferenceUntilTheyAreReleased) {
    Py_buffer view;
    ASSERT_EQ(PyObject_CheckBuffer(store_), 1);
    ASSERT_EQ(PyObject_GetBuffer(store_, &view, PyBUF_WRITABLE), 0);
    EXPECT_EQ(view.obj, store_);
    EXPECT_EQ(view.buf, store(store_)->bytes);
    EXPECT_EQ(Py_REFCNT(store_), 2);
    PyBuffer_Release(&view);
    EXPECT_EQ(view.obj, nullptr);
    EXPECT_EQ(store(store_)->releases, 1);
    PyBuffer_Release(&view);
    EXPECT_EQ(store(store_)->releases, 1) << "twice";
}

// The view may have the last reference.
TEST_P(Views, KeepBytesAlive) {
    PyObject* bytes = PyBytes_FromString("kept");
    Py_buffer view;
    ASSERT_EQ(PyObject_GetBuffer(bytes, &view, PyBUF_FULL_RO), 0);
    Py_DECREF(bytes);
    EXPECT_STREQ(static_cast<const char*>(view.buf), "kept");
    EXPECT_STREQ(view.format, "B");
    EXPECT_EQ(view.readonly, 1);
    EXPECT_EQ(view.shape[0], 4);
    EXPECT_EQ(view.strides[0], 1);
    PyBuffer_Release(&view);
}

TEST_P(Views, OfBytesAreNotForWriting) {
    PyObject* bytes = PyBytes_FromString("kept");
    Py_buffer view;
    EXPECT_EQ(PyObject_GetBuffer(bytes, &view, PyBUF_WRITABLE), -1);
    expect_raised(PyExc_BufferError, "Object is not writable.");
    EXPECT_EQ(PyArg_Parse(bytes, "w*", &view), 0);
    expect_raised(PyExc_TypeError, "argument must be read-write bytes-like object, not bytes");
    EXPECT_EQ(Py_REFCNT(bytes), 1);
    Py_DECREF(bytes);
}

TEST_P(Views, AreNotHadOfWhatExportsNone) {
    Py_buffer view;
    EXPECT_EQ(PyObject_CheckBuffer(Py_None), 0);
    EXPECT_EQ(PyObject_GetBuffer(Py_None, &view, PyBUF_SIMPLE), -1);
    expect_raised(PyExc_TypeError, "a bytes-like object is required, not 'NoneType'");
    store(store_)->fails = true;
    EXPECT_EQ(PyObject_GetBuffer(store_, &view, PyBUF_SIMPLE), -1);
    expect_raised(PyExc_BufferError, "closed");
    for (const int flags : {PyBUF_READ, PyBUF_WRITE}) {
        EXPECT_EQ(PyObject_GetBuffer(store_, &view, flags), -1);
        expect_raised(PyExc_SystemError);
        EXPECT_EQ(PyBuffer_FillInfo(&view, store_, nullptr, 0, 0, flags), -1);
        expect_raised(PyExc_SystemError);
    }
}

// Parses a tuple of the store, so many times, and what `last` is.
constexpr int kMany = 12;  // more than are remembered without memory
int parse_many(PyObject* args, Py_buffer* views) {
    int number;
    return PyArg_ParseTuple(args, "y*s*z*w*y*s*z*w*y*s*z*w*i", &views[0], &views[1], &views[2],
                            &views[3], &views[4], &views[5], &views[6], &views[7], &views[8],
                            &views[9], &views[10], &views[11], &number);
}
PyObject* many(PyObject* op, PyObject* last) {
    PyObject* args = PyTuple_New(kMany + 1);
    for (int i = 0; i < kMany; ++i) {
        PyTuple_SET_ITEM(args, i, Py_NewRef(op));
    }
    PyTuple_SET_ITEM(args, kMany, last);
    return args;
}

TEST_P(Views, AreReleasedWhenALaterArgumentFails) {
    Py_buffer views[kMany];
    PyObject* args = many(store_, PyUnicode_FromString("no number"));
    EXPECT_EQ(parse_many(args, views), 0);
    expect_raised(PyExc_TypeError, "'str' object cannot be interpreted as an integer");
    EXPECT_EQ(store(store_)->views, 0);
    EXPECT_EQ(store(store_)->releases, kMany);
    EXPECT_EQ(Py_REFCNT(store_), 1 + kMany);
    Py_DECREF(args);
}

TEST_P(Views, AreReleasedWhenMemoryIsOut) {
    PyObject* args = many(store_, PyLong_FromLong(5));
    const int failures = fail_each_allocation([&](Failing& failing) {
        Py_buffer views[kMany];
        const int parsed = failing([&] { return parse_many(args, views); });
        if (parsed == 0) {
            expect_raised(PyExc_MemoryError);
        } else {
            EXPECT_EQ(store(store_)->views, kMany);
            for (Py_buffer& view : views) {
                PyBuffer_Release(&view);
            }
        }
        EXPECT_EQ(store(store_)->views, 0);
        EXPECT_EQ(Py_REFCNT(store_), 1 + kMany);
    });
    EXPECT_GE(failures, 2) << "it allocates nothing, so this shows nothing";
    Py_DECREF(args);
}

// Without bf_releasebuffer its memory may be borrowed; where it has none its address is nothing.
PyBufferProcs nothing_procs = {[](PyObject* op, Py_buffer* view, int flags) {
                                   return PyBuffer_FillInfo(view, op, nullptr, 0, 1, flags);
                               },
                               nullptr};
PyTypeObject NothingType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Nothing",
    .tp_basicsize = sizeof(PyObject),
    .tp_as_buffer = &nothing_procs,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

TEST_P(Views, OfNothingHaveNoByte) {
    ASSERT_EQ(PyType_Ready(&NothingType), 0);
    PyObject* nothing = PyType_GenericAlloc(&NothingType, 0);
    PyObject* args = PyTuple_Pack(1, nothing);
    const char* bytes = "left";
    EXPECT_EQ(PyArg_ParseTuple(args, "y", &bytes), 1);
    EXPECT_EQ(bytes, nullptr);
    Py_DECREF(args);
    Py_DECREF(nothing);
}

// y# and its like keep no view, and so take nobody who would wait for its end.
TEST_P(Views, AreNotBorrowedFrom) {
    const char* bytes = "as before";
    Py_ssize_t size;
    for (const char* format : {"y#", "s#", "z#"}) {
        EXPECT_EQ(PyArg_Parse(store_, format, &bytes, &size), 0);
        expect_raised(PyExc_TypeError,
                      "argument must be read-only bytes-like object, not contract.Store");
    }
    EXPECT_EQ(store(store_)->releases, 0);
}

EVERY_RUNTIME(Views);

}  // namespace
}  // namespace ouro::test
