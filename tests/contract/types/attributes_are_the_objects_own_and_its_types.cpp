// Attributes: methods, fields, getters and setters that a static type defines, its bases' where it has none,
// and the object's own dictionary between those with a setter and those without. Source: "Defining Extension
// Types: Tutorial"; "Type Objects", tp_getattro, tp_methods, tp_members, tp_getset; "Object Protocol".

#include <string>

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

struct Person {
    PyObject ob_base;
    PyObject* first;
    PyObject* dict;
    int number;
    short small;
    unsigned char tiny;
    char flag;
    double real;
    const char* title;
    char code[4];
};

Person* person(PyObject* op) {
    return reinterpret_cast<Person*>(op);
}

int person_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(person(op)->first);
    Py_VISIT(person(op)->dict);
    return 0;
}

int person_clear(PyObject* op) {
    Py_CLEAR(person(op)->first);
    Py_CLEAR(person(op)->dict);
    return 0;
}

void person_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    person_clear(op);
    Py_TYPE(op)->tp_free(op);
}

PyObject* person_greet(PyObject* op, PyObject*) {
    return Py_NewRef(person(op)->first == nullptr ? Py_None : person(op)->first);
}

PyObject* person_twice(PyObject*, PyObject* arg) {
    PyObject* pair = PyTuple_New(2);
    PyTuple_SET_ITEM(pair, 0, Py_NewRef(arg));
    PyTuple_SET_ITEM(pair, 1, Py_NewRef(arg));
    return pair;
}

PyObject* itself(PyObject* self, PyObject*) {
    return Py_NewRef(self);
}

PyObject* is_without_self(PyObject* self, PyObject*) {
    return PyBool_FromLong(self == nullptr);
}

PyObject* get_answer(PyObject*, void* closure) {
    return PyLong_FromLong(*static_cast<long*>(closure));
}

int set_answer(PyObject*, PyObject* value, void* closure) {
    if (value == nullptr) {
        PyErr_SetString(PyExc_TypeError, "Cannot delete the answer");
        return -1;
    }
    *static_cast<long*>(closure) = PyLong_AsLong(value);
    return 0;
}

long the_answer = 42;

PyMethodDef person_methods[] = {
    {"greet", person_greet, METH_NOARGS, "greet($self)\n--\n\nThe first name."},
    {"twice", person_twice, METH_O, nullptr},
    {"cls", itself, METH_NOARGS | METH_CLASS, nullptr},
    {"unbound", is_without_self, METH_NOARGS | METH_STATIC, nullptr},
    {}};

PyMemberDef person_members[] = {{"first", Py_T_OBJECT_EX, offsetof(Person, first), 0, "first name"},
                                {"maybe", _Py_T_OBJECT, offsetof(Person, first), 0, nullptr},
                                {"number", Py_T_INT, offsetof(Person, number), 0, nullptr},
                                {"fixed", Py_T_INT, offsetof(Person, number), Py_READONLY, nullptr},
                                {"small", Py_T_SHORT, offsetof(Person, small), 0, nullptr},
                                {"tiny", Py_T_UBYTE, offsetof(Person, tiny), 0, nullptr},
                                {"flag", Py_T_BOOL, offsetof(Person, flag), 0, nullptr},
                                {"real", Py_T_DOUBLE, offsetof(Person, real), 0, nullptr},
                                {"title", Py_T_STRING, offsetof(Person, title), 0, nullptr},
                                {"code", Py_T_STRING_INPLACE, offsetof(Person, code), 0, nullptr},
                                {"nothing", _Py_T_NONE, 0, 0, nullptr},
                                {"odd", 77, 0, 0, nullptr},
                                {}};

PyGetSetDef person_getset[] = {{"answer", get_answer, set_answer, "the answer", &the_answer},
                               {"seen", get_answer, nullptr, nullptr, &the_answer},
                               {"hidden", nullptr, set_answer, nullptr, &the_answer},
                               {}};

