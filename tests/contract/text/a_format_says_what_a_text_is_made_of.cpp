// PyUnicode_FromFormat and PyBytes_FromFormat: each conversion with its flags, width, precision and
// size, and what is done with a format that is wrong. Source: "Unicode Objects and Codecs",
// PyUnicode_FromFormat; "Bytes Objects", PyBytes_FromFormat.

#include <climits>
#include <cstdarg>

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using Formats = Things;

template <class... Arguments>
std::string formatted(const char* format, Arguments... arguments) {
    return shown(PyUnicode_FromFormat(format, arguments...));
}
template <class... Arguments>
std::string formatted_bytes(const char* format, Arguments... arguments) {
    return shown(PyBytes_FromFormat(format, arguments...));
}

// A type whose str and repr are what a test wants.
PyObject* (*on_str)() = nullptr;
PyObject* (*on_repr)() = nullptr;
PyTypeObject SpeakingType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Speaking",
    .tp_basicsize = sizeof(PyObject),
    .tp_repr = [](PyObject*) { return on_repr(); },
    .tp_str = [](PyObject*) { return on_str(); },
    .tp_flags = Py_TPFLAGS_DEFAULT,
};
PyTypeObject MuteType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Mute",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

TEST_P(Formats, ArePlainTextAndPercentSigns) {
    EXPECT_EQ(formatted(""), "''");
    EXPECT_EQ(formatted("plain"), "'plain'");
    EXPECT_EQ(formatted("100%%, %%d"), "'100%, %d'");
}

TEST_P(Formats, ShowIntegersOfEverySize) {
    EXPECT_EQ(formatted("%d %i %u", -5, INT_MIN, UINT_MAX), "'-5 -2147483648 4294967295'");
    EXPECT_EQ(formatted("%o %x %X", 8U, 0xBEEFU, 0xBEEFU), "'10 beef BEEF'");
    EXPECT_EQ(formatted("%ld %li %lu %lx", LONG_MIN, LONG_MAX, ULONG_MAX, ULONG_MAX),
              "'-9223372036854775808 9223372036854775807 18446744073709551615 ffffffffffffffff'");
    EXPECT_EQ(formatted("%lld %llu %llo %llX", LLONG_MIN, ULLONG_MAX, ULLONG_MAX, 10ULL),
              "'-9223372036854775808 18446744073709551615 1777777777777777777777 A'");
    EXPECT_EQ(formatted("%zd %zu %zx", PY_SSIZE_T_MIN, SIZE_MAX, size_t{255}),
              "'-9223372036854775808 18446744073709551615 ff'");
    EXPECT_EQ(formatted("%td %jd %ju", ptrdiff_t{-1}, INTMAX_MIN, UINTMAX_MAX),
              "'-1 -9223372036854775808 18446744073709551615'");
    EXPECT_EQ(formatted("%d %x", 0, 0U), "'0 0'");
}

TEST_P(Formats, PadIntegers) {
    EXPECT_EQ(formatted("[%5d][%-5d][%05d]", 42, 42, 42), "'[   42][42   ][00042]'");
    EXPECT_EQ(formatted("[%5d][%-5d][%05d]", -42, -42, -42), "'[  -42][-42  ][-0042]'");
    EXPECT_EQ(formatted("[%.4d][%7.4d][%-7.4d][%07.4d]", -42, -42, -42, -42),
              "'[-0042][  -0042][-0042  ][-000042]'");
    EXPECT_EQ(formatted("[%-05d][%1d][%.0d]", 42, 42, 42), "'[42   ][42][42]'");
    EXPECT_EQ(formatted("[%*d][%*d][%.*d][%.*d]", 4, 1, -4, 1, 3, 1, -3, 1),
              "'[   1][1   ][001][1]'");
    EXPECT_EQ(formatted("[%6X][%#x]", 0xABU, 0xABU), "'[    AB][ab]'");
}

TEST_P(Formats, ShowCharactersAndPointers) {
    EXPECT_EQ(formatted("%c%c%c", 'a', 0x20AC, 0x10FFFF), R"('a\u20ac\U0010ffff')");
    for (const int wrong : {-1, 0x110000}) {
        EXPECT_EQ(formatted("%c", wrong),
                  "OverflowError: character argument not in range(0x110000)");
    }
    EXPECT_EQ(formatted("%p", reinterpret_cast<void*>(0xABC)), "'0xabc'");
    EXPECT_EQ(formatted("%p", static_cast<void*>(nullptr)), "'0x(nil)'");
}

