// A file that is no shared object, was compiled for another runtime, needs what nobody has, or has no init
// function is an ImportError that names it, before anything of it ran; an init function that breaks its rules is
// a SystemError. Nothing of either stays in sys.modules. Source: "Importing Modules", "Initializing C
// modules"; messages are CPython's where it has them.
// imports modules
#include <fstream>

#include "tests/contract/imports.hpp"

namespace ouro::test {
namespace {

class BadFiles : public Imports {
protected:
    // Imports a module that cannot be, and checks what is left of it.
    void expect_refused(const char* name, const std::string& type, const std::string& message) {
        SCOPED_TRACE(name);
        EXPECT_EQ(PyImport_ImportModule(name), nullptr);
        PyObject* raised = PyErr_GetRaisedException();
        ASSERT_NE(raised, nullptr);
        EXPECT_EQ(Py_TYPE(raised)->tp_name, type);
        EXPECT_EQ(message_of(raised), message);
        if (type == "ImportError") {
            EXPECT_EQ(attribute_of(raised, "name"), name);
            EXPECT_EQ(attribute_of(raised, "path"), file_of(name));
        }
        Py_DECREF(raised);
        EXPECT_EQ(PyDict_ContainsString(PyImport_GetModuleDict(), name), 0);
    }

    std::string file_of(const std::string& name) const {
        const std::filesystem::path own = own_ / (name + ".so");
        return exists(own) ? own : modules_directory() / (name + ".so");
    }

    void write(const std::string& name, const std::string& contents) const {
        std::ofstream(own_ / (name + ".so"), std::ios::binary) << contents;
    }
};

TEST_P(BadFiles, AreNoSharedObjects) {
    write("text", "#include <Python.h>\n");
    expect_refused("text", "ImportError", file_of("text") + ": invalid ELF header");
    write("empty", "");
    expect_refused("empty", "ImportError", file_of("empty") + ": file too short");
    write("beginning", "\177ELF");
    expect_refused("beginning", "ImportError", file_of("beginning") + ": file too short");
}

// A module that was cut off, at any length, and one whose bytes were changed, are refused or loaded, and
// nothing worse.
TEST_P(BadFiles, AreDamaged) {
    std::ifstream in(modules_directory() / "one_phase.so", std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    for (size_t size = 4; size < whole.size() / 2; size += size / 4 + 1) {
        const std::string name = "cut" + std::to_string(size);
        write(name, whole.substr(0, size));
        EXPECT_EQ(import_error(name.c_str()), "ImportError: " + file_of(name) + ": file too short");
    }
    std::string other_class = whole;
    other_class[4] = other_class[4] == 1 ? 2 : 1;
    write("other_class", other_class);
    EXPECT_THAT(import_error("other_class"), testing::HasSubstr(": wrong ELF class: ELFCLASS"));
}

TEST_P(BadFiles, AreForAnotherRuntime) {
    testing::internal::CaptureStderr();
    expect_refused("no_mark", "ImportError",
                   file_of("no_mark") +
                       ": built for another runtime: it lacks the mark that the Python.h of "
                       "Ouroboros leaves in every module");
    expect_refused("other_mark", "ImportError",
                   file_of("other_mark") + ": built for another Ouroboros: its ABI is 999, here " +
                       std::to_string(OURO_ABI_VERSION));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "nothing of them may have run";
}

TEST_P(BadFiles, NeedWhatNobodyHas) {
    expect_refused("missing_symbols", "ImportError",
                   file_of("missing_symbols") +
                       ": undefined symbols: PyNot_There, PyNot_ThereEither");
}

TEST_P(BadFiles, HaveNoInitFunction) {
    link("one_phase.so", "another.so");
    expect_refused("another", "ImportError",
                   "dynamic module does not define module export function (PyInit_another)");
    link("one_phase.so", "m\u00FCller.so");
    EXPECT_EQ(import_error("m\u00FCller"),
              "ImportError: dynamic module does not define module export function "
              "(PyInitU_mller_kva)")
        << "a name in other letters than ASCII's is in Punycode";
}

TEST_P(BadFiles, HaveInitFunctionsThatBreakTheirRules) {
    struct Case {
        const char* name;
        const char* type;
        const char* message;
    };
    for (const Case& each : {
             Case{"init_null", "SystemError",
                  "initialization of init_null failed without raising an exception"},
             Case{"init_raises", "ValueError", "raised by the init function"},
             Case{"init_both", "SystemError",
                  "initialization of init_both raised unreported exception"},
             Case{"init_uninitialised", "SystemError",
                  "init function of init_uninitialised returned uninitialized object"},
             Case{"init_number", "SystemError",
                  "initialization of init_number did not return an extension module"},
             Case{"exec_silent", "SystemError",
                  "execution of module exec_silent failed without setting an exception"},
         }) {
        link("bad_inits.so", std::string(each.name) + ".so");
        expect_refused(each.name, each.type, each.message);
    }
    PyGC_Collect();
}

TEST_P(BadFiles, ReadyTypesThatCannotBe) {
    link("bad_inits.so", "exec_bad_type.so");
    EXPECT_THAT(import_error("exec_bad_type"),
                testing::AllOf(testing::StartsWith("SystemError: "),
                               testing::HasSubstr("exec_bad_type.Bad")));
    EXPECT_EQ(PyDict_ContainsString(PyImport_GetModuleDict(), "exec_bad_type"), 0);
    PyGC_Collect();
}

EVERY_RUNTIME(BadFiles);

}  // namespace
}  // namespace ouro::test
