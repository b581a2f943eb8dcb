/* PyArg_ParseTupleAndKeywords: names, |, $, positional-only, and the words for what is wrong. */
#include "tests/same/same.h"

static char* names_abc[] = {"a", "b", "c", NULL};

static void parse(const char* label, PyObject* args, PyObject* kwargs, const char* format) {
    PyObject* a = Py_None;
    PyObject* b = Py_None;
    PyObject* c = Py_None;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, format, names_abc, &a, &b, &c)) {
        got(label, PyTuple_Pack(3, a, b, c));
    } else {
        raised(label);
    }
}

CASE(by_position_and_by_name) {
    parse("all by position", V("(iii)", 1, 2, 3), NULL, "OOO:f");
    parse("all by name", V("()"), V("{s:i,s:i,s:i}", "c", 3, "a", 1, "b", 2), "OOO:f");
    parse("mixed", V("(i)", 1), V("{s:i,s:i}", "c", 3, "b", 2), "OOO:f");
    parse("an empty dict", V("(iii)", 1, 2, 3), V("{}"), "OOO:f");
    parse("optional ones missing", V("(i)", 1), NULL, "O|OO:f");
    parse("the last alone", V("(i)", 1), V("{s:i}", "c", 3), "O|OO:f");
}

CASE(required_ones_are_missing) {
    parse("the first", V("()"), NULL, "OOO:f");
    parse("the first, no name of a function", V("()"), NULL, "OOO");
    parse("the second", V("(i)", 1), NULL, "OOO:f");
    parse("the first, by name", V("()"), V("{s:i}", "b", 2), "OOO:f");
    parse("one of optional", V("()"), V("{s:i}", "b", 2), "O|OO:f");
    parse("the third", V("(ii)", 1, 2), V("{}"), "OOO:f");
}

CASE(too_many_are_given) {
    parse("four", V("(iiii)", 1, 2, 3, 4), NULL, "OOO:f");
    parse("four, no name", V("(iiii)", 1, 2, 3, 4), NULL, "OOO");
    parse("four of optional", V("(iiii)", 1, 2, 3, 4), NULL, "O|OO:f");
    parse("three and a name", V("(iii)", 1, 2, 3), V("{s:i}", "a", 1), "OOO:f");
    parse("three and an unknown name", V("(iii)", 1, 2, 3), V("{s:i}", "z", 1), "OOO:f");
}

CASE(names_that_are_not_known) {
    parse("one", V("(ii)", 1, 2), V("{s:i}", "z", 1), "OOO:f");
    parse("one too many", V("(iii)", 1, 2, 3), V("{s:i}", "z", 1), "OO|O:f");
    parse("not a str", V("(i)", 1), V("{i:i}", 5, 1), "O|OO:f");
}

CASE_LEFT_OUT(words_for_a_name_that_is_not_known,
              "3.11: 'z' is an invalid keyword argument for f()") {
    static char* names[] = {"", "b", "c", NULL};
    PyObject *a, *b, *c;
    parse("optional", V("(i)", 1), V("{s:i}", "z", 1), "O|OO:f");
    parse("optional, no name", V("(i)", 1), V("{s:i}", "z", 1), "O|OO");
    done("empty name given",
         PyArg_ParseTupleAndKeywords(V("(i)", 1), V("{s:i}", "", 1), "O|OO:f", names, &a, &b, &c));
}

CASE(given_twice) {
    parse("the first", V("(i)", 1), V("{s:i}", "a", 1), "O|OO:f");
    parse("the second", V("(ii)", 1, 2), V("{s:i}", "b", 1), "O|OO:f");
    parse("no name of a function", V("(ii)", 1, 2), V("{s:i}", "b", 1), "O|OO");
}

CASE(by_name_alone) {
    parse("as it should be", V("(i)", 1), V("{s:i}", "b", 2), "O|$OO:f");
    parse("by position", V("(ii)", 1, 2), NULL, "O|$OO:f");
    parse("by position, no name", V("(ii)", 1, 2), NULL, "O|$OO");
    parse("none by position", V("(i)", 1), NULL, "|$OOO:f");
    parse("all by name", V("()"), V("{s:i}", "a", 1), "|$OOO:f");
    parse("one more than allowed", V("(iii)", 1, 2, 3), NULL, "OO|$O:f");
}

