// The constructors of str and bytes, for themselves and for C types derived from them, which have
// fields of their own behind those of the base. Source: "Built-in Types", str and bytes; "Type
// Objects", tp_new, tp_base.

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

struct Named {
    PyUnicodeObject text;
    PyObject* more;
    int number;
};
int live_named = 0;

PyObject* named_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* op = PyUnicode_Type.tp_new(type, args, kwargs);
    if (op != nullptr) {
        reinterpret_cast<Named*>(op)->more = PyList_New(0);
        reinterpret_cast<Named*>(op)->number = 42;
        ++live_named;
    }
    return op;
}

void named_dealloc(PyObject* op) {
    Py_CLEAR(reinterpret_cast<Named*>(op)->more);
    --live_named;
    PyUnicode_Type.tp_dealloc(op);
}

PyTypeObject NamedType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Named",
    .tp_basicsize = sizeof(Named),
    .tp_dealloc = named_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &PyUnicode_Type,
    .tp_new = named_new,
};
PyTypeObject PacketType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Packet",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &PyBytes_Type,
};

class Derived : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&NamedType), 0);
        ASSERT_EQ(PyType_Ready(&PacketType), 0);
    }
    void TearDown() override {
        EXPECT_EQ(live_named, 0);
        Things::TearDown();
    }
};

// Calls tp_new with arguments that are dropped.
PyObject* make(PyTypeObject* type, std::initializer_list<PyObject*> stolen,
               std::initializer_list<std::pair<const char*, PyObject*>> by_name = {}) {
    PyObject* args = PyTuple_New(static_cast<Py_ssize_t>(stolen.size()));
    Py_ssize_t i = 0;
    for (PyObject* op : stolen) {
        PyTuple_SET_ITEM(args, i++, op);
    }
    PyObject* kwargs = PyDict_New();
    for (const auto& [name, value] : by_name) {
        PyDict_SetItemString(kwargs, name, value);
        Py_DECREF(value);
    }
    PyObject* made = type->tp_new(type, args, by_name.size() == 0 ? nullptr : kwargs);
    drop({args, kwargs});
    return made;
}

TEST_P(Derived, StrIsMadeOfObjectsAndBytes) {
    PyTypeObject* type = &PyUnicode_Type;
    EXPECT_EQ(shown(make(type, {})), "''");
    EXPECT_EQ(shown(make(type, {str("a")})), "'a'");
    EXPECT_EQ(shown(make(type, {bytes("a")})), R"("b'a'")");
    EXPECT_EQ(shown(make(type, {bytes("\xE9"), str("latin-1")})), R"('\xe9')");
    EXPECT_EQ(shown(make(type, {bytes("\xE9")}, {{"errors", str("replace")}})), R"('\ufffd')");
    EXPECT_EQ(shown(make(type, {}, {{"object", str("x")}})), "'x'");
    EXPECT_EQ(shown(make(type, {}, {{"encoding", str("ascii")}})), "''");
    EXPECT_EQ(shown(make(type, {str("a"), str("utf-8")})),
              "TypeError: decoding str is not supported");
    EXPECT_EQ(shown(make(type, {str("a"), PyLong_FromLong(3)})),
              "TypeError: str() argument 'encoding' must be str, not int");
    EXPECT_EQ(shown(make(type, {bytes("a"), str("ascii"), PyLong_FromLong(3)})),
              "TypeError: str() argument 'errors' must be str, not int");
    EXPECT_EQ(shown(make(type, {str("a"), str("b"), str("c"), str("d")})),
              "TypeError: str() takes at most 3 arguments (4 given)");
    EXPECT_EQ(shown(make(type, {}, {{"foo", str("x")}})),
              "TypeError: str() got an unexpected keyword argument 'foo'");
    EXPECT_EQ(shown(make(type, {str("a")}, {{"object", str("x")}})),
              "TypeError: argument for str() given by name ('object') and position (1)");
}

