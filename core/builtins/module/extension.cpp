#include "core/builtins/module/extension.hpp"

#include <fmt/format.h>

#include <dlfcn.h>

#include <algorithm>
#include <string>

#include "core/builtins/module/elf_file.hpp"
#include "core/builtins/module/punycode.hpp"
#include "core/object/own.hpp"

namespace ouro::module {
namespace {

// What the loader says of one symbol, said of all that nobody has; "" if it complains of something else.
std::string missing_symbols(const ElfFile& file) {
    // What the file's own libraries have is found only while they are loaded.
    std::vector<void*> libraries;
    for (const std::string& library : file.needed) {
        if (void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
            libraries.push_back(handle);
        }
    }
    std::vector<std::string> missing;
    for (const std::string& symbol : file.wanted) {
        const bool found = dlsym(RTLD_DEFAULT, symbol.c_str()) != nullptr ||
                           std::ranges::any_of(libraries, [&symbol](void* handle) {
                               return dlsym(handle, symbol.c_str()) != nullptr;
                           });
        if (!found) {
            missing.push_back(symbol);
        }
    }
    std::ranges::for_each(libraries, dlclose);
    std::ranges::sort(missing);  // the linker's order is nobody's
    return missing.size() > 1 ? fmt::format("undefined symbols: {}", fmt::join(missing, ", ")) : "";
}

// Why the file must not be loaded; "" if it may be.
std::string unfit(const ElfFile& file) {
    if (!file.problem.empty()) {
        return file.problem;
    }
    if (!file.abi) {
        return "built for another runtime: it lacks the mark that the Python.h of Ouroboros leaves "
               "in every module";
    }
    if (*file.abi != OURO_ABI_VERSION) {
        return "built for another Ouroboros: its ABI is " + std::to_string(*file.abi) + ", here " +
               std::to_string(OURO_ABI_VERSION);
    }
    return "";
}

InitFunction refuse(PyObject* name, PyObject* file, const std::string& reason) {
    const object::Own message(PyUnicode_DecodeUTF8(
        reason.data(), static_cast<Py_ssize_t>(reason.size()), "surrogateescape"));
    if (message) {
        PyErr_SetImportError(message.get(), name, file);
    }
    return nullptr;
}

}  // namespace

InitFunction open_extension(PyObject* name, PyObject* last_name, PyObject* file) {
    std::string function;
    if (!init_function_name(last_name, &function)) {
        return nullptr;
    }
    const object::Own bytes(PyUnicode_AsEncodedString(file, "utf-8", "surrogateescape"));
    if (!bytes) {
        return nullptr;
    }
    const std::string place = PyBytes_AS_STRING(bytes.get());
    const ElfFile elf = read_elf_file(place);
    if (const std::string reason = unfit(elf); !reason.empty()) {
        return refuse(name, file, place + ": " + reason);
    }
    // A path without a slash would be looked for in the system's directories of libraries.
    const bool has_slash = place.find('/') != std::string::npos;
    void* handle = dlopen((has_slash ? place : "./" + place).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const std::string reason = dlerror();
        const std::string missing = missing_symbols(elf);
        return refuse(name, file, missing.empty() ? reason : place + ": " + missing);
    }
    void* init = dlsym(handle, function.c_str());
    if (init == nullptr) {
        dlclose(handle);
        return refuse(name, file,
                      "dynamic module does not define module export function (" + function + ")");
    }
    return reinterpret_cast<InitFunction>(init);
}

}  // namespace ouro::module
