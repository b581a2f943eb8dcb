// Concat, Append, Join, Split, Splitlines, Replace, Find, FindChar, Count, Tailmatch and Contains
// do what str's methods do, by code points; and the TypeError of each for what is no str. Source:
// "Unicode Objects and Codecs", methods and slot functions. The expected values are CPython's.

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using Parts = Things;

constexpr Py_ssize_t kEnd = PY_SSIZE_T_MAX;
const std::string kMustBeStr = "TypeError: must be str, not bool";

TEST_P(Parts, AreConcatenated) {
    Kept kept;
    PyObject* a = kept.str("a");
    PyObject* euro = kept.str(U"\u20ac\xd800");
    PyObject* empty = kept.str("");
    EXPECT_EQ(shown(PyUnicode_Concat(a, euro)), R"('a\u20ac\ud800')");
    EXPECT_EQ(shown(Py_TYPE(a)->tp_as_sequence->sq_concat(euro, a)), R"('\u20ac\ud800a')");
    PyObject* both = kept(PyUnicode_Concat(euro, a));
    EXPECT_EQ(PyUnicode_GET_LENGTH(both), 3);
    EXPECT_EQ(kept(PyUnicode_Concat(a, empty)), a);
    EXPECT_EQ(kept(PyUnicode_Concat(empty, a)), a);
    EXPECT_EQ(shown(PyUnicode_Concat(Py_True, a)), kMustBeStr);
    EXPECT_EQ(shown(PyUnicode_Concat(a, Py_True)),
              R"(TypeError: can only concatenate str (not "bool") to str)");
    PyObject* high = kept.str(U"\xd83d");
    PyObject* low = kept.str(U"\xde00");
    EXPECT_EQ(shown(PyUnicode_Concat(high, low)), R"('\ud83d\ude00')") << "still two code points";
}

TEST_P(Parts, AreAppendedInPlace) {
    Kept kept;
    PyObject* b = kept.str("b");
    PyObject* text = str("a");
    PyObject* before = kept(Py_NewRef(text));
    PyUnicode_Append(&text, b);
    EXPECT_EQ(Py_REFCNT(before), 1) << "stolen";
    EXPECT_EQ(shown(Py_NewRef(before)), "'a'") << "a str that others have does not change";
    PyUnicode_AppendAndDel(&text, str("c"));
    EXPECT_EQ(shown(Py_NewRef(text)), "'abc'");
    PyUnicode_Append(&text, Py_True);
    EXPECT_EQ(text, nullptr);
    const std::string error = "SystemError: bad argument to internal function";
    EXPECT_EQ(taken_error(), error);
    PyUnicode_Append(&text, b);
    EXPECT_EQ(taken_error(), error);
    PyUnicode_Append(nullptr, b);
    EXPECT_EQ(taken_error(), error);
    text = str("a");
    PyUnicode_AppendAndDel(&text, nullptr);
    EXPECT_EQ(text, nullptr);
    EXPECT_EQ(taken_error(), error);
    text = PyLong_FromLong(1'000'000);
    PyUnicode_Append(&text, b);
    EXPECT_EQ(text, nullptr);
    EXPECT_EQ(taken_error(), error);
    PyErr_SetString(PyExc_KeyError, "");
    PyUnicode_Append(&text, b);
    EXPECT_THAT(taken_error(), testing::StartsWith("KeyError")) << "what went wrong before";
}

PyObject* list_of(std::initializer_list<PyObject*> stolen) {
    PyObject* list = PyList_New(0);
    for (PyObject* item : stolen) {
        PyList_Append(list, item);
        Py_DECREF(item);
    }
    return list;
}

// An iterable that gives so many strs, and then ends in a way of its own.
struct Counting {
    PyObject ob_base;
    int left;
    PyObject* end;  // an exception class, or nullptr
};
PyObject* next_of(PyObject* op) {
    auto* self = reinterpret_cast<Counting*>(op);
    if (self->left > 0) {
        return PyUnicode_FromFormat("%d", self->left--);
    }
    if (self->end != nullptr) {
        PyErr_SetString(self->end, "end");
    }
    return nullptr;
}
PyTypeObject CountingType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Counting",
    .tp_basicsize = sizeof(Counting),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_iter = [](PyObject* op) { return Py_NewRef(op); },
    .tp_iternext = next_of,
};
PyObject* counting(int left, PyObject* end) {
    EXPECT_EQ(PyType_Ready(&CountingType), 0);
    auto* op = PyObject_New(Counting, &CountingType);
    op->left = left;
    op->end = end;
    return object(op);
}

