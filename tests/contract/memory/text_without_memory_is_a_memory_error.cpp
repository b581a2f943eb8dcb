// Whatever makes a str or bytes returns NULL with MemoryError where memory is out, and leaves
// nothing behind; interning then leaves the str as it is. Source: "TextMemory Management", "Exception
// Handling".

#include "tests/contract/text.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

using TextMemory = Things;

struct TextMaker {
    const char* name;
    PyObject* (*make)(PyObject* text);  // text: more than what a buffer begins with
};
const TextMaker kTextMakers[] = {
    {"FromStringAndSize", [](PyObject*) { return PyUnicode_FromStringAndSize("text", 4); }},
    {"a fault mended", [](PyObject*) { return PyUnicode_DecodeUTF8("a\xFF", 2, "replace"); }},
    {"FromFormat", [](PyObject* op) { return PyUnicode_FromFormat("%U %10s %R", op, "x", op); }},
    {"FromOrdinal", [](PyObject*) { return PyUnicode_FromOrdinal(0x20AC); }},
    {"FromKindAndData", [](PyObject*) { return PyUnicode_FromKindAndData(1, "\xFF", 1); }},
    {"Latin-1", [](PyObject*) { return PyUnicode_DecodeLatin1("\xFF", 1, nullptr); }},
    {"AsUTF8String", [](PyObject* op) { return PyUnicode_AsUTF8String(op); }},
    {"encoding with escapes",
     [](PyObject* op) { return PyUnicode_AsEncodedString(op, "ascii", "backslashreplace"); }},
    {"Substring", [](PyObject* op) { return PyUnicode_Substring(op, 1, 5); }},
    {"Concat", [](PyObject* op) { return PyUnicode_Concat(op, op); }},
    {"repeat", [](PyObject* op) { return Py_TYPE(op)->tp_as_sequence->sq_repeat(op, 2); }},
    {"Append",
     [](PyObject* op) {
         PyObject* left = Py_NewRef(op);
         PyUnicode_Append(&left, op);
         return left;
     }},
    {"Split", [](PyObject* op) { return PyUnicode_Split(op, nullptr, -1); }},
    {"Splitlines", [](PyObject* op) { return PyUnicode_Splitlines(op, 1); }},
    {"Replace",
     [](PyObject* op) {
         PyObject* old = PyUnicode_FromString(" ");
         PyObject* made = old == nullptr ? nullptr : PyUnicode_Replace(op, old, op, 3);
         Py_XDECREF(old);
         return made;
     }},
    {"Join",
     [](PyObject* op) {
         PyObject* list = PyUnicode_Split(op, nullptr, 3);
         PyObject* made = list == nullptr ? nullptr : PyUnicode_Join(op, list);
         Py_XDECREF(list);
         return made;
     }},
    {"repr", [](PyObject* op) { return Py_TYPE(op)->tp_repr(op); }},
    {"bytes", [](PyObject*) { return PyBytes_FromString("text"); }},
    {"bytes FromFormat", [](PyObject*) { return PyBytes_FromFormat("%d", 1); }},
    {"bytes of a tuple",
     [](PyObject*) {
         PyObject* tuple = PyTuple_New(1);
         PyObject* made = nullptr;
         if (tuple != nullptr) {
             PyTuple_SET_ITEM(tuple, 0, PyLong_FromLong(1));
             made = PyBytes_FromObject(tuple);
             Py_DECREF(tuple);
         }
         return made;
     }},
    {"bytes resized",
     [](PyObject*) {
         PyObject* op = PyBytes_FromString("text");
         if (op != nullptr) {
             _PyBytes_Resize(&op, 100);
         }
         return op;
     }},
    {"bytes concatenated",
     [](PyObject*) {
         PyObject* op = PyBytes_FromString("text");
         PyObject* more = PyBytes_FromString("text");
         if (op != nullptr && more != nullptr) {
             PyBytes_Concat(&op, more);
         } else {
             Py_CLEAR(op);
         }
         Py_XDECREF(more);
         return op;
     }},
};

TEST_P(TextMemory, FailsEachOfThem) {
    std::string content;
    for (int i = 0; i < 60; ++i) {
        content += "caf\xC3\xA9 \xE2\x82\xAC\n";
    }
    PyObject* text = str(content);
    for (const TextMaker& maker : kTextMakers) {
        SCOPED_TRACE(maker.name);
        Py_XDECREF(maker.make(text));  // what is made once and kept
        const int failures = fail_each_allocation([&](Failing& failing) {
            PyObject* op = failing([&] { return maker.make(text); });
            if (op == nullptr) {
                expect_raised(PyExc_MemoryError);
            }
            EXPECT_EQ(PyErr_Occurred(), nullptr);
            Py_XDECREF(op);
        });
        EXPECT_GE(failures, 2) << "it allocates nothing, so this shows nothing";
    }
    EXPECT_EQ(Py_REFCNT(text), 1);
    Py_DECREF(text);
}

TEST_P(TextMemory, LeavesAStrThatIsNotInterned) {
    PyObject* first = str("never interned here");
    PyObject* op = first;
    Failing failing(0, UINT64_MAX);
    failing([&] {
        PyUnicode_InternInPlace(&op);
        return 0;
    });
    EXPECT_EQ(failing.failed(), 1U);
    EXPECT_EQ(op, first);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    PyObject* second = str("never interned here");
    PyObject* interned = second;
    PyUnicode_InternInPlace(&interned);
    EXPECT_EQ(interned, second) << "the first is not known";
    drop({first, second});
}

TEST_P(TextMemory, IsNeededToInternCText) {
    Failing failing(0, 1);
    PyObject* op = failing([] { return PyUnicode_InternFromString("never made here"); });
    EXPECT_EQ(op, nullptr);
    expect_raised(PyExc_MemoryError);
    Failing second(1, 1);
    op = second([] { return PyUnicode_InternFromString("never interned here"); });
    ASSERT_NE(op, nullptr) << "a str all the same";
    EXPECT_FALSE(PyUnstable_IsImmortal(op));
    Py_DECREF(op);
}

EVERY_WAY_OF_COUNTING(TextMemory);

}  // namespace
}  // namespace ouro::test