TEST_P(Formats, ShowCText) {
    EXPECT_EQ(formatted("%s|%s", "a", "\xC3\xA9"), R"('a|\xe9')");
    EXPECT_EQ(formatted("[%5s][%-5s]", "\xC3\xA9z", "\xC3\xA9z"), R"('[   \xe9z][\xe9z   ]')");
    EXPECT_EQ(formatted("[%.2s][%4.1s]", "abc", "abc"), "'[ab][   a]'");
    EXPECT_EQ(formatted("[%.0s][%.*s][%.*s]", "abc", 1, "abc", -1, "abc"), "'[][a][]'");
    EXPECT_EQ(formatted("%s", "a\xFFz"), R"('a\ufffdz')") << "never an error";
    EXPECT_EQ(formatted("%.3s|", "ab\xC3\xA9"), "'ab|'") << "no half of a character";
    EXPECT_EQ(formatted("%.4s|", "ab\xC3"), R"('ab\ufffd|')") << "which the precision did not cut";
    EXPECT_EQ(formatted("%ls|%5ls|%.1ls", L"a\u20ac", L"\u20ac", L"\u20acz"),
              R"('a\u20ac|    \u20ac|\u20ac')");
    EXPECT_EQ(formatted("%05s", "a"), "'    a'") << "zeros are for numbers";
}

TEST_P(Formats, ShowStrs) {
    Kept kept;
    PyObject* op = kept.str(U"\u20acuro");
    EXPECT_EQ(formatted("%U", op), R"('\u20acuro')");
    EXPECT_EQ(formatted("[%6U][%-6U][%.2U][%4.2U]", op, op, op, op),
              R"('[  \u20acuro][\u20acuro  ][\u20acu][  \u20acu]')");
    EXPECT_EQ(formatted("%V %V", op, "unused", static_cast<PyObject*>(nullptr), "used"),
              R"('\u20acuro used')");
    EXPECT_EQ(formatted("%lV|%lV", op, L"unused", static_cast<PyObject*>(nullptr), L"used"),
              R"('\u20acuro|used')");
    EXPECT_EQ(formatted("[%.2V]", static_cast<PyObject*>(nullptr), "used"), "'[us]'");
}

TEST_P(Formats, AskObjectsForTheirText) {
    ASSERT_EQ(PyType_Ready(&SpeakingType), 0);
    Kept kept;
    PyObject* op = kept(PyObject_New(PyObject, &SpeakingType));
    on_str = [] { return str("said"); };
    on_repr = [] { return str(U"<\u00e9>"); };
    EXPECT_EQ(formatted("%S %R", op, op), R"('said <\xe9>')");
    EXPECT_EQ(formatted("%A", op), R"('<\\xe9>')");
    EXPECT_EQ(formatted("[%6S][%-5R][%.2R][%6A]", op, op, op, op),
              R"('[  said][<\xe9>  ][<\xe9][<\\xe9>]')");
    on_str = on_repr = [] { return PyLong_FromLong(1); };
    EXPECT_EQ(formatted("%S", op), "TypeError: __str__ returned non-string (type int)");
    EXPECT_EQ(formatted("%R", op), "TypeError: __repr__ returned non-string (type int)");
    on_str = on_repr = []() -> PyObject* {
        PyErr_SetString(PyExc_KeyError, "inside");
        return nullptr;
    };
    for (const char* format : {"%S", "%R", "%A"}) {
        EXPECT_THAT(formatted(format, op), testing::AllOf(testing::StartsWith("KeyError: "),
                                                          testing::HasSubstr("inside")));
    }
    EXPECT_EQ(formatted("%S %R", kept.str("it's"), kept.str("it's")), R"('it\'s "it\'s"')");
}

TEST_P(Formats, ShowWhatSaysNothingByItsAddress) {
    ASSERT_EQ(PyType_Ready(&MuteType), 0);
    Kept kept;
    PyObject* op = kept(PyObject_New(PyObject, &MuteType));
    const std::string expected = formatted("<contract.Mute object at %p>", static_cast<void*>(op));
    EXPECT_EQ(formatted("%R", op), expected);
    EXPECT_EQ(formatted("%S", op), expected);
}

