// Arguments by name and by position meet in one list of parameters: each gets at most one, those before
// '|' exactly one, those behind '$' by name alone, those without a name by position alone. Source:
// "Parsing arguments and building values": PyArg_ParseTupleAndKeywords, PyArg_VaParseTupleAndKeywords,
// PyArg_ValidateKeywordArguments.

#include <cstdarg>
#include <map>

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

constexpr int kUnset = -1;

class Keywords : public Things {
protected:
    using Named = std::vector<std::pair<const char*, long>>;

    // Parses ints; what each of up to four parameters became.
    std::vector<int> parse(const std::vector<long>& positional, const Named& named,
                           const char* format, std::vector<const char*> names) {
        std::vector<int> values(4, kUnset);
        names.push_back(nullptr);
        PyObject* args = PyTuple_New(static_cast<Py_ssize_t>(positional.size()));
        for (size_t i = 0; i < positional.size(); ++i) {
            PyTuple_SetItem(args, static_cast<Py_ssize_t>(i), PyLong_FromLong(positional[i]));
        }
        PyObject* kwargs = PyDict_New();
        for (const auto& [name, value] : named) {
            PyObject* number = PyLong_FromLong(value);
            PyDict_SetItemString(kwargs, name, number);
            Py_DECREF(number);
        }
        ok_ = PyArg_ParseTupleAndKeywords(args, kwargs, format, names.data(), &values[0],
                                          &values[1], &values[2], &values[3]);
        EXPECT_EQ(ok_ == 0, PyErr_Occurred() != nullptr);
        drop({args, kwargs});
        return values;
    }
    void refuses(const std::vector<long>& positional, const Named& named, const char* format,
                 const std::vector<const char*>& names, const char* message,
                 PyObject* type = PyExc_TypeError) {
        parse(positional, named, format, names);
        ASSERT_EQ(ok_, 0) << message;
        expect_raised(type, message);
    }
    int ok_ = 0;
};

using testing::ElementsAre;

TEST_P(Keywords, ByNameOrByPosition) {
    EXPECT_THAT(parse({1, 2}, {}, "ii", {"a", "b"}), ElementsAre(1, 2, kUnset, kUnset));
    EXPECT_THAT(parse({1}, {{"b", 2}}, "ii", {"a", "b"}), ElementsAre(1, 2, kUnset, kUnset));
    EXPECT_THAT(parse({}, {{"b", 2}, {"a", 1}}, "ii", {"a", "b"}),
                ElementsAre(1, 2, kUnset, kUnset));
    EXPECT_THAT(parse({}, {}, "", {}), ElementsAre(kUnset, kUnset, kUnset, kUnset));
    EXPECT_EQ(ok_, 1);
}

TEST_P(Keywords, OptionalOnesAreLeftAlone) {
    EXPECT_THAT(parse({1}, {{"d", 4}}, "i|iii", {"a", "b", "c", "d"}),
                ElementsAre(1, kUnset, kUnset, 4));
    EXPECT_THAT(parse({1}, {}, "i|iii", {"a", "b", "c", "d"}),
                ElementsAre(1, kUnset, kUnset, kUnset));
}

// The targets of what is left out are passed over, whatever they are.
TEST_P(Keywords, EveryUnitCanBeLeftOut) {
    static const char* names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "z", nullptr};
    PyObject* args = PyTuple_New(0);
    PyObject* kwargs = PyDict_New();
    PyDict_SetItemString(kwargs, "z", Py_True);
    void* p = nullptr;
    int z = 0;
    ASSERT_EQ(PyArg_ParseTupleAndKeywords(args, kwargs, "|is#O!O&(i(ss#))es#zdp", names, &p, &p, &p,
                                          &PyLong_Type, &p, &p, &p, &p, &p, &p, &p, nullptr, &p, &p,
                                          &p, &p, &z),
              1);
    EXPECT_EQ(z, 1);
    EXPECT_EQ(p, nullptr);
    drop({args, kwargs});
}

