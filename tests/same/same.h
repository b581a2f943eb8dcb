/* What every file of cases includes: how a case is written, and how it shows what happened.
 *
 *     CASE(a_list_grows) {
 *         PyObject* list = T(PyList_New(0));
 *         done("append", PyList_Append(list, I(1)));
 *         see("list", list);
 *     }
 *
 * A case prints lines and no verdict: the same lines must come out on CPython. It leaves nothing behind
 * but what T() and its relatives will release. */
#ifndef OURO_TESTS_SAME_H
#define OURO_TESTS_SAME_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/same/older.h"

typedef struct SameCase {
    const char* file;
    int line;
    const char* name;
    const char* left_out; /* why its lines are not compared, or NULL */
    void (*run)(void);
    struct SameCase* next;
} SameCase;

void same_register(SameCase* entry);

#define SAME_CASE(case_name, reason)                                                    \
    static void case_name(void);                                                        \
    __attribute__((constructor)) static void register_##case_name(void) {               \
        static SameCase entry = {__FILE__, __LINE__, #case_name, reason, case_name, 0}; \
        same_register(&entry);                                                          \
    }                                                                                   \
    static void case_name(void)

#define CASE(name) SAME_CASE(name, NULL)
/* CPython's behaviour is an accident of its allocator or its version, for that reason. */
#define CASE_LEFT_OUT(name, reason) SAME_CASE(name, reason)
/* Uses functions that CPython 3.11 does not have; what it prints is in newer.txt. */
#define NEWER_CASE(name) SAME_CASE(name, NULL)

/* One line. Addresses in it are shown as 0x..., and it ends at the newline that it gets. */
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* `label: repr` of a borrowed reference, or what was raised if it is NULL. Shows, too, an exception that
 * is set although there is a result. */
void see(const char* label, PyObject* op);
/* The same; and takes the reference. */
void got(const char* label, PyObject* op);
/* The same by str(). */
void see_text(const char* label, PyObject* op);
/* `label: number`, and the exception if one is set; clears it. */
void done(const char* label, long long result);
/* The exception that is set, or that there is none; clears it. */
void raised(const char* label);
/* A borrowed exception that is not set: its class, str and, indented, its cause and context. */
void see_exception(const char* label, PyObject* exception);

/* Released when the case is over, last one first; hands its argument on. NULL ends the case: only for
 * what cannot fail. */
PyObject* T(PyObject* op);
#define S(text) T(PyUnicode_FromString(text))
#define I(value) T(PyLong_FromLongLong(value))
#define F(value) T(PyFloat_FromDouble(value))
#define V(...) T(Py_BuildValue(__VA_ARGS__))
void same_release(void);
extern jmp_buf same_way_out;

/* The address of an object that may have died, as something to compare with. */
#define ALIVE_BEFORE(op) const Py_ssize_t op##_before = Py_REFCNT(op)
/* By how much its count has changed since ALIVE_BEFORE(op). */
#define see_count(op) say("references to " #op ": %+lld", (long long)(Py_REFCNT(op) - op##_before))

/* type(name, (base,), dict), in module "same"; a new reference. The dict may be NULL. */
PyObject* derive(const char* name, PyObject* base, PyObject* dict);
#define OBJECT_TYPE ((PyObject*)&PyBaseObject_Type)
#define TYPE_TYPE ((PyObject*)&PyType_Type)
/* A method descriptor that any object may have as an attribute of its class; a new reference. */
PyObject* method_of(PyMethodDef* definition);
/* A callable of C that is called by itself; a new reference. */
PyObject* function_of(PyMethodDef* definition);
#define DEFINE(variable, name, function, flags) \
    static PyMethodDef variable = {name, (PyCFunction)(void (*)(void))(function), flags, NULL}

/* What goes to stderr in between is shown, a line each, as `stderr: ...`. */
void capture_begin(void);
void capture_end(void);

/* A container that tells of its life: `name` is shown when it is finalized, cleared and deallocated. It
 * holds one reference and may be weakly referenced. */
typedef struct {
    PyObject_HEAD
    PyObject* held;
    PyObject* weak_list;
    const char* name;
    int quiet;
    void (*on_finalize)(PyObject* self);
} Tale;
extern PyTypeObject Tale_Type;
/* New reference; takes none to `held`, which may be NULL. */
Tale* tale(const char* name, PyObject* held);
void tale_hold(Tale* self, PyObject* held);
/* How many were finalized since the program began; and how many had been at the first clear since the
 * latter was set to -1. In one collection the order among them is nobody's
 * promise: a case with several of them lets all but one be quiet, or counts. */
extern int tales_finalized;
extern int tales_finalized_at_clear;

#endif
