/* The storage of str as CPython has it: an array of code points of one, two or four bytes each, the least width that
 * holds all of them. Source: "Unicode Objects and Codecs", "Py_UNICODE" to "Creating and accessing", "PyUnicodeWriter".
 *
 * The text is kept as UTF-8. Where all code points are ASCII, that is the array. Otherwise an array is made when it is
 * first asked for, and lives as long as the str; that costs a pass over the text, once. */
#ifndef OURO_UNICODE_DATA_H
#define OURO_UNICODE_DATA_H

#include "ouroboros/unicode.h"

OURO_BEGIN_C

/* A str of `length` code points of at most `maxchar`, all zero, to be written through PyUnicode_DATA, or by the next
 * four functions, before anybody else sees it and before it is hashed or compared. New reference; NULL with
 * SystemError for a negative length or a maxchar that is no code point, MemoryError. */
PyAPI_FUNC(PyObject*) PyUnicode_New(Py_ssize_t length, Py_UCS4 maxchar);
/* Writes one code point; 0, or -1 with IndexError, ValueError for one beyond the str's maxchar, TypeError for what is no
 * str, SystemError for a str that was not made by PyUnicode_New, or that others have or have hashed. */
PyAPI_FUNC(int) PyUnicode_WriteChar(PyObject* op, Py_ssize_t index, Py_UCS4 ch);
/* Copies `many` code points, or as many as there are, into such a str. How many; -1 with an exception, SystemError if
 * they do not fit. */
PyAPI_FUNC(Py_ssize_t) PyUnicode_CopyCharacters(PyObject* to, Py_ssize_t to_start, PyObject* from,
                                                Py_ssize_t from_start, Py_ssize_t many);
/* The same with one code point, over and over. */
PyAPI_FUNC(Py_ssize_t)
    PyUnicode_Fill(PyObject* op, Py_ssize_t start, Py_ssize_t length, Py_UCS4 ch);
/* Another length for such a str: what is new is zero. *op is replaced. 0; or -1 with an exception, and *op as it was. */
PyAPI_FUNC(int) PyUnicode_Resize(PyObject** op, Py_ssize_t length);

/* The array; a fatal error where there is no memory for it. _READY: makes it, or -1 with MemoryError, so that the rest
 * cannot fail. */
PyAPI_FUNC(void*) _Ouro_UnicodeData(PyObject* op);
PyAPI_FUNC(int) _Ouro_UnicodeReady(PyObject* op);

/* Unchecked: op is a str. The array is borrowed, lives as long as op, and is written only by who made op. There is a
 * zero behind it. */
static inline void* PyUnicode_DATA(PyObject* op) {
    const PyUnicodeObject* self = OURO_CAST(const PyUnicodeObject*, op);
    void* wide = __atomic_load_n(&self->wide, __ATOMIC_ACQUIRE);
    return wide != NULL ? wide : self->size == self->length ? self->utf8 : _Ouro_UnicodeData(op);
}
/* PyUnicode_1BYTE_KIND and so on. */
static inline int PyUnicode_KIND(PyObject* op) {
    const PyUnicodeObject* self = OURO_CAST(const PyUnicodeObject*, op);
    if (__atomic_load_n(&self->wide, __ATOMIC_ACQUIRE) == NULL) {
        if (self->size == self->length) {
            return PyUnicode_1BYTE_KIND;
        }
        _Ouro_UnicodeData(op);
    }
    return self->kind;
}
static inline int PyUnicode_IS_ASCII(PyObject* op) {
    const PyUnicodeObject* self = OURO_CAST(const PyUnicodeObject*, op);
    return self->size == self->length;
}
#define PyUnicode_DATA(op) PyUnicode_DATA(_PyObject_CAST(op))
#define PyUnicode_KIND(op) PyUnicode_KIND(_PyObject_CAST(op))
#define PyUnicode_IS_ASCII(op) PyUnicode_IS_ASCII(_PyObject_CAST(op))
#define PyUnicode_READY(op) _Ouro_UnicodeReady(_PyObject_CAST(op))
#define PyUnicode_IS_READY(op) 1
#define PyUnicode_IS_COMPACT(op) 1
#define PyUnicode_IS_COMPACT_ASCII(op) PyUnicode_IS_ASCII(op)
#define PyUnicode_1BYTE_DATA(op) OURO_CAST(Py_UCS1*, PyUnicode_DATA(op))
#define PyUnicode_2BYTE_DATA(op) OURO_CAST(Py_UCS2*, PyUnicode_DATA(op))
#define PyUnicode_4BYTE_DATA(op) OURO_CAST(Py_UCS4*, PyUnicode_DATA(op))
/* 0, or how the str is interned. */
#define PyUnicode_CHECK_INTERNED(op) \
    OURO_CAST(unsigned, OURO_CAST(PyUnicodeObject*, (op))->interned)

