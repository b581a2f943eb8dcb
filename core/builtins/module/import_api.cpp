// Importing as a statement does it: relative names, and what is taken from a package; and a file.
#include <string>
#include <string_view>

#include "core/builtins/container/list.hpp"
#include "core/builtins/module/import.hpp"
#include "core/include/ouroboros.h"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

PyObject* missing_package() {
    PyErr_SetString(PyExc_ImportError, "attempted relative import with no known parent package");
    return nullptr;
}

// The package that code with these globals is in: a new str.
PyObject* package_of(PyObject* globals) {
    Own package, name, path;
    if (PyDict_GetItemStringRef(globals, "__package__", package.out()) < 0) {
        return nullptr;
    }
    if (package && package.get() != Py_None) {
        if (!PyUnicode_Check(package.get())) {
            PyErr_SetString(PyExc_TypeError, "package must be a string");
            return nullptr;
        }
        return package.release();
    }
    const int found = PyDict_GetItemStringRef(globals, "__name__", name.out());
    if (found <= 0) {
        if (found == 0) {
            PyErr_SetString(PyExc_KeyError, "'__name__' not in globals");
        }
        return nullptr;
    }
    if (!PyUnicode_Check(name.get())) {
        PyErr_SetString(PyExc_TypeError, "__name__ must be a string");
        return nullptr;
    }
    if (PyDict_GetItemStringRef(globals, "__path__", path.out()) < 0) {
        return nullptr;
    }
    if (path) {
        return name.release();
    }
    const Py_ssize_t dot =
        PyUnicode_FindChar(name.get(), '.', 0, PyUnicode_GetLength(name.get()), -1);
    return dot < 0 ? missing_package() : PyUnicode_Substring(name.get(), 0, dot);
}

// The full name of one that begins with `level` dots.
PyObject* absolute_name(PyObject* name, PyObject* globals, int level) {
    if (globals == nullptr) {
        PyErr_SetString(PyExc_KeyError, "'__name__' not in globals");
        return nullptr;
    }
    if (!PyDict_Check(globals)) {
        PyErr_SetString(PyExc_TypeError, "globals must be a dict");
        return nullptr;
    }
    const Own package(package_of(globals));
    if (!package) {
        return nullptr;
    }
    Py_ssize_t end = PyUnicode_GetLength(package.get());
    if (end == 0) {
        return missing_package();
    }
    for (int up = 1; up < level; ++up) {
        end = PyUnicode_FindChar(package.get(), '.', 0, end, -1);
        if (end < 0) {
            PyErr_SetString(PyExc_ImportError,
                            "attempted relative import beyond top-level package");
            return nullptr;
        }
    }
    Own base(PyUnicode_Substring(package.get(), 0, end));
    return !base || PyUnicode_GetLength(name) == 0
               ? base.release()
               : PyUnicode_FromFormat("%U.%U", base.get(), name);
}

// Imports those of the names that the package does not have and that are modules of it.
bool import_listed(PyObject* package, PyObject* fromlist) {
    const Own names(PySequence_Tuple(fromlist));
    const Own package_name(names ? PyObject_GetAttrString(package, "__name__") : nullptr);
    if (!package_name) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.get()); ++i) {
        PyObject* name = PyTuple_GET_ITEM(names.get(), i);
        if (!PyUnicode_Check(name)) {
            PyErr_Format(PyExc_TypeError, "Item in ``from list'' must be str, not %.200s",
                         Py_TYPE(name)->tp_name);
            return false;
        }
        const bool is_star = PyUnicode_CompareWithASCIIString(name, "*") == 0;
        const int has = PyObject_HasAttrWithError(package, name);
        if (has != 0 || is_star) {
            if (has < 0) {
                return false;
            }
            continue;
        }
        const Own full(PyUnicode_FromFormat("%U.%U", package_name.get(), name));
        if (!full) {
            return false;
        }
        if (const Own op{module::import_absolute(full.get())}; !op) {
            // A name that nothing has is for whoever takes it from the package to miss.
            if (PyErr_ExceptionMatches(PyExc_ModuleNotFoundError) == 0) {
                return false;
            }
            PyErr_Clear();
        }
    }
    return true;
}

// The package that the statement binds: as many names of `full` as the first of `name` leaves.
PyObject* first_package(PyObject* full, PyObject* name) {
    const Py_ssize_t size = PyUnicode_GetLength(name);
    const Py_ssize_t dot = PyUnicode_FindChar(name, '.', 0, size, 1);
    const Py_ssize_t cut = dot < 0 ? 0 : size - dot;
    const Own first(PyUnicode_Substring(full, 0, PyUnicode_GetLength(full) - cut));
    if (!first) {
        return nullptr;
    }
    PyObject* op = PyImport_GetModule(first.get());
    return op != nullptr || PyErr_Occurred() != nullptr
               ? op
               : PyErr_Format(PyExc_KeyError, "%R not in sys.modules as expected", first.get());
}

}  // namespace