PyTypeObject PersonType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "people.Person",
    .tp_basicsize = sizeof(Person),
    .tp_dealloc = person_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "Person(first)\n--\n\nSomebody.",
    .tp_traverse = person_traverse,
    .tp_clear = person_clear,
    .tp_methods = person_methods,
    .tp_members = person_members,
    .tp_getset = person_getset,
    .tp_dictoffset = offsetof(Person, dict),
    .tp_new = PyType_GenericNew,
};

PyMethodDef child_methods[] = {{"twice", itself, METH_O, nullptr}, {}};

PyTypeObject ChildType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "people.Child",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = child_methods,
    .tp_base = &PersonType,
};

PyTypeObject BareType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "people.Plain",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = child_methods,
    .tp_new = PyType_GenericNew,
};

class Attributes : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        the_answer = 42;
        for (PyTypeObject* type : {&PersonType, &ChildType, &BareType}) {
            ASSERT_EQ(PyType_Ready(type), 0);
        }
        op_ = make(&PersonType);
    }
    void TearDown() override {
        Py_CLEAR(op_);
        Things::TearDown();
    }

    static PyObject* make(PyTypeObject* type) {
        return PyObject_CallNoArgs(reinterpret_cast<PyObject*>(type));
    }
    static std::string text_of(PyObject* op) {  // steals
        PyObject* text = PyObject_Str(op);
        std::string result = text == nullptr ? "NULL" : PyUnicode_AsUTF8(text);
        Py_XDECREF(text);
        Py_XDECREF(op);
        return result;
    }
    static std::string get(PyObject* op, const char* name) {
        return text_of(PyObject_GetAttrString(op, name));
    }
    static void set(PyObject* op, const char* name, PyObject* value) {
        EXPECT_EQ(PyObject_SetAttrString(op, name, value), 0) << name;
        Py_XDECREF(value);
    }
    static void expect_message(PyObject* type, const std::string& message) {
        ASSERT_NE(PyErr_Occurred(), nullptr) << message;
        EXPECT_TRUE(PyErr_ExceptionMatches(type));
        PyObject* raised = PyErr_GetRaisedException();
        EXPECT_EQ(text_of(raised), message);
    }
    void expect_unsettable(const char* name, PyObject* value, PyObject* type,
                           const std::string& message) {
        EXPECT_EQ(PyObject_SetAttrString(op_, name, value), -1) << name;
        expect_message(type, message);
        Py_XDECREF(value);
    }

    PyObject* op_ = nullptr;
};

TEST_P(Attributes, FieldsHaveTheirValues) {
    person(op_)->number = -3;
    person(op_)->small = 7;
    person(op_)->tiny = 200;
    person(op_)->flag = 1;
    person(op_)->real = 1.5;
    person(op_)->title = "Dr";
    person(op_)->code[0] = 'x';
    EXPECT_EQ(get(op_, "number"), "-3");
    EXPECT_EQ(get(op_, "small"), "7");
    EXPECT_EQ(get(op_, "tiny"), "200");
    EXPECT_EQ(get(op_, "flag"), "True");
    EXPECT_EQ(get(op_, "real"), "1.5");
    EXPECT_EQ(get(op_, "title"), "Dr");
    EXPECT_EQ(get(op_, "code"), "x");
    EXPECT_EQ(get(op_, "maybe"), "None");
    EXPECT_EQ(get(op_, "nothing"), "None");
}

TEST_P(Attributes, FieldsAreSetAndDeleted) {
    set(op_, "number", PyLong_FromLong(12));
    set(op_, "small", PyLong_FromLong(-5));
    set(op_, "flag", PyBool_FromLong(1));
    set(op_, "real", PyFloat_FromDouble(2.5));
    set(op_, "first", PyUnicode_FromString("Ada"));
    EXPECT_EQ(person(op_)->number, 12);
    EXPECT_EQ(person(op_)->small, -5);
    EXPECT_EQ(person(op_)->flag, 1);
    EXPECT_EQ(person(op_)->real, 2.5);
    EXPECT_EQ(get(op_, "first"), "Ada");
    EXPECT_EQ(PyObject_DelAttrString(op_, "first"), 0);
    EXPECT_EQ(person(op_)->first, nullptr);
}