TEST_P(Parts, AreJoined) {
    Kept kept;
    PyObject* comma = kept.str(U"\u20ac");
    PyObject* list = kept(list_of({str("a"), str(""), str("c")}));
    EXPECT_EQ(shown(PyUnicode_Join(comma, list)), R"('a\u20ac\u20acc')");
    EXPECT_EQ(shown(PyUnicode_Join(nullptr, list)), "'a  c'");
    EXPECT_EQ(shown(PyUnicode_Join(comma, kept(PyTuple_New(0)))), "''");
    PyObject* only = kept(list_of({str("x")}));
    EXPECT_EQ(kept(PyUnicode_Join(comma, only)), PyList_GetItem(only, 0));
    PyObject* tuple = kept(PyTuple_New(2));
    PyTuple_SET_ITEM(tuple, 0, str("a"));
    PyTuple_SET_ITEM(tuple, 1, str("b"));
    EXPECT_EQ(shown(PyUnicode_Join(comma, tuple)), R"('a\u20acb')");
    EXPECT_EQ(shown(PyUnicode_Join(comma, kept(counting(3, nullptr)))), R"('3\u20ac2\u20ac1')");
    EXPECT_EQ(shown(PyUnicode_Join(comma, kept(counting(1, PyExc_StopIteration)))), "'1'");
    EXPECT_THAT(shown(PyUnicode_Join(comma, kept(counting(1, PyExc_OSError)))),
                testing::StartsWith("OSError"));
    EXPECT_EQ(shown(PyUnicode_Join(comma, Py_True)), "TypeError: can only join an iterable");
    EXPECT_EQ(shown(PyUnicode_Join(comma, kept(list_of({str("a"), PyLong_FromLong(1)})))),
              "TypeError: sequence item 1: expected str instance, int found");
    EXPECT_EQ(shown(PyUnicode_Join(Py_True, list)),
              "TypeError: separator: expected str instance, bool found");
    EXPECT_EQ(shown(PyUnicode_Join(Py_True, only)), "'x'") << "it is not needed";
}

std::string split(PyObject* text, const char* separator, Py_ssize_t most) {
    PyObject* op = separator == nullptr ? nullptr : str(separator);
    const std::string result = shown(PyUnicode_Split(text, op, most));
    Py_XDECREF(op);
    return result;
}

TEST_P(Parts, AreSplit) {
    Kept kept;
    PyObject* text = kept.str("a,b,,c");
    EXPECT_EQ(split(text, ",", -1), "['a', 'b', '', 'c']");
    EXPECT_EQ(split(text, ",", 1), "['a', 'b,,c']");
    EXPECT_EQ(split(text, ",", 0), "['a,b,,c']");
    EXPECT_EQ(split(text, ",,", -1), "['a,b', 'c']");
    EXPECT_EQ(split(text, "x", -1), "['a,b,,c']");
    EXPECT_EQ(split(kept.str(""), ",", -1), "['']");
    EXPECT_EQ(split(kept.str("\xC3\xA9,\xC3\xA9"), "\xC3\xA9", -1), "['', ',', '']");
    PyObject* spaced = kept.str(U" \t a\u00a0\u3000b \x1f"
                                U"c\u2029");
    EXPECT_EQ(split(spaced, nullptr, -1), "['a', 'b', 'c']");
    EXPECT_EQ(split(spaced, nullptr, 1), R"(['a', 'b \x1fc\u2029'])");
    EXPECT_EQ(split(kept.str("  a b "), nullptr, 0), "['a b ']");
    EXPECT_EQ(split(kept.str(" \n"), nullptr, -1), "[]");
    EXPECT_EQ(split(kept.str(U"a\u200bb"), nullptr, -1), R"(['a\u200bb'])") << "not white space";
    EXPECT_EQ(split(text, "", -1), "ValueError: empty separator");
    EXPECT_EQ(shown(PyUnicode_Split(Py_True, text, -1)), kMustBeStr);
    EXPECT_EQ(shown(PyUnicode_Split(text, Py_True, -1)), kMustBeStr);
}