CASE(wrong_values_by_name) {
    static char* names[] = {"text", "number", NULL};
    const char* text = NULL;
    int number = 0;
    done("good", PyArg_ParseTupleAndKeywords(V("()"), V("{s:s,s:i}", "text", "x", "number", 3),
                                             "s|i:f", names, &text, &number));
    say("%s %d", text, number);
    done("text", PyArg_ParseTupleAndKeywords(V("()"), V("{s:i}", "text", 1), "s|i:f", names, &text,
                                             &number));
    done("number", PyArg_ParseTupleAndKeywords(V("()"), V("{s:s,s:s}", "text", "x", "number", "y"),
                                               "s|i:f", names, &text, &number));
    done("by position",
         PyArg_ParseTupleAndKeywords(V("(i)", 1), NULL, "s|i:f", names, &text, &number));
    done("no name", PyArg_ParseTupleAndKeywords(V("(i)", 1), NULL, "s|i", names, &text, &number));
    done("own words",
         PyArg_ParseTupleAndKeywords(V("(i)", 1), NULL, "s|i;wants a text", names, &text, &number));
}

CASE(by_position_alone) {
    static char* names[] = {"", "b", "c", NULL};
    PyObject* a = Py_None;
    PyObject* b = Py_None;
    PyObject* c = Py_None;
    done("good",
         PyArg_ParseTupleAndKeywords(V("(i)", 1), V("{s:i}", "c", 3), "O|OO:f", names, &a, &b, &c));
    see("a", a);
    see("c", c);
    done("missing", PyArg_ParseTupleAndKeywords(V("()"), NULL, "O|OO:f", names, &a, &b, &c));
    done("missing, others by name",
         PyArg_ParseTupleAndKeywords(V("()"), V("{s:i}", "b", 1), "O|OO:f", names, &a, &b, &c));
    done("missing, no name", PyArg_ParseTupleAndKeywords(V("()"), NULL, "O|OO", names, &a, &b, &c));
}

CASE(no_arguments_at_all) {
    static char* names[] = {NULL};
    done("good", PyArg_ParseTupleAndKeywords(V("()"), NULL, ":f", names));
    done("one", PyArg_ParseTupleAndKeywords(V("(i)", 1), NULL, ":f", names));
    done("one by name", PyArg_ParseTupleAndKeywords(V("()"), V("{s:i}", "a", 1), ":f", names));
}

CASE(one_argument_by_name) {
    static char* names[] = {"a", NULL};
    PyObject* a = Py_None;
    done("two given", PyArg_ParseTupleAndKeywords(V("(ii)", 1, 2), NULL, "O:f", names, &a));
    done("none given", PyArg_ParseTupleAndKeywords(V("()"), NULL, "O:f", names, &a));
    done("optional, two given",
         PyArg_ParseTupleAndKeywords(V("(ii)", 1, 2), NULL, "|O:f", names, &a));
}

CASE(keys_are_checked) {
    done("strs", PyArg_ValidateKeywordArguments(V("{s:i}", "a", 1)));
    done("an int", PyArg_ValidateKeywordArguments(V("{i:i}", 1, 1)));
    done("no dict", PyArg_ValidateKeywordArguments(V("[]")));
}

CASE(formats_and_names_that_do_not_fit) {
    static char* names[] = {"a", NULL};
    static char* empty_later[] = {"a", "", NULL};
    PyObject* a = NULL;
    PyObject* b = NULL;
    done("more units than names",
         PyArg_ParseTupleAndKeywords(V("(ii)", 1, 2), NULL, "OO:f", names, &a, &b));
    done("an empty name after others",
         PyArg_ParseTupleAndKeywords(V("(ii)", 1, 2), NULL, "OO:f", empty_later, &a, &b));
    done("fewer units than names", PyArg_ParseTupleAndKeywords(V("(i)", 1), NULL, "|:f", names));
}

CASE(values_before_the_error_are_stored) {
    static char* names[] = {"a", "b", NULL};
    int a = 0;
    int b = 0;
    done("second is wrong",
         PyArg_ParseTupleAndKeywords(V("(is)", 5, "x"), NULL, "ii:f", names, &a, &b));
    done("a", a);
}

CASE(references_are_borrowed) {
    PyObject* list = V("[]");
    PyObject* args = V("(O)", list);
    PyObject* out = NULL;
    ALIVE_BEFORE(list);
    done("parse", PyArg_ParseTuple(args, "O", &out));
    see_count(list);
    done("the same", out == list);
}
