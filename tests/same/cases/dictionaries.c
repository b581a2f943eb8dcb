/* dict, set and frozenset, and the mapping protocol. */
#include "tests/same/same.h"

CASE(a_dict_is_read_and_changed) {
    PyObject* d = V("{s:i,s:i}", "a", 1, "b", 2);
    done("size", PyDict_Size(d));
    see("a", PyDict_GetItemString(d, "a"));
    see("z", PyDict_GetItemString(d, "z"));
    see("by object", PyDict_GetItem(d, S("b")));
    see("with error", PyDict_GetItemWithError(d, V("[]")));
    see("without error", PyDict_GetItem(d, V("[]")));
    done("set", PyDict_SetItem(d, I(3), S("three")));
    done("set unhashable", PyDict_SetItem(d, V("[]"), S("three")));
    done("replace", PyDict_SetItemString(d, "a", Py_None));
    see("dict", d);
    done("delete", PyDict_DelItemString(d, "a"));
    done("delete again", PyDict_DelItemString(d, "a"));
    done("delete unhashable", PyDict_DelItem(d, V("{}")));
    done("contains", PyDict_Contains(d, I(3)));
    done("contains not", PyDict_Contains(d, I(4)));
    done("contains unhashable", PyDict_Contains(d, V("[]")));
    got("copy", PyDict_Copy(d));
    PyDict_Clear(d);
    see("cleared", d);
}

CASE(a_dict_gives_its_parts) {
    PyObject* d = V("{s:i,i:s}", "a", 1, 2, "b");
    got("keys", PyDict_Keys(d));
    got("values", PyDict_Values(d));
    got("items", PyDict_Items(d));
    see("keys view", T(PyObject_CallMethod(d, "keys", NULL)));
    see("values view", T(PyObject_CallMethod(d, "values", NULL)));
    see("items view", T(PyObject_CallMethod(d, "items", NULL)));
    done("length of a view", PyObject_Size(T(PyObject_CallMethod(d, "items", NULL))));
    done("contains",
         PySequence_Contains(T(PyObject_CallMethod(d, "items", NULL)), V("(si)", "a", 1)));
    got("union of keys",
        PyNumber_Or(T(PyObject_CallMethod(V("{i:i}", 1, 1), "keys", NULL)), V("[i]", 1)));
    got("list", PySequence_List(d));
}

CASE(a_dict_is_walked) {
    PyObject* d = V("{s:i,s:i,s:i}", "a", 1, "b", 2, "c", 3);
    PyObject* key;
    PyObject* value;
    Py_ssize_t position = 0;
    done("delete", PyDict_DelItemString(d, "b"));
    done("add", PyDict_SetItemString(d, "b", I(4)));
    while (PyDict_Next(d, &position, &key, &value)) {
        see("key", key);
        see("value", value);
        done("replace while walking", PyDict_SetItem(d, key, Py_None));
    }
    see("dict", d);
}

CASE(dicts_are_merged) {
    PyObject* d = V("{s:i}", "a", 1);
    done("merge", PyDict_Merge(d, V("{s:i,s:i}", "a", 2, "b", 3), 0));
    see("kept", d);
    done("update", PyDict_Update(d, V("{s:i}", "a", 5)));
    see("replaced", d);
    done("of a list", PyDict_Merge(d, V("[]"), 1));
    done("of an int", PyDict_Merge(d, I(1), 1));
    done("pairs", PyDict_MergeFromSeq2(d, V("[(si)[si]]", "x", 1, "y", 2), 1));
    done("no pairs", PyDict_MergeFromSeq2(d, V("[i]", 1), 1));
    done("triples", PyDict_MergeFromSeq2(d, V("[(iii)]", 1, 2, 3), 1));
    see("dict", d);
    done("into a list", PyDict_Update(V("[]"), d));
    got("d | {}", PyNumber_Or(d, V("{s:i}", "z", 9)));
    got("d | []", PyNumber_Or(d, V("[]")));
    got("d |= pairs", PyNumber_InPlaceOr(d, V("[(ii)]", 1, 2)));
}

