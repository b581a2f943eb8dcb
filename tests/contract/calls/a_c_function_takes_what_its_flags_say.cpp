// How a function written in C is called is said by its METH_ flags; arguments that do not fit are a
// TypeError that names the function, with its type and its module. The function object owns its self.
// Source: "Common Object Structures", PyMethodDef and the METH_ flags; PyCMethod_New and the like.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

// What the function was called with; it returns None.
struct Received {
    int calls = 0;
    PyObject *self, *args, *kwargs, *keyword;
    PyTypeObject* type;
    Py_ssize_t size;
};
Received received;

PyObject* receive(PyObject* self, PyObject* args) {
    ++received.calls;
    received.self = self;
    received.args = args;
    received.size = args != nullptr && PyTuple_Check(args) ? PyTuple_Size(args) : -1;
    return Py_NewRef(Py_None);
}

PyObject* receive_keywords(PyObject* self, PyObject* args, PyObject* kwargs) {
    received.kwargs = kwargs;
    return receive(self, args);
}

PyObject* receive_fast(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    receive(self, nargs > 0 ? args[0] : nullptr);
    received.size = nargs;
    return Py_NewRef(Py_None);
}

PyObject* receive_fast_keywords(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                                PyObject* names) {
    received.kwargs = names;
    received.keyword = names != nullptr ? args[nargs] : nullptr;
    return receive_fast(self, args, nargs);
}

PyObject* receive_method(PyObject* self, PyTypeObject* type, PyObject* const* args, size_t nargs,
                         PyObject* names) {
    received.type = type;
    return receive_fast_keywords(self, args, static_cast<Py_ssize_t>(nargs), names);
}

PyMethodDef varargs_def = {"varargs", receive, METH_VARARGS, nullptr};
PyMethodDef noargs_def = {"noargs", receive, METH_NOARGS, nullptr};
PyMethodDef one_def = {"one", receive, METH_O, nullptr};
PyMethodDef keywords_def = {"keywords", _PyCFunction_CAST(receive_keywords),
                            METH_VARARGS | METH_KEYWORDS, nullptr};
PyMethodDef fast_def = {"fast", _PyCFunction_CAST(receive_fast), METH_FASTCALL, nullptr};
PyMethodDef fast_keywords_def = {"fast_keywords", _PyCFunction_CAST(receive_fast_keywords),
                                 METH_FASTCALL | METH_KEYWORDS, nullptr};
PyMethodDef of_class_def = {"of_class", _PyCFunction_CAST(receive_method),
                            METH_METHOD | METH_FASTCALL | METH_KEYWORDS, nullptr};
PyMethodDef bad_def = {"bad", receive, METH_O | METH_NOARGS, nullptr};

class Functions : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        received = Received();
        for (Py_ssize_t i = 0; i < 3; ++i) {
            args_[i] = PyTuple_New(i);
            for (Py_ssize_t j = 0; j < i; ++j) {
                PyTuple_SetItem(args_[i], j, Py_NewRef(Py_True));
            }
        }
        kwargs_ = PyDict_New();
        PyDict_SetItemString(kwargs_, "key", Py_True);
        empty_ = PyDict_New();
        self_ = new_thing(1);
    }
    void TearDown() override {
        drop({args_[0], args_[1], args_[2], kwargs_, empty_, self_});
        Things::TearDown();
    }
    // Calls it and expects it to have been reached.
    void expect_call(PyMethodDef* method, int arguments, PyObject* kwargs = nullptr) {
        const int before = received.calls;
        PyObject* function = PyCFunction_New(method, self_);
        PyObject* result = PyObject_Call(function, args_[arguments], kwargs);
        EXPECT_EQ(result, Py_None) << method->ml_name;
        EXPECT_EQ(received.calls, before + 1);
        EXPECT_EQ(received.self, self_);
        Py_DECREF(function);
    }
    void expect_type_error(PyMethodDef* method, int arguments, const char* message,
                           PyObject* kwargs = nullptr) {
        const int before = received.calls;
        PyObject* function = PyCFunction_New(method, self_);
        EXPECT_EQ(PyObject_Call(function, args_[arguments], kwargs), nullptr);
        expect_raised(PyExc_TypeError, message);
        EXPECT_EQ(received.calls, before);
        Py_DECREF(function);
    }
    PyObject *args_[3], *kwargs_, *empty_, *self_;
};

TEST_P(Functions, Varargs) {
    for (int i = 0; i < 3; ++i) {
        expect_call(&varargs_def, i);
        EXPECT_EQ(received.args, args_[i]);
        EXPECT_EQ(received.size, i);
    }
    expect_call(&varargs_def, 1, empty_);
    expect_type_error(&varargs_def, 1, "varargs() takes no keyword arguments", kwargs_);
}

