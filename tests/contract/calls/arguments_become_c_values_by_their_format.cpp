// A format says how many arguments there may be and what each becomes; what does not fit is an exception
// that names the function, the argument and the item. Objects and texts are borrowed. Source: "Parsing
// arguments and building values": PyArg_ParseTuple, PyArg_VaParse, PyArg_Parse, PyArg_UnpackTuple.

#include <climits>
#include <cstdarg>
#include <cstring>

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Arguments : public Things {
protected:
    void TearDown() override {
        drop(owned_);
        Things::TearDown();
    }
    // Keeps an object for the rest of the test.
    PyObject* own(PyObject* op) {
        owned_.push_back(op);
        return op;
    }
    template <class... Items>
    PyObject* tuple(Items... items) {
        return own(PyTuple_Pack(sizeof...(items), items...));
    }
    PyObject* number(long value) { return own(PyLong_FromLong(value)); }
    PyObject* real(double value) { return own(PyFloat_FromDouble(value)); }
    PyObject* text(const std::string& value) {
        return own(
            PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())));
    }

private:
    std::vector<PyObject*> owned_;
};

// Expects a format to refuse one argument.
template <class... Targets>
void expect_refused(PyObject* arg, const char* format, PyObject* type, const char* message,
                    Targets... targets) {
    PyObject* args = PyTuple_Pack(1, arg);
    EXPECT_EQ(PyArg_ParseTuple(args, format, targets...), 0);
    expect_raised(type, message);
    Py_DECREF(args);
}

TEST_P(Arguments, Integers) {
    unsigned char b = 0;
    short h = 0;
    int i = 0;
    long l = 0;
    long long ll = 0;
    Py_ssize_t n = 0;
    PyObject* args = tuple(number(255), number(-32768), number(INT_MIN), number(LONG_MIN),
                           number(LONG_MAX), number(-7));
    ASSERT_EQ(PyArg_ParseTuple(args, "bhilLn", &b, &h, &i, &l, &ll, &n), 1);
    EXPECT_EQ(b, 255);
    EXPECT_EQ(h, -32768);
    EXPECT_EQ(i, INT_MIN);
    EXPECT_EQ(l, LONG_MIN);
    EXPECT_EQ(ll, LONG_MAX);
    EXPECT_EQ(n, -7);
}

TEST_P(Arguments, IntegersOutOfRange) {
    const struct {
        const char* format;
        long value;
        const char* message;
    } cases[] = {
        {"b", -1, "unsigned byte integer is less than minimum"},
        {"b", 256, "unsigned byte integer is greater than maximum"},
        {"h", -32769, "signed short integer is less than minimum"},
        {"h", 32768, "signed short integer is greater than maximum"},
        {"i", -2147483649L, "signed integer is less than minimum"},
        {"i", 2147483648L, "signed integer is greater than maximum"},
    };
    for (const auto& c : cases) {
        long long untouched = 77;
        expect_refused(number(c.value), c.format, PyExc_OverflowError, c.message, &untouched);
        EXPECT_EQ(untouched, 77);
    }
}

TEST_P(Arguments, IntegersWithoutACheck) {
    unsigned char b = 0;
    unsigned short h = 0;
    unsigned i = 0;
    unsigned long k = 0;
    unsigned long long kk = 0;
    PyObject* minus_two = number(-2);
    PyObject* args = tuple(minus_two, minus_two, minus_two, minus_two, minus_two);
    ASSERT_EQ(PyArg_ParseTuple(args, "BHIkK", &b, &h, &i, &k, &kk), 1);
    EXPECT_EQ(b, 254);
    EXPECT_EQ(h, 65534);
    EXPECT_EQ(i, UINT_MAX - 1);
    EXPECT_EQ(k, ULONG_MAX - 1);
    EXPECT_EQ(kk, ULLONG_MAX - 1);
}

TEST_P(Arguments, IntegersAreNotFloats) {
    long long target = 0;
    for (const char* format : {"b", "h", "i", "l", "L", "n", "B", "H", "I"}) {
        expect_refused(real(1.5), format, PyExc_TypeError,
                       "'float' object cannot be interpreted as an integer", &target);
    }
    expect_refused(real(1.5), "k", PyExc_TypeError, "argument 1 must be int, not float", &target);
    expect_refused(Py_None, "K:f", PyExc_TypeError, "f() argument 1 must be int, not None",
                   &target);
}

