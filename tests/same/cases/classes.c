/* Classes made by calling type: names, bases, special methods, attributes, and trees of subclasses. */
#include "tests/same/same.h"

static PyObject* say_repr(PyObject* self, PyObject* unused) {
    (void)unused;
    return PyUnicode_FromFormat("<an instance of %s>", Py_TYPE(self)->tp_name);
}
static PyObject* say_init(PyObject* self, PyObject* args, PyObject* kwargs) {
    (void)kwargs;
    if (PyObject_SetAttrString(self, "arguments", args) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}
static PyObject* bad_init(PyObject* self, PyObject* args, PyObject* kwargs) {
    (void)self;
    (void)args;
    (void)kwargs;
    return PyLong_FromLong(5);
}
static PyObject* say_args(PyObject* self, PyObject* args) {
    (void)self;
    return Py_NewRef(args);
}
static PyObject* say_five(PyObject* self, PyObject* unused) {
    (void)self;
    (void)unused;
    return PyLong_FromLong(5);
}
static PyObject* say_text(PyObject* self, PyObject* unused) {
    (void)self;
    (void)unused;
    return PyUnicode_FromString("text");
}
static PyObject* always_true(PyObject* self, PyObject* unused) {
    (void)self;
    (void)unused;
    Py_RETURN_TRUE;
}
static PyObject* not_implemented(PyObject* self, PyObject* unused) {
    (void)self;
    (void)unused;
    Py_RETURN_NOTIMPLEMENTED;
}
static PyObject* fail(PyObject* self, PyObject* args) {
    (void)self;
    (void)args;
    PyErr_SetString(PyExc_ValueError, "failed");
    return NULL;
}
static PyObject* show_item(PyObject* self, PyObject* key) {
    (void)self;
    return PyUnicode_FromFormat("item %R", key);
}
static PyObject* show_missing(PyObject* self, PyObject* name) {
    (void)self;
    return PyUnicode_FromFormat("missing %R", name);
}
DEFINE(repr_d, "__repr__", say_repr, METH_NOARGS);
DEFINE(init_d, "__init__", say_init, METH_VARARGS | METH_KEYWORDS);
DEFINE(bad_init_d, "__init__", bad_init, METH_VARARGS | METH_KEYWORDS);
DEFINE(args_d, "method", say_args, METH_VARARGS);
DEFINE(five_d, "five", say_five, METH_NOARGS);
DEFINE(text_d, "text", say_text, METH_NOARGS);
DEFINE(true_d, "true", always_true, METH_O);
DEFINE(not_d, "not_implemented", not_implemented, METH_O);
DEFINE(fail_d, "fail", fail, METH_VARARGS);
DEFINE(item_d, "__getitem__", show_item, METH_O);
DEFINE(missing_d, "__getattr__", show_missing, METH_O);

static PyObject* class_of(const char* name, const char* special, PyMethodDef* definition) {
    return T(derive(name, OBJECT_TYPE, V("{s:N}", special, method_of(definition))));
}
static PyObject* object_of(const char* special, PyMethodDef* definition) {
    return T(PyObject_CallNoArgs(class_of("C", special, definition)));
}

CASE(a_class_made_by_calling_type) {
    PyObject* type =
        T(PyObject_CallFunction(TYPE_TYPE, "s(){s:i,s:s}", "C", "x", 1, "__module__", "m"));
    PyObject* op = T(PyObject_CallNoArgs(type));
    see("type", type);
    see("instance", op);
    got("x", PyObject_GetAttrString(op, "x"));
    got("bases", PyObject_GetAttrString(type, "__bases__"));
    got("mro", PyObject_GetAttrString(type, "__mro__"));
    got("qualname", PyObject_GetAttrString(type, "__qualname__"));
    got("doc", PyObject_GetAttrString(type, "__doc__"));
    done("is a heap type", PyType_HasFeature((PyTypeObject*)type, Py_TPFLAGS_HEAPTYPE));
    done("can be a base", PyType_HasFeature((PyTypeObject*)type, Py_TPFLAGS_BASETYPE));
    done("is a container", PyType_HasFeature((PyTypeObject*)type, Py_TPFLAGS_HAVE_GC));
}

CASE(calling_type_with_one_argument) {
    got("type(1)", PyObject_CallFunction(TYPE_TYPE, "i", 1));
    got("type([])", PyObject_CallFunction(TYPE_TYPE, "[]"));
    got("type(type)", PyObject_CallOneArg(TYPE_TYPE, TYPE_TYPE));
}

CASE(calling_type_wrongly) {
    got("nothing", PyObject_CallNoArgs(TYPE_TYPE));
    got("two", PyObject_CallFunction(TYPE_TYPE, "s()", "C"));
    got("name", PyObject_CallFunction(TYPE_TYPE, "i(){}", 1));
    got("bases", PyObject_CallFunction(TYPE_TYPE, "s[]{}", "C"));
    got("dict", PyObject_CallFunction(TYPE_TYPE, "s()[]", "C"));
    got("a base that is no type", PyObject_CallFunction(TYPE_TYPE, "s(i){}", "C", 1));
    got("a base that cannot be",
        PyObject_CallFunction(TYPE_TYPE, "s(O){}", "C", (PyObject*)&PyBool_Type));
    got("a base twice",
        PyObject_CallFunction(TYPE_TYPE, "s(OO){}", "C", &PyLong_Type, &PyLong_Type));
    got("layouts", PyObject_CallFunction(TYPE_TYPE, "s(OO){}", "C", &PyLong_Type, &PyList_Type));
    got("no order", PyObject_CallFunction(TYPE_TYPE, "s(OO){}", "C", OBJECT_TYPE,
                                          T(derive("D", OBJECT_TYPE, NULL))));
}

CASE(a_tree_of_classes_has_an_order) {
    PyObject* a = T(derive("A", OBJECT_TYPE, NULL));
    PyObject* b = T(derive("B", a, NULL));
    PyObject* c = T(derive("C", a, NULL));
    PyObject* d =
        T(PyObject_CallFunction(TYPE_TYPE, "s(OO){s:s}", "D", b, c, "__module__", "same"));
    got("mro", PyObject_GetAttrString(d, "__mro__"));
    got("base", PyObject_GetAttrString(d, "__base__"));
    done("issubclass A", PyObject_IsSubclass(d, a));
    done("issubclass of C", PyObject_IsSubclass(b, c));
    done("PyType_IsSubtype", PyType_IsSubtype((PyTypeObject*)d, (PyTypeObject*)c));
    done("set on A", PyObject_SetAttrString(a, "x", I(1)));
    done("set on C", PyObject_SetAttrString(c, "x", I(2)));
    got("D.x", PyObject_GetAttrString(d, "x"));
    done("delete from C", PyObject_DelAttrString(c, "x"));
    got("D.x", PyObject_GetAttrString(d, "x"));
    got("subclasses of A", PyObject_CallMethod(a, "__subclasses__", NULL));
}

CASE(subclasses_that_die_are_forgotten) {
    PyObject* a = T(derive("A", OBJECT_TYPE, NULL));
    PyObject* b = derive("B", a, NULL);
    got("subclasses", PyObject_CallMethod(a, "__subclasses__", NULL));
    Py_DECREF(b);
    (void)PyGC_Collect();
    got("subclasses", PyObject_CallMethod(a, "__subclasses__", NULL));
}

CASE(init_and_its_arguments) {
    PyObject* type = class_of("C", "__init__", &init_d);
    got("arguments",
        PyObject_GetAttrString(T(PyObject_CallFunction(type, "is", 1, "x")), "arguments"));
    got("a bad one", PyObject_CallNoArgs(class_of("C", "__init__", &bad_init_d)));
    got("none of its own", PyObject_CallFunction(T(derive("C", OBJECT_TYPE, NULL)), "i", 1));
    got("a failing one", PyObject_CallNoArgs(class_of("C", "__init__", &fail_d)));
    got("object(1)", PyObject_CallFunction(OBJECT_TYPE, "i", 1));
}

CASE(repr_and_str_of_a_class) {
    PyObject* op = object_of("__repr__", &repr_d);
    see("repr", op);
    see_text("str is repr", op);
    op = object_of("__str__", &text_d);
    see("repr", op);
    see_text("str", op);
    see("not a str", object_of("__repr__", &five_d));
    see_text("not a str", object_of("__str__", &five_d));
    see("failing", object_of("__repr__", &fail_d));
}

CASE(truth_and_length_of_a_class) {
    done("plain", PyObject_IsTrue(T(PyObject_CallNoArgs(T(derive("C", OBJECT_TYPE, NULL))))));
    done("len", PyObject_IsTrue(object_of("__len__", &five_d)));
    done("length", PyObject_Size(object_of("__len__", &five_d)));
    done("not a number", PyObject_Size(object_of("__len__", &text_d)));
    done("bool that is none", PyObject_IsTrue(object_of("__bool__", &five_d)));
    done("failing", PyObject_IsTrue(object_of("__bool__", &fail_d)));
    done("no length", PyObject_Size(object_of("__bool__", &five_d)));
}

CASE(numbers_of_a_class) {
    got("int", PyNumber_Long(object_of("__int__", &five_d)));
    got("index", PyNumber_Index(object_of("__index__", &five_d)));
    got("int by index", PyNumber_Long(object_of("__index__", &five_d)));
    got("float by index", PyNumber_Float(object_of("__index__", &five_d)));
    got("float that is none", PyNumber_Float(object_of("__float__", &five_d)));
    got("int that is none", PyNumber_Long(object_of("__int__", &text_d)));
    got("index that is none", PyNumber_Index(object_of("__index__", &text_d)));
    done("as long", PyLong_AsLong(object_of("__index__", &five_d)));
    got("none of these", PyNumber_Long(object_of("__len__", &five_d)));
}

CASE(hash_and_equality_of_a_class) {
    PyObject* op = object_of("__hash__", &five_d);
    done("hash", PyObject_Hash(op));
    done("not an int", PyObject_Hash(object_of("__hash__", &text_d)));
    op = object_of("__eq__", &true_d);
    done("eq without hash", PyObject_Hash(op));
    done("eq", PyObject_RichCompareBool(op, I(1), Py_EQ));
    done("ne", PyObject_RichCompareBool(op, I(1), Py_NE));
    done("reflected", PyObject_RichCompareBool(I(1), op, Py_EQ));
    got("__hash__", PyObject_GetAttrString((PyObject*)Py_TYPE(op), "__hash__"));
    op = object_of("__lt__", &true_d);
    got("lt", PyObject_RichCompare(op, I(1), Py_LT));
    got("gt reflected", PyObject_RichCompare(I(1), op, Py_GT));
    got("gt", PyObject_RichCompare(op, I(1), Py_GT));
    op = object_of("__eq__", &not_d);
    done("not implemented, itself", PyObject_RichCompareBool(op, op, Py_EQ));
    got("not implemented, another", PyObject_RichCompare(op, I(1), Py_EQ));
}

CASE(operators_of_a_class) {
    PyObject* op = object_of("__add__", &item_d);
    got("op + 1", PyNumber_Add(op, I(1)));
    got("1 + op", PyNumber_Add(I(1), op));
    got("op - 1", PyNumber_Subtract(op, I(1)));
    op = object_of("__radd__", &item_d);
    got("1 + op", PyNumber_Add(I(1), op));
    got("op + 1", PyNumber_Add(op, I(1)));
    got("op + op", PyNumber_Add(op, op));
    op = object_of("__iadd__", &item_d);
    got("op += 1", PyNumber_InPlaceAdd(op, I(1)));
    op = object_of("__neg__", &five_d);
    got("-op", PyNumber_Negative(op));
    got("~op", PyNumber_Invert(op));
    op = object_of("__add__", &not_d);
    got("not implemented", PyNumber_Add(op, I(1)));
    op = object_of("__matmul__", &item_d);
    got("op @ 1", PyNumber_MatrixMultiply(op, I(1)));
    op = object_of("__rpow__", &item_d);
    got("2 ** op", PyNumber_Power(I(2), op, Py_None));
}

CASE(items_of_a_class) {
    PyObject* op = object_of("__getitem__", &item_d);
    got("op['x']", PyObject_GetItem(op, S("x")));
    got("op[3] as a sequence", PySequence_GetItem(op, 3));
    done("op['x'] = 1", PyObject_SetItem(op, S("x"), I(1)));
    done("del op['x']", PyObject_DelItem(op, S("x")));
    done("'x' in op, fails", PySequence_Contains(object_of("__getitem__", &fail_d), S("x")));
    op = object_of("__contains__", &true_d);
    done("5 in op", PySequence_Contains(op, I(5)));
    got("op[1]", PyObject_GetItem(op, I(1)));
}

CASE(calls_of_a_class) {
    PyObject* op = object_of("__call__", &args_d);
    got("op(1, 2)", PyObject_CallFunction(op, "ii", 1, 2));
    done("callable", PyCallable_Check(op));
    got("a method", PyObject_CallMethod(object_of("method", &args_d), "method", "i", 3));
}

CASE(attributes_by_getattr) {
    PyObject* op = object_of("__getattr__", &missing_d);
    got("missing", PyObject_GetAttrString(op, "x"));
    done("set", PyObject_SetAttrString(op, "x", I(1)));
    got("there", PyObject_GetAttrString(op, "x"));
}

CASE(iteration_of_a_class) {
    PyObject* op = object_of("__iter__", &five_d);
    got("not an iterator", PyObject_GetIter(op));
    op = object_of("__next__", &five_d);
    done("is an iterator", PyIter_Check(op));
    got("next", PyIter_Next(op));
    got("no iter", PyObject_GetIter(op));
    got("by items", PyObject_Type(T(PyObject_GetIter(object_of("__getitem__", &item_d)))));
}

CASE(special_methods_set_later) {
    PyObject* base = T(derive("Base", OBJECT_TYPE, NULL));
    PyObject* derived = T(derive("Derived", base, NULL));
    PyObject* op = T(PyObject_CallNoArgs(derived));
    done("len", PyObject_Size(op));
    done("set on the base", PyObject_SetAttrString(base, "__len__", T(method_of(&five_d))));
    done("len", PyObject_Size(op));
    done("delete", PyObject_DelAttrString(base, "__len__"));
    done("len", PyObject_Size(op));
}

CASE(an_instances_class_can_be_changed) {
    PyObject* a = T(derive("A", OBJECT_TYPE, NULL));
    PyObject* b = T(derive("B", OBJECT_TYPE, NULL));
    PyObject* op = T(PyObject_CallNoArgs(a));
    done("set", PyObject_SetAttrString(op, "__class__", b));
    see("op", op);
    done("to int", PyObject_SetAttrString(op, "__class__", (PyObject*)&PyLong_Type));
    done("to no class", PyObject_SetAttrString(op, "__class__", I(1)));
    done("delete", PyObject_DelAttrString(op, "__class__"));
}

CASE(an_instances_dict) {
    PyObject* op = T(PyObject_CallNoArgs(T(derive("C", OBJECT_TYPE, V("{s:i}", "shared", 1)))));
    got("empty", PyObject_GetAttrString(op, "__dict__"));
    done("set", PyObject_SetAttrString(op, "x", I(1)));
    done("set", PyObject_SetAttrString(op, "shared", I(2)));
    got("dict", PyObject_GetAttrString(op, "__dict__"));
    done("replace", PyObject_SetAttrString(op, "__dict__", V("{s:i}", "y", 3)));
    got("x", PyObject_GetAttrString(op, "x"));
    got("y", PyObject_GetAttrString(op, "y"));
    got("shared", PyObject_GetAttrString(op, "shared"));
    done("no dict", PyObject_SetAttrString(op, "__dict__", I(1)));
    done("delete what is not there", PyObject_DelAttrString(op, "z"));
    done("delete what the class has", PyObject_DelAttrString(op, "shared"));
}

CASE(slots_instead_of_a_dict) {
    PyObject* type = T(derive("C", OBJECT_TYPE, V("{s:(ss)}", "__slots__", "a", "b")));
    PyObject* op = T(PyObject_CallNoArgs(type));
    see("a", T(PyObject_GetAttrString(type, "a")));
    got("unset", PyObject_GetAttrString(op, "a"));
    done("set", PyObject_SetAttrString(op, "a", I(1)));
    got("set", PyObject_GetAttrString(op, "a"));
    done("another", PyObject_SetAttrString(op, "c", I(1)));
    got("__dict__", PyObject_GetAttrString(op, "__dict__"));
    got("weak reference", PyWeakref_NewRef(op, NULL));
    done("delete", PyObject_DelAttrString(op, "a"));
    done("delete again", PyObject_DelAttrString(op, "a"));
}

CASE(slots_that_cannot_be_named_so) {
    got("no identifier", derive("C", OBJECT_TYPE, V("{s:(s)}", "__slots__", "a b")));
    got("no str", derive("C", OBJECT_TYPE, V("{s:(i)}", "__slots__", 1)));
    got("also in the class", derive("C", OBJECT_TYPE, V("{s:(s),s:i}", "__slots__", "a", "a", 1)));
    got("of an int", derive("C", (PyObject*)&PyLong_Type, V("{s:(s)}", "__slots__", "a")));
}

CASE(a_class_is_collected_with_its_instances) {
    PyObject* type = derive("C", OBJECT_TYPE, NULL);
    PyObject* watch = T(PyWeakref_NewRef(type, NULL));
    PyObject* op = PyObject_CallNoArgs(type);
    done("set", PyObject_SetAttrString(type, "instance", op));
    Py_DECREF(op);
    Py_DECREF(type);
    done("alive", PyWeakref_GetObject(watch) != Py_None);
    done("anything collected", PyGC_Collect() > 0);
    done("alive", PyWeakref_GetObject(watch) != Py_None);
}

CASE(a_class_without_a_module) {
    PyObject* type = T(PyObject_CallFunction(TYPE_TYPE, "s(){}", "C"));
    got("__name__", PyObject_GetAttrString(type, "__name__"));
    done("set __module__", PyObject_SetAttrString(type, "__module__", S("later")));
    see("type", type);
}

CASE(names_that_a_class_cannot_have) {
    got("NUL", PyObject_CallFunction(TYPE_TYPE, "s#(){}", "a\0b", (Py_ssize_t)3));
    got("empty",
        PyObject_GetAttrString(
            T(PyObject_CallFunction(TYPE_TYPE, "s(){s:s}", "", "__module__", "m")), "__name__"));
    got("qualname", PyObject_CallFunction(TYPE_TYPE, "s(){s:i}", "C", "__qualname__", 1));
    got("a qualname", PyObject_GetAttrString(T(PyObject_CallFunction(TYPE_TYPE, "s(){s:s}", "C",
                                                                     "__qualname__", "A.C")),
                                             "__qualname__"));
}

CASE(isinstance_and_issubclass) {
    done("tuple", PyObject_IsInstance(I(1), V("(OO)", &PyList_Type, &PyLong_Type)));
    done("bool is int", PyObject_IsSubclass((PyObject*)&PyBool_Type, (PyObject*)&PyLong_Type));
    done("no type", PyObject_IsInstance(I(1), I(1)));
    done("no class", PyObject_IsSubclass(I(1), (PyObject*)&PyLong_Type));
    done("no second class", PyObject_IsSubclass((PyObject*)&PyLong_Type, I(1)));
    done("object", PyObject_IsInstance(Py_None, OBJECT_TYPE));
}

/* A function of C as what a property calls: gives the type int for any argument. */
static PyObject* give_int(PyObject* self, PyObject* op) {
    (void)self;
    (void)op;
    return Py_NewRef((PyObject*)&PyLong_Type);
}
static PyMethodDef give_int_definition = {"give_int", give_int, METH_O, NULL};

CASE(what_an_object_says_its_class_is) {
    PyObject* getter = T(PyCFunction_New(&give_int_definition, NULL));
    PyObject* property = T(PyObject_CallFunction((PyObject*)&PyProperty_Type, "O", getter));
    PyObject* liar = T(PyObject_CallFunction(TYPE_TYPE, "s(){s:O}", "Liar", "__class__", property));
    PyObject* op = T(PyObject_CallFunction(liar, NULL));
    done("what it says", PyObject_IsInstance(op, (PyObject*)&PyLong_Type));
    done("what it is", PyObject_IsInstance(op, liar));
    done("a base of what it says", PyObject_IsInstance(op, OBJECT_TYPE));
    done("another", PyObject_IsInstance(op, (PyObject*)&PyList_Type));
    done("in a tuple", PyObject_IsInstance(op, V("(O(O))", &PyList_Type, &PyLong_Type)));
    got("by a method", PyObject_CallMethod((PyObject*)&PyLong_Type, "__instancecheck__", "O", op));
    got("type's own",
        PyObject_CallMethod((PyObject*)&PyLong_Type, "__subclasscheck__", "O", &PyBool_Type));
}

CASE(what_has_bases_is_a_class) {
    PyObject* namespace = T(PyObject_CallFunction(TYPE_TYPE, "s(){}", "Namespace"));
    PyObject* base = T(PyObject_CallFunction(namespace, NULL));
    PyObject* derived = T(PyObject_CallFunction(namespace, NULL));
    PyObject* op = T(PyObject_CallFunction(namespace, NULL));
    done("no bases", PyObject_IsSubclass(derived, base));
    PyObject_SetAttrString(base, "__bases__", V("()"));
    PyObject_SetAttrString(derived, "__bases__", V("(O)", base));
    done("a subclass", PyObject_IsSubclass(derived, base));
    done("not the other way", PyObject_IsSubclass(base, derived));
    done("of itself", PyObject_IsSubclass(base, base));
    done("of a type", PyObject_IsSubclass(derived, (PyObject*)&PyLong_Type));
    done("no instance", PyObject_IsInstance(op, base));
    PyObject_SetAttrString(derived, "__bases__", V("[O]", base));
    done("bases in a list", PyObject_IsSubclass(derived, base));
}

CASE(what_a_metaclass_says) {
    PyObject* getter = T(PyCFunction_New(&give_int_definition, NULL));
    PyObject* method = T(PyStaticMethod_New(getter));
    PyObject* meta =
        T(PyObject_CallFunction(TYPE_TYPE, "s(O){s:O,s:O}", "Meta", TYPE_TYPE, "__instancecheck__",
                                method, "__subclasscheck__", method));
    PyObject* type = T(PyObject_CallFunction(meta, "s(){}", "C"));
    done("of anything an instance", PyObject_IsInstance(I(1), type));
    done("of anything a subclass", PyObject_IsSubclass((PyObject*)&PyList_Type, type));
    done("even of what is none", PyObject_IsSubclass(I(1), type));
    done("in a tuple", PyObject_IsInstance(I(1), V("(OO)", &PyList_Type, type)));
}

CASE(generic_types_have_aliases) {
    PyTypeObject* types[] = {&PyList_Type,      &PyTuple_Type, &PyDict_Type,      &PySet_Type,
                             &PyFrozenSet_Type, &PyEnum_Type,  &PyDictProxy_Type, &PyUnicode_Type};
    size_t i;
    for (i = 0; i < sizeof types / sizeof *types; ++i) {
        got(types[i]->tp_name, PyObject_GetItem((PyObject*)types[i], (PyObject*)&PyLong_Type));
    }
    got("of several", PyObject_GetItem((PyObject*)&PyDict_Type, V("(OO)", &PyLong_Type, Py_None)));
}
