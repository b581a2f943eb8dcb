#include "core/builtins/module/finder.hpp"

#include <sys/stat.h>

#include <string>

namespace ouro::module {
namespace {

constexpr const char* kSuffixes[] = {".ouro.so", ".abi3.so", ".so"};

bool is_a(const std::string& place, mode_t kind) {
    struct stat status {};
    return stat(place.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

PyObject* as_text(const std::string& place) {
    return PyUnicode_DecodeUTF8(place.data(), static_cast<Py_ssize_t>(place.size()),
                                "surrogateescape");
}

// The first of the files that there is; "": none.
std::string with_suffix(const std::string& place) {
    for (const char* suffix : kSuffixes) {
        if (is_a(place + suffix, S_IFREG)) {
            return place + suffix;
        }
    }
    return "";
}

bool append(object::Own* list, const std::string& directory) {
    if (!*list) {
        list->reset(PyList_New(0));
    }
    const object::Own text(as_text(directory));
    return *list && text && PyList_Append(list->get(), text.get()) == 0;
}

// A path as the system has it; false with an exception for what cannot be one.
bool system_text(PyObject* op, std::string* text) {
    const object::Own bytes(PyUnicode_AsEncodedString(op, "utf-8", "surrogateescape"));
    if (!bytes) {
        return false;
    }
    text->assign(PyBytes_AS_STRING(bytes.get()),
                 static_cast<size_t>(PyBytes_GET_SIZE(bytes.get())));
    return true;
}

}  // namespace

int find(PyObject* name, PyObject* path, Found* found) {
    const object::Own directories(PySequence_Tuple(path));
    std::string last;
    if (!directories || !system_text(name, &last)) {
        return -1;
    }
    object::Own portions;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(directories.get()); ++i) {
        PyObject* entry = PyTuple_GET_ITEM(directories.get(), i);
        std::string directory;
        if (!PyUnicode_Check(entry)) {
            continue;
        }
        if (!system_text(entry, &directory)) {
            return -1;
        }
        std::string place = directory.empty() ? "." : directory;
        place.append("/").append(last);
        const bool is_directory = is_a(place, S_IFDIR);
        const std::string package = is_directory ? with_suffix(place + "/__init__") : "";
        const std::string file = package.empty() ? with_suffix(place) : package;
        if (!file.empty()) {
            found->file.reset(as_text(file));
            if (!found->file || (!package.empty() && !append(&found->locations, place))) {
                return -1;
            }
            return 1;
        }
        if (is_directory && !append(&portions, place)) {
            return -1;
        }
    }
    found->locations = std::move(portions);
    return found->locations ? 1 : 0;
}

}  // namespace ouro::module
