// Reads any text as a number: it is one, whose own text is read as the same one again, or is refused.
// The first byte is the base of an int; each text is tried as a float and as a complex, too.

#include <bit>
#include <cmath>
#include <cstdlib>

#include "tests/fuzz/checks.hpp"

namespace ouro::fuzz {
namespace {

// What `type` makes of the text (new reference), or nullptr.
PyObject* read_by(PyTypeObject* type, PyObject* text) {
    PyObject* number = PyObject_CallOneArg(reinterpret_cast<PyObject*>(type), text);
    return succeeded(number != nullptr) ? number : nullptr;
}

bool is_same(PyObject* one, PyObject* other) {
    if (PyFloat_Check(one) && std::isnan(PyFloat_AsDouble(one))) {
        return std::isnan(PyFloat_AsDouble(other));
    }
    if (PyComplex_Check(one) &&
        (std::isnan(PyComplex_RealAsDouble(one)) || std::isnan(PyComplex_ImagAsDouble(one)))) {
        return std::isnan(PyComplex_RealAsDouble(other)) ||
               std::isnan(PyComplex_ImagAsDouble(other));
    }
    return are_equal(one, other);
}

// Steals the reference. A number's own text, as `write` writes it, is read as the same number.
template <class Write, class Read>
void expect_round_trip(PyObject* number, const Write& write, const Read& read) {
    PyObject* text = write(number);
    if (succeeded(text != nullptr)) {
        PyObject* again = read(text);
        expect(again != nullptr && is_same(number, again), "its own text is another number");
        Py_DECREF(again);
        Py_DECREF(text);
    }
    Py_DECREF(number);
}

void read_int(const std::string& text, int base) {
    char* end = nullptr;
    PyObject* number = PyLong_FromString(text.c_str(), &end, base);
    if (!succeeded(number != nullptr)) {
        return;
    }
    expect(end == text.c_str() + text.size() || end == nullptr, "something is left of an int");
    for (const int written : {2, 8, 10, 16}) {
        expect_round_trip(
            Py_NewRef(number), [&](PyObject* op) { return PyNumber_ToBase(op, written); },
            [&](PyObject* op) {
                PyObject* again = PyLong_FromUnicodeObject(op, written);
                return succeeded(again != nullptr) ? again : nullptr;
            });
    }
    Py_DECREF(number);
}

// What the C library makes of as much of the text.
void read_double(const std::string& text) {
    char* end = nullptr;
    const double number = PyOS_string_to_double(text.c_str(), &end, nullptr);
    if (!succeeded(number != -1.0 || PyErr_Occurred() == nullptr)) {
        return;
    }
    const std::string read(text.c_str(), static_cast<const char*>(end));
    char* other_end = nullptr;
    const double other = std::strtod(read.c_str(), &other_end);
    expect(other_end == read.c_str() + read.size(), "a float that is none: " + read);
    expect(std::isnan(number) ? std::isnan(other)
                              : std::bit_cast<uint64_t>(number) == std::bit_cast<uint64_t>(other),
           "another float: " + read);
}

}  // namespace
}  // namespace ouro::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace ouro::fuzz;
    begin();
    const NothingIsLeft guard;
    Input input(data, size);
    const int base = static_cast<int>(input.below(40)) - 1;
    const std::string bytes = input.rest();
    read_int(bytes.c_str(), base);
    read_double(bytes.c_str());
    PyObject* text =
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
    if (!succeeded(text != nullptr)) {
        return 0;
    }
    for (PyTypeObject* type : {&PyLong_Type, &PyFloat_Type, &PyComplex_Type}) {
        if (PyObject* number = read_by(type, text)) {
            expect_round_trip(number, PyObject_Repr,
                              [&](PyObject* op) { return read_by(type, op); });
        }
    }
    Py_DECREF(text);
    return 0;
}
