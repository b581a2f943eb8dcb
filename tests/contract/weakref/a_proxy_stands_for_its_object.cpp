// A proxy is called and compared as its object is while that lives; afterwards it is a
// ReferenceError. It has no hash, dead or alive. Source: "Weak Reference Objects",
// PyWeakref_NewProxy; "weakref", proxy.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

PyObject* call_thing(PyObject* op, PyObject* args, PyObject*) {
    return PyLong_FromLong(thing(op)->id + PyTuple_Size(args));
}

PyTypeObject CallableType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Callable",
    .tp_call = call_thing,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_richcompare = id_compare,
    .tp_base = &ThingType,
};

class Proxies : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&CallableType), 0);
    }
};

TEST_P(Proxies, AreCallableIfTheObjectIs) {
    PyObject* plain = new_thing();
    PyObject* callable = new_thing(5, &CallableType);
    PyObject* to_plain = PyWeakref_NewProxy(plain, nullptr);
    PyObject* to_callable = PyWeakref_NewProxy(callable, nullptr);
    EXPECT_TRUE(Py_IS_TYPE(to_plain, &_PyWeakref_ProxyType));
    EXPECT_TRUE(Py_IS_TYPE(to_callable, &_PyWeakref_CallableProxyType));
    EXPECT_FALSE(PyCallable_Check(to_plain));
    EXPECT_TRUE(PyCallable_Check(to_callable));

    PyObject* result = PyObject_CallOneArg(to_callable, Py_None);
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(PyLong_AsLong(result), 6);
    Py_DECREF(result);
    EXPECT_EQ(PyObject_CallNoArgs(to_plain), nullptr);
    expect_raised(PyExc_TypeError);

    drop({plain, callable});
    EXPECT_EQ(PyObject_CallNoArgs(to_callable), nullptr);
    expect_raised(PyExc_ReferenceError, "weakly-referenced object no longer exists");
    drop({to_plain, to_callable});
}

TEST_P(Proxies, CompareAsTheObjects) {
    PyObject* one = new_thing(1, &CallableType);
    PyObject* same = new_thing(1, &CallableType);
    PyObject* other = new_thing(2, &CallableType);
    PyObject* to_one = PyWeakref_NewProxy(one, nullptr);
    PyObject* to_other = PyWeakref_NewProxy(other, nullptr);
    EXPECT_EQ(PyObject_RichCompareBool(to_one, same, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(same, to_one, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(to_one, to_other, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(to_one, to_other, Py_NE), 1);
    drop({one, other});
    EXPECT_EQ(PyObject_RichCompareBool(to_one, same, Py_EQ), -1);
    expect_raised(PyExc_ReferenceError);
    EXPECT_EQ(PyObject_RichCompareBool(to_one, to_other, Py_NE), -1);
    expect_raised(PyExc_ReferenceError);
    drop({same, to_one, to_other});
}

TEST_P(Proxies, HaveNoHash) {
    PyObject* op = new_thing();
    PyObject* proxy = PyWeakref_NewProxy(op, nullptr);
    EXPECT_EQ(PyObject_Hash(proxy), -1);
    expect_raised(PyExc_TypeError);
    Py_DECREF(op);
    EXPECT_EQ(PyObject_Hash(proxy), -1);
    expect_raised(PyExc_TypeError);
    Py_DECREF(proxy);
}

TEST_P(Proxies, AnswerTheFunctionsOfWeakReferences) {
    PyObject* op = new_thing();
    PyObject* proxy = PyWeakref_NewProxy(op, nullptr);
    EXPECT_FALSE(is_dead(proxy));
    EXPECT_EQ(PyWeakref_GetObject(proxy), op);
    Py_DECREF(op);
    EXPECT_TRUE(is_dead(proxy));
    EXPECT_EQ(PyWeakref_GetObject(proxy), Py_None);
    Py_DECREF(proxy);
}

// The object that is called through a proxy lives for as long as the call does.
TEST_P(Proxies, KeepTheObjectDuringACall) {
    static PyObject* victim;
    static PyTypeObject type;
    type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Suicidal",
            .tp_call = [](PyObject* op, PyObject*, PyObject*) -> PyObject* {
                Py_CLEAR(victim);
                EXPECT_EQ(record.count(Call::kDealloc), 0);
                return PyLong_FromLong(thing(op)->id);
            },
            .tp_flags = Py_TPFLAGS_DEFAULT,
            .tp_base = &ThingType};
    ASSERT_EQ(PyType_Ready(&type), 0);
    victim = new_thing(9, &type);
    PyObject* proxy = PyWeakref_NewProxy(victim, nullptr);
    PyObject* result = PyObject_CallNoArgs(proxy);
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(PyLong_AsLong(result), 9);
    EXPECT_EQ(record.count(Call::kDealloc), 1);
    drop({result, proxy});
}

EVERY_RUNTIME(Proxies);

}  // namespace
}  // namespace ouro::test
