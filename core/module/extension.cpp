#include "core/module/extension.hpp"

#include <dlfcn.h>

#include <string>

#include "core/object/own.hpp"

namespace ouro::module {
namespace {

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
    const char* last = PyUnicode_AsUTF8(last_name);
    const object::Own bytes(
        last == nullptr ? nullptr : PyUnicode_AsEncodedString(file, "utf-8", "surrogateescape"));
    if (!bytes) {
        return nullptr;
    }
    std::string place = PyBytes_AS_STRING(bytes.get());
    if (place.find('/') == std::string::npos) {
        place.insert(0, "./");  // no search of the system's library directories
    }
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return refuse(name, file, dlerror());
    }
    const std::string function = std::string("PyInit_") + last;
    void* init = dlsym(handle, function.c_str());
    if (init == nullptr) {
        dlclose(handle);
        return refuse(name, file,
                      "dynamic module does not define module export function (" + function + ")");
    }
    return reinterpret_cast<InitFunction>(init);
}

}  // namespace ouro::module