TEST_P(Functions, Keywords) {
    expect_call(&keywords_def, 2, kwargs_);
    EXPECT_EQ(received.kwargs, kwargs_);
    EXPECT_EQ(received.size, 2);
    expect_call(&keywords_def, 0);
    EXPECT_EQ(received.kwargs, nullptr);
}

TEST_P(Functions, NoArguments) {
    expect_call(&noargs_def, 0);
    EXPECT_EQ(received.args, nullptr);
    expect_type_error(&noargs_def, 1, "Thing.noargs() takes no arguments (1 given)");
    expect_type_error(&noargs_def, 2, "Thing.noargs() takes no arguments (2 given)");
    expect_type_error(&noargs_def, 0, "Thing.noargs() takes no keyword arguments", kwargs_);
}

TEST_P(Functions, OneArgument) {
    expect_call(&one_def, 1);
    EXPECT_EQ(received.args, Py_True) << "the argument itself, not a tuple";
    expect_type_error(&one_def, 0, "Thing.one() takes exactly one argument (0 given)");
    expect_type_error(&one_def, 2, "Thing.one() takes exactly one argument (2 given)");
    expect_type_error(&one_def, 1, "Thing.one() takes no keyword arguments", kwargs_);
}

TEST_P(Functions, FastCall) {
    for (int i = 0; i < 3; ++i) {
        expect_call(&fast_def, i, i == 1 ? empty_ : nullptr);
        EXPECT_EQ(received.size, i);
        EXPECT_EQ(received.args, i == 0 ? nullptr : Py_True);
    }
    expect_type_error(&fast_def, 1, "Thing.fast() takes no keyword arguments", kwargs_);
}

TEST_P(Functions, FastCallWithKeywords) {
    expect_call(&fast_keywords_def, 2);
    EXPECT_EQ(received.size, 2);
    EXPECT_EQ(received.kwargs, nullptr);
    expect_call(&fast_keywords_def, 2, empty_);
    EXPECT_EQ(received.kwargs, nullptr);

    PyObject* function = PyCFunction_New(&fast_keywords_def, self_);
    PyObject* names = PyTuple_Pack(1, Py_None);  // what they are is the callee's affair
    PyObject* args[] = {Py_True, Py_False};
    EXPECT_EQ(PyObject_Vectorcall(function, args, 1, names), Py_None);
    EXPECT_EQ(received.size, 1);
    EXPECT_EQ(received.kwargs, names);
    EXPECT_EQ(received.keyword, Py_False);
    drop({function, names});
}

TEST_P(Functions, AMethodKnowsItsClass) {
    PyObject* function = PyCMethod_New(&of_class_def, self_, nullptr, &ThingType);
    ASSERT_NE(function, nullptr);
    EXPECT_TRUE(PyCMethod_CheckExact(function));
    EXPECT_TRUE(PyCFunction_Check(function));
    EXPECT_FALSE(PyCFunction_CheckExact(function));
    EXPECT_EQ(PyCFunction_GET_CLASS(function), &ThingType);
    EXPECT_EQ(PyObject_CallOneArg(function, Py_True), Py_None);
    EXPECT_EQ(received.type, &ThingType);
    EXPECT_EQ(received.self, self_);
    EXPECT_EQ(received.args, Py_True);
    EXPECT_EQ(received.size, 1);
    Py_DECREF(function);

    EXPECT_EQ(PyCMethod_New(&of_class_def, self_, nullptr, nullptr), nullptr);
    expect_raised(PyExc_SystemError,
                  "attempting to create PyCMethod with a METH_METHOD flag but no class");
    EXPECT_EQ(PyCMethod_New(&fast_def, self_, nullptr, &ThingType), nullptr);
    expect_raised(PyExc_SystemError,
                  "attempting to create PyCFunction with class but no METH_METHOD flag");
    EXPECT_EQ(Py_REFCNT(self_), 1);
}