CASE(a_dict_has_methods) {
    PyObject* d = V("{s:i,s:i}", "a", 1, "b", 2);
    got("get", PyObject_CallMethod(d, "get", "s", "a"));
    got("get missing", PyObject_CallMethod(d, "get", "s", "z"));
    got("get default", PyObject_CallMethod(d, "get", "si", "z", 5));
    got("setdefault", PyObject_CallMethod(d, "setdefault", "si", "c", 3));
    got("pop", PyObject_CallMethod(d, "pop", "s", "a"));
    got("pop missing", PyObject_CallMethod(d, "pop", "s", "a"));
    got("pop default", PyObject_CallMethod(d, "pop", "si", "a", 7));
    got("popitem", PyObject_CallMethod(d, "popitem", NULL));
    got("update", PyObject_CallMethod(d, "update", "[(si)]", "q", 1));
    got("update by name",
        PyObject_Call(T(PyObject_GetAttrString(d, "update")), V("()"), V("{s:i}", "w", 2)));
    got("update by an int", PyObject_CallMethod(d, "update", "i", 1));
    see("dict", d);
    got("clear", PyObject_CallMethod(d, "clear", NULL));
    got("popitem of nothing", PyObject_CallMethod(d, "popitem", NULL));
    got("fromkeys", PyObject_CallMethod((PyObject*)&PyDict_Type, "fromkeys", "si", "ab", 0));
    see("SetDefault", PyDict_SetDefault(d, S("k"), S("v")));
    see("SetDefault again", PyDict_SetDefault(d, S("k"), S("w")));
}

CASE(a_dict_checks_what_it_is) {
    PyObject* l = V("[]");
    done("size", PyDict_Size(l));
    done("set", PyDict_SetItem(l, S("x"), S("y")));
    done("delete", PyDict_DelItem(l, S("x")));
    got("copy", PyDict_Copy(l));
    got("keys", PyDict_Keys(l));
    see("get", PyDict_GetItem(l, S("x")));
}

CASE(dicts_compare_and_show_themselves) {
    PyObject* d = V("{s:i,s:i}", "a", 1, "b", 2);
    got("equal in another order", PyObject_RichCompare(d, V("{s:i,s:i}", "b", 2, "a", 1), Py_EQ));
    got("other values", PyObject_RichCompare(d, V("{s:i,s:i}", "b", 2, "a", 2), Py_EQ));
    got("order", PyObject_RichCompare(d, d, Py_LT));
    done("hash", PyObject_Hash(d));
    done("itself", PyDict_SetItemString(d, "me", d));
    see("dict", d);
    done("cut", PyDict_DelItemString(d, "me"));
}

CASE(dicts_made_by_their_type) {
    PyObject* type = (PyObject*)&PyDict_Type;
    PyObject* derived = T(derive("MyDict", type, NULL));
    got("dict()", PyObject_CallNoArgs(type));
    got("pairs", PyObject_CallFunction(type, "([(ii)])", 1, 2));
    got("names", PyObject_Call(type, V("()"), V("{s:i}", "a", 1)));
    got("an int", PyObject_CallFunction(type, "i", 1));
    got("no pairs", PyObject_CallFunction(type, "([i])", 1));
    got("two", PyObject_CallFunction(type, "{}{}"));
    got("derived", PyObject_CallFunction(derived, "{s:i}", "a", 1));
    got("missing", PyObject_GetItem(T(PyObject_CallNoArgs(derived)), S("x")));
}

static PyObject* on_missing(PyObject* self, PyObject* key) {
    (void)self;
    return PyUnicode_FromFormat("no %R", key);
}
DEFINE(missing_definition, "__missing__", on_missing, METH_O);

CASE(a_derived_dict_may_answer_for_missing_keys) {
    PyObject* derived = T(derive("MyDict", (PyObject*)&PyDict_Type,
                                 V("{s:N}", "__missing__", method_of(&missing_definition))));
    PyObject* d = T(PyObject_CallFunction(derived, "{s:i}", "a", 1));
    got("there", PyObject_GetItem(d, S("a")));
    got("missing", PyObject_GetItem(d, S("b")));
    see("GetItem", PyDict_GetItemWithError(d, S("b")));
}

