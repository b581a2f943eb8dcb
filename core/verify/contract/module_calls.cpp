#include "core/verify/contract/module_calls.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace ouro::contract {
namespace {

#if defined(__x86_64__)
constexpr unsigned kCallSlot = R_X86_64_JUMP_SLOT;
constexpr unsigned kAddress = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr unsigned kCallSlot = R_AARCH64_JUMP_SLOT;
constexpr unsigned kAddress = R_AARCH64_GLOB_DAT;
#else
#error "module_calls.cpp: which relocations are calls on this processor?"
#endif

bool is_function(const void* address) {
    Dl_info info;
    const ElfW(Sym)* symbol = nullptr;
    return dladdr1(address, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
                   RTLD_DL_SYMENT) != 0 &&
           symbol != nullptr && info.dli_saddr == address &&
           ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}

// The parts of a loaded object.
struct Wanted {
    uintptr_t base;
    std::vector<ModuleCalls::Range>* parts;
    std::vector<ModuleCalls::Range>* variables;
};

int note_parts(dl_phdr_info* info, size_t, void* arg) {
    const auto& wanted = *static_cast<Wanted*>(arg);
    if (info->dlpi_addr != wanted.base) {
        return 0;
    }
    for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info->dlpi_phdr[i];
        if (part.p_type == PT_LOAD) {
            const uintptr_t begin = wanted.base + part.p_vaddr;
            wanted.parts->push_back({begin, begin + part.p_memsz});
            if ((part.p_flags & PF_W) != 0) {
                wanted.variables->push_back({begin, begin + part.p_memsz});
            }
        }
    }
    return 1;
}

}  // namespace

ModuleCalls::ModuleCalls(void* handle) {
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
        return;
    }
    Wanted wanted{map->l_addr, &parts_, &variables_};
    dl_iterate_phdr(note_parts, &wanted);
    find_functions(map->l_ld, map->l_addr);
}

void ModuleCalls::find_functions(const void* dynamic, uintptr_t base) {
    const ElfW(Sym)* symbols = nullptr;
    const char* names = nullptr;
    struct Table {
        uintptr_t at = 0;
        size_t bytes = 0;
    } calls, others;
    // The loader has made addresses of what were offsets.
    const auto address = [base](uintptr_t value) { return value < base ? value + base : value; };
    for (const auto* each = static_cast<const ElfW(Dyn)*>(dynamic); each->d_tag != DT_NULL;
         ++each) {
        switch (each->d_tag) {
            case DT_SYMTAB:
                symbols = reinterpret_cast<const ElfW(Sym)*>(address(each->d_un.d_ptr));
                break;
            case DT_STRTAB:
                names = reinterpret_cast<const char*>(address(each->d_un.d_ptr));
                break;
            case DT_JMPREL:
                calls.at = address(each->d_un.d_ptr);
                break;
            case DT_PLTRELSZ:
                calls.bytes = each->d_un.d_val;
                break;
            case DT_RELA:
                others.at = address(each->d_un.d_ptr);
                break;
            case DT_RELASZ:
                others.bytes = each->d_un.d_val;
                break;
            default:
                break;
        }
    }
    if (symbols == nullptr || names == nullptr) {
        return;  // it calls nothing by name
    }
    for (const Table& table : {calls, others}) {
        const auto* relocation = reinterpret_cast<const ElfW(Rela)*>(table.at);
        for (size_t i = 0; i < table.bytes / sizeof *relocation; ++i) {
            const unsigned type = ELF64_R_TYPE(relocation[i].r_info);
            if (type != kCallSlot && type != kAddress) {
                continue;
            }
            auto** entry = reinterpret_cast<void**>(base + relocation[i].r_offset);
            const char* name = names + symbols[ELF64_R_SYM(relocation[i].r_info)].st_name;
            if (type == kCallSlot || is_function(*entry)) {
                functions_.push_back({name, entry});
            }
        }
    }
}

void ModuleCalls::store(void** entry, void* to) {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    auto* start = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(entry) & ~(page - 1));
    // It may be read-only since the loader has filled it. It stays writable, as the program's other variables are.
    if (mprotect(start, page, PROT_READ | PROT_WRITE) == 0) {
        *entry = to;
    }
}

void ModuleCalls::redirect(std::string_view name, void* to) const {
    for (const Function& function : functions_) {
        if (function.name == name) {
            store(function.entry, to);
        }
    }
}

bool ModuleCalls::is_in(const void* address, const std::vector<Range>& ranges) {
    const auto at = reinterpret_cast<uintptr_t>(address);
    return std::ranges::any_of(
        ranges, [at](const Range& range) { return at >= range.begin && at < range.end; });
}

}  // namespace ouro::contract