TEST_P(Attributes, AFieldRefusesWhatItCannotHold) {
    EXPECT_EQ(PyObject_GetAttrString(op_, "first"), nullptr);
    expect_message(PyExc_AttributeError, "'people.Person' object has no attribute 'first'");
    expect_unsettable("first", nullptr, PyExc_AttributeError, "first");
    expect_unsettable("fixed", PyLong_FromLong(1), PyExc_AttributeError, "readonly attribute");
    expect_unsettable("title", PyUnicode_FromString("x"), PyExc_TypeError, "readonly attribute");
    expect_unsettable("code", PyUnicode_FromString("x"), PyExc_TypeError, "readonly attribute");
    expect_unsettable("flag", PyLong_FromLong(1), PyExc_TypeError,
                      "attribute value type must be bool");
    expect_unsettable("number", nullptr, PyExc_TypeError, "can't delete numeric/char attribute");
    expect_unsettable("odd", PyLong_FromLong(1), PyExc_SystemError, "bad memberdescr type for odd");
    EXPECT_EQ(PyObject_GetAttrString(op_, "odd"), nullptr);
    expect_message(PyExc_SystemError, "bad memberdescr type for odd");
}

TEST_P(Attributes, GettersAndSettersAreCalledWithTheirClosure) {
    EXPECT_EQ(get(op_, "answer"), "42");
    set(op_, "answer", PyLong_FromLong(43));
    EXPECT_EQ(the_answer, 43);
    expect_unsettable("answer", nullptr, PyExc_TypeError, "Cannot delete the answer");
    expect_unsettable("seen", PyLong_FromLong(1), PyExc_AttributeError,
                      "attribute 'seen' of 'people.Person' objects is not writable");
    EXPECT_EQ(PyObject_GetAttrString(op_, "hidden"), nullptr);
    expect_message(PyExc_AttributeError,
                   "attribute 'hidden' of 'people.Person' objects is not readable");
}

TEST_P(Attributes, MethodsAreBoundToTheirObject) {
    set(op_, "first", PyUnicode_FromString("Ada"));
    PyObject* greet = PyObject_GetAttrString(op_, "greet");
    ASSERT_NE(greet, nullptr);
    EXPECT_EQ(PyCFunction_GetSelf(greet), op_);
    EXPECT_EQ(text_of(PyObject_CallNoArgs(greet)), "Ada");
    Py_DECREF(greet);
    // From the class it is a descriptor, which takes the object as its first argument.
    PyObject* loose = PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PersonType), "greet");
    EXPECT_EQ(get(loose, "__doc__"), "The first name.");
    EXPECT_EQ(text_of(PyObject_CallOneArg(loose, op_)), "Ada");
    EXPECT_EQ(PyObject_CallNoArgs(loose), nullptr);
    expect_message(PyExc_TypeError, "unbound method Person.greet() needs an argument");
    EXPECT_EQ(PyObject_CallOneArg(loose, Py_None), nullptr);
    expect_message(
        PyExc_TypeError,
        "descriptor 'greet' for 'people.Person' objects doesn't apply to a 'NoneType' object");
    EXPECT_EQ(text_of(PyObject_Repr(loose)), "<method 'greet' of 'people.Person' objects>");
    Py_DECREF(loose);
}

TEST_P(Attributes, ClassAndStaticMethodsAreNotBoundToIt) {
    PyObject* child = make(&ChildType);
    PyObject* method = PyObject_GetAttrString(child, "cls");
    PyObject* owner = PyObject_CallNoArgs(method);
    EXPECT_EQ(owner, reinterpret_cast<PyObject*>(&ChildType));
    Py_DECREF(method);
    Py_XDECREF(owner);
    method = PyObject_GetAttrString(child, "unbound");
    EXPECT_EQ(text_of(PyObject_CallNoArgs(method)), "True");
    Py_DECREF(method);
    Py_DECREF(child);
}

