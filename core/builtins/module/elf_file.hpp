// What a shared object says of itself before any of its code runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ouro::module {

struct ElfFile {
    std::string
        problem;  // why it cannot be loaded, in the dynamic loader's words; "": nothing known
    std::optional<uint32_t> abi;  // the version in the mark that Python.h leaves (ouroboros/abi.h)
    std::vector<std::string> wanted;  // symbols that others must have, without weak ones
    std::vector<std::string> needed;  // libraries that it names
};

// Reads the file, whatever is in it. It may be damaged, or no ELF file at all.
ElfFile read_elf_file(const std::string& place);

}  // namespace ouro::module
