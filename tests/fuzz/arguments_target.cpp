// Parses arguments by formats: the input chooses the units of a format, so that it is well formed, and the arguments,
// which need not fit. What is parsed is given back; of what is refused nothing is left.

#include <Python.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/checks.hpp"

namespace ouro::fuzz {
namespace {

constexpr size_t kMostPointers = 16;
constexpr size_t kMostParameters = 4;

// A unit, and what its pointers lead to: o an object that is borrowed, b a Py_buffer, m memory to be freed, e the
// name of an encoding, t a type, f a converter, v any value, n a size that begins with 0.
struct Unit {
    const char* text;
    const char* pointers;
};
constexpr std::array kUnits = {
    Unit{"s", "v"},     Unit{"s#", "vv"},   Unit{"s*", "b"},  Unit{"z", "v"},   Unit{"z#", "vv"},
    Unit{"z*", "b"},    Unit{"y", "v"},     Unit{"y#", "vv"}, Unit{"y*", "b"},  Unit{"w*", "b"},
    Unit{"S", "o"},     Unit{"Y", "o"},     Unit{"U", "o"},   Unit{"es", "em"}, Unit{"et", "em"},
    Unit{"es#", "emn"}, Unit{"et#", "emn"}, Unit{"b", "v"},   Unit{"B", "v"},   Unit{"h", "v"},
    Unit{"H", "v"},     Unit{"i", "v"},     Unit{"I", "v"},   Unit{"l", "v"},   Unit{"k", "v"},
    Unit{"L", "v"},     Unit{"K", "v"},     Unit{"n", "v"},   Unit{"c", "v"},   Unit{"C", "v"},
    Unit{"f", "v"},     Unit{"d", "v"},     Unit{"D", "v"},   Unit{"O", "o"},   Unit{"O!", "to"},
    Unit{"O&", "fv"},   Unit{"p", "v"}};

int converts_names(PyObject* op, void* to) {
    std::memcpy(to, &op, sizeof op);
    if (!PyUnicode_Check(op)) {
        PyErr_SetString(PyExc_TypeError, "a name is a str");
        return 0;
    }
    return 1;
}

union Target {
    Py_buffer buffer;
    Py_complex number;
    char* memory;
    PyObject* op;
    Py_ssize_t size;
};

// A format and the places that it fills.
class Parameters {
public:
    explicit Parameters(Input& input, bool has_names) {
        const size_t required = input.below(kMostParameters + 1);
        const size_t all = required + input.below(kMostParameters + 1 - required);
        for (size_t i = 0; i < all; ++i) {
            if (i == required) {
                format_ += '|';
            }
            if (i == all / 2 && has_names && i >= required && input.below(3) == 0) {
                format_ += '$';
            }
            if (!has_names && input.below(8) == 0) {
                format_ += '(';
                add_unit(input);
                add_unit(input);
                format_ += ')';
            } else {
                add_unit(input);
            }
            names_[i] = input.below(4) == 0 && i == 0 && required > 0 ? "" : kNames[i];
        }
        format_ += input.below(2) == 0 ? ":name" : ";message";
        targets_ = {};
    }

    const char* format() const { return format_.c_str(); }
    char** names() { return const_cast<char**>(names_.data()); }
    const std::array<void*, kMostPointers>& pointers() const { return pointers_; }

    // Of what was parsed, and of nothing that was refused.
    void give_back() {
        for (size_t i = 0; i < count_; ++i) {
            if (kinds_[i] == 'b' && targets_[i].buffer.obj != nullptr) {
                PyBuffer_Release(&targets_[i].buffer);
            } else if (kinds_[i] == 'm') {
                PyMem_Free(targets_[i].memory);
            } else if (kinds_[i] == 'o' && targets_[i].op != nullptr) {
                expect(Py_REFCNT(targets_[i].op) > 0, "an object that is gone");
            }
        }
    }

private:
    static constexpr std::array kNames = {"a", "b", "c", "d"};
    static_assert(kNames.size() == kMostParameters);