PyObject* PyImport_ImportModuleLevelObject(PyObject* name, PyObject* globals, PyObject*,
                                           PyObject* fromlist, int level) {
    if (name == nullptr) {
        PyErr_SetString(PyExc_ValueError, "Empty module name");
        return nullptr;
    }
    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "module name must be a string");
        return nullptr;
    }
    if (level < 0) {
        PyErr_SetString(PyExc_ValueError, "level must be >= 0");
        return nullptr;
    }
    if (level == 0 && PyUnicode_GetLength(name) == 0) {
        PyErr_SetString(PyExc_ValueError, "Empty module name");
        return nullptr;
    }
    const Own full(level == 0 ? Py_NewRef(name) : absolute_name(name, globals, level));
    Own op(full ? module::import_absolute(full.get()) : nullptr);
    const int has_from = !op                                          ? -1
                         : fromlist == nullptr || fromlist == Py_None ? 0
                                                                      : PyObject_IsTrue(fromlist);
    if (has_from < 0) {
        return nullptr;
    }
    if (has_from == 0) {
        return PyUnicode_GetLength(name) == 0 ? op.release() : first_package(full.get(), name);
    }
    const int is_package = PyObject_HasAttrStringWithError(op.get(), "__path__");
    return is_package < 0 || (is_package > 0 && !import_listed(op.get(), fromlist)) ? nullptr
                                                                                    : op.release();
}

PyObject* PyImport_ImportModuleLevel(const char* name, PyObject* globals, PyObject* locals,
                                     PyObject* fromlist, int level) {
    const Own text(PyUnicode_FromString(name));
    return text ? PyImport_ImportModuleLevelObject(text.get(), globals, locals, fromlist, level)
                : nullptr;
}

PyObject* PyImport_Import(PyObject* name) {
    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "module name must be a string");
        return nullptr;
    }
    if (PyUnicode_GetLength(name) == 0) {
        PyErr_SetString(PyExc_ValueError, "Empty module name");
        return nullptr;
    }
    return module::import_absolute(name);
}

PyObject* PyImport_ImportModule(const char* name) {
    const Own text(PyUnicode_FromString(name));
    return text ? PyImport_Import(text.get()) : nullptr;
}

PyObject* PyImport_ImportModuleNoBlock(const char* name) {
    return PyImport_ImportModule(name);
}

PyObject* Ouro_ImportFile(const char* path) {
    const std::string place = path;
    const size_t slash = place.rfind('/');
    const size_t begin = slash == std::string::npos ? 0 : slash + 1;
    const std::string directory =
        slash == std::string::npos ? "." : place.substr(0, slash + (slash == 0));
    const std::string stem = place.substr(begin, place.find('.', begin) - begin);
    const auto text = [](const std::string& bytes) {
        return PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()),
                                    "surrogateescape");
    };
    const Own name(text(stem)), file(text(place)), entry(text(directory));
    PyObject* search = module::search_path();
    if (!name || !file || !entry || search == nullptr) {
        return nullptr;
    }
    PyObject* known = PyImport_GetModule(name.get());
    if (known != nullptr || PyErr_Occurred() != nullptr) {
        return known;
    }
    if (PyList_Check(search)) {
        const Own first(container::list_item_at(search, 0));
        const int listed = first ? PyObject_RichCompareBool(first.get(), entry.get(), Py_EQ) : 0;
        if (listed < 0 || (listed == 0 && PyList_Insert(search, 0, entry.get()) < 0)) {
            return nullptr;
        }
    }
    return module::import_file(name.get(), file.get());
}

void* PyCapsule_Import(const char* name, int) {
    const std::string_view whole = name;
    const size_t dot = whole.rfind('.');
    if (dot == std::string_view::npos) {
        PyErr_Format(PyExc_ImportError, "PyCapsule_Import could not import module \"%s\"", name);
        return nullptr;
    }
    // Whatever begins the name is a module, as far as there are modules; the rest are attributes.
    Own found(PyImport_ImportModule(std::string(whole.substr(0, dot)).c_str()));
    if (found) {
        found = Own(PyObject_GetAttrString(found.get(), name + dot + 1));
    } else if (PyErr_ExceptionMatches(PyExc_ImportError) != 0) {
        PyErr_Format(PyExc_ImportError, "PyCapsule_Import could not import module \"%s\"",
                     std::string(whole.substr(0, dot)).c_str());
    }
    if (!found) {
        return nullptr;
    }
    if (PyCapsule_IsValid(found.get(), name) == 0) {
        PyErr_Format(PyExc_AttributeError, "PyCapsule_Import \"%s\" is not valid", name);
        return nullptr;
    }
    return PyCapsule_GetPointer(found.get(), name);
}

PyObject* PyImport_ImportModuleAttr(PyObject* module, PyObject* name) {
    const Own found(PyImport_Import(module));
    return found ? PyObject_GetAttr(found.get(), name) : nullptr;
}

PyObject* PyImport_ImportModuleAttrString(const char* module, const char* name) {
    const Own found(PyImport_ImportModule(module));
    return found ? PyObject_GetAttrString(found.get(), name) : nullptr;
}
