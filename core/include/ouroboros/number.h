/* int, bool and float, and the number protocol. */
#ifndef OURO_NUMBER_H
#define OURO_NUMBER_H

#include <math.h>

#include "ouroboros/methods.h"

OURO_BEGIN_C

/* An int of any size: what a long holds is in the object, the rest has memory of its own. A type of
 * C may begin with one. Zero bytes are the number 0. */
typedef struct {
    PyObject_HEAD
    long ob_value;                /* where ob_big is NULL */
    struct _ouro_big_int* ob_big; /* a value that no long holds */
} PyLongObject;

PyAPI_DATA(PyTypeObject) PyLong_Type;
#define PyLong_Check(op) PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_LONG_SUBCLASS)
#define PyLong_CheckExact(op) Py_IS_TYPE((op), &PyLong_Type)

/* New references, or NULL with MemoryError; the integers from -5 to 256 are shared and immortal. */
PyAPI_FUNC(PyObject*) PyLong_FromLong(long value);
PyAPI_FUNC(PyObject*) PyLong_FromUnsignedLong(unsigned long value);
PyAPI_FUNC(PyObject*) PyLong_FromLongLong(long long value);
PyAPI_FUNC(PyObject*) PyLong_FromUnsignedLongLong(unsigned long long value);
PyAPI_FUNC(PyObject*) PyLong_FromSsize_t(Py_ssize_t value);
PyAPI_FUNC(PyObject*) PyLong_FromSize_t(size_t value);
PyAPI_FUNC(PyObject*) PyLong_FromVoidPtr(void* p);
/* The whole part; OverflowError for an infinity, ValueError for a NaN. */
PyAPI_FUNC(PyObject*) PyLong_FromDouble(double value);
/* Reads an int in base 2 to 36, or as a literal says where base is 0; space around it and single
 * underscores between digits are allowed. *end, unless end is NULL, is where reading ended. NULL with
 * ValueError. */
PyAPI_FUNC(PyObject*) PyLong_FromString(const char* text, char** end, int base);
PyAPI_FUNC(PyObject*) PyLong_FromUnicodeObject(PyObject* text, int base);

/* -1 with OverflowError where the C type does not hold the value. Those for long, int and long long,
 * and the masks, which never overflow, take what has __index__; the others want an int: TypeError. */
PyAPI_FUNC(long) PyLong_AsLong(PyObject* op);
PyAPI_FUNC(int) PyLong_AsInt(PyObject* op);
PyAPI_FUNC(long long) PyLong_AsLongLong(PyObject* op);
PyAPI_FUNC(Py_ssize_t) PyLong_AsSsize_t(PyObject* op);
PyAPI_FUNC(unsigned long) PyLong_AsUnsignedLong(PyObject* op);
PyAPI_FUNC(unsigned long long) PyLong_AsUnsignedLongLong(PyObject* op);
PyAPI_FUNC(size_t) PyLong_AsSize_t(PyObject* op);
PyAPI_FUNC(unsigned long) PyLong_AsUnsignedLongMask(PyObject* op);
PyAPI_FUNC(unsigned long long) PyLong_AsUnsignedLongLongMask(PyObject* op);
/* Where the value is too large *overflow is 1 or -1, its sign, else 0; no exception. */
PyAPI_FUNC(long) PyLong_AsLongAndOverflow(PyObject* op, int* overflow);
PyAPI_FUNC(long long) PyLong_AsLongLongAndOverflow(PyObject* op, int* overflow);
/* The nearest double, of two the even one. */
PyAPI_FUNC(double) PyLong_AsDouble(PyObject* op);
/* NULL with an exception where no pointer has the value. */
PyAPI_FUNC(void*) PyLong_AsVoidPtr(PyObject* op);
/* By width. _From: new references, or NULL with MemoryError. _As: 0, or -1 with TypeError or OverflowError. */
PyAPI_FUNC(PyObject*) PyLong_FromInt32(int32_t value);
PyAPI_FUNC(PyObject*) PyLong_FromUInt32(uint32_t value);
PyAPI_FUNC(PyObject*) PyLong_FromInt64(int64_t value);
PyAPI_FUNC(PyObject*) PyLong_FromUInt64(uint64_t value);
PyAPI_FUNC(int) PyLong_AsInt32(PyObject* op, int32_t* value);
PyAPI_FUNC(int) PyLong_AsUInt32(PyObject* op, uint32_t* value);
PyAPI_FUNC(int) PyLong_AsInt64(PyObject* op, int64_t* value);
PyAPI_FUNC(int) PyLong_AsUInt64(PyObject* op, uint64_t* value);
#define PyLong_FromPid PyLong_FromLong
#define PyLong_AsPid PyLong_AsInt

PyAPI_DATA(PyTypeObject) PyBool_Type;
PyAPI_DATA(PyLongObject) _Py_TrueStruct;
PyAPI_DATA(PyLongObject) _Py_FalseStruct;
#define Py_True (OURO_CAST(PyObject*, &_Py_TrueStruct))
#define Py_False (OURO_CAST(PyObject*, &_Py_FalseStruct))
#define Py_RETURN_TRUE return Py_True
#define Py_RETURN_FALSE return Py_False
#define Py_IsTrue(op) Py_Is((op), Py_True)
#define Py_IsFalse(op) Py_Is((op), Py_False)
#define PyBool_Check(op) Py_IS_TYPE((op), &PyBool_Type)
PyAPI_FUNC(PyObject*) PyBool_FromLong(long value);

typedef struct {
    PyObject_HEAD
    double ob_fval;
} PyFloatObject;

