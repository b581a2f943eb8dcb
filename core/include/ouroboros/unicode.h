/* str. The text is kept as UTF-8, so that handing it out as such costs nothing; code points are
 * found by their number in constant time where all are ASCII, or there is an array of them
 * (unicode_data.h), else by a scan. A lone surrogate is kept as the three bytes that its number
 * gives ("surrogatepass").
 *
 * Indexes count code points. Where they give a range, those beyond the text are cut off and
 * negative ones count from the end, unless a comment says otherwise. Unless one says otherwise a
 * function that returns an object returns a new reference, or NULL with an exception. */
#ifndef OURO_UNICODE_H
#define OURO_UNICODE_H

#include <stdarg.h>
#include <stddef.h>
#include <wchar.h>

#include "ouroboros/typeobject.h"

OURO_BEGIN_C

typedef wchar_t Py_UNICODE; /* not what a str is made of */
typedef uint32_t Py_UCS4;
typedef uint16_t Py_UCS2;
typedef uint8_t Py_UCS1;

/* A C type derived from str begins with this; its objects are made by PyUnicode_Type.tp_new. */
typedef struct {
    PyObject_HEAD
    Py_hash_t hash;    /* -1 until it is computed */
    Py_ssize_t size;   /* bytes, without the zero that ends the text; -1 where utf8 is NULL */
    Py_ssize_t length; /* code points */
    char*
        utf8; /* behind these fields; of a subclass, memory of its own; NULL: `wide` is the text */
    void* wide;             /* NULL, or code points of `kind` bytes each: unicode_data.h */
    uint8_t interned;       /* 0: not; 1: as long as somebody has it; 2: for ever */
    uint8_t has_surrogates; /* then it is not UTF-8 for others */
    uint8_t kind;           /* of `wide` */
    uint8_t writable; /* made by PyUnicode_New: there is room for any UTF-8 behind these fields */
} PyUnicodeObject;

typedef PyUnicodeObject PyASCIIObject, PyCompactUnicodeObject;

PyAPI_DATA(PyTypeObject) PyUnicode_Type;
#define PyUnicode_Check(op) PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_UNICODE_SUBCLASS)
#define PyUnicode_CheckExact(op) Py_IS_TYPE((op), &PyUnicode_Type)

/* --- Making --- */

/* The text is UTF-8 and is copied; UnicodeDecodeError if it is not, SystemError for a negative size
 * and for no text with a size. */
PyAPI_FUNC(PyObject*) PyUnicode_FromString(const char* text);
PyAPI_FUNC(PyObject*) PyUnicode_FromStringAndSize(const char* text, Py_ssize_t size);
/* Of one code point; ValueError beyond 0x10FFFF. */
PyAPI_FUNC(PyObject*) PyUnicode_FromOrdinal(int ordinal);
/* `size` code points of `kind` bytes each. */
enum PyUnicode_Kind {
    PyUnicode_1BYTE_KIND = 1,
    PyUnicode_2BYTE_KIND = 2,
    PyUnicode_4BYTE_KIND = 4
};
PyAPI_FUNC(PyObject*) PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t size);
/* size may be -1: up to the zero. */
PyAPI_FUNC(PyObject*) PyUnicode_FromWideChar(const wchar_t* text, Py_ssize_t size);
/* An exact str: op itself, or a copy of what is of a subclass. TypeError for anything else. */
PyAPI_FUNC(PyObject*) PyUnicode_FromObject(PyObject* op);
/* The format is ASCII. Conversions: %% %c %d %i %u %o %x %X %p %s %A %U %V %S %R %T %N, all but the
 * first with flags (- 0, # of T and N), %c and %p excepted a width and a precision (* too), the
 * integers with l ll z t j, %s and %V with l (wide characters). SystemError for anything else. */
PyAPI_FUNC(PyObject*) PyUnicode_FromFormat(const char* format, ...);
PyAPI_FUNC(PyObject*) PyUnicode_FromFormatV(const char* format, va_list arguments);

/* --- Encodings: those of codecs.h and those that are registered, by their names; NULL is UTF-8. Error handlers in the
 * same way, NULL is strict. LookupError for others, UnicodeDecodeError and UnicodeEncodeError for what cannot be. --- */

PyAPI_FUNC(PyObject*)
    PyUnicode_Decode(const char* bytes, Py_ssize_t size, const char* encoding, const char* errors);
PyAPI_FUNC(PyObject*) PyUnicode_DecodeUTF8(const char* bytes, Py_ssize_t size, const char* errors);
/* Where consumed is not NULL a sequence that the end cuts off is no error: *consumed bytes are
 * used. */
PyAPI_FUNC(PyObject*) PyUnicode_DecodeUTF8Stateful(const char* bytes, Py_ssize_t size,
                                                   const char* errors, Py_ssize_t* consumed);