TEST_P(Arguments, Reals) {
    double d = 0;
    float f = 0;
    ASSERT_EQ(PyArg_ParseTuple(tuple(real(0.1), number(3)), "df", &d, &f), 1);
    EXPECT_EQ(d, 0.1);
    EXPECT_EQ(f, 3.0f);
    ASSERT_EQ(PyArg_ParseTuple(tuple(real(0.1)), "f", &f), 1);
    EXPECT_EQ(f, 0.1f);
    expect_refused(text("x"), "d", PyExc_TypeError, "must be real number, not str", &d);
    expect_refused(text("x"), "f", PyExc_TypeError, "must be real number, not str", &f);
}

TEST_P(Arguments, Truth) {
    PyObject* empty = tuple();
    for (PyObject* op : {Py_False, Py_None, number(0), real(0), text(""), empty, own(PyList_New(0)),
                         own(PyDict_New()), own(PySet_New(nullptr))}) {
        int p = 7;
        ASSERT_EQ(PyArg_ParseTuple(tuple(op), "p", &p), 1);
        EXPECT_EQ(p, 0) << Py_TYPE(op)->tp_name;
    }
    for (PyObject* op : {Py_True, number(-3), real(0.5), text("0"), tuple(empty)}) {
        int p = 7;
        ASSERT_EQ(PyArg_ParseTuple(tuple(op), "p", &p), 1);
        EXPECT_EQ(p, 1) << Py_TYPE(op)->tp_name;
    }
}

TEST_P(Arguments, CodePoints) {
    const struct {
        const char* text;
        int value;
    } cases[] = {
        {"a", 'a'}, {"\xC3\xA9", 0xE9}, {"\xE2\x82\xAC", 0x20AC}, {"\xF0\x9D\x84\x9E", 0x1D11E}};
    for (const auto& c : cases) {
        int value = 0;
        ASSERT_EQ(PyArg_ParseTuple(tuple(text(c.text)), "C", &value), 1);
        EXPECT_EQ(value, c.value);
    }
    int value = 7;
    expect_refused(text(""), "C:f", PyExc_TypeError,
                   "f() argument 1 must be a unicode character, not a string of length 0", &value);
    expect_refused(text("\xC3\xA9"
                        "ab"),
                   "C", PyExc_TypeError,
                   "argument 1 must be a unicode character, not a string of length 3", &value);
    expect_refused(number(1), "C", PyExc_TypeError,
                   "argument 1 must be a unicode character, not int", &value);
    EXPECT_EQ(value, 7);
}

TEST_P(Arguments, Texts) {
    PyObject* spam = text("spam");
    const std::string with_null("a\0b", 3);
    const char *s, *z, *sized, *none, *sized_none;
    Py_ssize_t size = 7, no_size = 7;
    ASSERT_EQ(PyArg_ParseTuple(tuple(spam, spam, text(with_null), Py_None, Py_None), "szs#zz#", &s,
                               &z, &sized, &size, &none, &sized_none, &no_size),
              1);
    EXPECT_EQ(s, PyUnicode_AsUTF8(spam)) << "borrowed, not copied";
    EXPECT_STREQ(z, "spam");
    EXPECT_EQ(std::string(sized, static_cast<size_t>(size)), with_null);
    EXPECT_EQ(none, nullptr);
    EXPECT_EQ(sized_none, nullptr);
    EXPECT_EQ(no_size, 0);

    for (const char* format : {"s", "z"}) {
        expect_refused(text(with_null), format, PyExc_ValueError, "embedded null character", &s);
    }
    expect_refused(Py_None, "s", PyExc_TypeError, "argument 1 must be str, not None", &s);
    expect_refused(number(1), "s", PyExc_TypeError, "argument 1 must be str, not int", &s);
    expect_refused(number(1), "z", PyExc_TypeError, "argument 1 must be str or None, not int", &s);
    expect_refused(number(1), "s#", PyExc_TypeError, "a bytes-like object is required, not 'int'",
                   &s, &size);
    expect_refused(Py_None, "s#", PyExc_TypeError,
                   "a bytes-like object is required, not 'NoneType'", &s, &size);
}

