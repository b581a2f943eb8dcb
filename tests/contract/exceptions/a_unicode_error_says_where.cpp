// UnicodeEncodeError, UnicodeDecodeError and UnicodeTranslateError keep what could not be done with which
// part of what, and say it. Source: "Built-in Exceptions", UnicodeError.

#include "tests/contract/exceptions.hpp"

namespace ouro::test {
namespace {

using UnicodeErrors = Things;

PyObject* number(long value) {
    return PyLong_FromLong(value);
}

std::string encode(const char* what, long start, long end) {
    return str_once(make(PyExc_UnicodeEncodeError,
                         {text("utf"), text(what), number(start), number(end), text("why")}));
}

std::string translate(const char* what, long start, long end) {
    return str_once(
        make(PyExc_UnicodeTranslateError, {text(what), number(start), number(end), text("why")}));
}

TEST_P(UnicodeErrors, OfEncoding) {
    constexpr const char* kText = "a\u00e4\u1234\U00012345";
    EXPECT_EQ(encode(kText, 0, 1), "'utf' codec can't encode character '\\x61' in position 0: why");
    EXPECT_EQ(encode(kText, 1, 2), "'utf' codec can't encode character '\\xe4' in position 1: why");
    EXPECT_EQ(encode(kText, 2, 3),
              "'utf' codec can't encode character '\\u1234' in position 2: why");
    EXPECT_EQ(encode(kText, 3, 4),
              "'utf' codec can't encode character '\\U00012345' in position 3: why");
    EXPECT_EQ(encode(kText, 1, 7), "'utf' codec can't encode characters in position 1-6: why");
    EXPECT_EQ(encode(kText, 4, 5), "'utf' codec can't encode characters in position 4-4: why");
}

TEST_P(UnicodeErrors, OfTranslating) {
    EXPECT_EQ(translate("a\u1234", 1, 2), "can't translate character '\\u1234' in position 1: why");
    EXPECT_EQ(translate("a\u1234", 0, 2), "can't translate characters in position 0-1: why");
}

// bytes, as CPython lays them out.
struct Bytes {
    PyObject_VAR_HEAD
    Py_hash_t ob_shash;
    char ob_sval[1];
};
PyTypeObject BytesType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.bytes",
    .tp_basicsize = sizeof(Bytes),
    .tp_itemsize = 1,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BYTES_SUBCLASS,
};

TEST_P(UnicodeErrors, OfDecoding) {
    ASSERT_EQ(PyType_Ready(&BytesType), 0);
    auto* bytes = PyObject_NewVar(Bytes, &BytesType, 2);
    bytes->ob_sval[0] = 'a';
    bytes->ob_sval[1] = '\xff';
    const auto decode = [bytes](long start, long end) {
        return str_once(make(PyExc_UnicodeDecodeError, {text("utf"), Py_NewRef(bytes),
                                                        number(start), number(end), text("why")}));
    };
    EXPECT_EQ(decode(1, 2), "'utf' codec can't decode byte 0xff in position 1: why");
    EXPECT_EQ(decode(0, 2), "'utf' codec can't decode bytes in position 0-1: why");
    EXPECT_EQ(decode(2, 3), "'utf' codec can't decode bytes in position 2-2: why");
    EXPECT_EQ(Py_REFCNT(bytes), 1);
    Py_DECREF(bytes);
}

TEST_P(UnicodeErrors, KeepTheirArguments) {
    PyObject* what = text("what");
    PyObject* exception = make(PyExc_UnicodeEncodeError,
                               {text("utf"), Py_NewRef(what), number(1), number(2), text("why")});
    auto* fields = reinterpret_cast<PyUnicodeErrorObject*>(exception);
    EXPECT_EQ(said(Py_NewRef(fields->encoding)), "utf");
    EXPECT_EQ(fields->object, what);
    EXPECT_EQ(fields->start, 1);
    EXPECT_EQ(fields->end, 2);
    EXPECT_EQ(said(Py_NewRef(fields->reason)), "why");
    EXPECT_EQ(repr(exception), "UnicodeEncodeError('utf', 'what', 1, 2, 'why')");
    Py_DECREF(exception);
    EXPECT_EQ(Py_REFCNT(what), 1);
    Py_DECREF(what);
}

TEST_P(UnicodeErrors, CheckTheirArguments) {
    EXPECT_EQ(make(PyExc_UnicodeDecodeError), nullptr);
    expect_raised(PyExc_TypeError, "function takes exactly 5 arguments (0 given)");
    EXPECT_EQ(
        make(PyExc_UnicodeTranslateError, {text("a"), number(1), number(2), text("c"), text("d")}),
        nullptr);
    expect_raised(PyExc_TypeError, "function takes exactly 4 arguments (5 given)");
    EXPECT_EQ(
        make(PyExc_UnicodeEncodeError, {number(1), text("a"), number(1), number(2), text("c")}),
        nullptr);
    expect_raised(PyExc_TypeError, "argument 1 must be str, not int");
    EXPECT_EQ(make(PyExc_UnicodeEncodeError, {text("u"), text("a"), number(1), number(2), Py_None}),
              nullptr);
    expect_raised(PyExc_TypeError, "argument 5 must be str, not None");
    EXPECT_EQ(make(PyExc_UnicodeEncodeError,
                   {text("u"), text("a"), PyFloat_FromDouble(1), number(2), text("c")}),
              nullptr);
    expect_raised(PyExc_TypeError, "'float' object cannot be interpreted as an integer");
    EXPECT_EQ(
        make(PyExc_UnicodeDecodeError, {text("u"), text("a"), number(1), number(2), text("c")}),
        nullptr);
    expect_raised(PyExc_TypeError, "a bytes-like object is required, not 'str'");
}

TEST_P(UnicodeErrors, ThatWereNeverInitialisedSayNothing) {
    for (PyObject* type :
         {PyExc_UnicodeEncodeError, PyExc_UnicodeDecodeError, PyExc_UnicodeTranslateError}) {
        PyObject* args = tuple({});
        auto* made_by = reinterpret_cast<PyTypeObject*>(type);
        EXPECT_EQ(str_once(made_by->tp_new(made_by, args, nullptr)), "");
        Py_DECREF(args);
    }
}

EVERY_WAY_OF_COUNTING(UnicodeErrors);

}  // namespace
}  // namespace ouro::test
