// What the targets share.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "ouroboros.h"
#include "tests/support/tracked_objects.hpp"

namespace ouro::fuzz {

// Ends the process, which is how a target tells the fuzzer that an input fails.
[[noreturn]] inline void fail(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
}

inline void expect(bool holds, const std::string& what) {
    if (!holds) {
        fail(what);
    }
}

// Begins the runtime once, with every check that it has.
inline void begin() {
    static const bool begun = [] {
        expect(Ouro_Configure("verify=on", nullptr) == 0, "settings");
        Py_Initialize();
        return true;
    }();
    expect(begun, "the runtime");
}

// A directory of this process's own, which goes when that ends.
inline const std::filesystem::path& scratch() {
    static const std::filesystem::path path = [] {
        char folder[] = "/tmp/fuzz.XXXXXX";
        expect(mkdtemp(folder) != nullptr, "no directory");
        static const std::filesystem::path own = folder;
        std::atexit([] { std::filesystem::remove_all(own); });
        return own;
    }();
    return path;
}

// The bytes of an input from its beginning; zeros after its end.
class Input {
public:
    Input(const uint8_t* data, size_t size) : left_(reinterpret_cast<const char*>(data), size) {}

    unsigned byte() {
        if (left_.empty()) {
            return 0;
        }
        const auto first = static_cast<unsigned char>(left_.front());
        left_.remove_prefix(1);
        return first;
    }
    unsigned below(size_t limit) { return byte() % static_cast<unsigned>(limit); }
    // What stands before the next NUL, which is skipped.
    std::string text() {
        const std::string_view text = left_.substr(0, left_.find('\0'));
        left_.remove_prefix(std::min(text.size() + 1, left_.size()));
        return std::string(text);
    }
    std::string rest() const { return std::string(left_); }
    bool is_at_end() const { return left_.empty(); }

private:
    std::string_view left_;
};

// Whether a call succeeded: it has either a result or an exception, which is dropped here and is no
// SystemError: that one is for mistakes of a program's, and these are an input's.
inline bool succeeded(bool has_result) {
    expect(has_result == (PyErr_Occurred() == nullptr),
           has_result ? "a result beside an exception" : "a failure without an exception");
    expect(has_result || !PyErr_ExceptionMatches(PyExc_SystemError), "a SystemError");
    PyErr_Clear();
    return has_result;
}

// Whether two objects are equal; both are objects.
inline bool are_equal(PyObject* one, PyObject* other) {
    const int equal = PyObject_RichCompareBool(one, other, Py_EQ);
    expect(equal >= 0, "a comparison that fails");
    return equal == 1;
}

// As many tracked objects there are when it ends as when it began.
class NothingIsLeft {
public:
    NothingIsLeft() : before_(test::tracked_objects()) {}
    ~NothingIsLeft() { expect(test::tracked_objects() == before_, "something is left"); }
    NothingIsLeft(const NothingIsLeft&) = delete;
    NothingIsLeft& operator=(const NothingIsLeft&) = delete;

private:
    const size_t before_;
};

}  // namespace ouro::fuzz
