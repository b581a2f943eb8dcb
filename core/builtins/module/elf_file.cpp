#include "core/builtins/module/elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>

namespace ouro::module {
namespace {

constexpr std::string_view kOwner{"Ouroboros\0", 10};

class Mapping {
public:
    explicit Mapping(const std::string& place) {
        const int file = open(place.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (file < 0 || fstat(file, &status) != 0) {
            error_ = errno;
        } else if (status.st_size > 0) {
            const auto size = static_cast<size_t>(status.st_size);
            void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
            if (start == MAP_FAILED) {
                error_ = errno;
            } else {
                bytes_ = {static_cast<const std::byte*>(start), size};
            }
        }
        if (file >= 0) {
            close(file);
        }
    }
    ~Mapping() {
        if (!bytes_.empty()) {
            munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
        }
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    int error() const { return error_; }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::span<const std::byte> bytes_;
    int error_ = 0;
};

// A part of the file; empty if it is not whole.
std::span<const std::byte> part(std::span<const std::byte> bytes, uint64_t offset, uint64_t size) {
    return offset <= bytes.size() && size <= bytes.size() - offset ? bytes.subspan(offset, size)
                                                                   : std::span<const std::byte>();
}

// The entry of that index in a table, copied, for nothing is aligned in a damaged file.
template <class Entry>
std::optional<Entry> entry(std::span<const std::byte> table, size_t index) {
    const auto bytes = part(table, index * sizeof(Entry), sizeof(Entry));
    if (bytes.empty()) {
        return std::nullopt;
    }
    Entry copy;
    std::memcpy(&copy, bytes.data(), sizeof copy);
    return copy;
}

std::string text_at(std::span<const std::byte> strings, uint64_t offset) {
    const auto rest = strings.subspan(std::min<uint64_t>(offset, strings.size()));
    const auto* text = reinterpret_cast<const char*>(rest.data());
    return {text, strnlen(text, rest.size())};
}

constexpr unsigned char kOwnClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kOwnOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    ElfFile read() {
        const auto header = entry<ElfW(Ehdr)>(bytes_, 0);
        file_.problem = header_problem(header);
        if (!file_.problem.empty()) {
            return file_;
        }
        for (size_t i = 0; i < header->e_phnum; ++i) {
            const auto segment = entry<ElfW(Phdr)>(
                part(bytes_, header->e_phoff, uint64_t{header->e_phnum} * sizeof(ElfW(Phdr))), i);
            if (!segment || (segment->p_type == PT_LOAD && segment->p_filesz > 0 &&
                             part(bytes_, segment->p_offset, segment->p_filesz).empty())) {
                file_.problem = "file too short";
                return file_;
            }
            if (segment->p_type == PT_NOTE) {
                read_notes(part(bytes_, segment->p_offset, segment->p_filesz));
            }
        }
        read_sections(*header);
        return file_;
    }

private:
    std::string header_problem(const std::optional<ElfW(Ehdr)>& header) const {
        if (bytes_.size() >= SELFMAG && std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0) {
            return "invalid ELF header";
        }
        if (!header) {
            return "file too short";
        }
        if (header->e_ident[EI_CLASS] != kOwnClass) {
            return header->e_ident[EI_CLASS] == ELFCLASS32 ? "wrong ELF class: ELFCLASS32"
                                                           : "wrong ELF class: ELFCLASS64";
        }
        if (header->e_ident[EI_DATA] != kOwnOrder) {
            return "ELF file data encoding not little-endian";
        }
        if (header->e_type != ET_DYN) {
            return "only ET_DYN and ET_EXEC can be loaded";
        }
        return header->e_phentsize == sizeof(ElfW(Phdr))
                   ? ""
                   : "ELF file's phentsize not the expected size";
    }

    void read_notes(std::span<const std::byte> notes) {
        while (const auto note = entry<ElfW(Nhdr)>(notes, 0)) {
            const auto rounded = [](uint64_t size) { return (size + 3) / 4 * 4; };
            const auto name = part(notes, sizeof *note, note->n_namesz);
            const uint64_t start = sizeof *note + rounded(note->n_namesz);
            const auto description = part(notes, start, note->n_descsz);
            if (std::string_view(reinterpret_cast<const char*>(name.data()), name.size()) ==
                    kOwner &&
                note->n_type == 1) {
                file_.abi = entry<uint32_t>(description, 0);
            }
            notes =
                notes.subspan(std::min<uint64_t>(start + rounded(note->n_descsz), notes.size()));
        }
    }

    void read_sections(const ElfW(Ehdr) & header) {
        const auto table =
            part(bytes_, header.e_shoff, uint64_t{header.e_shnum} * sizeof(ElfW(Shdr)));
        for (size_t i = 0; i < header.e_shnum; ++i) {
            const auto section = entry<ElfW(Shdr)>(table, i);
            if (!section || (section->sh_type != SHT_DYNSYM && section->sh_type != SHT_DYNAMIC)) {
                continue;
            }
            const auto strings = entry<ElfW(Shdr)>(table, section->sh_link);
            const auto contents = part(bytes_, section->sh_offset, section->sh_size);
            if (!strings) {
                continue;
            }
            const auto texts = part(bytes_, strings->sh_offset, strings->sh_size);
            if (section->sh_type == SHT_DYNSYM) {
                read_symbols(contents, texts);
            } else {
                read_needed(contents, texts);
            }
        }
    }

    void read_symbols(std::span<const std::byte> symbols, std::span<const std::byte> texts) {
        for (size_t i = 1;; ++i) {
            const auto symbol = entry<ElfW(Sym)>(symbols, i);
            if (!symbol) {
                return;
            }
            // The place of the binding is the same in both classes.
            if (symbol->st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) != STB_WEAK) {
                file_.wanted.push_back(text_at(texts, symbol->st_name));
            }
        }
    }

    void read_needed(std::span<const std::byte> entries, std::span<const std::byte> texts) {
        for (size_t i = 0;; ++i) {
            const auto each = entry<ElfW(Dyn)>(entries, i);
            if (!each || each->d_tag == DT_NULL) {
                return;
            }
            if (each->d_tag == DT_NEEDED) {
                file_.needed.push_back(text_at(texts, each->d_un.d_val));
            }
        }
    }

    std::span<const std::byte> bytes_;
    ElfFile file_;
};

}  // namespace

ElfFile read_elf_file(const std::string& place) {
    const Mapping mapping(place);
    if (mapping.error() != 0) {
        ElfFile file;
        file.problem =
            "cannot open shared object file: " + std::generic_category().message(mapping.error());
        return file;
    }
    return Reader(mapping.bytes()).read();
}

}  // namespace ouro::module