PyAPI_FUNC(PyObject*) PyUnicode_DecodeASCII(const char* bytes, Py_ssize_t size, const char* errors);
PyAPI_FUNC(PyObject*)
    PyUnicode_DecodeLatin1(const char* bytes, Py_ssize_t size, const char* errors);
/* Names of files: UTF-8 with surrogateescape. */
PyAPI_FUNC(PyObject*) PyUnicode_DecodeFSDefault(const char* text);
PyAPI_FUNC(PyObject*) PyUnicode_DecodeFSDefaultAndSize(const char* text, Py_ssize_t size);
PyAPI_FUNC(PyObject*) PyUnicode_EncodeFSDefault(PyObject* op);
/* Converters for the format O& of PyArg_Parse*: a path, which is a str, bytes or has __fspath__, as bytes or as a str
 * in *result (new reference): 1, or Py_CLEANUP_SUPPORTED; 0 with an exception, ValueError for a zero inside. With NULL
 * for the path the reference in *result is dropped. */
PyAPI_FUNC(int) PyUnicode_FSConverter(PyObject* path, void* result);
PyAPI_FUNC(int) PyUnicode_FSDecoder(PyObject* path, void* result);
/* The path itself if it is a str or bytes, else what its __fspath__ says. New reference; NULL with TypeError. */
PyAPI_FUNC(PyObject*) PyOS_FSPath(PyObject* path);
/* What bytes say. TypeError for other objects and for a str. */
PyAPI_FUNC(PyObject*)
    PyUnicode_FromEncodedObject(PyObject* op, const char* encoding, const char* errors);

/* Borrowed, ends with a zero byte, lives as long as op. NULL with TypeError if op is not a str,
 * with UnicodeEncodeError if it has surrogates; *size, where size is not NULL, is -1 then. */
PyAPI_FUNC(const char*) PyUnicode_AsUTF8(PyObject* op);
PyAPI_FUNC(const char*) PyUnicode_AsUTF8AndSize(PyObject* op, Py_ssize_t* size);
/* New bytes. TypeError if op is not a str. */
PyAPI_FUNC(PyObject*) PyUnicode_AsUTF8String(PyObject* op);
PyAPI_FUNC(PyObject*) PyUnicode_AsASCIIString(PyObject* op);
PyAPI_FUNC(PyObject*) PyUnicode_AsLatin1String(PyObject* op);
PyAPI_FUNC(PyObject*)
    PyUnicode_AsEncodedString(PyObject* op, const char* encoding, const char* errors);

/* --- Code points --- */

/* -1 with TypeError if op is not a str. */
PyAPI_FUNC(Py_ssize_t) PyUnicode_GetLength(PyObject* op);
/* (Py_UCS4)-1 with TypeError or, outside the text, IndexError; negative indexes are outside. */
PyAPI_FUNC(Py_UCS4) PyUnicode_ReadChar(PyObject* op, Py_ssize_t index);
/* From start up to end. IndexError for a negative one. */
PyAPI_FUNC(PyObject*) PyUnicode_Substring(PyObject* op, Py_ssize_t start, Py_ssize_t end);

PyAPI_FUNC(Py_UCS4) _Ouro_UnicodeReadChar(PyObject* op, Py_ssize_t index);
PyAPI_FUNC(Py_UCS4) _Ouro_UnicodeMaxCharValue(PyObject* op);

/* Unchecked: op is a str, the index inside it. */
static inline Py_ssize_t PyUnicode_GET_LENGTH(PyObject* op) {
    return OURO_CAST(PyUnicodeObject*, op)->length;
}
static inline Py_UCS4 PyUnicode_READ_CHAR(PyObject* op, Py_ssize_t index) {
    const PyUnicodeObject* self = OURO_CAST(const PyUnicodeObject*, op);
    return self->size == self->length ? OURO_CAST(Py_UCS4, self->utf8[index])
                                      : _Ouro_UnicodeReadChar(op, index);
}
#define PyUnicode_GET_LENGTH(op) PyUnicode_GET_LENGTH(_PyObject_CAST(op))
#define PyUnicode_READ_CHAR(op, index) PyUnicode_READ_CHAR(_PyObject_CAST(op), (index))
/* A bound of the code points: 127, 255, 0xFFFF or 0x10FFFF. */
#define PyUnicode_MAX_CHAR_VALUE(op) _Ouro_UnicodeMaxCharValue(_PyObject_CAST(op))

/* --- Parts. TypeError for arguments that are not strs. --- */

