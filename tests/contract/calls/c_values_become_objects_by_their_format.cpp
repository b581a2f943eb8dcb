// A format says what objects are made of C values, and whose references they are; where one cannot be
// made, none is left. Source: "Parsing arguments and building values": Py_BuildValue, Py_VaBuildValue.

#include <climits>
#include <cstdarg>

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Building : public Things {
protected:
    static void expect_int(PyObject* op, long value) {
        ASSERT_NE(op, nullptr);
        EXPECT_TRUE(PyLong_Check(op));
        EXPECT_EQ(PyLong_AsLong(op), value);
        Py_DECREF(op);
    }
    static void expect_str(PyObject* op, const std::string& value) {
        ASSERT_NE(op, nullptr);
        ASSERT_TRUE(PyUnicode_Check(op));
        Py_ssize_t size;
        const char* text = PyUnicode_AsUTF8AndSize(op, &size);
        EXPECT_EQ(std::string(text, static_cast<size_t>(size)), value);
        Py_DECREF(op);
    }
    static void expect_refused(PyObject* op, const char* message) {
        EXPECT_EQ(op, nullptr);
        expect_raised(PyExc_SystemError, message);
    }
};

TEST_P(Building, NothingOneOrMany) {
    PyObject* op = Py_BuildValue("");
    EXPECT_EQ(op, Py_None);
    expect_int(Py_BuildValue("i", 123), 123);
    op = Py_BuildValue("ii", 1, 2);
    ASSERT_TRUE(PyTuple_CheckExact(op));
    ASSERT_EQ(PyTuple_GET_SIZE(op), 2);
    EXPECT_EQ(PyLong_AsLong(PyTuple_GET_ITEM(op, 1)), 2);
    Py_DECREF(op);
    op = Py_BuildValue("()");
    ASSERT_TRUE(PyTuple_CheckExact(op));
    EXPECT_EQ(PyTuple_GET_SIZE(op), 0);
    Py_DECREF(op);
    op = Py_BuildValue("(i)", 7);
    ASSERT_TRUE(PyTuple_CheckExact(op));
    EXPECT_EQ(PyTuple_GET_SIZE(op), 1);
    Py_DECREF(op);
}

TEST_P(Building, Numbers) {
    expect_int(Py_BuildValue("b", -5), -5);
    expect_int(Py_BuildValue("B", 200), 200);
    expect_int(Py_BuildValue("h", -30000), -30000);
    expect_int(Py_BuildValue("H", 60000), 60000);
    expect_int(Py_BuildValue("i", INT_MIN), INT_MIN);
    expect_int(Py_BuildValue("I", UINT_MAX), UINT_MAX);
    expect_int(Py_BuildValue("l", LONG_MIN), LONG_MIN);
    expect_int(Py_BuildValue("k", 1000UL), 1000);
    expect_int(Py_BuildValue("L", -(1LL << 40)), -(1L << 40));
    expect_int(Py_BuildValue("K", 1ULL << 40), 1L << 40);
    expect_int(Py_BuildValue("n", PY_SSIZE_T_MAX), PY_SSIZE_T_MAX);
    for (PyObject* op : {Py_BuildValue("d", 0.5), Py_BuildValue("f", 0.5)}) {
        ASSERT_NE(op, nullptr);
        EXPECT_TRUE(PyFloat_CheckExact(op));
        EXPECT_EQ(PyFloat_AsDouble(op), 0.5);
        Py_DECREF(op);
    }
}

TEST_P(Building, Texts) {
    for (const char* format : {"s", "z", "U"}) {
        expect_str(Py_BuildValue(format, "spam"), "spam");
        EXPECT_EQ(Py_BuildValue(format, nullptr), Py_None);
    }
    for (const char* format : {"s#", "z#", "U#"}) {
        expect_str(Py_BuildValue(format, "a\0bc", Py_ssize_t{3}), std::string("a\0b", 3));
        EXPECT_EQ(Py_BuildValue(format, nullptr, Py_ssize_t{3}), Py_None);
    }
    const wchar_t* const wide = L"a\0\u20AC\U0001D11E";
    expect_str(Py_BuildValue("u", wide), "a");
    expect_str(Py_BuildValue("u", wide + 2), "\xE2\x82\xAC\xF0\x9D\x84\x9E");
    expect_str(Py_BuildValue("u#", wide, Py_ssize_t{3}), std::string("a\0\xE2\x82\xAC", 5));
    EXPECT_EQ(Py_BuildValue("u", nullptr), Py_None);
    EXPECT_EQ(Py_BuildValue("u#", nullptr, Py_ssize_t{3}), Py_None);
    expect_str(Py_BuildValue("C", 'a'), "a");
    expect_str(Py_BuildValue("C", 0xE9), "\xC3\xA9");
    expect_str(Py_BuildValue("C", 0x20AC), "\xE2\x82\xAC");
    expect_str(Py_BuildValue("C", 0x1D11E), "\xF0\x9D\x84\x9E");
    EXPECT_EQ(Py_BuildValue("C", 0x110000), nullptr);
    expect_raised(PyExc_ValueError, "chr() arg not in range(0x110000)");
}

