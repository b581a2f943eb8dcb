// The module weakref: ref and its derived classes, proxy, what weak references an object has; what a weak
// reference shows of itself. Source: "weakref - Weak references".

#include "tests/contract/modules.hpp"

namespace ouro::test {
namespace {

class Weakrefs : public ModuleTest {
protected:
    static std::string address(const void* op) {
        char text[32];
        std::snprintf(text, sizeof text, "%p", op);
        return text;
    }
};

TEST_P(Weakrefs, AreMadeByCallingTheType) {
    PyObject* op = new_thing(1);
    PyObject* a = call("weakref", "ref", "(O)", op);
    EXPECT_TRUE(PyWeakref_CheckRefExact(a));
    PyObject* b = call("weakref", "ref", "(OO)", op, Py_None);
    EXPECT_EQ(a, b) << "one without a callback is shared";
    PyObject* function = new_callback(5);
    PyObject* c = call("weakref", "ref", "(OO)", op, function);
    EXPECT_NE(a, c);
    EXPECT_EQ(number(call("weakref", "getweakrefcount", "(O)", op)), 2);
    PyObject* all = call("weakref", "getweakrefs", "(O)", op);
    EXPECT_EQ(PyList_Size(all), 2);
    EXPECT_TRUE(has(all, a));
    EXPECT_TRUE(has(all, c));
    Py_DECREF(all);
    PyObject* self = PyObject_CallNoArgs(a);
    EXPECT_EQ(self, op);
    Py_DECREF(self);
    PyObject* its = PyObject_GetAttrString(c, "__callback__");
    EXPECT_EQ(its, function);
    Py_XDECREF(its);
    EXPECT_EQ(repr_or_error(PyObject_GetAttrString(a, "__callback__")), "None");
    Py_DECREF(op);
    EXPECT_EQ(record.count(Call::kCallback, 5), 1);
    EXPECT_EQ(repr_or_error(PyObject_CallNoArgs(a)), "None");
    EXPECT_EQ(repr_or_error(PyObject_GetAttrString(c, "__callback__")), "None") << "it was called";
    drop({a, b, c, function});
}

TEST_P(Weakrefs, ShowWhatTheyReferTo) {
    PyObject* op = new_thing(1);
    PyObject* a = call("weakref", "ref", "(O)", op);
    EXPECT_EQ(repr_or_error(Py_NewRef(a)),
              "<weakref at " + address(a) + "; to 'contract.Thing' at " + address(op) + ">");
    Py_DECREF(op);
    EXPECT_EQ(repr_or_error(Py_NewRef(a)), "<weakref at " + address(a) + "; dead>");
    Py_DECREF(a);
}

TEST_P(Weakrefs, RefuseOtherArguments) {
    PyObject* op = new_thing(1);
    PyObject* a = call("weakref", "ref", "(O)", op);
    EXPECT_EQ(repr_or_error(call("weakref", "ref")),
              "TypeError: __new__ expected at least 1 argument, got 0");
    EXPECT_EQ(repr_or_error(call("weakref", "ref", "(OOO)", op, op, op)),
              "TypeError: __new__ expected at most 2 arguments, got 3");
    EXPECT_EQ(repr_or_error(call("weakref", "ref", "(i)", 5)),
              "TypeError: cannot create weak reference to 'int' object");
    EXPECT_EQ(repr_or_error(call("weakref", "proxy")),
              "TypeError: proxy expected at least 1 argument, got 0");
    EXPECT_EQ(number(call("weakref", "getweakrefcount", "(i)", 5)), 0);
    PyObject* none = call("weakref", "getweakrefs", "(i)", 5);
    EXPECT_EQ(PyList_Size(none), 0);
    Py_DECREF(none);
    EXPECT_EQ(repr_or_error(PyObject_CallOneArg(a, op)),
              "TypeError: weakref expected 0 arguments, got 1");
    drop({op, a});
}

// An instance of a derived class is nobody else's, and has attributes of its own.
TEST_P(Weakrefs, CanBeDerivedFrom) {
    PyObject* op = new_thing(1);
    PyObject* bases = PyTuple_Pack(1, &_PyWeakref_RefType);
    PyObject* dict = PyDict_New();
    PyObject* name = PyUnicode_FromString("KeyedRef");
    PyObject* derived = PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyType_Type),
                                                     name, bases, dict, nullptr);
    ASSERT_NE(derived, nullptr) << take_error().message;
    drop({bases, dict, name});
    PyObject* a = PyObject_CallOneArg(derived, op);
    ASSERT_NE(a, nullptr) << take_error().message;
    PyObject* b = PyObject_CallOneArg(derived, op);
    EXPECT_NE(a, b);
    EXPECT_TRUE(PyWeakref_CheckRef(a));
    EXPECT_FALSE(PyWeakref_CheckRefExact(a));
    PyObject* plain = PyWeakref_NewRef(op, nullptr);
    EXPECT_NE(plain, a);
    EXPECT_EQ(number(call("weakref", "getweakrefcount", "(O)", op)), 3);
    EXPECT_EQ(PyObject_SetAttrString(a, "key", Py_None), 0);
    EXPECT_EQ(repr_or_error(PyObject_GetAttrString(a, "key")), "None");
    Py_DECREF(op);
    EXPECT_TRUE(is_dead(a));
    EXPECT_TRUE(is_dead(b));
    drop({a, b, plain, derived});
    PyGC_Collect();
}

