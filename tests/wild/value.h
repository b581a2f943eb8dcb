/* Reads values of a line and computes them, as Python would: names (of lines before, then of builtins), numbers, texts,
 * bytes, (), [], {}, calls with * and keywords, attributes, items, slices, not, one comparison, and | ^ & << >> + - * / //
 * %. What cannot be read ends the program. */
#ifndef WILD_VALUE_H
#define WILD_VALUE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

enum { kLongest = 1000 }; /* of a line */

/* What is read of a line, from `at` on. */
typedef struct {
    const char* at;
    PyObject* names;  /* of this thread */
    PyObject* before; /* of the lines before `together`, or NULL */
    const char* file; /* its name */
} Reader;

void skip_spaces(Reader* r);
/* Whether the token comes, which is read then. A word ends where a name would. */
int take(Reader* r, const char* token);
void expect(Reader* r, const char* token);
/* A name, as a str. */
PyObject* read_name(Reader* r);

/* A new reference, or NULL with an exception. */
PyObject* read_value(Reader* r);
/* What is between brackets, after "[": a value, several, or a slice. */
PyObject* read_subscript(Reader* r);
/* x += y, for the operators of one sign. */
PyObject* in_place(char sign, PyObject* x, PyObject* y);

#endif