TEST_P(Arguments, EncodedTexts) {
    PyObject* spam = text("sp\xC3\xA4m");
    for (const char* format : {"es", "et"}) {
        char* copy = nullptr;
        ASSERT_EQ(PyArg_ParseTuple(tuple(spam), format, "utf-8", &copy), 1);
        EXPECT_STREQ(copy, "sp\xC3\xA4m");
        EXPECT_NE(copy, PyUnicode_AsUTF8(spam));
        PyMem_Free(copy);
        ASSERT_EQ(PyArg_ParseTuple(tuple(spam), format, nullptr, &copy), 1);
        EXPECT_STREQ(copy, "sp\xC3\xA4m");
        PyMem_Free(copy);
    }
    char* copy = nullptr;
    Py_ssize_t size = 0;
    ASSERT_EQ(PyArg_ParseTuple(tuple(text(std::string("a\0b", 3))), "es#", "utf-8", &copy, &size),
              1);
    EXPECT_EQ(size, 3);
    EXPECT_EQ(std::memcmp(copy, "a\0b", 4), 0);
    PyMem_Free(copy);

    char buffer[6] = "";
    copy = buffer;
    size = sizeof buffer;
    ASSERT_EQ(PyArg_ParseTuple(tuple(spam), "et#", "utf-8", &copy, &size), 1);
    EXPECT_STREQ(buffer, "sp\xC3\xA4m");
    EXPECT_EQ(size, 5);
    expect_refused(spam, "es#", PyExc_ValueError, "encoded string too long (5, maximum length 4)",
                   "utf-8", &copy, &size);

    copy = nullptr;
    expect_refused(text(std::string("a\0b", 3)), "es", PyExc_TypeError,
                   "argument 1 must be encoded string without null bytes, not str", "utf-8", &copy);
    expect_refused(number(1), "es", PyExc_TypeError, "argument 1 must be str, not int", "utf-8",
                   &copy);
    expect_refused(number(1), "et", PyExc_TypeError,
                   "argument 1 must be str, bytes or bytearray, not int", "utf-8", &copy);
    expect_refused(spam, "es", PyExc_LookupError, "unknown encoding: klingon", "klingon", &copy);
    expect_refused(spam, "ex", PyExc_SystemError, "argument 1 (unknown parser marker combination)",
                   "utf-8", &copy);
    expect_refused(spam, "es", PyExc_SystemError, "argument 1 (buffer is NULL)", "utf-8", nullptr);
    expect_refused(spam, "es#", PyExc_SystemError, "argument 1 (buffer_len is NULL)", "utf-8",
                   &copy, nullptr);
    EXPECT_EQ(copy, nullptr);
}

TEST_P(Arguments, ByteArrays) {
    PyObject* spam = own(PyByteArray_FromStringAndSize("spam", 4));
    PyObject* one = own(PyByteArray_FromStringAndSize("x", 1));
    PyObject* found = nullptr;
    ASSERT_EQ(PyArg_ParseTuple(tuple(spam), "Y", &found), 1);
    EXPECT_EQ(found, spam) << "borrowed";
    expect_refused(own(PyBytes_FromString("b")), "Y:f", PyExc_TypeError,
                   "f() argument 1 must be bytearray, not bytes", &found);
    char c = '\0';
    ASSERT_EQ(PyArg_ParseTuple(tuple(one), "c", &c), 1);
    EXPECT_EQ(c, 'x');
    expect_refused(spam, "c", PyExc_TypeError,
                   "argument 1 must be a byte string of length 1, not bytearray", &c);

    char* copy = nullptr;
    Py_ssize_t size = 0;
    ASSERT_EQ(PyArg_ParseTuple(tuple(spam), "et", "latin-1", &copy), 1);
    EXPECT_STREQ(copy, "spam");
    PyMem_Free(copy);
    copy = nullptr;
    PyObject* with_null = own(PyByteArray_FromStringAndSize("a\0b", 3));
    ASSERT_EQ(PyArg_ParseTuple(tuple(with_null), "et#", nullptr, &copy, &size), 1);
    EXPECT_EQ(size, 3);
    EXPECT_EQ(std::memcmp(copy, "a\0b", 4), 0);
    PyMem_Free(copy);
    copy = nullptr;
    expect_refused(with_null, "et", PyExc_TypeError,
                   "argument 1 must be encoded string without null bytes, not bytearray", nullptr,
                   &copy);
    expect_refused(spam, "es", PyExc_TypeError, "argument 1 must be str, not bytearray", nullptr,
                   &copy);

    PyObject* names = own(PyDict_New());
    PyDict_SetItemString(names, "b", one);
    static const char* const keywords[] = {"a", "b", nullptr};
    found = nullptr;
    ASSERT_EQ(PyArg_ParseTupleAndKeywords(tuple(), names, "|Yc", keywords, &found, &c), 1);
    EXPECT_EQ(found, nullptr) << "passed over";
}

