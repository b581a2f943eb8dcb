/* Text in C: formatting, comparing and reading numbers. Source: "String conversion and formatting" in the C API
 * documentation. The caller need not be attached unless an exception may be set. */
#ifndef OURO_STRING_CONVERSION_H
#define OURO_STRING_CONVERSION_H

#include "ouroboros/object.h"

#include <stdarg.h>

OURO_BEGIN_C

/* As snprintf and vsnprintf; there is always a zero at the end. -1 for a size that no int holds. */
PyAPI_FUNC(int) PyOS_snprintf(char* text, size_t size, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
PyAPI_FUNC(int) PyOS_vsnprintf(char* text, size_t size, const char* format, va_list arguments);
/* As strcmp and strncmp, without a difference between large and small letters of ASCII. */
PyAPI_FUNC(int) PyOS_mystricmp(const char* a, const char* b);
PyAPI_FUNC(int) PyOS_mystrnicmp(const char* a, const char* b, Py_ssize_t size);
#define PyOS_stricmp PyOS_mystricmp
#define PyOS_strnicmp PyOS_mystrnicmp
/* As strtol and strtoul; a base of 0 takes the prefixes 0x, 0o and 0b. Out of range: the bound, and ERANGE in errno. */
PyAPI_FUNC(long) PyOS_strtol(const char* text, char** end, int base);
PyAPI_FUNC(unsigned long) PyOS_strtoul(const char* text, char** end, int base);
/* A double, whatever the locale is. Where `end` is NULL all of the text must be one, else *end is where reading ended.
 * Too large: -1 with the exception `overflow`, or an infinity if that is NULL. -1 with ValueError for no number. */
PyAPI_FUNC(double) PyOS_string_to_double(const char* text, char** end, PyObject* overflow);

/* "0123456789abcdef" */
PyAPI_DATA(const char*) Py_hexdigits;

OURO_END_C

#endif