TEST_P(Parts, AreLines) {
    Kept kept;
    PyObject* text = kept.str(U"a\nb\r\nc\rd\n\ne");
    EXPECT_EQ(shown(PyUnicode_Splitlines(text, 0)), "['a', 'b', 'c', 'd', '', 'e']");
    EXPECT_EQ(shown(PyUnicode_Splitlines(text, 1)), R"(['a\n', 'b\r\n', 'c\r', 'd\n', '\n', 'e'])");
    EXPECT_EQ(shown(PyUnicode_Splitlines(kept.str(U"1\v2\f3\0344\0355\036"
                                                  U"6\u00857\u20288\u20299\x1f-"),
                                         0)),
              R"(['1', '2', '3', '4', '5', '6', '7', '8', '9\x1f-'])");
    EXPECT_EQ(shown(PyUnicode_Splitlines(kept.str("a\n"), 0)), "['a']");
    EXPECT_EQ(shown(PyUnicode_Splitlines(kept.str("a\r"), 1)), R"(['a\r'])");
    EXPECT_EQ(shown(PyUnicode_Splitlines(kept.str("\n\r"), 0)), "['', '']");
    EXPECT_EQ(shown(PyUnicode_Splitlines(kept.str(""), 0)), "[]");
    EXPECT_EQ(shown(PyUnicode_Splitlines(Py_True, 0)), kMustBeStr);
}

TEST_P(Parts, AreReplaced) {
    Kept kept;
    const auto replace = [&](const char32_t* text, const char32_t* old, const char32_t* with,
                             Py_ssize_t most) {
        return shown(PyUnicode_Replace(kept.str(text), kept.str(old), kept.str(with), most));
    };
    EXPECT_EQ(replace(U"banana", U"an", U"-", -1), "'b--a'");
    EXPECT_EQ(replace(U"banana", U"an", U"-", 1), "'b-ana'");
    EXPECT_EQ(replace(U"banana", U"an", U"-", 0), "'banana'");
    EXPECT_EQ(replace(U"aaa", U"aa", U"b", -1), "'ba'");
    EXPECT_EQ(replace(U"a\u20acb\u20ac", U"\u20ac", U"\U0001f600x", -1),
              R"('a\U0001f600xb\U0001f600x')");
    EXPECT_EQ(replace(U"\u20acb", U"", U"-", -1), R"('-\u20ac-b-')");
    EXPECT_EQ(replace(U"\u20acb", U"", U"-", 2), R"('-\u20ac-b')");
    EXPECT_EQ(replace(U"", U"", U"x", -1), "'x'");
    EXPECT_EQ(replace(U"", U"", U"x", 0), "''");
    EXPECT_EQ(replace(U"abc", U"b", U"", -1), "'ac'");
    PyObject* text = kept.str("abc");
    EXPECT_EQ(kept(PyUnicode_Replace(text, kept.str("x"), kept.str("y"), -1)), text);
    EXPECT_EQ(shown(PyUnicode_Replace(Py_True, text, text, -1)), kMustBeStr);
    EXPECT_EQ(shown(PyUnicode_Replace(text, Py_True, text, -1)), kMustBeStr);
    EXPECT_EQ(shown(PyUnicode_Replace(text, text, Py_True, -1)), kMustBeStr);
}