CASE(the_mapping_protocol) {
    PyObject* d = V("{s:i}", "a", 1);
    got("item", PyObject_GetItem(d, S("a")));
    got("item missing", PyObject_GetItem(d, S("z")));
    got("item of an int key", PyObject_GetItem(d, I(1)));
    got("item unhashable", PyObject_GetItem(d, V("[]")));
    got("by string", PyMapping_GetItemString(d, "a"));
    done("set by string", PyMapping_SetItemString(d, "b", I(2)));
    done("has", PyMapping_HasKeyString(d, "b"));
    done("has not", PyMapping_HasKey(d, S("c")));
    got("keys", PyMapping_Keys(d));
    got("values", PyMapping_Values(d));
    got("items", PyMapping_Items(d));
    got("keys of a list", PyMapping_Keys(V("[]")));
    done("size", PyMapping_Size(d));
    done("size of a set", PyMapping_Size(T(PySet_New(NULL))));
    done("check", PyMapping_Check(d));
    done("check list", PyMapping_Check(V("[]")));
    done("check int", PyMapping_Check(I(1)));
    done("delete", PyObject_DelItem(d, S("a")));
    done("delete again", PyObject_DelItemString(d, "a"));
    got("item of an int", PyObject_GetItem(I(1), I(1)));
    done("set of an int", PyObject_SetItem(I(1), I(1), I(1)));
    done("delete of an int", PyObject_DelItem(I(1), I(1)));
    got("item of a type", PyObject_GetItem((PyObject*)&PyLong_Type, I(1)));
    got("NULL", PyObject_GetItem(NULL, I(1)));
}

CASE(a_view_of_a_dict_that_cannot_be_changed) {
    PyObject* d = V("{s:i}", "a", 1);
    PyObject* proxy = T(PyDictProxy_New(d));
    see("proxy", proxy);
    got("item", PyObject_GetItem(proxy, S("a")));
    done("set", PyObject_SetItem(proxy, S("a"), I(2)));
    done("size", PyObject_Size(proxy));
    done("of a class", PyObject_Size(T(PyObject_GetAttrString(T(derive("C", OBJECT_TYPE, NULL)),
                                                              "__dict__"))) > 0);
    got("of an int", PyDictProxy_New(I(1)));
}

static PyObject* ordered(const char* keys) {
    PyObject* d = T(PyODict_New());
    for (int i = 0; keys[i] != 0; ++i) {
        done("set", PyODict_SetItem(d, T(PyUnicode_FromStringAndSize(keys + i, 1)), I(i)));
    }
    return d;
}

#define see_ordered(label, d) got(label, PySequence_List(T(PyObject_CallMethod(d, "items", NULL))))

CASE(an_ordered_dict_is_a_dict) {
    PyObject* d = ordered("ab");
    done("check", PyODict_Check(d) && PyDict_Check(d) && PyODict_CheckExact(d));
    done("check of a dict", PyODict_Check(V("{}")));
    see_ordered("two", d);
    done("delete", PyODict_DelItem(d, S("a")));
    done("delete again", PyODict_DelItem(d, S("a")));
    done("delete unhashable", PyODict_DelItem(d, V("[]")));
    done("set unhashable", PyODict_SetItem(d, V("[]"), I(1)));
    see("get", PyDict_GetItemString(d, "b"));
    done("size", PyDict_Size(d));
    done("hash", PyObject_Hash(d));
    got("update", PyObject_CallMethod(d, "update", "({s:i})", "c", 3));
    got("default", PyObject_CallMethod(d, "setdefault", "si", "x", 4));
    see_ordered("four", d);
    got("pop", PyObject_CallMethod(d, "pop", "s", "b"));
    got("pop missing", PyObject_CallMethod(d, "pop", "s", "b"));
    got("pop with a default", PyObject_CallMethod(d, "pop", "si", "b", 7));
    got("pop unhashable", PyObject_CallMethod(d, "pop", "O", V("[]")));
    got("default by name", PyObject_Call(T(PyObject_GetAttrString(d, "setdefault")), V("()"),
                                         V("{s:s,s:i}", "key", "y", "default", 5)));
    got("clear", PyObject_CallMethod(d, "clear", NULL));
    see_ordered("nothing", d);
}