TEST_P(Derived, BytesAreMadeOfTextNumbersAndIterables) {
    PyTypeObject* type = &PyBytes_Type;
    EXPECT_EQ(shown(make(type, {})), "b''");
    EXPECT_EQ(shown(make(type, {bytes("a")})), "b'a'");
    EXPECT_EQ(shown(make(type, {PyLong_FromLong(3)})), R"(b'\x00\x00\x00')");
    EXPECT_EQ(shown(make(type, {str(U"\u00e9"), str("latin-1")})), R"(b'\xe9')");
    EXPECT_EQ(shown(make(type, {str(U"\u00e9")},
                         {{"encoding", str("ascii")}, {"errors", str("ignore")}})),
              "b''");
    EXPECT_EQ(shown(make(type, {PyLong_FromLong(-1)})), "ValueError: negative count");
    EXPECT_EQ(shown(make(type, {str("a")})), "TypeError: string argument without an encoding");
    EXPECT_EQ(shown(make(type, {str("a")}, {{"errors", str("strict")}})),
              "TypeError: string argument without an encoding");
    EXPECT_EQ(shown(make(type, {PyLong_FromLong(1), str("ascii")})),
              "TypeError: encoding without a string argument");
    EXPECT_EQ(shown(make(type, {}, {{"errors", str("strict")}})),
              "TypeError: errors without a string argument");
    EXPECT_EQ(shown(make(type, {PyTuple_New(0)})), "b''");
    EXPECT_EQ(shown(make(type, {Py_None})), "TypeError: cannot convert 'NoneType' object to bytes");
}

TEST_P(Derived, StrHasTheTextAndFieldsOfItsOwn) {
    Kept kept;
    for (const std::string& text : {std::string("named"), std::string(1000, 'n'), std::string()}) {
        PyObject* op = kept(make(&NamedType, {str(text)}));
        PyObject* plain = kept.str(text);
        EXPECT_EQ(Py_TYPE(op), &NamedType);
        EXPECT_EQ(reinterpret_cast<Named*>(op)->number, 42);
        EXPECT_TRUE(PyUnicode_Check(op));
        EXPECT_FALSE(PyUnicode_CheckExact(op));
        EXPECT_EQ(PyUnicode_AsUTF8(op), text);
        EXPECT_EQ(PyUnicode_GET_LENGTH(op), static_cast<Py_ssize_t>(text.size()));
        EXPECT_EQ(PyObject_Hash(op), PyObject_Hash(plain));
        EXPECT_EQ(PyObject_RichCompareBool(op, plain, Py_EQ), 1);
        PyObject* dict = kept(PyDict_New());
        ASSERT_EQ(PyDict_SetItem(dict, op, Py_True), 0);
        EXPECT_EQ(PyDict_GetItemWithError(dict, plain), Py_True);
        PyObject* exact = kept(PyUnicode_FromObject(op));
        EXPECT_TRUE(PyUnicode_CheckExact(exact));
        EXPECT_EQ(PyUnicode_Compare(exact, op), 0);
        PyObject* same = kept(PyUnicode_Replace(op, kept.str("x"), kept.str("y"), -1));
        EXPECT_TRUE(PyUnicode_CheckExact(same)) << "what is unchanged is a str all the same";
        PyObject* joined = kept(PyTuple_New(1));
        PyTuple_SET_ITEM(joined, 0, Py_NewRef(op));
        EXPECT_TRUE(PyUnicode_CheckExact(kept(PyUnicode_Join(nullptr, joined))));
        EXPECT_EQ(shown(NamedType.tp_str(op)), shown(Py_NewRef(plain)));
        PyObject* before = op;
        PyUnicode_InternInPlace(&op);
        EXPECT_EQ(op, before) << "is never interned";
    }
    EXPECT_EQ(shown(make(&NamedType, {Py_True, Py_True, Py_True, Py_True})),
              "TypeError: str() takes at most 3 arguments (4 given)");
    EXPECT_EQ(shown(PyUnicode_FromObject(Py_True)),
              "TypeError: Can't convert 'bool' object to str implicitly");
}

TEST_P(Derived, BytesHaveTheContent) {
    Kept kept;
    PyObject* op = kept(make(&PacketType, {bytes("abc")}));
    EXPECT_EQ(Py_TYPE(op), &PacketType);
    EXPECT_STREQ(PyBytes_AsString(op), "abc");
    EXPECT_EQ(PyBytes_Size(op), 3);
    PyObject* plain = kept.bytes("abc");
    EXPECT_EQ(PyObject_Hash(op), PyObject_Hash(plain));
    EXPECT_EQ(PyObject_RichCompareBool(op, plain, Py_EQ), 1);
    PyObject* exact = kept(PyBytes_FromObject(op));
    EXPECT_TRUE(PyBytes_CheckExact(exact));
    EXPECT_EQ(shown(PyUnicode_FromEncodedObject(op, nullptr, nullptr)), "'abc'");
}

EVERY_WAY_OF_COUNTING(Derived);

}  // namespace
}  // namespace ouro::test