TEST_P(Keywords, RequiredOnes) {
    refuses({}, {}, "ii:f", {"a", "b"}, "f() missing required argument 'a' (pos 1)");
    refuses({1}, {}, "ii", {"a", "b"}, "function missing required argument 'b' (pos 2)");
    refuses({}, {{"b", 2}}, "i|i:f", {"a", "b"}, "f() missing required argument 'a' (pos 1)");
}

TEST_P(Keywords, AreCounted) {
    refuses({1, 2, 3}, {}, "ii:f", {"a", "b"}, "f() takes at most 2 arguments (3 given)");
    refuses({1}, {{"x", 2}}, "i", {"a"}, "function takes at most 1 argument (2 given)");
    refuses({}, {{"x", 2}, {"y", 3}}, "i:f", {"a"},
            "f() takes at most 1 keyword argument (2 given)");
    refuses({}, {{"x", 1}, {"y", 2}, {"z", 3}}, "|ii", {"a", "b"},
            "function takes at most 2 keyword arguments (3 given)");
}

TEST_P(Keywords, UnknownOrTwice) {
    refuses({}, {{"x", 1}}, "|ii:f", {"a", "b"}, "f() got an unexpected keyword argument 'x'");
    refuses({1}, {{"x", 1}}, "i|i", {"a", "b"},
            "this function got an unexpected keyword argument 'x'");
    refuses({1}, {{"a", 2}}, "i|i:f", {"a", "b"},
            "argument for f() given by name ('a') and position (1)");
    refuses({1}, {{"a", 2}}, "i|i", {"a", "b"},
            "argument for function given by name ('a') and position (1)");
}

TEST_P(Keywords, ByNameAlone) {
    EXPECT_THAT(parse({1}, {{"c", 3}}, "i|i$i", {"a", "b", "c"}),
                ElementsAre(1, kUnset, 3, kUnset));
    refuses({1, 2, 3}, {}, "i|i$i:f", {"a", "b", "c"},
            "f() takes at most 2 positional arguments (3 given)");
    refuses({1, 2}, {}, "i$i:f", {"a", "b"}, "f() takes exactly 1 positional argument (2 given)");
    refuses({1}, {}, "$i:f", {"a"}, "f() takes no positional arguments");
    refuses({1}, {}, "i$i", {"a", "b"}, "function missing required argument 'b' (pos 2)");
    EXPECT_THAT(parse({1}, {}, "i|$i", {"a", "b"}), ElementsAre(1, kUnset, kUnset, kUnset));
}

TEST_P(Keywords, ByPositionAlone) {
    EXPECT_THAT(parse({1, 2}, {{"c", 3}}, "iii", {"", "", "c"}), ElementsAre(1, 2, 3, kUnset));
    EXPECT_THAT(parse({1}, {{"c", 3}}, "i|ii", {"", "", "c"}), ElementsAre(1, kUnset, 3, kUnset));
    refuses({1}, {{"c", 3}}, "iii:f", {"", "", "c"},
            "f() takes at least 2 positional arguments (1 given)");
    refuses({}, {}, "i|i", {"", ""}, "function takes at least 1 positional argument (0 given)");
    refuses({}, {}, "i:f", {""}, "f() takes exactly 1 positional argument (0 given)");
    refuses({}, {}, "i|$i:f", {"", "b"}, "f() takes exactly 1 positional argument (0 given)");
    refuses({1}, {{"", 3}}, "i|i:f", {"", "c"}, "f() got an unexpected keyword argument ''");
}

TEST_P(Keywords, WhatDoesNotConvert) {
    PyObject* args = PyTuple_Pack(1, Py_None);
    PyObject* kwargs = PyDict_New();
    PyDict_SetItemString(kwargs, "b", Py_None);
    static const char* names[] = {"a", "b", nullptr};
    const char *a, *b;
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(args, nullptr, "s|s:f", names, &a, &b), 0);
    expect_raised(PyExc_TypeError, "f() argument 1 must be str, not None");
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(args, kwargs, "zs:f", names, &a, &b), 0);
    expect_raised(PyExc_TypeError, "f() argument 2 must be str, not None");
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(args, kwargs, "zs;no good", names, &a, &b), 0);
    expect_raised(PyExc_TypeError, "no good");
    drop({args, kwargs});
}