CASE(an_ordered_dict_is_reordered) {
    PyObject* d = ordered("abcd");
    got("to the end", PyObject_CallMethod(d, "move_to_end", "s", "b"));
    see_ordered("order", d);
    got("to the beginning", PyObject_CallMethod(d, "move_to_end", "si", "d", 0));
    see_ordered("order", d);
    got("what is there", PyObject_CallMethod(d, "move_to_end", "si", "d", 0));
    got("missing", PyObject_CallMethod(d, "move_to_end", "s", "z"));
    got("unhashable", PyObject_CallMethod(d, "move_to_end", "O", V("[]")));
    got("no key", PyObject_CallMethod(d, "move_to_end", NULL));
    got("by name", PyObject_Call(T(PyObject_GetAttrString(d, "move_to_end")), V("()"),
                                 V("{s:s,s:O}", "key", "a", "last", Py_True)));
    see_ordered("order", d);
    got("last", PyObject_CallMethod(d, "popitem", NULL));
    got("first", PyObject_CallMethod(d, "popitem", "i", 0));
    got("first", PyObject_CallMethod(d, "popitem", "i", 0));
    got("last", PyObject_CallMethod(d, "popitem", "i", 1));
    got("none", PyObject_CallMethod(d, "popitem", NULL));
}

CASE(the_order_of_an_ordered_dict_counts) {
    PyObject* ab = ordered("ab");
    PyObject* other = ordered("ab");
    got("equal", PyObject_RichCompare(ab, other, Py_EQ));
    got("move", PyObject_CallMethod(other, "move_to_end", "s", "a"));
    got("equal in another order", PyObject_RichCompare(ab, other, Py_EQ));
    got("unequal in another order", PyObject_RichCompare(ab, other, Py_NE));
    got("to a dict", PyObject_RichCompare(other, T(PyDict_Copy(ab)), Py_EQ));
    got("of a dict", PyObject_RichCompare(T(PyDict_Copy(ab)), other, Py_EQ));
    got("less", PyObject_RichCompare(ab, other, Py_LT));
    done("to a list", PyObject_RichCompareBool(ab, V("[]"), Py_EQ));
}

CASE(an_ordered_dict_is_walked) {
    PyObject* d = ordered("abc");
    PyObject* iterator = T(PyObject_GetIter(d));
    say("%s", Py_TYPE(iterator)->tp_name);
    see("keys", T(PyObject_CallMethod(d, "keys", NULL)));
    see("values", T(PyObject_CallMethod(d, "values", NULL)));
    see("items", T(PyObject_CallMethod(d, "items", NULL)));
    got("backwards", PySequence_List(T(PyObject_CallMethod(d, "__reversed__", NULL))));
    got("items backwards", PySequence_List(T(PyObject_CallMethod(
                               T(PyObject_CallMethod(d, "items", NULL)), "__reversed__", NULL))));
    got("values", PySequence_List(T(PyObject_CallMethod(d, "values", NULL))));
    done("views", PyDictKeys_Check(T(PyObject_CallMethod(d, "keys", NULL))));
    got("first", PyIter_Next(iterator));
    done("replace", PyODict_SetItem(d, S("c"), I(5)));
    got("second", PyIter_Next(iterator));
    got("move", PyObject_CallMethod(d, "move_to_end", "si", "c", 0));
    got("moved", PyIter_Next(iterator));
    got("ended", PyIter_Next(iterator));
}