TEST_P(Parts, AreFound) {
    Kept kept;
    for (const char32_t* euro : {U"e", U"\u20ac"}) {  // in ASCII, and not
        const std::u32string e = euro;
        PyObject* text = kept.str(U"ab" + e + U"ab" + e + U"a");
        PyObject* ab = kept.str("ab");
        EXPECT_EQ(PyUnicode_Find(text, ab, 0, kEnd, 1), 0);
        EXPECT_EQ(PyUnicode_Find(text, ab, 0, kEnd, -1), 3);
        EXPECT_EQ(PyUnicode_Find(text, ab, 1, kEnd, 1), 3);
        EXPECT_EQ(PyUnicode_Find(text, ab, 1, 4, 1), -1);
        EXPECT_EQ(PyUnicode_Find(text, ab, -4, kEnd, 1), 3);
        EXPECT_EQ(PyUnicode_Find(text, ab, PY_SSIZE_T_MIN, -3, -1), 0);
        EXPECT_EQ(PyUnicode_Find(text, kept.str(e), 0, kEnd, -1), 5);
        EXPECT_EQ(PyUnicode_Find(text, kept.str("x"), 0, kEnd, 1), -1);
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        PyObject* empty = kept.str("");
        EXPECT_EQ(PyUnicode_Find(text, empty, 2, kEnd, 1), 2);
        EXPECT_EQ(PyUnicode_Find(text, empty, 2, 5, -1), 5);
        EXPECT_EQ(PyUnicode_Find(text, empty, 7, kEnd, 1), 7);
        EXPECT_EQ(PyUnicode_Find(text, empty, 8, kEnd, 1), -1);

        const auto c = static_cast<Py_UCS4>(e[0]);
        EXPECT_EQ(PyUnicode_FindChar(text, c, 0, kEnd, 1), 2);
        EXPECT_EQ(PyUnicode_FindChar(text, c, 0, kEnd, -1), 5);
        EXPECT_EQ(PyUnicode_FindChar(text, c, 3, 5, 1), -1);
        EXPECT_EQ(PyUnicode_FindChar(text, 0x110000, 0, kEnd, 1), -1);

        EXPECT_EQ(PyUnicode_Count(text, ab, 0, kEnd), 2);
        EXPECT_EQ(PyUnicode_Count(text, ab, 0, 4), 1);
        EXPECT_EQ(PyUnicode_Count(text, empty, 0, kEnd), 8);
        EXPECT_EQ(PyUnicode_Count(text, empty, 7, kEnd), 1);
        EXPECT_EQ(PyUnicode_Count(text, empty, 8, kEnd), 0);

        EXPECT_EQ(PyUnicode_Tailmatch(text, ab, 0, kEnd, -1), 1);
        EXPECT_EQ(PyUnicode_Tailmatch(text, ab, 0, kEnd, 1), 0);
        EXPECT_EQ(PyUnicode_Tailmatch(text, ab, 3, 5, 1), 1);
        EXPECT_EQ(PyUnicode_Tailmatch(text, ab, 3, 4, -1), 0);
        EXPECT_EQ(PyUnicode_Tailmatch(text, empty, 7, kEnd, 1), 1);
        EXPECT_EQ(PyUnicode_Tailmatch(text, empty, 8, kEnd, 1), 0);

        EXPECT_EQ(PyUnicode_Contains(text, kept.str(e + U"a")), 1);
        EXPECT_EQ(PyUnicode_Contains(text, kept.str(e + e)), 0);
        EXPECT_EQ(PyUnicode_Contains(text, empty), 1);
        EXPECT_EQ(Py_TYPE(text)->tp_as_sequence->sq_contains(text, ab), 1);
    }
    PyObject* aaa = kept.str("aaaa");
    EXPECT_EQ(PyUnicode_Count(aaa, kept.str("aa"), 0, kEnd), 2) << "without overlaps";
}

TEST_P(Parts, AreSoughtInStrsAlone) {
    Kept kept;
    PyObject* text = kept.str("a");
    EXPECT_EQ(shown_number(PyUnicode_Find(Py_True, text, 0, kEnd, 1)), kMustBeStr);
    EXPECT_EQ(PyUnicode_Find(text, Py_True, 0, kEnd, 1), -2);
    EXPECT_EQ(taken_error(), kMustBeStr);
    for (const auto& [a, b] : {std::pair{text, Py_True}, std::pair{Py_True, text}}) {
        EXPECT_EQ(shown_number(PyUnicode_Count(a, b, 0, kEnd)), kMustBeStr);
        EXPECT_EQ(shown_number(PyUnicode_Tailmatch(a, b, 0, kEnd, 1)), kMustBeStr);
    }
    EXPECT_EQ(shown_number(PyUnicode_Contains(Py_True, text)), kMustBeStr);
    EXPECT_EQ(shown_number(PyUnicode_Contains(text, Py_True)),
              "TypeError: 'in <string>' requires string as left operand, not bool");
}

EVERY_WAY_OF_COUNTING(Parts);

}  // namespace
}  // namespace ouro::test