TEST_P(Weakrefs, ProxiesStandForTheirObjectEverywhere) {
    PyObject* set = PySet_New(nullptr);
    PyObject* five = PyLong_FromLong(5);
    EXPECT_EQ(PySet_Add(set, five), 0);
    PyObject* proxy = call("weakref", "proxy", "(O)", set);
    ASSERT_NE(proxy, nullptr) << take_error().message;
    EXPECT_EQ(PyObject_Size(proxy), 1);
    EXPECT_EQ(PySequence_Contains(proxy, five), 1);
    EXPECT_EQ(PyObject_IsTrue(proxy), 1);
    EXPECT_EQ(text_and_drop(Py_NewRef(proxy), PyObject_Str), "{5}");
    EXPECT_EQ(repr_or_error(Py_NewRef(proxy)),
              "<weakproxy at " + address(proxy) + "; to 'set' at " + address(set) + ">");
    PyObject* iterator = PyObject_GetIter(proxy);
    ASSERT_NE(iterator, nullptr) << take_error().message;
    EXPECT_EQ(repr_or_error(PyIter_Next(iterator)), "5");
    EXPECT_EQ(PyIter_Next(iterator), nullptr);
    EXPECT_EQ(repr_or_error(PyObject_RichCompare(proxy, set, Py_EQ)), "True");
    EXPECT_EQ(PyIter_Next(proxy), nullptr);
    expect_raised(PyExc_TypeError, "Weakref proxy referenced a non-iterator 'set' object");
    EXPECT_EQ(PyObject_Hash(proxy), -1);
    expect_raised(PyExc_TypeError);
    Py_DECREF(iterator);
    Py_DECREF(set);
    const char* const gone = "ReferenceError: weakly-referenced object no longer exists";
    EXPECT_EQ(text_and_drop(Py_NewRef(proxy), PyObject_Str), gone);
    EXPECT_EQ(repr_or_error(PyObject_GetAttrString(proxy, "add")), gone);
    EXPECT_EQ(repr_or_error(PyNumber_Or(proxy, proxy)), gone);
    EXPECT_EQ(repr_or_error(PyObject_GetIter(proxy)), gone);
    EXPECT_EQ(PyObject_Size(proxy), -1);
    expect_raised(PyExc_ReferenceError);
    EXPECT_EQ(PyObject_IsTrue(proxy), -1);
    expect_raised(PyExc_ReferenceError);
    EXPECT_EQ(repr_or_error(Py_NewRef(proxy)), "<weakproxy at " + address(proxy) + "; dead>");
    drop({proxy, five});
}

TEST_P(Weakrefs, TypesHaveTheirNames) {
    EXPECT_EQ(get("weakref", "ReferenceType"), reinterpret_cast<PyObject*>(&_PyWeakref_RefType));
    EXPECT_EQ(get("weakref", "ProxyType"), reinterpret_cast<PyObject*>(&_PyWeakref_ProxyType));
    EXPECT_EQ(get("weakref", "CallableProxyType"),
              reinterpret_cast<PyObject*>(&_PyWeakref_CallableProxyType));
    EXPECT_EQ(repr_or_error(get("weakref", "ProxyTypes")),
              "(<class 'weakref.ProxyType'>, <class 'weakref.CallableProxyType'>)");
}

EVERY_RUNTIME(Weakrefs);

}  // namespace
}  // namespace ouro::test