TEST_P(Building, Containers) {
    PyObject* op = Py_BuildValue("[i, (s), {s: i, s:[]}]", 1, "x", "key", 5, "list");
    ASSERT_NE(op, nullptr);
    ASSERT_TRUE(PyList_CheckExact(op));
    ASSERT_EQ(PyList_Size(op), 3);
    EXPECT_EQ(PyLong_AsLong(PyList_GetItem(op, 0)), 1);
    EXPECT_TRUE(PyTuple_CheckExact(PyList_GetItem(op, 1)));
    PyObject* dict = PyList_GetItem(op, 2);
    ASSERT_TRUE(PyDict_CheckExact(dict));
    EXPECT_EQ(PyDict_Size(dict), 2);
    EXPECT_EQ(PyLong_AsLong(PyDict_GetItemString(dict, "key")), 5);
    EXPECT_TRUE(PyList_CheckExact(PyDict_GetItemString(dict, "list")));
    Py_DECREF(op);
    op = Py_BuildValue("{}");
    ASSERT_TRUE(PyDict_CheckExact(op));
    EXPECT_EQ(PyDict_Size(op), 0);
    Py_DECREF(op);
}

TEST_P(Building, ObjectsAndWhoseTheyAre) {
    PyObject* thing = new_thing();
    for (const char* format : {"O", "S"}) {
        EXPECT_EQ(Py_BuildValue(format, thing), thing);
        EXPECT_EQ(Py_REFCNT(thing), 2) << "a new reference";
        Py_DECREF(thing);
    }
    EXPECT_EQ(Py_BuildValue("N", thing), thing);
    EXPECT_EQ(Py_REFCNT(thing), 1) << "the caller's reference";
    PyObject* op = Py_BuildValue("(NO)", Py_NewRef(thing), thing);
    EXPECT_EQ(Py_REFCNT(thing), 3);
    Py_DECREF(op);
    EXPECT_EQ(Py_REFCNT(thing), 1);

    const auto convert = +[](void* from) { return Py_NewRef(static_cast<PyObject*>(from)); };
    EXPECT_EQ(Py_BuildValue("O&", convert, static_cast<void*>(thing)), thing);
    Py_DECREF(thing);
    op = Py_BuildValue("[O&]", convert, static_cast<void*>(thing));
    EXPECT_EQ(Py_REFCNT(thing), 2);
    drop({op, thing});
}

TEST_P(Building, NullHandsTheExceptionOn) {
    for (const char* format : {"O", "N", "S", "(O)", "[O]"}) {
        EXPECT_EQ(Py_BuildValue(format, nullptr), nullptr);
        expect_raised(PyExc_SystemError, "NULL object passed to Py_BuildValue");
        PyErr_SetString(PyExc_KeyError, "why");
        EXPECT_EQ(Py_BuildValue(format, nullptr), nullptr);
        expect_raised(PyExc_KeyError, "why");
    }
}

// What N hands over is dropped also behind what failed, and the first exception stays.
TEST_P(Building, NothingIsLeftOfAFailure) {
    for (const char* format : {"NCN", "(NCN)", "[NCN]", "[(N)C(N)]", "({sN}C[[N]])"}) {
        PyObject* first = new_thing();
        PyObject* last = new_thing();
        Py_INCREF(first);
        Py_INCREF(last);
        EXPECT_EQ(format[1] == '{' ? Py_BuildValue(format, "key", first, -1, last)
                                   : Py_BuildValue(format, first, -1, last),
                  nullptr)
            << format;
        expect_raised(PyExc_ValueError, "chr() arg not in range(0x110000)");
        EXPECT_EQ(Py_REFCNT(first), 1) << format;
        EXPECT_EQ(Py_REFCNT(last), 1) << format;
        drop({first, last});
    }
    PyObject* list = PyList_New(0);  // no key of a dict
    PyObject* thing = new_thing();
    EXPECT_EQ(Py_BuildValue("{ONsN}", list, Py_NewRef(thing), "key", Py_NewRef(thing)), nullptr);
    expect_raised(PyExc_TypeError, "unhashable type: 'list'");
    EXPECT_EQ(Py_BuildValue("{NC}", Py_NewRef(thing), -1), nullptr);
    expect_raised(PyExc_ValueError);
    EXPECT_EQ(Py_BuildValue("[N{N}]", Py_NewRef(thing), Py_NewRef(thing)), nullptr);
    expect_raised(PyExc_SystemError, "Bad dict format");
    EXPECT_EQ(Py_REFCNT(thing), 1);
    EXPECT_EQ(Py_REFCNT(list), 1);
    drop({list, thing});
}

TEST_P(Building, AFormatThatCannotBe) {
    expect_refused(Py_BuildValue("x", 1), "bad format char passed to Py_BuildValue");
    expect_refused(Py_BuildValue("(i", 1), "unmatched paren in format");
    expect_refused(Py_BuildValue("[i)", 1), "unmatched paren in format");
    expect_refused(Py_BuildValue("ii)", 1, 2), "Unmatched paren in format");
    expect_refused(Py_BuildValue("{s}", "x"), "Bad dict format");
    expect_refused(Py_BuildValue("{sii}", "x", 1, 2), "Bad dict format");
}

PyObject* build_by_list(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    PyObject* first = Py_VaBuildValue(format, values);
    PyObject* second = Py_VaBuildValue(format, values);
    va_end(values);
    EXPECT_EQ(PyObject_RichCompareBool(first, second, Py_EQ), 1);
    Py_DECREF(second);
    return first;
}

TEST_P(Building, AListOfValuesCanBeUsedAgain) {
    PyObject* op = build_by_list("is", 1, "x");
    EXPECT_EQ(PyTuple_Size(op), 2);
    Py_DECREF(op);
}

EVERY_WAY_OF_COUNTING(Building);

}  // namespace
}  // namespace ouro::test