PyAPI_FUNC(PyObject*) PyUnicode_Concat(PyObject* left, PyObject* right);
/* Replaces *left by *left + right, stealing what was there; *left is NULL with an exception. */
PyAPI_FUNC(void) PyUnicode_Append(PyObject** left, PyObject* right);
/* So too, and drops the reference to right. */
PyAPI_FUNC(void) PyUnicode_AppendAndDel(PyObject** left, PyObject* right);
/* The strs of an iterable with a separator between them: a space if it is NULL. */
PyAPI_FUNC(PyObject*) PyUnicode_Join(PyObject* separator, PyObject* sequence);
/* A list. At white space if separator is NULL, and then without empty strs; at most that many cuts
 * unless it is negative. ValueError for an empty separator. */
PyAPI_FUNC(PyObject*) PyUnicode_Split(PyObject* op, PyObject* separator, Py_ssize_t most);
/* The same with the cuts counted from the end. */
PyAPI_FUNC(PyObject*) PyUnicode_RSplit(PyObject* op, PyObject* separator, Py_ssize_t most);
/* A tuple: what is before the separator's first place, or its last, the separator, and what is behind it. Where it
 * is not found all is before it, or behind it. ValueError for an empty separator. */
PyAPI_FUNC(PyObject*) PyUnicode_Partition(PyObject* op, PyObject* separator);
PyAPI_FUNC(PyObject*) PyUnicode_RPartition(PyObject* op, PyObject* separator);
/* Each code point replaced by what table[number] says: a str, the number of another, None for nothing; itself where
 * that is a LookupError. `errors` is not used. */
PyAPI_FUNC(PyObject*) PyUnicode_Translate(PyObject* op, PyObject* table, const char* errors);
/* A list of the lines; what ends them is kept if keep_ends is not 0. */
PyAPI_FUNC(PyObject*) PyUnicode_Splitlines(PyObject* op, int keep_ends);
/* The first `most` places, or all of them if it is negative. */
PyAPI_FUNC(PyObject*)
    PyUnicode_Replace(PyObject* op, PyObject* old, PyObject* with, Py_ssize_t most);

/* The first place in the range, or the last if direction is negative; -1 if there is none, -2 with
 * an exception. */
PyAPI_FUNC(Py_ssize_t)
    PyUnicode_Find(PyObject* op, PyObject* part, Py_ssize_t start, Py_ssize_t end, int direction);
PyAPI_FUNC(Py_ssize_t)
    PyUnicode_FindChar(PyObject* op, Py_UCS4 ch, Py_ssize_t start, Py_ssize_t end, int direction);
/* How often, without overlaps; -1 with an exception. */
PyAPI_FUNC(Py_ssize_t)
    PyUnicode_Count(PyObject* op, PyObject* part, Py_ssize_t start, Py_ssize_t end);
/* Whether the range ends with part, or begins with it if direction is negative; -1 with an
 * exception. */
PyAPI_FUNC(Py_ssize_t) PyUnicode_Tailmatch(PyObject* op, PyObject* part, Py_ssize_t start,
                                           Py_ssize_t end, int direction);
/* 1, 0, or -1 with TypeError. */
PyAPI_FUNC(int) PyUnicode_Contains(PyObject* op, PyObject* part);

/* format % args: a tuple of arguments, a mapping, or one argument. */
PyAPI_FUNC(PyObject*) PyUnicode_Format(PyObject* format, PyObject* args);

/* --- Comparing --- */

/* -1, 0 or 1; -1 with TypeError if one is not a str. */
PyAPI_FUNC(int) PyUnicode_Compare(PyObject* left, PyObject* right);
/* op is a str; the text is Latin-1. Never fails. */
PyAPI_FUNC(int) PyUnicode_CompareWithASCIIString(PyObject* op, const char* text);
/* op is a str; the text is UTF-8, 0 if it is not. Never fails. */
PyAPI_FUNC(int) PyUnicode_EqualToUTF8(PyObject* op, const char* text);
PyAPI_FUNC(int) PyUnicode_EqualToUTF8AndSize(PyObject* op, const char* text, Py_ssize_t size);
/* 1 or 0; -1 with TypeError if one is not a str. */
PyAPI_FUNC(int) PyUnicode_Equal(PyObject* left, PyObject* right);
/* True, False, or NotImplemented if one is not a str. */
PyAPI_FUNC(PyObject*) PyUnicode_RichCompare(PyObject* left, PyObject* right, int operation);
/* Whether the text is a name of the language; op is a str. */
PyAPI_FUNC(int) PyUnicode_IsIdentifier(PyObject* op);

/* --- Interned strs: one for each text, so that they are equal only if they are the same. Where
 * memory is out they are as they were, and not interned. --- */

/* Replaces *op by the interned str that equals it: *op itself if there is none. It is forgotten
 * when nobody has it any more. Does nothing to what is not exactly a str. The reference is still
 * the caller's. */
PyAPI_FUNC(void) PyUnicode_InternInPlace(PyObject** op);
/* A str that stays for ever, unless one that equals it is interned already. */
PyAPI_FUNC(PyObject*) PyUnicode_InternFromString(const char* text);

OURO_END_C

#endif