// What was allocated for an argument is freed when a later one fails.
TEST_P(Arguments, EncodedTextsAreFreedAgain) {
    char* first = nullptr;
    char* second = nullptr;
    Py_ssize_t size = 0;
    int number_target;
    EXPECT_EQ(PyArg_ParseTuple(tuple(text("one"), text("two"), text("x")), "eset#i", nullptr,
                               &first, nullptr, &second, &size, &number_target),
              0);
    expect_raised(PyExc_TypeError);
    EXPECT_EQ(first, nullptr);
    EXPECT_EQ(second, nullptr);
}

TEST_P(Arguments, ObjectsAreBorrowed) {
    PyObject* thing = own(new_thing());
    PyObject* str = text("spam");
    PyObject* args = tuple(thing, str, thing);
    const Py_ssize_t count = Py_REFCNT(thing);
    PyObject *any, *u, *typed;
    ASSERT_EQ(PyArg_ParseTuple(args, "OUO!", &any, &u, &ThingType, &typed), 1);
    EXPECT_EQ(any, thing);
    EXPECT_EQ(u, str);
    EXPECT_EQ(typed, thing);
    EXPECT_EQ(Py_REFCNT(thing), count);

    PyObject* derived = own(new_thing(2, &FinalThingType));
    ASSERT_EQ(PyArg_ParseTuple(tuple(derived), "O!", &ThingType, &typed), 1);
    EXPECT_EQ(typed, derived) << "or of a type derived from it";
    expect_refused(thing, "O!:f", PyExc_TypeError,
                   "f() argument 1 must be contract.FinalThing, not contract.Thing",
                   &FinalThingType, &typed);
    expect_refused(Py_None, "U", PyExc_TypeError, "argument 1 must be str, not None", &u);
}

// A converter that knows how to clean up.
std::vector<std::pair<PyObject*, long>> conversions;
int convert_long(PyObject* op, void* address) {
    conversions.emplace_back(op, *static_cast<long*>(address));
    if (op == nullptr) {
        return 1;
    }
    *static_cast<long*>(address) = PyLong_AsLong(op);
    return PyErr_Occurred() == nullptr ? Py_CLEANUP_SUPPORTED : 0;
}
int convert_plainly(PyObject* op, void* address) {
    return convert_long(op, address) != 0;
}
int convert_nothing(PyObject*, void*) {
    return 0;
}

TEST_P(Arguments, Converters) {
    long a = 0, b = 0;
    PyObject* one = number(1);
    PyObject* two = number(2);
    conversions.clear();
    ASSERT_EQ(PyArg_ParseTuple(tuple(one, two), "O&O&", convert_long, &a, convert_plainly, &b), 1);
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, 2);
    EXPECT_EQ(conversions.size(), 2u) << "nothing to clean up";

    conversions.clear();
    EXPECT_EQ(PyArg_ParseTuple(tuple(one, two, Py_None), "O&O&O&", convert_long, &a,
                               convert_plainly, &b, convert_long, &b),
              0);
    expect_raised(PyExc_TypeError, "'NoneType' object cannot be interpreted as an integer");
    ASSERT_EQ(conversions.size(), 4u);
    EXPECT_EQ(conversions[3], std::pair(static_cast<PyObject*>(nullptr), 1L))
        << "only what supports it is cleaned up";

    expect_refused(one, "O&:f", PyExc_SystemError, "f() argument 1 (unspecified)", convert_nothing,
                   nullptr);
}

TEST_P(Arguments, ManyConvertersAreCleanedUp) {
    PyObject* one = number(1);
    PyObject* ten = tuple(one, one, one, one, one, one, one, one, one, one);
    long t[10] = {};
    conversions.clear();
    EXPECT_EQ(PyArg_ParseTuple(tuple(ten, Py_None), "(O&O&O&O&O&O&O&O&O&O&)i", convert_long, t,
                               convert_long, t + 1, convert_long, t + 2, convert_long, t + 3,
                               convert_long, t + 4, convert_long, t + 5, convert_long, t + 6,
                               convert_long, t + 7, convert_long, t + 8, convert_long, t + 9, t),
              0);
    expect_raised(PyExc_TypeError);
    EXPECT_EQ(conversions.size(), 20u);
}