TEST_P(Attributes, ADerivedTypesComeFirst) {
    PyObject* child = make(&ChildType);
    PyObject* twice = PyObject_GetAttrString(child, "twice");
    PyObject* result = PyObject_CallOneArg(twice, Py_None);
    EXPECT_EQ(result, child);
    Py_XDECREF(result);
    Py_DECREF(twice);
    set(child, "first", PyUnicode_FromString("Bob"));
    EXPECT_EQ(get(child, "first"), "Bob") << "its base's field";
    Py_DECREF(child);
}

TEST_P(Attributes, TheObjectsOwnLieBetween) {
    // A descriptor with a setter hides the object's own; one without is hidden.
    PyObject* dict = PyObject_GenericGetDict(op_, nullptr);
    PyObject* one = PyLong_FromLong(1);
    EXPECT_EQ(PyDict_SetItemString(dict, "number", one), 0);
    EXPECT_EQ(PyDict_SetItemString(dict, "greet", one), 0);
    EXPECT_EQ(get(op_, "number"), "0");
    EXPECT_EQ(get(op_, "greet"), "1");
    set(op_, "anything", Py_NewRef(one));
    EXPECT_EQ(get(op_, "anything"), "1");
    EXPECT_EQ(PyDict_Size(dict), 3);
    EXPECT_EQ(PyObject_DelAttrString(op_, "anything"), 0);
    EXPECT_EQ(PyObject_DelAttrString(op_, "anything"), -1);
    expect_message(PyExc_AttributeError, "'people.Person' object has no attribute 'anything'");
    Py_DECREF(dict);
    Py_DECREF(one);
}

TEST_P(Attributes, AnObjectWithoutADictionaryHasItsTypesAlone) {
    PyObject* plain = make(&BareType);
    EXPECT_EQ(PyObject_SetAttrString(plain, "x", Py_None), -1);
    expect_message(PyExc_AttributeError, "'people.Plain' object has no attribute 'x'");
    EXPECT_EQ(PyObject_SetAttrString(plain, "twice", Py_None), -1);
    expect_message(PyExc_AttributeError, "'people.Plain' object attribute 'twice' is read-only");
    Py_DECREF(plain);
}

TEST_P(Attributes, OptionalOnesAreAskedForWithoutAnException) {
    PyObject* value;
    EXPECT_EQ(PyObject_GetOptionalAttrString(op_, "number", &value), 1);
    Py_XDECREF(value);
    EXPECT_EQ(PyObject_GetOptionalAttrString(op_, "none such", &value), 0);
    EXPECT_EQ(value, nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(PyObject_HasAttrString(op_, "number"), 1);
    EXPECT_EQ(PyObject_HasAttrString(op_, "none such"), 0);
    EXPECT_EQ(PyObject_GetAttr(op_, Py_None), nullptr);
    expect_message(PyExc_TypeError, "attribute name must be string, not 'NoneType'");
}

TEST_P(Attributes, OfTypes) {
    PyObject* type = reinterpret_cast<PyObject*>(&PersonType);
    EXPECT_EQ(get(type, "__name__"), "Person");
    EXPECT_EQ(get(type, "__module__"), "people");
    EXPECT_EQ(get(type, "__doc__"), "Somebody.");
    EXPECT_EQ(text_of(PyObject_Repr(type)), "<class 'people.Person'>");
    EXPECT_EQ(PyObject_GetAttrString(type, "nothing at all"), nullptr);
    expect_message(PyExc_AttributeError,
                   "type object 'people.Person' has no attribute 'nothing at all'");
    EXPECT_EQ(PyObject_SetAttrString(type, "x", Py_None), -1);
    expect_message(PyExc_TypeError, "cannot set 'x' attribute of immutable type 'people.Person'");
    EXPECT_EQ(get(op_, "__class__"), "<class 'people.Person'>");
}

TEST_P(Attributes, OfATypeThatIsReadyLeaveNothingTracked) {
    const size_t before = tracked_objects();
    static PyTypeObject type = {
        .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "people.Late",
        .tp_basicsize = sizeof(Person),
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_methods = person_methods,
        .tp_members = person_members,
    };
    ASSERT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(tracked_objects(), before);
}

EVERY_RUNTIME(Attributes);

}  // namespace
}  // namespace ouro::test