TEST_P(Keywords, WhatWasConvertedIsCleanedUp) {
    PyObject* text = PyUnicode_FromString("text");
    PyObject* args = PyTuple_Pack(1, text);
    static const char* names[] = {"a", "b", nullptr};
    char* copy = nullptr;
    int b;
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(args, nullptr, "esi", names, nullptr, &copy, &b), 0);
    expect_raised(PyExc_TypeError, "function missing required argument 'b' (pos 2)");
    EXPECT_EQ(copy, nullptr);
    drop({text, args});
}

TEST_P(Keywords, NamesAreStrings) {
    PyObject* args = PyTuple_New(0);
    PyObject* kwargs = PyDict_New();
    PyDict_SetItem(kwargs, Py_None, Py_True);
    static const char* names[] = {"a", nullptr};
    int a;
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(args, kwargs, "|i", names, &a), 0);
    expect_raised(PyExc_TypeError, "keywords must be strings");
    EXPECT_EQ(PyArg_ValidateKeywordArguments(kwargs), 0);
    expect_raised(PyExc_TypeError, "keywords must be strings");
    PyDict_Clear(kwargs);
    PyDict_SetItemString(kwargs, "a", Py_True);
    EXPECT_EQ(PyArg_ValidateKeywordArguments(kwargs), 1);
    EXPECT_EQ(PyArg_ValidateKeywordArguments(args), 0);
    expect_raised(PyExc_SystemError);
    drop({args, kwargs});
}

TEST_P(Keywords, AFormatThatCannotBe) {
    PyObject* error = PyExc_SystemError;
    refuses({1, 2}, {{"c", 3}}, "i|i|i", {"a", "b", "c"},
            "Invalid format string (| specified twice)", error);
    refuses({1}, {{"b", 2}, {"c", 3}}, "i$i|i", {"a", "b", "c"},
            "Invalid format string ($ before |)", error);
    refuses({}, {{"a", 1}, {"b", 2}, {"c", 3}}, "i$i$i", {"a", "b", "c"},
            "Invalid format string ($ specified twice)", error);
    refuses({1}, {}, "$ii", {"", "b"}, "Empty parameter name after $", error);
    refuses({1}, {}, "ii", {"a", ""}, "Empty keyword parameter name", error);
    refuses({1, 2}, {}, "i", {"a", "b"}, "More keyword list entries (2) than format specifiers (1)",
            error);
    refuses({1}, {}, "ii", {"a"},
            "more argument specifiers than keyword list entries (remaining format:'i')", error);
    refuses({}, {{"b", 1}}, "|xi", {"a", "b"}, "impossible<bad format char>: 'xi'", error);
    refuses({}, {{"b", 1}}, "|(ii", {"a", "b"}, "Unmatched left paren in format string: '(ii'",
            error);
    refuses({}, {{"b", 1}}, "|)i", {"a", "b"}, "Unmatched right paren in format string: ')i'",
            error);
}

TEST_P(Keywords, WrongKindsAreASystemError) {
    PyObject* list = PyList_New(0);
    PyObject* args = PyTuple_New(0);
    static const char* names[] = {nullptr};
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(list, nullptr, "", names), 0);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(args, list, "", names), 0);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(args, nullptr, nullptr, names), 0);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyArg_ParseTupleAndKeywords(args, nullptr, "", nullptr), 0);
    expect_raised(PyExc_SystemError);
    drop({list, args});
}

int parse_by_list(PyObject* args, const char* format, const char* const* names, ...) {
    std::va_list targets;
    va_start(targets, names);
    const int result = PyArg_VaParseTupleAndKeywords(args, nullptr, format, names, targets);
    va_end(targets);
    return result;
}

TEST_P(Keywords, ByAListOfTargets) {
    PyObject* args = PyTuple_Pack(1, Py_True);
    static const char* names[] = {"a", "b", nullptr};
    int a = 0, b = 7;
    EXPECT_EQ(parse_by_list(args, "i|i", names, &a, &b), 1);
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, 7);
    Py_DECREF(args);
}

EVERY_WAY_OF_COUNTING(Keywords);

}  // namespace
}  // namespace ouro::test