TEST_P(Arguments, Sequences) {
    int a = 0, b = 0, c = 0;
    PyObject* pair = tuple(number(2), number(3));
    ASSERT_EQ(PyArg_ParseTuple(tuple(number(1), pair), "i(ii)", &a, &b, &c), 1);
    EXPECT_EQ(a + 10 * b + 100 * c, 321);
    PyObject* list = own(PyList_New(2));
    PyList_SetItem(list, 0, Py_NewRef(pair));
    PyList_SetItem(list, 1, PyLong_FromLong(9));
    ASSERT_EQ(PyArg_ParseTuple(tuple(list), "((ii)i)", &a, &b, &c), 1);
    EXPECT_EQ(a + 10 * b + 100 * c, 932);
    char* copy = nullptr;
    ASSERT_EQ(PyArg_ParseTuple(tuple(tuple(text("x"), number(4))), "(esi)", nullptr, &copy, &a), 1);
    EXPECT_STREQ(copy, "x");
    EXPECT_EQ(a, 4);
    PyMem_Free(copy);

    expect_refused(pair, "(iii):f", PyExc_TypeError,
                   "f() argument 1 must be sequence of length 3, not 2", &a, &b, &c);
    expect_refused(number(1), "(ii)", PyExc_TypeError,
                   "argument 1 must be 2-item sequence, not int", &a, &b);
    expect_refused(Py_None, "(i)", PyExc_TypeError, "argument 1 must be 1-item sequence, not None",
                   &a);
    expect_refused(tuple(number(1), text("x")), "(iO!):f", PyExc_TypeError,
                   "f() argument 1, item 1 must be int, not str", &a, &PyLong_Type, &copy);
    expect_refused(tuple(number(1), tuple(text("x"))), "(i(k))", PyExc_TypeError,
                   "argument 1, item 1, item 0 must be int, not str", &a, &b);
    expect_refused(own(PyTuple_New(1)), "(O)", PyExc_TypeError,
                   "argument 1, item 0 is not retrievable", &copy);
}

TEST_P(Arguments, AreCounted) {
    int i, j;
    const auto refuses = [&](PyObject* args, const char* format, const char* message) {
        EXPECT_EQ(PyArg_ParseTuple(args, format, &i, &j), 0);
        expect_raised(PyExc_TypeError, message);
    };
    PyObject* none = tuple();
    PyObject* one = tuple(number(1));
    PyObject* three = tuple(number(1), number(2), number(3));
    refuses(none, "i", "function takes exactly 1 argument (0 given)");
    refuses(one, "ii:f", "f() takes exactly 2 arguments (1 given)");
    refuses(one, "", "function takes exactly 0 arguments (1 given)");
    refuses(none, "i|i:f", "f() takes at least 1 argument (0 given)");
    refuses(three, "i|i:f", "f() takes at most 2 arguments (3 given)");
    refuses(three, "|i", "function takes at most 1 argument (3 given)");
    refuses(three, "ii;my message", "my message");
    refuses(tuple(number(1), Py_None), "ik;my message", "my message");

    ASSERT_EQ(PyArg_ParseTuple(one, "i|i", &i, &j), 1);
    j = 7;
    ASSERT_EQ(PyArg_ParseTuple(one, "i|i", &i, &j), 1);
    EXPECT_EQ(j, 7) << "what is not given is left alone";
    ASSERT_EQ(PyArg_ParseTuple(none, ""), 1);
    ASSERT_EQ(PyArg_ParseTuple(none, ":f"), 1);
}

TEST_P(Arguments, AFormatThatCannotBe) {
    int i;
    const auto refuses = [&](const char* format, const char* message) {
        EXPECT_EQ(PyArg_ParseTuple(tuple(number(1)), format, &i, &i), 0);
        expect_raised(PyExc_SystemError, message);
    };
    refuses("x:f", "f() argument 1 (impossible<bad format char>)");
    refuses("$i", "argument 1 (impossible<bad format char>)");
    refuses("i!", "bad format string: i!");
    EXPECT_EQ(PyArg_ParseTuple(own(PyList_New(0)), ""), 0);
    expect_raised(PyExc_SystemError, "new style getargs format but argument is not a tuple");
}

