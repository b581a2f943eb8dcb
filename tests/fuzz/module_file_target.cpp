// Reads any bytes as a shared object that is to be imported: none of it is run, and what is said of it is
// of it alone.

#include <sys/mman.h>
#include <unistd.h>

#include "core/builtins/module/elf_file.hpp"
#include "tests/fuzz/checks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace ouro::fuzz;
    const int file = memfd_create("module", MFD_CLOEXEC);
    expect(file >= 0 && write(file, data, size) == static_cast<ssize_t>(size), "no file");
    const auto read = ouro::module::read_elf_file("/proc/self/fd/" + std::to_string(file));
    for (const auto& names : {read.wanted, read.needed}) {
        for (const std::string& name : names) {
            expect(name.find('\0') == std::string::npos, "a name with a NUL");
            expect(memmem(data, size, name.data(), name.size()) != nullptr,
                   "a name from elsewhere");
        }
    }
    close(file);
    return 0;
}