/* A code point of an array. */
static inline Py_UCS4 PyUnicode_READ(int kind, const void* data, Py_ssize_t index) {
    return kind == PyUnicode_1BYTE_KIND   ? OURO_CAST(const Py_UCS1*, data)[index]
           : kind == PyUnicode_2BYTE_KIND ? OURO_CAST(const Py_UCS2*, data)[index]
                                          : OURO_CAST(const Py_UCS4*, data)[index];
}
static inline void PyUnicode_WRITE(int kind, void* data, Py_ssize_t index, Py_UCS4 ch) {
    if (kind == PyUnicode_1BYTE_KIND) {
        OURO_CAST(Py_UCS1*, data)[index] = OURO_CAST(Py_UCS1, ch);
    } else if (kind == PyUnicode_2BYTE_KIND) {
        OURO_CAST(Py_UCS2*, data)[index] = OURO_CAST(Py_UCS2, ch);
    } else {
        OURO_CAST(Py_UCS4*, data)[index] = ch;
    }
}
#define PyUnicode_READ(kind, data, index) \
    PyUnicode_READ(OURO_CAST(int, (kind)), OURO_CAST(const void*, (data)), (index))
#define PyUnicode_WRITE(kind, data, index, ch) \
    PyUnicode_WRITE(OURO_CAST(int, (kind)), (data), (index), OURO_CAST(Py_UCS4, (ch)))

/* The code points as an array of four bytes each: in `buffer`, which has room for `size` of them, with a zero behind
 * if copy_null is not 0; SystemError and NULL if there is no room. Or in PyMem_ memory, the caller's, with a zero. */
PyAPI_FUNC(Py_UCS4*)
    PyUnicode_AsUCS4(PyObject* op, Py_UCS4* buffer, Py_ssize_t size, int copy_null);
PyAPI_FUNC(Py_UCS4*) PyUnicode_AsUCS4Copy(PyObject* op);
/* The same as wide characters, `size` of them at most: how many were copied, or, with no buffer, how much room all of
 * them and a zero take; -1 with an exception. In PyMem_ memory, with a zero; where `size` is NULL a zero inside is a
 * ValueError. */
PyAPI_FUNC(Py_ssize_t) PyUnicode_AsWideChar(PyObject* op, wchar_t* buffer, Py_ssize_t size);
PyAPI_FUNC(wchar_t*) PyUnicode_AsWideCharString(PyObject* op, Py_ssize_t* size);

/* Surrogates of UTF-16. */
#define Py_UNICODE_IS_SURROGATE(ch) (0xD800 <= (ch) && (ch) <= 0xDFFF)
#define Py_UNICODE_IS_HIGH_SURROGATE(ch) (0xD800 <= (ch) && (ch) <= 0xDBFF)
#define Py_UNICODE_IS_LOW_SURROGATE(ch) (0xDC00 <= (ch) && (ch) <= 0xDFFF)
#define Py_UNICODE_JOIN_SURROGATES(high, low) \
    (((OURO_CAST(Py_UCS4, (high)) & 0x3FF) << 10 | (OURO_CAST(Py_UCS4, (low)) & 0x3FF)) + 0x10000)
#define Py_UNICODE_HIGH_SURROGATE(ch) (0xD800 - (0x10000 >> 10) + ((ch) >> 10))
#define Py_UNICODE_LOW_SURROGATE(ch) (0xDC00 + ((ch)&0x3FF))

/* What a code point is: 1 or 0. */
PyAPI_FUNC(int) Py_UNICODE_ISSPACE(Py_UCS4 ch);
PyAPI_FUNC(int) Py_UNICODE_ISLOWER(Py_UCS4 ch);
PyAPI_FUNC(int) Py_UNICODE_ISUPPER(Py_UCS4 ch);
PyAPI_FUNC(int) Py_UNICODE_ISTITLE(Py_UCS4 ch);
PyAPI_FUNC(int) Py_UNICODE_ISALPHA(Py_UCS4 ch);
PyAPI_FUNC(int) Py_UNICODE_ISALNUM(Py_UCS4 ch);
PyAPI_FUNC(int) Py_UNICODE_ISDECIMAL(Py_UCS4 ch);
PyAPI_FUNC(int) Py_UNICODE_ISDIGIT(Py_UCS4 ch);
PyAPI_FUNC(int) Py_UNICODE_ISNUMERIC(Py_UCS4 ch);
PyAPI_FUNC(int) Py_UNICODE_ISLINEBREAK(Py_UCS4 ch);
PyAPI_FUNC(int) Py_UNICODE_ISPRINTABLE(Py_UCS4 ch);
/* The code point's other case, itself if it has none of one code point. */
PyAPI_FUNC(Py_UCS4) Py_UNICODE_TOLOWER(Py_UCS4 ch);
PyAPI_FUNC(Py_UCS4) Py_UNICODE_TOUPPER(Py_UCS4 ch);
PyAPI_FUNC(Py_UCS4) Py_UNICODE_TOTITLE(Py_UCS4 ch);
/* The value of a decimal digit; of any digit, such as a superscript; of any number, such as a half. -1 of anything else. */
PyAPI_FUNC(int) Py_UNICODE_TODECIMAL(Py_UCS4 ch);
PyAPI_FUNC(int) Py_UNICODE_TODIGIT(Py_UCS4 ch);
PyAPI_FUNC(double) Py_UNICODE_TONUMERIC(Py_UCS4 ch);