using ArgumentsDeathTest = Arguments;
TEST_P(ArgumentsDeathTest, ParenthesesMatch) {
    int i;
    PyObject* args = tuple(number(1));
    EXPECT_DEATH(PyArg_ParseTuple(args, "i)", &i), "excess '\\)' in getargs format");
    EXPECT_DEATH(PyArg_ParseTuple(args, "(i", &i), "missing '\\)' in getargs format");
    const std::string deep = std::string(30, '(') + "i" + std::string(30, ')');
    EXPECT_DEATH(PyArg_ParseTuple(args, deep.c_str(), &i),
                 "too many tuple nesting levels in argument format string");
}

TEST_P(Arguments, OneByItself) {
    int i = 0, j = 0;
    PyObject* pair = tuple(number(1), number(2));
    ASSERT_EQ(PyArg_Parse(number(5), "i", &i), 1);
    EXPECT_EQ(i, 5);
    ASSERT_EQ(PyArg_Parse(pair, "(ii)", &i, &j), 1);
    EXPECT_EQ(i, 1);
    EXPECT_EQ(j, 2);
    ASSERT_EQ(PyArg_Parse(nullptr, ""), 1);

    const auto refuses = [&](PyObject* arg, const char* format, PyObject* type,
                             const char* message) {
        EXPECT_EQ(PyArg_Parse(arg, format, &i, &j), 0);
        expect_raised(type, message);
    };
    refuses(pair, "", PyExc_TypeError, "function takes no arguments");
    refuses(nullptr, "i:f", PyExc_TypeError, "f() takes at least one argument");
    refuses(pair, "ii", PyExc_SystemError, "old style getargs format uses new features");
    refuses(pair, "i|i", PyExc_SystemError, "old style getargs format uses new features");
    refuses(pair, "k:f", PyExc_TypeError, "f() argument must be int, not tuple");
    refuses(tuple(number(1), pair), "(ik)", PyExc_TypeError, "argument 2 must be int, not tuple");
    refuses(tuple(pair), "((iU))", PyExc_TypeError, "argument 1, item 1 must be str, not int");
}

int parse_by_list(PyObject* args, const char* format, ...) {
    std::va_list targets;
    va_start(targets, format);
    const int first = PyArg_VaParse(args, format, targets);
    const int second = PyArg_VaParse(args, format, targets);
    va_end(targets);
    return first + second;
}

TEST_P(Arguments, AListOfTargetsCanBeUsedAgain) {
    int i = 0;
    const char* s = nullptr;
    EXPECT_EQ(parse_by_list(tuple(number(1), text("x")), "is", &i, &s), 2);
    EXPECT_EQ(i, 1);
    EXPECT_STREQ(s, "x");
}

TEST_P(Arguments, Unpacked) {
    PyObject *a = nullptr, *b = nullptr;
    PyObject* one = number(1000);
    ASSERT_EQ(PyArg_UnpackTuple(tuple(one), "f", 1, 2, &a, &b), 1);
    EXPECT_EQ(a, one);
    EXPECT_EQ(b, nullptr);
    ASSERT_EQ(PyArg_UnpackTuple(tuple(), "f", 0, 2, &a, &b), 1);
    const auto refuses = [&](PyObject* args, const char* name, Py_ssize_t min, Py_ssize_t max,
                             PyObject* type, const char* message) {
        EXPECT_EQ(PyArg_UnpackTuple(args, name, min, max, &a, &b), 0);
        expect_raised(type, message);
    };
    PyObject* three = tuple(one, one, one);
    refuses(tuple(), "f", 1, 2, PyExc_TypeError, "f expected at least 1 argument, got 0");
    refuses(three, "f", 1, 2, PyExc_TypeError, "f expected at most 2 arguments, got 3");
    refuses(three, "f", 2, 2, PyExc_TypeError, "f expected 2 arguments, got 3");
    refuses(tuple(), nullptr, 1, 1, PyExc_TypeError,
            "unpacked tuple should have 1 element, but has 0");
    refuses(three, nullptr, 0, 2, PyExc_TypeError,
            "unpacked tuple should have at most 2 elements, but has 3");
    refuses(own(PyList_New(0)), "f", 0, 2, PyExc_SystemError,
            "PyArg_UnpackTuple() argument list is not a tuple");
}

EVERY_WAY_OF_COUNTING(Arguments);
EVERY_WAY_OF_COUNTING(ArgumentsDeathTest);

}  // namespace
}  // namespace ouro::test
