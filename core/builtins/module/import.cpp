// What an import does: finding a module, making it, executing it.
#include "core/builtins/module/import.hpp"

#include "core/builtins/module/builtin_modules.hpp"
#include "core/builtins/module/extension.hpp"
#include "core/builtins/module/finder.hpp"
#include "core/builtins/module/import_lock.hpp"
#include "core/builtins/module/initialise.hpp"
#include "core/builtins/module/module_object.hpp"
#include "core/builtins/module/spec.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using module::as_spec;
using object::Own;

namespace {

PyObject* no_module_named(PyObject* name, const char* format, PyObject* more) {
    const Own message(PyUnicode_FromFormat(format, name, more));
    return message ? PyErr_SetImportErrorSubclass(PyExc_ModuleNotFoundError, message.get(), name,
                                                  nullptr)
                   : nullptr;
}

// What comes before the last dot, or after it. "" before, and the whole after, where there is none.
PyObject* split(PyObject* name, bool before) {
    const Py_ssize_t size = PyUnicode_GetLength(name);
    const Py_ssize_t dot = PyUnicode_FindChar(name, '.', 0, size, -1);
    if (dot < -1) {
        return nullptr;
    }
    return before ? PyUnicode_Substring(name, 0, dot < 0 ? 0 : dot)
                  : PyUnicode_Substring(name, dot + 1, size);
}

void forget_module(PyObject* modules, PyObject* name) {
    PyObject* raised = PyErr_GetRaisedException();
    if (PyDict_Pop(modules, name, nullptr) < 0) {
        PyErr_Clear();
    }
    PyErr_SetRaisedException(raised);
}

// Makes a module by its init function, and executes it as one of sys.modules, where it may replace itself.
// `init` may be nullptr: a package that is only a directory.
PyObject* load(module::InitFunction init, PyObject* spec, bool is_own) {
    PyObject* name = as_spec(spec)->name;
    PyObject* modules = PyImport_GetModuleDict();
    const Own last_name(split(name, false));
    const char* last = last_name ? PyUnicode_AsUTF8(last_name.get()) : nullptr;
    if (modules == nullptr || last == nullptr) {
        return nullptr;
    }
    Own op(init == nullptr ? PyModule_NewObject(name) : module::create(init, spec, last));
    if (!op || module::describe(op.get(), spec) < 0 ||
        (!is_own && module::check_lock(op.get(), name) < 0) ||
        PyDict_SetItem(modules, name, op.get()) < 0) {
        return nullptr;
    }
    as_spec(spec)->initializing = 1;
    const int executed = init == nullptr ? 0 : module::execute(op.get());
    as_spec(spec)->initializing = 0;
    if (executed < 0) {
        forget_module(modules, name);
        return nullptr;
    }
    Own now;
    if (PyDict_GetItemRef(modules, name, now.out()) < 0) {
        return nullptr;
    }
    return now ? now.release()
               : PyErr_Format(PyExc_ImportError, "module '%U' not found in sys.modules", name);
}

PyObject* load_file(PyObject* spec, PyObject* last_name, PyObject* file) {
    const module::InitFunction init = module::open_extension(as_spec(spec)->name, last_name, file);
    return init == nullptr ? nullptr : load(init, spec, false);
}

// By its name alone, or below its package's directories. nullptr without an exception: there is none.
PyObject* find_and_load_here(PyObject* name, PyObject* directories) {
    const char* text = PyUnicode_AsUTF8(name);
    if (text == nullptr) {
        return nullptr;
    }
    const struct _inittab* builtin = module::find_builtin(text);
    if (builtin != nullptr && builtin->initfunc != nullptr) {
        const Own origin(PyUnicode_FromString("built-in"));
        const Own spec(origin ? module::new_spec(name, origin.get(), false, nullptr) : nullptr);
        return spec ? load(builtin->initfunc, spec.get(), module::is_own(builtin)) : nullptr;
    }
    PyObject* path = directories == nullptr ? module::search_path() : directories;
    const Own last_name(split(name, false));
    if (path == nullptr || !last_name) {
        return nullptr;
    }
    module::Found found;
    if (module::find(last_name.get(), path, &found) <= 0) {
        return nullptr;
    }
    const Own spec(
        module::new_spec(name, found.file.get(), bool(found.file), found.locations.get()));
    if (!spec || !found.file) {
        return spec ? load(nullptr, spec.get(), false) : nullptr;
    }
    return load_file(spec.get(), last_name.get(), found.file.get());
}

// Stores a module of a package as the package's attribute.
int bind(PyObject* package, PyObject* name, PyObject* op) {
    const Own child(split(name, false));
    if (!child) {
        return -1;
    }
    const int result = PyObject_SetAttr(package, child.get(), op);
    if (result < 0 && PyErr_ExceptionMatches(PyExc_AttributeError) != 0) {
        PyErr_Clear();
        return PyErr_WarnFormat(PyExc_ImportWarning, 1,
                                "Cannot set an attribute on %R for child module %R", package,
                                child.get());
    }
    return result;
}

// Pre: it is not in sys.modules. The caller has the import lock.
PyObject* find_and_load(PyObject* name) {
    const Own package_name(split(name, true));
    if (!package_name) {
        return nullptr;
    }
    Own package, directories;
    if (PyUnicode_GetLength(package_name.get()) > 0) {
        package.reset(module::import_absolute(package_name.get()));
        if (!package) {
            return nullptr;
        }
        // The package may have imported it.
        PyObject* there = PyImport_GetModule(name);
        if (there != nullptr || PyErr_Occurred() != nullptr) {
            return there;
        }
        const int found =
            PyObject_GetOptionalAttrString(package.get(), "__path__", directories.out());
        if (found <= 0) {
            return found < 0 ? nullptr
                             : no_module_named(name, "No module named %R; %R is not a package",
                                               package_name.get());
        }
    }
    Own op(find_and_load_here(name, directories.get()));
    if (!op) {
        return PyErr_Occurred() != nullptr ? nullptr
                                           : no_module_named(name, "No module named %R", nullptr);
    }
    return package && bind(package.get(), name, op.get()) < 0 ? nullptr : op.release();
}

// Whether another thread may still be executing it.
bool is_being_made(PyObject* op) {
    PyObject* dict = PyModule_Check(op) ? module::as_module(op)->dict : nullptr;
    PyObject* spec = dict == nullptr ? nullptr : PyDict_GetItemString(dict, "__spec__");
    return spec != nullptr && Py_IS_TYPE(spec, &module::SpecType) &&
           as_spec(spec)->initializing != 0;
}

}  // namespace

namespace ouro::module {

PyObject* import_absolute(PyObject* name) {
    const auto known = [name] {
        Own op(PyImport_GetModule(name));
        if (op && op.get() == Py_None) {
            op.reset(no_module_named(name, "import of %U halted; None in sys.modules", nullptr));
        }
        return op;
    };
    Own op = known();
    if (PyErr_Occurred() != nullptr || (op && !is_being_made(op.get()))) {
        return op.release();
    }
    const ImportLock lock;
    op = known();
    return op || PyErr_Occurred() != nullptr ? op.release() : find_and_load(name);
}

PyObject* import_file(PyObject* name, PyObject* file) {
    const ImportLock lock;
    const Own last_name(split(name, false));
    const Own spec(new_spec(name, file, true, nullptr));
    return last_name && spec ? load_file(spec.get(), last_name.get(), file) : nullptr;
}

}  // namespace ouro::module
