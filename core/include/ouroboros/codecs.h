/* More encodings of str, and the registry of codecs and error handlers. Source: "Unicode Objects and Codecs", Built-in
 * Codecs, and "Codec registry and support functions" in the C API documentation.
 *
 * The encodings that are here by themselves: UTF-8, ASCII, Latin-1, UTF-16 and UTF-32 (with a byte order mark, or -LE and
 * -BE without), UTF-7, unicode_escape and raw_unicode_escape. The error handlers: strict (NULL), ignore, replace,
 * xmlcharrefreplace, backslashreplace, surrogateescape and surrogatepass. Others can be registered, for the rest of the
 * runtime. There is no namereplace, for there are no names of code points.
 *
 * Unless a comment says otherwise a function returns a new reference, or NULL with an exception: UnicodeDecodeError or
 * UnicodeEncodeError for what cannot be, LookupError for an unknown name, SystemError for a negative size. */
#ifndef OURO_CODECS_H
#define OURO_CODECS_H

#include "ouroboros/unicode.h"
#include "ouroboros/unicode_data.h"

OURO_BEGIN_C

/* *byteorder: -1 the least byte first, 1 the most, 0 as a mark at the beginning says, which is left out then, or the
 * machine's; it is set to what was found. NULL is 0. _Stateful: what the end cuts off is no error, *consumed bytes were
 * used; where consumed is NULL it is the same as without. */
PyAPI_FUNC(PyObject*)
    PyUnicode_DecodeUTF16(const char* bytes, Py_ssize_t size, const char* errors, int* byteorder);
PyAPI_FUNC(PyObject*)
    PyUnicode_DecodeUTF16Stateful(const char* bytes, Py_ssize_t size, const char* errors,
                                  int* byteorder, Py_ssize_t* consumed);
PyAPI_FUNC(PyObject*)
    PyUnicode_DecodeUTF32(const char* bytes, Py_ssize_t size, const char* errors, int* byteorder);
PyAPI_FUNC(PyObject*)
    PyUnicode_DecodeUTF32Stateful(const char* bytes, Py_ssize_t size, const char* errors,
                                  int* byteorder, Py_ssize_t* consumed);
/* A mark and the machine's order. */
PyAPI_FUNC(PyObject*) PyUnicode_AsUTF16String(PyObject* op);
PyAPI_FUNC(PyObject*) PyUnicode_AsUTF32String(PyObject* op);

PyAPI_FUNC(PyObject*) PyUnicode_DecodeUTF7(const char* bytes, Py_ssize_t size, const char* errors);
PyAPI_FUNC(PyObject*) PyUnicode_DecodeUTF7Stateful(const char* bytes, Py_ssize_t size,
                                                   const char* errors, Py_ssize_t* consumed);

/* The escapes of literals; the raw ones are \uXXXX and \UXXXXXXXX alone. An escape by name (\N) is an error: there are no
 * names here. */
PyAPI_FUNC(PyObject*)
    PyUnicode_DecodeUnicodeEscape(const char* bytes, Py_ssize_t size, const char* errors);
PyAPI_FUNC(PyObject*) PyUnicode_AsUnicodeEscapeString(PyObject* op);
PyAPI_FUNC(PyObject*)
    PyUnicode_DecodeRawUnicodeEscape(const char* bytes, Py_ssize_t size, const char* errors);
PyAPI_FUNC(PyObject*) PyUnicode_AsRawUnicodeEscapeString(PyObject* op);

/* Each byte is what mapping[byte] says: a str, the number of a code point, or, as a LookupError, None and U+FFFE do,
 * that it has no meaning. A str is a mapping, too. NULL: Latin-1. */
PyAPI_FUNC(PyObject*) PyUnicode_DecodeCharmap(const char* bytes, Py_ssize_t size, PyObject* mapping,
                                              const char* errors);
/* Each code point is what mapping[number] says: bytes, the number of a byte, or none. */
PyAPI_FUNC(PyObject*) PyUnicode_AsCharmapString(PyObject* op, PyObject* mapping);
/* A mapping for the latter from a str whose code points are the meanings of the bytes from 0 on. */
PyAPI_FUNC(PyObject*) PyUnicode_BuildEncodingMap(PyObject* string);

