// Items of memory as objects, by their format. Source: "Format Characters" of the module struct, and "memoryview".
#pragma once

#include "core/include/Python.h"

namespace ouro::container {

// The format of an exporter that says none.
inline constexpr char kBytes[] = "B";

// The letter of a format that is one of the platform's own types, which may have an @ before it; 0 if it is not.
char native_letter(const char* format);
// Such a format as a text that is there for ever; nullptr if it is none. *itemsize: its bytes.
const char* lasting_format(const char* format, Py_ssize_t* itemsize);
inline bool is_byte(char letter) {
    return letter == 'b' || letter == 'B' || letter == 'c';
}

// The most bytes of an item that pack_item writes.
inline constexpr Py_ssize_t kLargestItem = 8;

// A new reference; nullptr with NotImplementedError for a format that is not the platform's own, MemoryError.
PyObject* unpack_item(const void* item, const char* format);
// Writes the item that a value is. False with NotImplementedError, TypeError or ValueError, or what the value raised.
bool pack_item(void* item, PyObject* value, const char* format);

// Whether two items are the same value: 1, 0, or -1 with an exception. Items of more than one value are where they have
// the same format, without padding and floats, and the same bytes.
int same_items(const void* a, const Py_buffer& view_a, const void* b, const Py_buffer& view_b);

}  // namespace ouro::container
