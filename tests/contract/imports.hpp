// The runtime with a search path that has the modules of tests/support/modules/, and a directory of its own.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/contract/things.hpp"

namespace ouro::test {

// Where the compiled modules are: beside the tests' own directory.
inline std::filesystem::path modules_directory() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "modules";
}

// A str's text; drops it.
inline std::string taken_text(PyObject* op) {
    if (op == nullptr) {
        const Unraisable error = take_error();
        return "<" + error.type + ": " + error.message + ">";
    }
    PyObject* str = PyObject_Str(op);
    std::string text = str == nullptr ? "<" + take_error().message + ">" : PyUnicode_AsUTF8(str);
    Py_XDECREF(str);
    Py_DECREF(op);
    return text;
}

inline std::string attribute_of(PyObject* op, const char* name) {
    return taken_text(PyObject_GetAttrString(op, name));
}

class Imports : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        char place[] = "/tmp/ouro_imports_XXXXXX";
        ASSERT_NE(mkdtemp(place), nullptr);
        own_ = place;
        const std::string path = own_.string() + ":" + modules_directory().string();
        ASSERT_EQ(setenv("OURO_PATH", path.c_str(), 1), 0);
        ASSERT_NO_FATAL_FAILURE(start_runtime(settings_for(GetParam(), "verify=on")));
    }
    void TearDown() override {
        stop_runtime();
        std::filesystem::remove_all(own_);
    }

    // A module's file under another name, in the directory that is searched first.
    std::filesystem::path link(const std::string& file, const std::string& name) {
        std::filesystem::create_directories((own_ / name).parent_path());
        std::filesystem::create_symlink(modules_directory() / file, own_ / name);
        return own_ / name;
    }

    // What the import of a module raised, "class: message"; "" if it went well.
    static std::string import_error(const char* name) {
        PyObject* op = PyImport_ImportModule(name);
        if (op != nullptr) {
            Py_DECREF(op);
            return "";
        }
        const Unraisable error = take_error();
        return error.type + ": " + error.message;
    }

    std::filesystem::path own_;
};

}  // namespace ouro::test
