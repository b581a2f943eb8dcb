// The operator % of str, PyObject_Format and str.format. Each result is CPython 3.11's. Source: "printf-style
// String Formatting", "Format String Syntax", "Format Specification Mini-Language".

#include <sys/resource.h>

#include "tests/contract/methods.hpp"

namespace ouro::test {
namespace {

using Formatting = Things;

struct Case {
    const char* first;  // literals
    const char* second;
    const char* result;
};

void expect_each(std::initializer_list<Case> cases, PyObject* (*make)(PyObject*, PyObject*)) {
    for (const Case& each : cases) {
        SCOPED_TRACE(std::string(each.first) + " | " + each.second);
        PyObject* first = literal(each.first);
        PyObject* second = literal(each.second);
        PyObject* result = make(first, second);
        EXPECT_EQ(result == nullptr ? take_raised() : repr_of(result), each.result);
        drop({first, second});
    }
}

TEST_P(Formatting, TakeArgumentsByPercent) {
    expect_each(
        {
            {"'%d'", "'a'", "TypeError: %d format: a real number is required, not str"},
            {"'%x'", "1.5", "TypeError: %x format: an integer is required, not float"},
            {"'%d'", "1.5", "'1'"},
            {"'%d'", "None", "TypeError: %d format: a real number is required, not NoneType"},
            {"'%d'", "123456789012345678901234567890", "'123456789012345678901234567890'"},
            {"'%s %s'", "1", "TypeError: not enough arguments for format string"},
            {"'%s'", "(1, 2)", "TypeError: not all arguments converted during string formatting"},
            {"'%s'", "()", "TypeError: not enough arguments for format string"},
            {"'%(a)s'", "1", "TypeError: format requires a mapping"},
            {"'%(a)s'", "{'b': 1}", "KeyError: 'a'"},
            {"'%(a'", "{'a': 1}", "ValueError: incomplete format key"},
            {"'%(a)s %s'", "{'a': 1}", "TypeError: not enough arguments for format string"},
            {"'%(a)*d'", "{'a': 1}", "TypeError: not enough arguments for format string"},
            {"'%(a(b))s'", "{'a(b)': 1}", "'1'"},
            {"'%'", "()", "ValueError: incomplete format"},
            {"'%s%'", "1", "ValueError: incomplete format"},
            {"'%y'", "1", "ValueError: unsupported format character 'y' (0x79) at index 1"},
            {"'aé%y'", "1", "ValueError: unsupported format character 'y' (0x79) at index 3"},
            {"'%é'", "1", "ValueError: unsupported format character '?' (0xe9) at index 1"},
            {"'%c'", "'ab'", "TypeError: %c requires int or char"},
            {"'%c'", "1.5", "TypeError: %c requires int or char"},
            {"'%c'", "97", "'a'"},
            {"'%c'", "-1", "OverflowError: %c arg not in range(0x110000)"},
            {"'%5c|'", "'é'", "'    é|'"},
            {"'%*d'", "('a', 1)", "TypeError: * wants int"},
            {"'%*d'", "(5, 1)", "'    1'"},
            {"'%*d|'", "(-5, 1)", "'1    |'"},
            {"'%-*d|'", "(5, 1)", "'1    |'"},
            {"'%.*f'", "(2, 1.5)", "'1.50'"},
            {"'%.*f'", "(-2, 1.5)", "'2'"},
            {"'%5.3d'", "7", "'  007'"},
            {"'%+05d'", "7", "'+0007'"},
            {"'%-05d|'", "7", "'7    |'"},
            {"'% d'", "7", "' 7'"},
            {"'%#x'", "255", "'0xff'"},
            {"'%#X'", "255", "'0XFF'"},
            {"'%#010x'", "255", "'0x000000ff'"},
            {"'%#o'", "8", "'0o10'"},
            {"'%#.3x'", "255", "'0x0ff'"},
            {"'%.3x'", "-10", "'-00a'"},
            {"'%06d'", "-42", "'-00042'"},
            {"'%i %u'", "(True, 5)", "'1 5'"},
            {"'%08.3f'", "3.14159", "'0003.142'"},
            {"'%+.2e'", "12345.678", "'+1.23e+04'"},
            {"'%E'", "0.00012", "'1.200000E-04'"},
            {"'%g'", "0.00001", "'1e-05'"},
            {"'%g'", "0.0001", "'0.0001'"},
            {"'%#g'", "1.5", "'1.50000'"},
            {"'%#.0f'", "2.0", "'2.'"},
            {"'%.0e'", "15.0", "'2e+01'"},
            {"'%G'", "1e20", "'1E+20'"},
            {"'%g'", "100000.0", "'100000'"},
            {"'%g'", "1000000.0", "'1e+06'"},
            {"'%.3g'", "1234.0", "'1.23e+03'"},
            {"'%f'", "nan", "'nan'"},
            {"'%05f'", "inf", "'00inf'"},
            {"'%+f'", "inf", "'+inf'"},
            {"'%F'", "-inf", "'-INF'"},
            {"'%f'", "'x'", "TypeError: must be real number, not str"},
            {"'%f'", "3", "'3.000000'"},
            {"'%.0f'", "2.5", "'2'"},
            {"'%.50f'", "0.1", "'0.10000000000000000555111512312578270211815834045410'"},
            {"'%r %a'", "('é', 'é')", "\"'é' '\\\\xe9'\""},
            {"'%5s|%-5s|%.2s'", "('ab', 'ab', 'aéc')", "'   ab|ab   |aé'"},
            {"'%%'", "()", "'%'"},
            {"'%s'", "{'a': 1}", "\"{'a': 1}\""},
            {"'a'", "{'a': 1}", "'a'"},
            {"'a'", "1", "TypeError: not all arguments converted during string formatting"},
            {"'a'", "[1]", "'a'"},
            {"'%ld %hd %Ld'", "(1, 2, 3)", "'1 2 3'"},
            {"'%s'", "None", "'None'"},
            {"'%(a)d %(b)s'", "{'a': 1, 'b': 2}", "'1 2'"},
            {"'%()s'", "{'': 1}", "'1'"},
            {"'%99999999999999999999d'", "1", "ValueError: width too big"},
            {"'%.99999999999999999999d'", "1", "ValueError: precision too big"},
        },
        PyNumber_Remainder);
}

TEST_P(Formatting, SayHowAnObjectIsShown) {
    expect_each(
        {
            {"3.14159", "'.2f'", "'3.14'"},
            {"1234567", "','", "'1,234,567'"},
            {"1234567.891", "',.2f'", "'1,234,567.89'"},
            {"255", "'#x'", "'0xff'"},
            {"255", "'X'", "'FF'"},
            {"255", "'#X'", "'0XFF'"},
            {"255", "'#o'", "'0o377'"},
            {"255", "'08b'", "'11111111'"},
            {"255", "'_b'", "'1111_1111'"},
            {"-255", "'#010x'", "'-0x00000ff'"},
            {"-5", "'=+8'", "'-      5'"},
            {"5", "' '", "' 5'"},
            {"5", "'e'", "'5.000000e+00'"},
            {"5", "'%'", "'500.000000%'"},
            {"5", "'.1f'", "'5.0'"},
            {"5", "'c'", "'\\x05'"},
            {"8364", "'3c'", "'  €'"},
            {"-1", "'c'", "OverflowError: %c arg not in range(0x110000)"},
            {"5", "'s'", "ValueError: Unknown format code 's' for object of type 'int'"},
            {"5", "'+c'", "ValueError: Sign not allowed with integer format specifier 'c'"},
            {"5", "'#c'",
             "ValueError: Alternate form (#) not allowed with integer format specifier 'c'"},
            {"5", "'.2d'", "ValueError: Precision not allowed in integer format specifier"},
            {"5", "'5.2'", "ValueError: Precision not allowed in integer format specifier"},
            {"5", "'z'",
             "ValueError: Negative zero coercion (z) not allowed in integer format specifier"},
            {"5", "'n'", "'5'"},
            {"True", "'d'", "'1'"},
            {"True", "''", "'True'"},
            {"123456", "'_x'", "'1_e240'"},
            {"123456", "',x'", "ValueError: Cannot specify ',' with 'x'."},
            {"5", "'_,'", "ValueError: Cannot specify both ',' and '_'."},
            {"5", "',_'", "ValueError: Cannot specify both ',' and '_'."},
            {"5", "'5,,'", "ValueError: Cannot specify ',' with ','."},
            {"5", "'__'", "ValueError: Cannot specify '_' with '_'."},
            {"5", "'_c'", "ValueError: Cannot specify '_' with 'c'."},
            {"5", "'.'", "ValueError: Format specifier missing precision"},
            {"5", "'xx'", "ValueError: Invalid format specifier 'xx' for object of type 'int'"},
            {"5", "'99999999999999999999'", "ValueError: Too many decimal digits in format string"},
            {"1234", "'012,'", "'0,000,001,234'"},
            {"1", "'03,'", "'001'"},
            {"1", "'04,'", "'0,001'"},
            {"1", "'05,'", "'0,001'"},
            {"1", "'06,'", "'00,001'"},
            {"123", "'04,'", "'0,123'"},
            {"12345", "'06,'", "'12,345'"},
            {"12345", "'08,'", "'0,012,345'"},
            {"12345", "'09,'", "'0,012,345'"},
            {"255", "'012_x'", "'00_0000_00ff'"},
            {"74565", "'06_x'", "'1_2345'"},
            {"-1234", "'09,'", "'-0,001,234'"},
            {"1234.5", "'012,.1f'", "'00,001,234.5'"},
            {"123456789012345678901234567890", "','", "'123,456,789,012,345,678,901,234,567,890'"},
            {"'abc'", "'>10'", "'       abc'"},
            {"'abc'", "'*^10.2'", "'****ab****'"},
            {"'abc'", "'é<6'", "'abcééé'"},
            {"'abc'", "'05'", "'abc00'"},
            {"'abc'", "'<05'", "'abc00'"},
            {"'abc'", "''", "'abc'"},
            {"'abc'", "'.2'", "'ab'"},
            {"'abc'", "'5s'", "'abc  '"},
            {"'abc'", "'d'", "ValueError: Unknown format code 'd' for object of type 'str'"},
            {"'abc'", "'=5'", "ValueError: '=' alignment not allowed in string format specifier"},
            {"'abc'", "','", "ValueError: Cannot specify ',' with 's'."},
            {"'abc'", "'+'", "ValueError: Sign not allowed in string format specifier"},
            {"'abc'", "' '", "ValueError: Space not allowed in string format specifier"},
            {"'abc'", "'#'",
             "ValueError: Alternate form (#) not allowed in string format specifier"},
            {"'abc'", "'z'",
             "ValueError: Negative zero coercion (z) not allowed in string format specifier"},
            {"'abc'", "'5ss'",
             "ValueError: Invalid format specifier '5ss' for object of type 'str'"},
            {"0.25", "'%'", "'25.000000%'"},
            {"0.25", "'.0%'", "'25%'"},
            {"1.5", "''", "'1.5'"},
            {"1e20", "'g'", "'1e+20'"},
            {"1e16", "''", "'1e+16'"},
            {"1e16", "','", "'1e+16'"},
            {"1.5", "'d'", "ValueError: Unknown format code 'd' for object of type 'float'"},
            {"1.5", "'10'", "'       1.5'"},
            {"1.5", "'é^9'", "'ééé1.5ééé'"},
            {"-1.5", "' '", "'-1.5'"},
            {"1.5", "'+.3e'", "'+1.500e+00'"},
            {"100.0", "'.1'", "'1e+02'"},
            {"100.0", "'.3'", "'1e+02'"},
            {"100.0", "'.4'", "'100.0'"},
            {"12.0", "'.8'", "'12.0'"},
            {"2.0", "'n'", "'2'"},
            {"1.0", "'#.0f'", "'1.'"},
            {"-0.0", "'z.1f'", "'0.0'"},
            {"-0.01", "'z.1f'", "'0.0'"},
            {"inf", "'010'", "'0000000inf'"},
            {"nan", "'+'", "'+nan'"},
            {"1.5", "'x'", "ValueError: Unknown format code 'x' for object of type 'float'"},
            {"1.5", "'zz'", "ValueError: Unknown format code 'z' for object of type 'float'"},
            {"[1]", "'x'", "TypeError: unsupported format string passed to list.__format__"},
            {"[1]", "''", "'[1]'"},
            {"None", "'>5'", "TypeError: unsupported format string passed to NoneType.__format__"},
        },
        PyObject_Format);
    EXPECT_EQ(repr_of(PyObject_Format(Py_None, nullptr)), "'None'");
    EXPECT_EQ(PyObject_Format(Py_None, Py_None), nullptr);
    EXPECT_EQ(take_raised(), "SystemError: Format specifier must be a string, not NoneType");
}

// The most that the process has used of memory, in KiB.
long peak() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

// What no memory can hold is refused before any of it is filled.
TEST_P(Formatting, OfAnImpossibleWidth) {
    const long before = peak();
    expect_each(
        {
            {"3", "'9223372036854775807d'", "MemoryError: "},
            {"3", "'=9223372036854775807'", "MemoryError: "},
            {"3", "'^9223372036854775807'", "MemoryError: "},
            {"3", "'09223372036854775807,'", "MemoryError: "},
            {"3", "'09223372036854775806_x'", "MemoryError: "},
            {"8364", "'9223372036854775807c'", "MemoryError: "},
            {"3.5", "'é<9223372036854775807'", "MemoryError: "},
            {"'a'", "'9223372036854775807'", "MemoryError: "},
            {"'a'", "'é^9223372036854775807'", "MemoryError: "},
            {"'a'", "'é>9223372036854775807'", "MemoryError: "},
        },
        PyObject_Format);
    for (const char* name : {"center", "ljust", "rjust"}) {
        for (const char* args : {"9223372036854775807", "9223372036854775807, 'é'"}) {
            expect_methods({{"'ab'", name, args, "MemoryError: "}});
        }
    }
    expect_methods({{"'ab'", "zfill", "9223372036854775807", "MemoryError: "}});
    EXPECT_LT(peak() - before, 64 * 1024);
}

TEST_P(Formatting, HaveFields) {
    expect_methods({
        {"'{} {}'", "format", "1",
         "IndexError: Replacement index 1 out of range for positional args tuple"},
        {"'{0} {1} {0}'", "format", "'a', 'b'", "'a b a'"},
        {"'{x} {y!r:>5}'", "format", "", "\"1   'a'\"", "{'x': 1, 'y': 'a'}"},
        {"'{0.real} {1[0]} {2[k]}'", "format", "1, [5], {'k': 3}", "'1 5 3'"},
        {"'{a[0][1].real}'", "format", "", "'2'", "{'a': [[1, 2]]}"},
        {"'{'", "format", "", "ValueError: Single '{' encountered in format string"},
        {"'}'", "format", "", "ValueError: Single '}' encountered in format string"},
        {"'a{b'", "format", "", "ValueError: expected '}' before end of string"},
        {"'{}{0}'", "format", "1",
         "ValueError: cannot switch from automatic field numbering to manual field specification"},
        {"'{0}{}'", "format", "1",
         "ValueError: cannot switch from manual field specification to automatic field numbering"},
        {"'{{}}'", "format", "", "'{}'"},
        {"'{:{}}.'", "format", "'a', 5", "'a    .'"},
        {"'{:{}}{}'", "format", "'a', 5, 'b'", "'a    b'"},
        {"'{0:{1:{2}}}'", "format", "1, 2, 3", "ValueError: Max string recursion exceeded"},
        {"'{!x}'", "format", "1", "ValueError: Unknown conversion specifier x"},
        {"'{!s} {!a}'", "format", "'é', 'é'", "\"é '\\\\xe9'\""},
        {"'{!rx}'", "format", "1", "ValueError: expected ':' after conversion specifier"},
        {"'{!r'", "format", "1", "ValueError: unmatched '{' in format spec"},
        {"'{a}'", "format", "", "KeyError: 'a'"},
        {"'{0'", "format", "1", "ValueError: expected '}' before end of string"},
        {"'{0.x}'", "format", "1", "AttributeError: 'int' object has no attribute 'x'"},
        {"'{0[]}'", "format", "[1]", "ValueError: Empty attribute in format string"},
        {"'{0.}'", "format", "1", "ValueError: Empty attribute in format string"},
        {"'{0[0]x}'", "format", "[1]",
         "ValueError: Only '.' or '[' may follow ']' in format field specifier"},
        {"'{0[a]}'", "format", "{'a': 5}", "'5'"},
        {"'{[0]} {.real}'", "format", "[7], 8", "'7 8'"},
        {"'{99999999999999999999}'", "format", "1",
         "ValueError: Too many decimal digits in format string"},
        {"'{:d}'", "format", "'a'", "ValueError: Unknown format code 'd' for object of type 'str'"},
        {"'{-1}'", "format", "1", "KeyError: '-1'"},
        {"'{x}'", "format_map", "{'x': 1}", "'1'"},
        {"'{}'", "format_map", "{'x': 1}", "ValueError: Format string contains positional fields"},
        {"'{x}'", "format_map", "{}", "KeyError: 'x'"},
        {"'{é:é>3}'", "format", "", "'éé1'", "{'é': 1}"},
    });
}

TEST_P(Formatting, WriteDoubles) {
    int type = -1;
    const auto text = [&type](double value, char letter, int precision, int flags) {
        char* made = PyOS_double_to_string(value, letter, precision, flags, &type);
        const std::string copy = made == nullptr ? take_raised() : made;
        PyMem_Free(made);
        return copy;
    };
    EXPECT_EQ(text(1.5, 'r', 0, 0), "1.5");
    EXPECT_EQ(text(2.0, 'r', 0, 0), "2");
    EXPECT_EQ(text(2.0, 'r', 0, Py_DTSF_ADD_DOT_0), "2.0");
    EXPECT_EQ(type, Py_DTST_FINITE);
    EXPECT_EQ(text(2.0, 'f', 3, Py_DTSF_SIGN), "+2.000");
    EXPECT_EQ(text(1e10, 'e', 2, 0), "1.00e+10");
    EXPECT_EQ(text(0.5, 'g', 6, Py_DTSF_ALT), "0.500000");
    EXPECT_EQ(text(-0.001, 'f', 1, Py_DTSF_NO_NEG_0), "0.0");
    EXPECT_EQ(text(Py_INFINITY, 'f', 1, 0), "inf");
    EXPECT_EQ(type, Py_DTST_INFINITE);
    EXPECT_EQ(text(Py_NAN, 'E', 1, 0), "NAN");
    EXPECT_EQ(type, Py_DTST_NAN);
    EXPECT_EQ(PyOS_double_to_string(1.0, 'x', 1, 0, nullptr), nullptr);
    expect_raised(PyExc_SystemError);
}

EVERY_WAY_OF_COUNTING(Formatting);

}  // namespace
}  // namespace ouro::test