CASE(an_iterator_over_an_ordered_dict_notices_changes) {
    PyObject* d = ordered("abc");
    PyObject* iterator = T(PyObject_GetIter(d));
    got("first", PyIter_Next(iterator));
    done("add", PyODict_SetItem(d, S("d"), I(4)));
    got("added", PyIter_Next(iterator));
    iterator = T(PyObject_GetIter(d));
    got("first", PyIter_Next(iterator));
    done("delete", PyODict_DelItem(d, S("d")));
    done("add", PyODict_SetItem(d, S("e"), I(5)));
    got("deleted and added", PyIter_Next(iterator));
    iterator = T(PyObject_GetIter(d));
    got("first", PyIter_Next(iterator));
    got("clear", PyObject_CallMethod(d, "clear", NULL));
    done("add", PyODict_SetItem(d, S("a"), I(1)));
    got("cleared", PyIter_Next(iterator));
    iterator = T(PyObject_GetIter(d));
    got("only", PyIter_Next(iterator));
    done("add", PyODict_SetItem(d, S("b"), I(1)));
    got("at its end", PyIter_Next(iterator));
}

static PyObject* set_twice(PyObject* self, PyObject* args) {
    PyObject *key, *value;
    if (!PyArg_ParseTuple(args, "OO", &key, &value)) {
        return NULL;
    }
    value = Py_BuildValue("OO", value, value);
    const int failed = PyODict_SetItem(self, key, value);
    Py_DECREF(value);
    return failed ? NULL : Py_NewRef(Py_None);
}
DEFINE(set_twice_definition, "__setitem__", set_twice, METH_VARARGS);

CASE(a_class_derived_from_an_ordered_dict_stores_and_gives) {
    PyObject* derived = T(derive("Twice", (PyObject*)&PyODict_Type,
                                 V("{s:N}", "__setitem__", method_of(&set_twice_definition))));
    PyObject* d = T(PyObject_CallFunction(derived, "[(si)]", "a", 1));
    see_ordered("made", d);
    got("update", PyObject_CallMethod(d, "update", "({s:i})", "b", 2));
    got("default", PyObject_CallMethod(d, "setdefault", "si", "c", 3));
    got("default there", PyObject_CallMethod(d, "setdefault", "si", "a", 3));
    see_ordered("stored", d);
    see_ordered("copy", T(PyObject_CallMethod(d, "copy", NULL)));
    see_ordered("joined", T(PyNumber_Or(T(PyObject_CallNoArgs(derived)), V("{s:i}", "x", 1))));
    got("joined in place", PySequence_List(T(PyNumber_InPlaceOr(d, V("{s:i}", "y", 1)))));
    see_ordered("from keys", T(PyObject_CallMethod(derived, "fromkeys", "(s)i", "k", 1)));
    got("from keys by name",
        PySequence_List(T(PyObject_Call(T(PyObject_GetAttrString(derived, "fromkeys")), V("()"),
                                        V("{s:(s),s:i}", "iterable", "k", "value", 2)))));
}

CASE(ordered_dicts_are_copied_and_joined) {
    PyObject* derived = T(derive("MyOrdered", (PyObject*)&PyODict_Type, NULL));
    PyObject* d = T(PyObject_CallFunction(derived, "[(si)(si)]", "a", 1, "b", 2));
    PyObject* copy = T(PyObject_CallMethod(d, "copy", NULL));
    PyObject* both = T(PyNumber_Or(d, V("{s:i}", "c", 3)));
    say("%s", Py_TYPE(copy)->tp_name);
    see_ordered("copy", copy);
    say("%s", Py_TYPE(both)->tp_name);
    see_ordered("both", both);
    say("%s", Py_TYPE(T(PyNumber_Or(V("{s:i}", "c", 3), ordered("a"))))->tp_name);
    got("with a list", PyNumber_Or(d, V("[]")));
    got("from keys",
        PySequence_List(T(PyObject_CallMethod(derived, "fromkeys", "(ss)", "x", "y"))));
    done("attribute", PyObject_SetAttrString(copy, "x", I(5)));
    got("attribute", PyObject_GetAttrString(copy, "x"));
    got("attributes", PyObject_GetAttrString(copy, "__dict__"));
    done("attribute of an exact one", PyObject_SetAttrString(ordered(""), "x", I(5)));
    done("weak", PyWeakref_Check(T(PyWeakref_NewRef(d, NULL))));
    got("of an int", PyObject_CallFunction((PyObject*)&PyODict_Type, "i", 1));
}

