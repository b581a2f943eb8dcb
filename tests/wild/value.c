#include "tests/wild/value.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading */

static void no_line(const Reader* r, const char* expected) {
    fprintf(stderr, "%s: %s expected at '%s'\n", r->file, expected, r->at);
    exit(2);
}

void skip_spaces(Reader* r) {
    while (*r->at == ' ') {
        ++r->at;
    }
}

static int is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

int take(Reader* r, const char* token) {
    const size_t length = strlen(token);
    skip_spaces(r);
    if (strncmp(r->at, token, length) != 0 || (is_name(*token) && is_name(r->at[length]))) {
        return 0;
    }
    r->at += length;
    return 1;
}

void expect(Reader* r, const char* token) {
    if (!take(r, token)) {
        no_line(r, token);
    }
}

PyObject* read_name(Reader* r) {
    skip_spaces(r);
    const char* begin = r->at;
    while (is_name(*r->at)) {
        ++r->at;
    }
    if (begin == r->at) {
        no_line(r, "a name");
    }
    return PyUnicode_FromStringAndSize(begin, r->at - begin);
}

/* ---- Values. Each function returns a new reference, or NULL with an exception. */

static PyObject* looked_up(Reader* r) {
    PyObject* text = read_name(r);
    PyObject* op = PyDict_GetItemWithError(r->names, text);
    if (op == NULL && r->before != NULL) {
        op = PyDict_GetItemWithError(r->before, text);
    }
    if (op != NULL) {
        Py_INCREF(op);
    } else {
        PyObject* builtins = PyImport_ImportModule("builtins");
        op = PyObject_GetAttr(builtins, text);
        Py_DECREF(builtins);
    }
    Py_DECREF(text);
    return op;
}

/* 'text', with \n, \\, \', \xHH and \uHHHH; b'bytes', without the last. */
static PyObject* text(Reader* r, int is_bytes) {
    char buffer[kLongest];
    size_t length = 0;
    const char quote = *r->at++;
    while (*r->at != quote) {
        if (*r->at == '\0') {
            no_line(r, "the end of a text");
        }
        if (*r->at != '\\') {
            buffer[length++] = *r->at++;
            continue;
        }
        const char kind = r->at[1];
        const int digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 0;
        r->at += 2;
        if (digits == 0) {
            buffer[length++] = kind == 'n' ? '\n' : kind;
            continue;
        }
        char hex[5] = {0};
        memcpy(hex, r->at, (size_t)digits);
        r->at += digits;
        const unsigned code = (unsigned)strtoul(hex, NULL, 16);
        if (is_bytes || code < 0x80) {
            buffer[length++] = (char)code;
        } else if (code < 0x800) {
            buffer[length++] = (char)(0xc0 | code >> 6);
            buffer[length++] = (char)(0x80 | (code & 0x3f));
        } else {
            buffer[length++] = (char)(0xe0 | code >> 12);
            buffer[length++] = (char)(0x80 | (code >> 6 & 0x3f));
            buffer[length++] = (char)(0x80 | (code & 0x3f));
        }
    }
    ++r->at;
    return is_bytes ? PyBytes_FromStringAndSize(buffer, (Py_ssize_t)length)
                    : PyUnicode_FromStringAndSize(buffer, (Py_ssize_t)length);
}

static PyObject* number(Reader* r) {
    char buffer[kLongest];
    size_t length = 0;
    int is_float = 0;
    while (is_name(*r->at) || *r->at == '.' ||
           ((*r->at == '-' || *r->at == '+') && length > 0 && buffer[length - 1] == 'e')) {
        is_float |= *r->at == '.' || (*r->at == 'e' && buffer[1] != 'x');
        buffer[length++] = *r->at++;
    }
    buffer[length] = '\0';
    return is_float ? PyFloat_FromDouble(strtod(buffer, NULL)) : PyLong_FromString(buffer, NULL, 0);
}

