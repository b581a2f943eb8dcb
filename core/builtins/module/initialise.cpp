#include "core/builtins/module/initialise.hpp"
#include "core/builtins/exception/errors.hpp"

#include <atomic>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "core/builtins/module/import.hpp"
#include "core/builtins/module/module_object.hpp"
#include "core/builtins/module/spec.hpp"
#include "core/mutator/world.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using module::as_module;
using module::InitFunction;
using object::Own;

namespace {

// The full name of the module whose init function runs on this thread.
thread_local const char* name_being_made = nullptr;

class PackageContext {
public:
    explicit PackageContext(const char* name) : before_(name_being_made) { name_being_made = name; }
    ~PackageContext() { name_being_made = before_; }
    PackageContext(const PackageContext&) = delete;
    PackageContext& operator=(const PackageContext&) = delete;

private:
    const char* const before_;
};

// Definitions of modules that keep their state in static variables, whose init function may be called once, with
// what such a module had after that: by init function and full name. The importing thread alone, which has
// the import lock, uses it.
struct Made {
    PyModuleDef* def;
    PyObject* dict;  // owned
};
std::map<std::pair<InitFunction, std::string>, Made> made_once;

std::atomic<bool> warned{false};

PyObject* make_again(const Made& made, PyObject* name) {
    Own op(PyModule_NewObject(name));
    if (!op || PyDict_Update(as_module(op.get())->dict, made.dict) < 0) {
        return nullptr;
    }
    as_module(op.get())->def = made.def;
    as_module(op.get())->token = made.def;
    return op.release();
}

// The one phase of a module without slots.
PyObject* finish_single_phase(Own op, InitFunction init, const char* full_name,
                              const char* last_name) {
    PyModuleDef* def = PyModule_Check(op.get()) ? as_module(op.get())->def : nullptr;
    if (def == nullptr) {
        return PyErr_Format(PyExc_SystemError,
                            "initialization of %s did not return an extension module", last_name);
    }
    def->m_base.m_init = init;
    if (PyState_FindModule(def) != op.get() && PyState_AddModule(op.get(), def) < 0) {
        return nullptr;
    }
    if (def->m_size == -1) {
        PyObject* dict = PyDict_Copy(as_module(op.get())->dict);
        if (dict == nullptr) {
            return nullptr;
        }
        Made& made = made_once[{init, full_name}];
        Py_XDECREF(std::exchange(made.dict, dict));
        made.def = def;
    }
    return op.release();
}

}  // namespace

namespace ouro::module {

const char* name_in_package(const char* name) {
    if (name_being_made == nullptr) {
        return name;
    }
    const std::string_view full = name_being_made;
    return full.substr(full.rfind('.') + 1) == name ? std::exchange(name_being_made, nullptr)
                                                    : name;
}

PyObject* create(InitFunction init, PyObject* spec, const char* last_name) {
    const char* full_name = PyUnicode_AsUTF8(as_spec(spec)->name);
    if (full_name == nullptr) {
        return nullptr;
    }
    const auto again = made_once.find({init, full_name});
    if (again != made_once.end()) {
        return make_again(again->second, as_spec(spec)->name);
    }
    Own op;
    {
        const PackageContext context(full_name);
        op.reset(init());
    }
    if (!op) {
        return PyErr_Occurred() != nullptr
                   ? nullptr
                   : PyErr_Format(PyExc_SystemError,
                                  "initialization of %s failed without raising an exception",
                                  last_name);
    }
    const bool has_type = Py_TYPE(op.get()) != nullptr;
    const bool is_def = has_type && Py_IS_TYPE(op.get(), &PyModuleDef_Type);
    if (!has_type || is_def) {
        // No reference of ours: a definition that nobody initialised is static memory as any other is.
        PyObject* def = op.release();
        if (PyErr_Occurred() == nullptr) {
            return is_def ? PyModule_FromDefAndSpec(reinterpret_cast<PyModuleDef*>(def), spec)
                          : PyErr_Format(PyExc_SystemError,
                                         "init function of %s returned uninitialized object",
                                         last_name);
        }
    }
    if (PyErr_Occurred() != nullptr) {
        exception::format_from_cause(PyExc_SystemError,
                                     "initialization of %s raised unreported exception", last_name);
        return nullptr;
    }
    return finish_single_phase(std::move(op), init, full_name, last_name);
}

int execute(PyObject* op) {
    if (!PyModule_Check(op)) {
        return 0;
    }
    PyModuleDef* def = as_module(op)->def;
    return def == nullptr || def->m_slots == nullptr || as_module(op)->state != nullptr
               ? 0
               : PyModule_ExecDef(op, def);
}

int check_lock(PyObject* op, PyObject* name) {
    const char* wanted = std::getenv("PYTHON_GIL");
    if (!mutator::is_free_threaded() || !PyModule_Check(op) || !as_module(op)->needs_gil ||
        (wanted != nullptr && std::string_view(wanted) == "0") || warned.exchange(true)) {
        return 0;
    }
    return PyErr_WarnFormat(
        PyExc_RuntimeWarning, 1,
        "The global interpreter lock (GIL) has been enabled to load module '%U', which has not "
        "declared that it can run safely without the GIL. To override this behavior and keep the "
        "GIL disabled (at your own risk), run with PYTHON_GIL=0 or -Xgil=0.",
        name);
}

void forget_definitions() {
    warned = false;
    for (auto& [key, made] : std::exchange(made_once, {})) {
        Py_DECREF(made.dict);
    }
}

}  // namespace ouro::module
