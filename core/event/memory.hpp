// What the system says of the memory of this process.
#pragma once

#include <cstddef>

namespace ouro::event {

size_t resident_bytes();

// What fits of a file, as a string. Whether it could be read. Neither locks nor allocates.
bool read_file(const char* path, char* text, size_t bytes);
template <size_t kBytes>
bool read_file(const char* path, char (&text)[kBytes]) {
    return read_file(path, text, kBytes);
}

// Of the calling process; 0 where the system does not say. Neither locks nor allocates.
struct Mapped {
    size_t resident_bytes;
    size_t page_table_bytes;
};
Mapped mapped();

}  // namespace ouro::event