PyAPI_DATA(PyTypeObject) PyFloat_Type;
#define PyFloat_Check(op) PyObject_TypeCheck((op), &PyFloat_Type)
#define PyFloat_CheckExact(op) Py_IS_TYPE((op), &PyFloat_Type)
#define PyFloat_AS_DOUBLE(op) (OURO_CAST(PyFloatObject*, (op))->ob_fval)
PyAPI_FUNC(PyObject*) PyFloat_FromDouble(double value);
/* What a str, or an object with a buffer, says: ValueError if it is no number, TypeError for others. */
PyAPI_FUNC(PyObject*) PyFloat_FromString(PyObject* text);
/* The value of a float, or of what has __float__ or __index__; -1 with an exception. */
PyAPI_FUNC(double) PyFloat_AsDouble(PyObject* op);
PyAPI_FUNC(double) PyFloat_GetMax(void);
/* The least normal positive double. */
PyAPI_FUNC(double) PyFloat_GetMin(void);
/* What <float.h> says of a double, as a tuple with names; new reference, or NULL with MemoryError. */
PyAPI_FUNC(PyObject*) PyFloat_GetInfo(void);

/* Text of a double by a letter: e f g (E F G), with a precision, or r, the shortest that reads as the same, with
 * precision 0. Flags: always a sign; .0 behind a whole number; the form of '#'; no minus of zero. PyMem_ memory, the
 * caller's; *type, unless type is NULL, says what the value is. NULL with MemoryError, or SystemError for another
 * letter. */
#define Py_DTSF_SIGN 1
#define Py_DTSF_ADD_DOT_0 2
#define Py_DTSF_ALT 4
#define Py_DTSF_NO_NEG_0 8
#define Py_DTST_FINITE 0
#define Py_DTST_INFINITE 1
#define Py_DTST_NAN 2
PyAPI_FUNC(char*)
    PyOS_double_to_string(double value, char letter, int precision, int flags, int* type);

#define Py_IS_NAN(x) isnan(x)
#define Py_IS_INFINITY(x) isinf(x)
#define Py_IS_FINITE(x) isfinite(x)
#define Py_INFINITY ((double)INFINITY)
#define Py_HUGE_VAL HUGE_VAL
#define Py_NAN ((double)NAN)
#define Py_MATH_PI 3.14159265358979323846
#define Py_MATH_E 2.7182818284590452354
#define Py_MATH_PIl 3.1415926535897932384626433832795029L
#define Py_MATH_El 2.7182818284590452353602874713526625L
#define Py_MATH_TAU 6.2831853071795864769
#define Py_RETURN_NAN return PyFloat_FromDouble(Py_NAN)
#define Py_RETURN_INF(sign) return PyFloat_FromDouble(copysign(Py_INFINITY, (sign)))

/* The operations of the number protocol. Each returns a new reference, or NULL with an exception:
 * TypeError where neither type has the operation for the other. The slot of the right operand comes
 * first if its type is derived from the left one's and has a slot of its own. + and * are also those
 * of sequences. */
PyAPI_FUNC(PyObject*) PyNumber_Add(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_Subtract(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_Multiply(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_MatrixMultiply(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_FloorDivide(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_TrueDivide(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_Remainder(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_Divmod(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_Lshift(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_Rshift(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_And(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_Xor(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_Or(PyObject* x, PyObject* y);
/* `modulus` may be Py_None. */
PyAPI_FUNC(PyObject*) PyNumber_Power(PyObject* x, PyObject* y, PyObject* modulus);
PyAPI_FUNC(PyObject*) PyNumber_Negative(PyObject* op);
PyAPI_FUNC(PyObject*) PyNumber_Positive(PyObject* op);
PyAPI_FUNC(PyObject*) PyNumber_Absolute(PyObject* op);
PyAPI_FUNC(PyObject*) PyNumber_Invert(PyObject* op);

/* The same for x += y and so on: the left operand's in-place slot first, which may change and return
 * it. */
PyAPI_FUNC(PyObject*) PyNumber_InPlaceAdd(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlaceSubtract(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlaceMultiply(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlaceMatrixMultiply(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlaceFloorDivide(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlaceTrueDivide(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlaceRemainder(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlaceLshift(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlaceRshift(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlaceAnd(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlaceXor(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlaceOr(PyObject* x, PyObject* y);
PyAPI_FUNC(PyObject*) PyNumber_InPlacePower(PyObject* x, PyObject* y, PyObject* modulus);

/* Whether op has one of nb_int, nb_float and nb_index, or is a complex. 0 for NULL. */
PyAPI_FUNC(int) PyNumber_Check(PyObject* op);
PyAPI_FUNC(int) PyIndex_Check(PyObject* op);
/* int(op), float(op), operator.index(op): exactly an int or float (new reference), or NULL with an
 * exception. */
PyAPI_FUNC(PyObject*) PyNumber_Long(PyObject* op);
PyAPI_FUNC(PyObject*) PyNumber_Float(PyObject* op);
PyAPI_FUNC(PyObject*) PyNumber_Index(PyObject* op);
/* The value of what has __index__. Where it does not fit, `error` is raised; the nearest bound is
 * returned if `error` is NULL. -1 with an exception. */
PyAPI_FUNC(Py_ssize_t) PyNumber_AsSsize_t(PyObject* op, PyObject* error);
/* The str of an int in base 2, 8, 10 or 16, with the prefix 0b, 0o or 0x. */
PyAPI_FUNC(PyObject*) PyNumber_ToBase(PyObject* op, int base);

OURO_END_C

#endif