/* A str put together of parts. One thread; after an error it takes nothing more, and is to be discarded. */
typedef struct PyUnicodeWriter PyUnicodeWriter;
/* `length` is a guess. NULL with MemoryError, ValueError if it is negative. */
PyAPI_FUNC(PyUnicodeWriter*) PyUnicodeWriter_Create(Py_ssize_t length);
/* Frees the writer; NULL: nothing. */
PyAPI_FUNC(void) PyUnicodeWriter_Discard(PyUnicodeWriter* writer);
/* Frees the writer, too: the str (new reference), or NULL with an exception. */
PyAPI_FUNC(PyObject*) PyUnicodeWriter_Finish(PyUnicodeWriter* writer);
/* Each 0, or -1 with an exception: MemoryError, ValueError for what is no code point, UnicodeDecodeError, or what
 * str() or repr() raised. A size of -1: up to the zero. */
PyAPI_FUNC(int) PyUnicodeWriter_WriteChar(PyUnicodeWriter* writer, Py_UCS4 ch);
PyAPI_FUNC(int)
    PyUnicodeWriter_WriteUTF8(PyUnicodeWriter* writer, const char* text, Py_ssize_t size);
PyAPI_FUNC(int)
    PyUnicodeWriter_WriteASCII(PyUnicodeWriter* writer, const char* text, Py_ssize_t size);
PyAPI_FUNC(int)
    PyUnicodeWriter_WriteUCS4(PyUnicodeWriter* writer, const Py_UCS4* text, Py_ssize_t size);
PyAPI_FUNC(int)
    PyUnicodeWriter_WriteWideChar(PyUnicodeWriter* writer, const wchar_t* text, Py_ssize_t size);
PyAPI_FUNC(int) PyUnicodeWriter_WriteStr(PyUnicodeWriter* writer, PyObject* op);
PyAPI_FUNC(int) PyUnicodeWriter_WriteRepr(PyUnicodeWriter* writer, PyObject* op);
PyAPI_FUNC(int) PyUnicodeWriter_WriteSubstring(PyUnicodeWriter* writer, PyObject* op,
                                               Py_ssize_t start, Py_ssize_t end);
PyAPI_FUNC(int) PyUnicodeWriter_Format(PyUnicodeWriter* writer, const char* format, ...);

/* The writer that CPython's own sources had before there was a public one, as authors use it: in the caller's memory,
 * filled with zeros by _Init, and then finished or, after an error, deallocated. The fields are hints. */
typedef struct {
    PyUnicodeWriter* made;
    Py_ssize_t min_length;
    unsigned char overallocate;
} _PyUnicodeWriter;
PyAPI_FUNC(void) _PyUnicodeWriter_Init(_PyUnicodeWriter* writer);
PyAPI_FUNC(int) _PyUnicodeWriter_WriteChar(_PyUnicodeWriter* writer, Py_UCS4 ch);
PyAPI_FUNC(int) _PyUnicodeWriter_WriteStr(_PyUnicodeWriter* writer, PyObject* op);
PyAPI_FUNC(int) _PyUnicodeWriter_WriteSubstring(_PyUnicodeWriter* writer, PyObject* op,
                                                Py_ssize_t start, Py_ssize_t end);
PyAPI_FUNC(int)
    _PyUnicodeWriter_WriteASCIIString(_PyUnicodeWriter* writer, const char* text, Py_ssize_t size);
PyAPI_FUNC(int)
    _PyUnicodeWriter_WriteLatin1String(_PyUnicodeWriter* writer, const char* text, Py_ssize_t size);
PyAPI_FUNC(PyObject*) _PyUnicodeWriter_Finish(_PyUnicodeWriter* writer);
PyAPI_FUNC(void) _PyUnicodeWriter_Dealloc(_PyUnicodeWriter* writer);

OURO_END_C

#endif