    void add_unit(Input& input) {
        const Unit& unit = kUnits[input.below(kUnits.size())];
        if (count_ + std::strlen(unit.pointers) > kMostPointers) {
            return;
        }
        format_ += unit.text;
        for (const char* kind = unit.pointers; *kind != '\0'; ++kind) {
            kinds_[count_] = *kind;
            pointers_[count_] = pointer_to(*kind, count_, input);
            ++count_;
        }
    }
    void* pointer_to(char kind, size_t place, Input& input) {
        static constexpr std::array kEncodings = {"utf-8", "latin-1", "ascii", "no such"};
        static const std::array types = {&PyLong_Type, &PyUnicode_Type, &PyBaseObject_Type};
        switch (kind) {
            case 'e':
                return const_cast<char*>(kEncodings[input.below(kEncodings.size())]);
            case 't':
                return types[input.below(types.size())];
            case 'f':
                return reinterpret_cast<void*>(converts_names);
            default:
                return &targets_[place];
        }
    }

    std::string format_;
    size_t count_ = 0;
    std::array<char, kMostPointers> kinds_{};
    std::array<void*, kMostPointers> pointers_{};
    std::array<Target, kMostPointers> targets_{};
    std::array<const char*, kMostParameters + 1> names_{};
};

// New reference. `depth` of tuples in it at most.
PyObject* an_object(Input& input, int depth) {
    switch (input.below(depth > 0 ? 13 : 11)) {
        case 0:
            return PyLong_FromLong(static_cast<signed char>(input.byte()));
        case 1:
            return PyLong_FromLongLong(1LL << input.below(63));
        case 2:
            return PyLong_FromString("-987654321098765432109876543210", nullptr, 10);
        case 3:
            return PyFloat_FromDouble(input.byte() * 1e30);
        case 4: {
            const std::string text(input.below(5), static_cast<char>('a' + input.below(20)));
            return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
        }
        case 5:
            return PyUnicode_FromOrdinal(static_cast<int>(input.byte() * 257));
        case 6: {
            const std::string text(input.below(5), static_cast<char>(input.byte()));
            return PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
        }
        case 7:
            return PyByteArray_FromStringAndSize("array", static_cast<Py_ssize_t>(input.below(5)));
        case 8:
            return Py_NewRef(Py_None);
        case 9:
            return Py_NewRef(input.below(2) == 0 ? Py_True : Py_False);
        case 10:
            return PyComplex_FromDoubles(1, 2);
        case 11:
            return PyList_New(0);
        default: {
            PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(input.below(4)));
            for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
                PyTuple_SET_ITEM(tuple, i, an_object(input, depth - 1));
            }
            return tuple;
        }
    }
}

// New reference.
PyObject* named(Input& input) {
    PyObject* dict = PyDict_New();
    static constexpr std::array kKeys = {"a", "b", "c", "d", "other"};
    for (size_t left = input.below(4); left > 0; --left) {
        PyObject* value = an_object(input, 1);
        expect(PyDict_SetItemString(dict, kKeys[input.below(kKeys.size())], value) == 0, "a dict");
        Py_DECREF(value);
    }
    return dict;
}

template <size_t... place>
int parse(PyObject* args, PyObject* kwargs, Parameters& to, std::index_sequence<place...>) {
    return kwargs == nullptr ? PyArg_ParseTuple(args, to.format(), to.pointers()[place]...)
                             : PyArg_ParseTupleAndKeywords(args, kwargs, to.format(), to.names(),
                                                           to.pointers()[place]...);
}

}  // namespace
}  // namespace ouro::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace ouro::fuzz;
    begin();
    const NothingIsLeft guard;
    Input input(data, size);
    const bool has_names = input.below(2) == 1;
    Parameters parameters(input, has_names);
    PyObject* kwargs = has_names ? named(input) : nullptr;
    PyObject* args = PyTuple_New(static_cast<Py_ssize_t>(input.below(6)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
        PyTuple_SET_ITEM(args, i, an_object(input, 2));
    }
    if (succeeded(parse(args, kwargs, parameters, std::make_index_sequence<kMostPointers>()) ==
                  1)) {
        parameters.give_back();
    }
    Py_DECREF(args);
    Py_XDECREF(kwargs);
    return 0;
}