/* The encoding of the system is UTF-8. Error handlers: strict and surrogateescape; ValueError for others, and for a zero
 * inside where the size is not given. */
PyAPI_FUNC(PyObject*)
    PyUnicode_DecodeLocaleAndSize(const char* bytes, Py_ssize_t size, const char* errors);
PyAPI_FUNC(PyObject*) PyUnicode_DecodeLocale(const char* text, const char* errors);
PyAPI_FUNC(PyObject*) PyUnicode_EncodeLocale(PyObject* op, const char* errors);
/* "utf-8", for ever. */
PyAPI_FUNC(const char*) PyUnicode_GetDefaultEncoding(void);

/* What stands for what cannot be decoded. */
#define Py_UNICODE_REPLACEMENT_CHARACTER OURO_CAST(Py_UCS4, 0xFFFD)

/* As PyUnicode_DecodeUTF8Stateful: 0, or -1 with an exception. */
PyAPI_FUNC(int)
    PyUnicodeWriter_DecodeUTF8Stateful(PyUnicodeWriter* writer, const char* bytes, Py_ssize_t size,
                                       const char* errors, Py_ssize_t* consumed);

/* --- The registry --- */

/* search(name) is called with the name of an encoding in lower case, in which what is no letter, digit or dot is an
 * underscore. It returns a tuple of four, or None if it knows no such encoding: an encoder and a decoder, which are
 * called with an object and perhaps the name of an error handler and return a tuple of the result and a number, and what
 * makes a reader and a writer of a stream. What was found is remembered. 0, or -1 with TypeError for what cannot be
 * called. */
PyAPI_FUNC(int) PyCodec_Register(PyObject* search);
/* Forgets the function, and all that was found; 0 also if it was not registered. */
PyAPI_FUNC(int) PyCodec_Unregister(PyObject* search);
/* 1 or 0; never fails. */
PyAPI_FUNC(int) PyCodec_KnownEncoding(const char* encoding);
/* Of any object by any codec. `errors` may be NULL. TypeError if the codec does not return a tuple of two. */
PyAPI_FUNC(PyObject*) PyCodec_Encode(PyObject* op, const char* encoding, const char* errors);
PyAPI_FUNC(PyObject*) PyCodec_Decode(PyObject* op, const char* encoding, const char* errors);
/* The parts of a codec. What is here by itself has an encoder and a decoder alone: for the others LookupError. */
PyAPI_FUNC(PyObject*) PyCodec_Encoder(const char* encoding);
PyAPI_FUNC(PyObject*) PyCodec_Decoder(const char* encoding);
PyAPI_FUNC(PyObject*) PyCodec_IncrementalEncoder(const char* encoding, const char* errors);
PyAPI_FUNC(PyObject*) PyCodec_IncrementalDecoder(const char* encoding, const char* errors);
PyAPI_FUNC(PyObject*)
    PyCodec_StreamReader(const char* encoding, PyObject* stream, const char* errors);
PyAPI_FUNC(PyObject*)
    PyCodec_StreamWriter(const char* encoding, PyObject* stream, const char* errors);

/* handler(exception) returns a tuple of what stands for the part that the exception names, a str (or bytes, where it
 * encodes), and the position where to go on, which counts from the end if it is negative; or raises. 0, or -1 with
 * TypeError for what cannot be called. */
PyAPI_FUNC(int) PyCodec_RegisterError(const char* name, PyObject* handler);
/* The handler of that name; NULL is strict. */
PyAPI_FUNC(PyObject*) PyCodec_LookupError(const char* name);
/* The handlers, called. TypeError for an exception that they cannot handle. _Strict raises it. */
PyAPI_FUNC(PyObject*) PyCodec_StrictErrors(PyObject* exception);
PyAPI_FUNC(PyObject*) PyCodec_IgnoreErrors(PyObject* exception);
PyAPI_FUNC(PyObject*) PyCodec_ReplaceErrors(PyObject* exception);
PyAPI_FUNC(PyObject*) PyCodec_XMLCharRefReplaceErrors(PyObject* exception);
PyAPI_FUNC(PyObject*) PyCodec_BackslashReplaceErrors(PyObject* exception);

OURO_END_C

#endif