TEST_P(Formats, NameTypes) {
    Kept kept;
    ASSERT_EQ(PyType_Ready(&MuteType), 0);
    auto* type = reinterpret_cast<PyObject*>(&MuteType);
    PyObject* op = kept(PyObject_New(PyObject, &MuteType));
    EXPECT_EQ(formatted("%T %N", op, type), "'contract.Mute contract.Mute'");
    EXPECT_EQ(formatted("[%15T][%-15N][%.3T]", op, type, op),
              "'[  contract.Mute][contract.Mute  ][con]'");
    EXPECT_EQ(formatted("%T %#T %#N", Py_True, Py_True, reinterpret_cast<PyObject*>(&PyList_Type)),
              "'bool bool list'");
    EXPECT_EQ(formatted("%N", op), "TypeError: %N argument must be a type");
}

TEST_P(Formats, ThatAreWrongAreErrors) {
    for (const char* format :
         {"%y",  "%",   "%5",  "%l",   "%.3", "%-",  "%f",  "%hd", "%5c", "%.1c",
          "%lc", "%5p", "%zs", "%lls", "%lU", "%zR", "%jT", "%5%", "%+d", "% d"}) {
        EXPECT_EQ(formatted((std::string("a") + format).c_str(), 1, 2),
                  std::string("SystemError: invalid format string: ") + format);
    }
    EXPECT_EQ(formatted("%y and more %d", 1), "SystemError: invalid format string: %y and more %d");
    EXPECT_EQ(formatted("%99999999999999999999d", 1), "ValueError: width too big");
    EXPECT_EQ(formatted("%.99999999999999999999d", 1), "ValueError: precision too big");
    EXPECT_EQ(formatted("a\xC3\xA9"),
              "ValueError: PyUnicode_FromFormatV() expects an ASCII-encoded format string, got a "
              "non-ASCII byte: 0xc3");
    EXPECT_EQ(formatted("%9223372036854775807d", 1), "MemoryError: ");
}

PyObject* by_list(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    PyObject* op = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    return op;
}

TEST_P(Formats, TakeAListOfArguments) {
    EXPECT_EQ(shown(by_list("%d-%s", 1, "x")), "'1-x'");
}

TEST_P(Formats, OfBytes) {
    EXPECT_EQ(formatted_bytes(""), "b''");
    EXPECT_EQ(formatted_bytes("%%|%c|%c", 'a', 255), R"(b'%|a|\xff')");
    EXPECT_EQ(formatted_bytes("%d %i %u %x", -1, -2, UINT_MAX, 0xABU), "b'-1 -2 4294967295 ab'");
    EXPECT_EQ(formatted_bytes("%ld %lu %zd %zu", LONG_MIN, ULONG_MAX, Py_ssize_t{-7}, size_t{7}),
              "b'-9223372036854775808 18446744073709551615 -7 7'");
    EXPECT_EQ(formatted_bytes("%s %.2s \xFF", "\xC3\xA9", "abc"), R"(b'\xc3\xa9 ab \xff')");
    EXPECT_EQ(formatted_bytes("[%10s][%5d]", "a", 1), "b'[a][1]'") << "a width means nothing";
    EXPECT_EQ(formatted_bytes("%p", reinterpret_cast<void*>(0xABC)), "b'0xabc'");
    for (const int wrong : {-1, 256}) {
        EXPECT_EQ(formatted_bytes("%c", wrong),
                  "OverflowError: PyBytes_FromFormatV(): %c format expects an integer in range [0; "
                  "255]");
    }
    EXPECT_EQ(formatted_bytes("%d %y %d", 1, 2, 3), "b'1 %y %d'") << "the rest as it is";
    EXPECT_EQ(formatted_bytes("%lld", 1LL), "b'%lld'");
    EXPECT_EQ(formatted_bytes("a%"), "b'a%'");
    PyErr_SetString(PyExc_KeyError, "before");
    PyObject* op = PyBytes_FromFormat("%d", 1);
    ASSERT_NE(op, nullptr) << "what is set already is no error of this call";
    Py_DECREF(op);
    PyErr_Clear();
}

EVERY_WAY_OF_COUNTING(Formats);

}  // namespace
}  // namespace ouro::test
