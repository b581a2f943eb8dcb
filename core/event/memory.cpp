#include "core/event/memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace ouro::event {
namespace {

// Of a line of /proc/self/status; no allocation and no lock, which a child process could find taken.
size_t kibibytes_of(const char* key, const char* text) {
    const char* found = std::strstr(text, key);
    if (found == nullptr) {
        return 0;
    }
    found += std::strlen(key);
    found += std::strspn(found, " \t");
    size_t number = 0;
    for (; *found >= '0' && *found <= '9'; ++found) {
        number = number * 10 + static_cast<size_t>(*found - '0');
    }
    return number * 1024;
}

}  // namespace

bool read_file(const char* path, char* text, size_t bytes) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const ssize_t length = read(file, text, bytes - 1);
    close(file);
    if (length <= 0) {
        return false;
    }
    text[length] = '\0';
    return true;
}

size_t resident_bytes() {
    // The second number of statm is resident pages. No allocation: a collection may call this.
    char text[128];
    if (!read_file("/proc/self/statm", text)) {
        return 0;
    }
    size_t total = 0;
    size_t resident = 0;
    if (std::sscanf(text, "%zu %zu", &total, &resident) != 2) {
        return 0;
    }
    return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

Mapped mapped() {
    char text[4096];
    if (!read_file("/proc/self/status", text)) {
        return {};
    }
    return {kibibytes_of("\nVmRSS:", text), kibibytes_of("\nVmPTE:", text)};
}

}  // namespace ouro::event