CASE(a_set_is_read_and_changed) {
    PyObject* s = T(PySet_New(V("(iii)", 1, 2, 1)));
    see("set", s);
    done("size", PySet_Size(s));
    done("add", PySet_Add(s, I(3)));
    done("add again", PySet_Add(s, I(3)));
    done("add unhashable", PySet_Add(s, V("[]")));
    done("contains", PySet_Contains(s, I(3)));
    done("contains unhashable", PySet_Contains(s, V("[]")));
    done("discard", PySet_Discard(s, I(1)));
    done("discard again", PySet_Discard(s, I(1)));
    see("set", s);
    done("clear", PySet_Clear(s));
    got("pop of nothing", PySet_Pop(s));
    see("empty", s);
    got("of an int", PySet_New(I(1)));
    done("size of a list", PySet_Size(V("[]")));
    done("add to a list", PySet_Add(V("[]"), I(1)));
}

CASE(a_frozenset) {
    PyObject* f = T(PyFrozenSet_New(V("(i)", 1)));
    see("frozenset", f);
    see("empty", T(PyFrozenSet_New(NULL)));
    done("hash of the empty", PyObject_Hash(T(PyFrozenSet_New(NULL))));
    done("hash", PyObject_Hash(T(PyFrozenSet_New(V("(iii)", 1, 2, 3)))));
    done("add", PySet_Add(T(Py_NewRef(f)), I(2)));
    done("discard", PySet_Discard(f, I(1)));
    got("pop", PySet_Pop(f));
    done("clear", PySet_Clear(f));
    done("equal to a set", PyObject_RichCompareBool(f, T(PySet_New(V("(i)", 1))), Py_EQ));
    done("hash of a set", PyObject_Hash(T(PySet_New(NULL))));
    done("a set in a set", PySet_Contains(T(PySet_New(V("(O)", f))), T(PySet_New(V("(i)", 1)))));
}

CASE(sets_have_operators) {
    PyObject* a = T(PySet_New(V("(iii)", 1, 2, 3)));
    PyObject* b = T(PySet_New(V("(ii)", 2, 9)));
    got("or", PyNumber_Or(a, b));
    got("and", PyNumber_And(a, b));
    got("minus", PyNumber_Subtract(a, b));
    got("xor", PyNumber_Xor(T(PySet_New(V("(i)", 2))), b));
    got("or a list", PyNumber_Or(a, V("[]")));
    got("plus", PyNumber_Add(a, b));
    got("subset", PyObject_RichCompare(T(PySet_New(V("(i)", 1))), a, Py_LT));
    got("subset of itself", PyObject_RichCompare(a, a, Py_LT));
    got("superset", PyObject_RichCompare(a, b, Py_GE));
    got("of a list", PyObject_RichCompare(a, V("[]"), Py_LT));
    got("in place", PyNumber_InPlaceAnd(a, b));
    see("a", a);
    got("frozenset or set", PyNumber_Or(T(PyFrozenSet_New(NULL)), T(PySet_New(V("(i)", 5)))));
}

CASE(sets_have_methods) {
    PyObject* a = T(PySet_New(V("(iii)", 1, 2, 3)));
    got("union", PyObject_CallMethod(a, "union", "[i]", 4));
    got("intersection", PyObject_CallMethod(a, "intersection", "[i]", 2));
    got("difference", PyObject_CallMethod(a, "difference", "[i]", 2));
    got("isdisjoint", PyObject_CallMethod(a, "isdisjoint", "[i]", 9));
    got("issubset", PyObject_CallMethod(a, "issubset", "([iiii])", 1, 2, 3, 4));
    got("remove missing", PyObject_CallMethod(a, "remove", "i", 9));
    got("remove", PyObject_CallMethod(a, "remove", "i", 1));
    got("discard", PyObject_CallMethod(a, "discard", "i", 9));
    got("update", PyObject_CallMethod(a, "update", "[i]", 7));
    got("copy", PyObject_CallMethod(a, "copy", NULL));
    got("set(1, 2)", PyObject_CallFunction((PyObject*)&PySet_Type, "ii", 1, 2));
    got("derived",
        PyObject_CallFunction(T(derive("MySet", (PyObject*)&PySet_Type, NULL)), "([i])", 5));
}
