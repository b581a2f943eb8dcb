/* Py_BuildValue: each unit of a format, nesting, and what it does with references. */
#include "tests/same/same.h"

CASE(nothing_one_and_many) {
    got("nothing", Py_BuildValue(""));
    got("one", Py_BuildValue("i", 1));
    got("two", Py_BuildValue("ii", 1, 2));
    got("a tuple of none", Py_BuildValue("()"));
    got("a tuple of one", Py_BuildValue("(i)", 1));
    got("a tuple in a tuple", Py_BuildValue("((i))", 1));
}

CASE(integers_are_built) {
    got("b", Py_BuildValue("b", -5));
    got("B", Py_BuildValue("B", 250));
    got("h", Py_BuildValue("h", -300));
    got("H", Py_BuildValue("H", 60000));
    got("i", Py_BuildValue("i", -70000));
    got("I", Py_BuildValue("I", 4000000000U));
    got("l", Py_BuildValue("l", -5000000000L));
    got("k", Py_BuildValue("k", 18446744073709551615UL));
    got("L", Py_BuildValue("L", -9000000000000000000LL));
    got("K", Py_BuildValue("K", 18446744073709551615ULL));
    got("n", Py_BuildValue("n", (Py_ssize_t)-3));
}

CASE(floats_are_built) {
    got("f", Py_BuildValue("f", 0.5f));
    got("d", Py_BuildValue("d", 0.1));
    got("large", Py_BuildValue("d", 1e300));
    got("negative zero", Py_BuildValue("d", -0.0));
}

CASE(texts_are_built) {
    got("s", Py_BuildValue("s", "text"));
    got("s of NULL", Py_BuildValue("s", NULL));
    got("s#", Py_BuildValue("s#", "text", (Py_ssize_t)2));
    got("s# with NUL", Py_BuildValue("s#", "a\0b", (Py_ssize_t)3));
    got("s# of NULL", Py_BuildValue("s#", NULL, (Py_ssize_t)3));
    got("z", Py_BuildValue("z", "text"));
    got("z of NULL", Py_BuildValue("z", NULL));
    got("U", Py_BuildValue("U", "text"));
    got("U#", Py_BuildValue("U#", "text", (Py_ssize_t)1));
    got("u", Py_BuildValue("u", L"wide \u20ac"));
    got("u of NULL", Py_BuildValue("u", NULL));
    got("u#", Py_BuildValue("u#", L"wide", (Py_ssize_t)2));
    got("u# with NUL", Py_BuildValue("u#", L"a\0b", (Py_ssize_t)3));
    got("not UTF-8", Py_BuildValue("s", "\xff"));
    got("y", Py_BuildValue("y", "text"));
    got("y of NULL", Py_BuildValue("y", NULL));
    got("y#", Py_BuildValue("y#", "a\0b", (Py_ssize_t)3));
}

CASE(characters_are_built) {
    got("c", Py_BuildValue("c", 'x'));
    got("C", Py_BuildValue("C", 'x'));
    got("C of two bytes", Py_BuildValue("C", 0xe9));
    got("C of four bytes", Py_BuildValue("C", 0x1f600));
    got("C out of range", Py_BuildValue("C", 0x110000));
}

CASE(lists_and_dicts_are_built) {
    got("an empty list", Py_BuildValue("[]"));
    got("a list", Py_BuildValue("[isd]", 1, "two", 3.0));
    got("an empty dict", Py_BuildValue("{}"));
    got("a dict", Py_BuildValue("{s:i,s:i}", "a", 1, "b", 2));
    got("a dict of ints", Py_BuildValue("{i:s}", 1, "one"));
    got("the last one counts", Py_BuildValue("{s:i,s:i}", "a", 1, "a", 2));
    got("nested", Py_BuildValue("{s:[i(ii)],s:{s:()}}", "a", 1, 2, 3, "b", "c"));
}

CASE(spaces_and_commas_mean_nothing) {
    got("spaces", Py_BuildValue(" i , i ", 1, 2));
    got("in a list", Py_BuildValue("[ i, i ]", 1, 2));
    got("a colon", Py_BuildValue("i:i", 1, 2));
    got("a tab", Py_BuildValue("(i\ti)", 1, 2));
}

CASE(a_key_that_cannot_be_hashed) {
    got("dict", Py_BuildValue("{[]:i}", 1));
}

CASE(objects_are_built_into_others) {
    PyObject* list = V("[]");
    PyObject* result;
    ALIVE_BEFORE(list);
    result = Py_BuildValue("O", list);
    done("the same", result == list);
    see_count(list);
    Py_DECREF(result);
    result = Py_BuildValue("(OO)", list, list);
    see_count(list);
    Py_DECREF(result);
    result = Py_BuildValue("S", list);
    see_count(list);
    Py_DECREF(result);
    Py_INCREF(list);
    result = Py_BuildValue("N", list);
    see_count(list);
    Py_DECREF(result);
    see_count(list);
}

CASE(null_hands_the_exception_on) {
    PyErr_SetString(PyExc_KeyError, "the reason");
    got("O", Py_BuildValue("O", NULL));
    PyErr_SetString(PyExc_KeyError, "the reason");
    got("(iO)", Py_BuildValue("(iO)", 1, NULL));
    got("without a reason", Py_BuildValue("(iO)", 1, NULL));
}

CASE(what_n_takes_is_released_when_another_fails) {
    PyObject* list = V("[]");
    ALIVE_BEFORE(list);
    Py_INCREF(list);
    got("(sN)", Py_BuildValue("(sN)", "\xff", list));
    see_count(list);
    Py_INCREF(list);
    got("[Ns]", Py_BuildValue("[Ns]", list, "\xff"));
    see_count(list);
    Py_INCREF(list);
    got("{sN}", Py_BuildValue("{s:N,s:s}", "a", list, "b", "\xff"));
    see_count(list);
}

static PyObject* twice(void* value) {
    return PyLong_FromLong(*(int*)value * 2);
}
static PyObject* never(void* value) {
    (void)value;
    PyErr_SetString(PyExc_ValueError, "never");
    return NULL;
}

CASE(a_converter_builds) {
    int value = 21;
    got("O&", Py_BuildValue("O&", twice, &value));
    got("in a list", Py_BuildValue("[O&i]", twice, &value, 1));
    got("failing", Py_BuildValue("(iO&)", 1, never, &value));
}

CASE(formats_that_cannot_be) {
    got("an unknown letter", Py_BuildValue("(w)", 1));
    got("an unfinished tuple", Py_BuildValue("(i", 1));
    got("a bracket of another kind", Py_BuildValue("(i]", 1));
    got("half a pair", Py_BuildValue("{s}", "a"));
}

static PyObject* build_from_list(const char* format, ...) {
    PyObject* result;
    va_list values;
    va_start(values, format);
    result = Py_VaBuildValue(format, values);
    va_end(values);
    return result;
}

CASE(values_from_a_list_of_arguments) {
    got("three", build_from_list("iss#", 1, "two", "three", (Py_ssize_t)2));
}

CASE(built_containers_are_new_and_tracked) {
    PyObject* list = V("[i]", 1);
    done("references", Py_REFCNT(list));
    done("tracked", PyObject_GC_IsTracked(list));
    done("another", V("[i]", 1) != list);
}