/* Values between commas, up to `end`; *one: whether there was one alone, without a comma. */
static PyObject* list_until(Reader* r, const char* end, int* one) {
    PyObject* list = PyList_New(0);
    *one = 0;
    while (!take(r, end)) {
        PyObject* item = read_value(r);
        if (item == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_Append(list, item);
        Py_DECREF(item);
        const int comma = take(r, ",");
        *one = PyList_GET_SIZE(list) == 1 && !comma;
        if (!comma) {
            expect(r, end);
            break;
        }
    }
    return list;
}

static PyObject* in_parentheses(Reader* r) {
    int one;
    PyObject* list = list_until(r, ")", &one);
    if (list == NULL) {
        return NULL;
    }
    PyObject* op = one ? Py_NewRef(PyList_GET_ITEM(list, 0)) : PyList_AsTuple(list);
    Py_DECREF(list);
    return op;
}

/* {key: value, ...} or {value, ...}. */
static PyObject* in_braces(Reader* r) {
    PyObject* dict = PyDict_New();
    PyObject* set = NULL;
    while (!take(r, "}")) {
        PyObject* key = read_value(r);
        PyObject* item = NULL;
        int done = -1;
        if (key != NULL && take(r, ":")) {
            item = read_value(r);
            done = item == NULL ? -1 : PyDict_SetItem(dict, key, item);
        } else if (key != NULL) {
            set = set != NULL ? set : PySet_New(NULL);
            done = PySet_Add(set, key);
        }
        Py_XDECREF(key);
        Py_XDECREF(item);
        if (done < 0) {
            Py_DECREF(dict);
            Py_XDECREF(set);
            return NULL;
        }
        if (!take(r, ",")) {
            expect(r, "}");
            break;
        }
    }
    if (set == NULL) {
        return dict;
    }
    Py_DECREF(dict);
    return set;
}

static PyObject* atom(Reader* r) {
    int one;
    skip_spaces(r);
    if (take(r, "(")) {
        return in_parentheses(r);
    }
    if (take(r, "[")) {
        return list_until(r, "]", &one);
    }
    if (take(r, "{")) {
        return in_braces(r);
    }
    if (*r->at == '\'') {
        return text(r, 0);
    }
    if (r->at[0] == 'b' && r->at[1] == '\'') {
        ++r->at;
        return text(r, 1);
    }
    return isdigit((unsigned char)*r->at) ? number(r) : looked_up(r);
}

/* Whether NAME= comes, an argument by name. */
static int is_keyword(Reader* r) {
    skip_spaces(r);
    const char* c = r->at;
    while (is_name(*c)) {
        ++c;
    }
    const char* after = c + strspn(c, " ");
    return c > r->at && !isdigit((unsigned char)*r->at) && after[0] == '=' && after[1] != '=';
}

/* The arguments after "("; 0 or -1. */
static int arguments(Reader* r, PyObject* args, PyObject* kwargs) {
    while (!take(r, ")")) {
        int done = -1;
        if (is_keyword(r)) {
            PyObject* key = read_name(r);
            expect(r, "=");
            PyObject* op = read_value(r);
            done = op == NULL ? -1 : PyDict_SetItem(kwargs, key, op);
            Py_DECREF(key);
            Py_XDECREF(op);
        } else if (take(r, "*")) {
            PyObject* op = read_value(r);
            PyObject* all = op == NULL ? NULL : PySequence_List(op);
            const Py_ssize_t size = PyList_GET_SIZE(args);
            done = all == NULL ? -1 : PyList_SetSlice(args, size, size, all);
            Py_XDECREF(op);
            Py_XDECREF(all);
        } else {
            PyObject* op = read_value(r);
            done = op == NULL ? -1 : PyList_Append(args, op);
            Py_XDECREF(op);
        }
        if (done < 0) {
            return -1;
        }
        if (!take(r, ",")) {
            expect(r, ")");
            break;
        }
    }
    return 0;
}

static PyObject* called(Reader* r, PyObject* callable) {
    PyObject* args = PyList_New(0);
    PyObject* kwargs = PyDict_New();
    PyObject* result = NULL;
    if (arguments(r, args, kwargs) == 0) {
        PyObject* tuple = PyList_AsTuple(args);
        result = PyObject_Call(callable, tuple, PyDict_GET_SIZE(kwargs) > 0 ? kwargs : NULL);
        Py_DECREF(tuple);
    }
    Py_DECREF(args);
    Py_DECREF(kwargs);
    return result;
}

PyObject* read_subscript(Reader* r) {
    PyObject* parts[3] = {NULL, NULL, NULL};
    int one;
    for (int i = 0; i < 3; ++i) {
        skip_spaces(r);
        if (*r->at != ':' && *r->at != ']') {
            parts[i] = read_value(r);
            if (parts[i] == NULL) {
                Py_XDECREF(parts[0]);
                Py_XDECREF(parts[1]);
                return NULL;
            }
        }
        if (i == 0 && take(r, "]")) {
            return parts[0];
        }
        if (i == 0 && take(r, ",")) {
            PyObject* rest = list_until(r, "]", &one);
            if (rest != NULL) {
                PyList_Insert(rest, 0, parts[0]);
            }
            PyObject* tuple = rest == NULL ? NULL : PyList_AsTuple(rest);
            Py_DECREF(parts[0]);
            Py_XDECREF(rest);
            return tuple;
        }
        if (!take(r, ":")) {
            break;
        }
    }
    expect(r, "]");
    PyObject* slice = PySlice_New(parts[0], parts[1], parts[2]);
    for (int i = 0; i < 3; ++i) {
        Py_XDECREF(parts[i]);
    }
    return slice;
}

static PyObject* primary(Reader* r) {
    PyObject* op = atom(r);
    while (op != NULL) {
        PyObject* next = NULL;
        if (take(r, ".")) {
            PyObject* attribute = read_name(r);
            next = PyObject_GetAttr(op, attribute);
            Py_DECREF(attribute);
        } else if (take(r, "(")) {
            next = called(r, op);
        } else if (take(r, "[")) {
            PyObject* key = read_subscript(r);
            next = key == NULL ? NULL : PyObject_GetItem(op, key);
            Py_XDECREF(key);
        } else {
            return op;
        }
        Py_DECREF(op);
        op = next;
    }
    return NULL;
}

static PyObject* unary(Reader* r) {
    static const struct {
        const char* token;
        unaryfunc function;
    } all[] = {{"-", PyNumber_Negative}, {"+", PyNumber_Positive}, {"~", PyNumber_Invert}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (take(r, all[i].token)) {
            PyObject* op = unary(r);
            PyObject* result = op == NULL ? NULL : all[i].function(op);
            Py_XDECREF(op);
            return result;
        }
    }
    return primary(r);
}

/* By how strongly they bind. */
static const struct {
    int level;
    const char* token;
    binaryfunc function;
    binaryfunc in_place;
} operators[] = {
    {0, "|", PyNumber_Or, PyNumber_InPlaceOr},
    {1, "^", PyNumber_Xor, PyNumber_InPlaceXor},
    {2, "&", PyNumber_And, PyNumber_InPlaceAnd},
    {3, "<<", PyNumber_Lshift, PyNumber_InPlaceLshift},
    {3, ">>", PyNumber_Rshift, PyNumber_InPlaceRshift},
    {4, "+", PyNumber_Add, PyNumber_InPlaceAdd},
    {4, "-", PyNumber_Subtract, PyNumber_InPlaceSubtract},
    {5, "*", PyNumber_Multiply, PyNumber_InPlaceMultiply},
    {5, "//", PyNumber_FloorDivide, PyNumber_InPlaceFloorDivide},
    {5, "/", PyNumber_TrueDivide, PyNumber_InPlaceTrueDivide},
    {5, "%", PyNumber_Remainder, PyNumber_InPlaceRemainder},
};
enum { kOperators = sizeof operators / sizeof *operators, kLevels = 6 };

static PyObject* binary(Reader* r, int level) {
    PyObject* left = level == kLevels ? unary(r) : binary(r, level + 1);
    for (int i = 0; left != NULL && level < kLevels && i < kOperators; ++i) {
        if (operators[i].level == level && take(r, operators[i].token)) {
            PyObject* right = binary(r, level + 1);
            PyObject* result = right == NULL ? NULL : operators[i].function(left, right);
            Py_DECREF(left);
            Py_XDECREF(right);
            left = result;
            i = -1;
        }
    }
    return left;
}

PyObject* in_place(char sign, PyObject* x, PyObject* y) {
    for (int i = 0; i < kOperators; ++i) {
        if (operators[i].token[0] == sign && operators[i].token[1] == '\0') {
            return operators[i].in_place(x, y);
        }
    }
    return PyErr_Format(PyExc_SystemError, "%c= is no operator", sign);
}

static PyObject* truth(int result) {
    return result < 0 ? NULL : PyBool_FromLong(result);
}

PyObject* read_value(Reader* r) {
    static const struct {
        const char* token;
        int op;
    } comparisons[] = {{"==", Py_EQ}, {"!=", Py_NE}, {"<=", Py_LE},
                       {">=", Py_GE}, {"<", Py_LT},  {">", Py_GT}};
    if (take(r, "not")) {
        PyObject* op = read_value(r);
        PyObject* result = op == NULL ? NULL : truth(PyObject_Not(op));
        Py_XDECREF(op);
        return result;
    }
    PyObject* left = binary(r, 0);
    if (left == NULL) {
        return NULL;
    }
    PyObject* right;
    PyObject* result = NULL;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; ++i) {
        if (take(r, comparisons[i].token)) {
            right = binary(r, 0);
            result = right == NULL ? NULL : PyObject_RichCompare(left, right, comparisons[i].op);
            Py_XDECREF(right);
            Py_DECREF(left);
            return result;
        }
    }
    const int is_not = take(r, "is not");
    if (is_not || take(r, "is")) {
        right = binary(r, 0);
        result = right == NULL ? NULL : PyBool_FromLong((left == right) != is_not);
    } else if (take(r, "in")) {
        right = binary(r, 0);
        result = right == NULL ? NULL : truth(PySequence_Contains(right, left));
    } else {
        return left;
    }
    Py_XDECREF(right);
    Py_DECREF(left);
    return result;
}