TEST_P(Functions, AreNamedWithTypeAndModule) {
    const auto complains = [](PyObject* function, const char* message) {
        EXPECT_EQ(PyObject_CallOneArg(function, Py_None), nullptr);
        expect_raised(PyExc_TypeError, message);
        Py_DECREF(function);
    };
    PyObject* module = PyUnicode_FromString("spam");
    PyObject* builtins = PyUnicode_FromString("builtins");
    complains(PyCFunction_New(&noargs_def, nullptr), "noargs() takes no arguments (1 given)");
    complains(PyCFunction_NewEx(&noargs_def, nullptr, module),
              "spam.noargs() takes no arguments (1 given)");
    complains(PyCFunction_NewEx(&noargs_def, self_, module),
              "spam.Thing.noargs() takes no arguments (1 given)");
    complains(PyCFunction_NewEx(&noargs_def, self_, builtins),
              "Thing.noargs() takes no arguments (1 given)");
    complains(PyCFunction_New(&noargs_def, reinterpret_cast<PyObject*>(&ThingType)),
              "Thing.noargs() takes no arguments (1 given)");
    drop({module, builtins});
}

TEST_P(Functions, TellWhatTheyAre) {
    PyMethodDef still = {"still", receive, METH_O | METH_STATIC, nullptr};
    PyObject* function = PyCFunction_New(&still, self_);
    EXPECT_EQ(PyCFunction_GetFunction(function), receive);
    EXPECT_EQ(PyCFunction_GetFlags(function), METH_O | METH_STATIC);
    EXPECT_EQ(PyCFunction_GetSelf(function), nullptr) << "a static method has none";
    EXPECT_EQ(PyCFunction_GET_CLASS(function), nullptr);
    EXPECT_EQ(PyObject_CallOneArg(function, Py_True), Py_None);
    EXPECT_EQ(received.self, nullptr);
    Py_DECREF(function);

    EXPECT_EQ(PyCFunction_GetFunction(self_), nullptr);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyCFunction_GetFlags(self_), -1);
    expect_raised(PyExc_SystemError);
}

TEST_P(Functions, AreEqualIfTheyCallTheSameForTheSame) {
    PyObject* a = PyCFunction_New(&one_def, self_);
    PyObject* b = PyCFunction_New(&one_def, self_);
    PyObject* for_nobody = PyCFunction_New(&one_def, nullptr);
    PyObject* other = PyCFunction_New(&fast_def, self_);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_NE), 0);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(b));
    for (PyObject* different : {for_nobody, other, self_}) {
        EXPECT_EQ(PyObject_RichCompareBool(a, different, Py_EQ), 0);
        EXPECT_EQ(PyObject_RichCompareBool(a, different, Py_NE), 1);
    }
    drop({a, b, for_nobody, other});
}

TEST_P(Functions, FlagsThatContradictAreASystemError) {
    PyObject* function = PyCFunction_New(&bad_def, nullptr);
    if (function != nullptr) {  // refused when it is made, or when it is called
        EXPECT_EQ(PyObject_CallNoArgs(function), nullptr);
        Py_DECREF(function);
    }
    expect_raised(PyExc_SystemError, "bad() method: bad call flags");
    EXPECT_EQ(received.calls, 0);
}

TEST_P(Functions, OwnTheirSelf) {
    PyObject* function = PyCFunction_NewEx(&noargs_def, self_, nullptr);
    EXPECT_TRUE(PyCFunction_Check(function));
    EXPECT_TRUE(PyCallable_Check(function));
    EXPECT_EQ(PyCFunction_GetSelf(function), self_);
    EXPECT_EQ(Py_REFCNT(self_), 2);
    Py_DECREF(function);
    EXPECT_EQ(Py_REFCNT(self_), 1);
}

TEST_P(Functions, MayHaveNoSelf) {
    PyObject* function = PyCFunction_New(&noargs_def, nullptr);
    EXPECT_EQ(PyCFunction_GetSelf(function), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(PyObject_CallNoArgs(function), Py_None);
    EXPECT_EQ(received.self, nullptr);
    Py_DECREF(function);
    EXPECT_EQ(PyCFunction_GetSelf(self_), nullptr);
    expect_raised(PyExc_SystemError);
}

// An object that holds its own bound method. Source: CPython's test_method.
TEST_P(Functions, CyclesThroughSelfAreCollected) {
    PyObject* op = new_thing(2);
    PyObject* function = PyCFunction_New(&noargs_def, op);
    refer(op, 0, function);
    drop({op, function});
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(record.count(Call::kDealloc, 2), 1);
}

TEST_P(Functions, CanBeWeaklyReferenced) {
    PyObject* function = PyCFunction_New(&noargs_def, self_);
    PyObject* reference = watched(function, 1);
    EXPECT_FALSE(is_dead(reference));
    Py_DECREF(function);
    EXPECT_TRUE(is_dead(reference));
    EXPECT_EQ(record.count(Call::kCallback), 1);
    Py_DECREF(reference);
}

EVERY_RUNTIME(Functions);

}  // namespace
}  // namespace ouro::test
