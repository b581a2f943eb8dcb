#include "core/builtins/call/units.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "core/builtins/call/convert.hpp"
#include "core/builtins/call/text_units.hpp"

namespace ouro::call {

Cleanups::~Cleanups() {
    for (size_t i = 0; i < count_; ++i) {
        entries_[i].undo(nullptr, entries_[i].address);
    }
    if (entries_ != few_.data()) {
        PyMem_Free(entries_);
    }
}

bool Cleanups::add(Undo undo, void* address) {
    if (count_ == capacity_) {
        auto* more = PyMem_New(Entry, 2 * capacity_);
        if (more == nullptr) {
            undo(nullptr, address);
            PyErr_NoMemory();
            return false;
        }
        std::copy_n(entries_, count_, more);
        if (entries_ != few_.data()) {
            PyMem_Free(entries_);
        }
        entries_ = more;
        capacity_ *= 2;
    }
    entries_[count_++] = {undo, address};
    return true;
}

bool refuse(Complaint& complaint, const char* expected, PyObject* arg) {
    std::snprintf(complaint.text.data(), complaint.text.size(), "must be %.50s, not %.50s",
                  expected, arg == Py_None ? "None" : Py_TYPE(arg)->tp_name);
    return false;
}

bool refuse_format(Complaint& complaint, const char* why) {
    std::snprintf(complaint.text.data(), complaint.text.size(), "(%s)", why);
    complaint.malformed = true;
    return false;
}

bool take_mark(Units& units, char mark) {
    if (*units.format != mark) {
        return false;
    }
    ++units.format;
    return true;
}

namespace {

template <class T>
bool store_in_range(Units& units, PyObject* arg, const char* type) {
    T* target = units.next<T*>();
    long value;
    if (!to_long(arg, &value)) {
        return false;
    }
    if (value < std::numeric_limits<T>::min()) {
        PyErr_Format(PyExc_OverflowError, "%s is less than minimum", type);
        return false;
    }
    if (value > std::numeric_limits<T>::max()) {
        PyErr_Format(PyExc_OverflowError, "%s is greater than maximum", type);
        return false;
    }
    *target = static_cast<T>(value);
    return true;
}

template <class T>
bool store_bits(Units& units, PyObject* arg) {
    T* target = units.next<T*>();
    unsigned long long value;
    if (!to_bits(arg, &value)) {
        return false;
    }
    *target = static_cast<T>(value);
    return true;
}

// The older units for unsigned values convert nothing to an int.
template <class T>
bool store_bits_of_int(Units& units, PyObject* arg, Complaint& complaint) {
    if (!PyLong_Check(arg)) {
        units.next<T*>();
        return refuse(complaint, "int", arg);
    }
    return store_bits<T>(units, arg);
}

template <class T>
bool store(Units& units, PyObject* arg, bool (*to)(PyObject*, T*)) {
    T* target = units.next<T*>();
    T value;
    if (!to(arg, &value)) {
        return false;
    }
    *target = value;
    return true;
}

bool store_float(Units& units, PyObject* arg) {
    float* target = units.next<float*>();
    double value;
    if (!to_double(arg, &value)) {
        return false;
    }
    *target = static_cast<float>(value);
    return true;
}

bool store_complex(Units& units, PyObject* arg) {
    Py_complex* target = units.next<Py_complex*>();
    const Py_complex value = PyComplex_AsCComplex(arg);
    if (PyErr_Occurred() != nullptr) {
        return false;
    }
    *target = value;
    return true;
}

bool store_code_point(Units& units, PyObject* arg, Complaint& complaint) {
    int* target = units.next<int*>();
    if (!PyUnicode_Check(arg)) {
        return refuse(complaint, "a unicode character", arg);
    }
    int value;
    const Py_ssize_t count = code_points(arg, &value);
    if (count != 1) {
        std::snprintf(complaint.text.data(), complaint.text.size(),
                      "must be a unicode character, not a string of length %zd", count);
        return false;
    }
    *target = value;
    return true;
}

// O, O!, O&
bool store_object(Units& units, PyObject* arg, Complaint& complaint) {
    if (take_mark(units, '&')) {
        using Converter = int (*)(PyObject*, void*);
        const auto converter = units.next<Converter>();
        void* address = units.next<void*>();
        const int result = converter(arg, address);
        if (result == 0) {
            return refuse_format(complaint, "unspecified");
        }
        return result != Py_CLEANUP_SUPPORTED || units.cleanups.add(converter, address);
    }
    const bool has_type = take_mark(units, '!');
    PyTypeObject* type = has_type ? units.next<PyTypeObject*>() : nullptr;
    PyObject** target = units.next<PyObject**>();
    if (has_type && PyType_IsSubtype(Py_TYPE(arg), type) == 0) {
        return refuse(complaint, type->tp_name, arg);
    }
    *target = arg;
    return true;
}

// U, S and Y
bool store_checked(Units& units, PyObject* arg, bool is_it, const char* type,
                   Complaint& complaint) {
    PyObject** target = units.next<PyObject**>();
    if (!is_it) {
        return refuse(complaint, type, arg);
    }
    *target = arg;
    return true;
}

bool store_byte(Units& units, PyObject* arg, Complaint& complaint) {
    char* target = units.next<char*>();
    if (PyBytes_Check(arg) && PyBytes_GET_SIZE(arg) == 1) {
        *target = *PyBytes_AS_STRING(arg);
        return true;
    }
    if (PyByteArray_Check(arg) && PyByteArray_GET_SIZE(arg) == 1) {
        *target = *PyByteArray_AS_STRING(arg);
        return true;
    }
    return refuse(complaint, "a byte string of length 1", arg);
}

bool convert_simple(Units& units, PyObject* arg, Complaint& complaint) {
    switch (const char unit = *units.format++) {
        case 'b':
            return store_in_range<unsigned char>(units, arg, "unsigned byte integer");
        case 'h':
            return store_in_range<short>(units, arg, "signed short integer");
        case 'i':
            return store_in_range<int>(units, arg, "signed integer");
        case 'l':
            return store<long>(units, arg, to_long);
        case 'L':
            return store<long long>(units, arg, to_long_long);
        case 'n':
            return store<Py_ssize_t>(units, arg, to_ssize);
        case 'B':
            return store_bits<unsigned char>(units, arg);
        case 'H':
            return store_bits<unsigned short>(units, arg);
        case 'I':
            return store_bits<unsigned>(units, arg);
        case 'k':
            return store_bits_of_int<unsigned long>(units, arg, complaint);
        case 'K':
            return store_bits_of_int<unsigned long long>(units, arg, complaint);
        case 'f':
            return store_float(units, arg);
        case 'd':
            return store<double>(units, arg, to_double);
        case 'D':
            return store_complex(units, arg);
        case 'p':
            return store<int>(units, arg, to_truth);
        case 'C':
            return store_code_point(units, arg, complaint);
        case 's':
        case 'z':
            return store_text(units, arg, unit == 'z', complaint);
        case 'e':
            return store_encoded(units, arg, complaint);
        case 'U':
            return store_checked(units, arg, PyUnicode_Check(arg) != 0, "str", complaint);
        case 'S':
            return store_checked(units, arg, PyBytes_Check(arg) != 0, "bytes", complaint);
        case 'Y':
            return store_checked(units, arg, PyByteArray_Check(arg) != 0, "bytearray", complaint);
        case 'y':
            return store_bytes(units, arg, complaint);
        case 'w':
            return store_writable(units, arg, complaint);
        case 'c':
            return store_byte(units, arg, complaint);
        case 'O':
            return store_object(units, arg, complaint);
        default:
            return refuse_format(complaint, "impossible<bad format char>");
    }
}

// How many items the format has up to the parenthesis that ends it.
int count_items(const char* format) {
    int count = 0;
    int level = 0;
    for (;; ++format) {
        if (*format == '(') {
            count += level == 0;
            ++level;
        } else if (*format == ')') {
            if (level == 0) {
                return count;
            }
            --level;
        } else if (is_end(*format)) {
            return count;
        } else if (level == 0 && is_letter(*format) && *format != 'e') {
            ++count;  // e is but the first half of a unit
        }
    }
}

// By the items between parentheses; the format stands behind the first one.
bool convert_sequence(Units& units, PyObject* arg, Complaint& complaint, int depth) {
    if (depth == kDeepest) {
        return refuse_format(complaint, "too many tuple nesting levels in argument format string");
    }
    const int count = count_items(units.format);
    if (!is_sequence(arg)) {
        std::snprintf(complaint.text.data(), complaint.text.size(),
                      "must be %d-item sequence, not %.50s", count,
                      arg == Py_None ? "None" : Py_TYPE(arg)->tp_name);
        return false;
    }
    const Py_ssize_t size = sequence_size(arg);
    if (size != count) {
        std::snprintf(complaint.text.data(), complaint.text.size(),
                      "must be sequence of length %d, not %zd", count, size);
        return false;
    }
    for (int i = 0; i < count; ++i) {
        complaint.path[static_cast<size_t>(depth)] = i;
        PyObject* item = sequence_item(arg, i);
        if (item == nullptr) {
            PyErr_Clear();
            complaint.depth = depth + 1;
            std::snprintf(complaint.text.data(), complaint.text.size(), "is not retrievable");
            return false;
        }
        const bool converted = convert(units, item, complaint, depth + 1);
        Py_DECREF(item);  // what was borrowed from it the sequence holds
        if (!converted) {
            return false;
        }
    }
    take_mark(units, ')');
    return true;
}

void set(const Complaint& complaint, const char* message) {
    PyErr_SetString(complaint.malformed ? PyExc_SystemError : PyExc_TypeError, message);
}

// "f() argument 2, item 0 must be str, not int"; `first` is the first item of the path to be named.
void raise_at(const Complaint& complaint, Py_ssize_t argument, int first, const Names& names) {
    if (PyErr_Occurred() != nullptr) {
        return;
    }
    if (names.message != nullptr) {
        set(complaint, names.message);
        return;
    }
    constexpr size_t kLongestPath = 220;
    std::array<char, 512> text;
    size_t size = 0;
    const auto append = [&](const char* format, auto... values) {
        const int written =
            std::snprintf(text.data() + size, text.size() - size, format, values...);
        size = std::min(size + static_cast<size_t>(written), text.size() - 1);
    };
    if (names.function != nullptr) {
        append("%.200s() ", names.function);
    }
    if (argument == 0) {
        append("%s", "argument");
    } else {
        append("argument %zd", argument);
        for (int i = first; i < complaint.depth && size < kLongestPath; ++i) {
            append(", item %d", complaint.path[static_cast<size_t>(i)]);
        }
    }
    append(" %.256s", complaint.text.data());
    set(complaint, text.data());
}

}  // namespace

bool convert(Units& units, PyObject* arg, Complaint& complaint, int depth) {
    complaint.depth = depth;
    if (take_mark(units, '(')) {
        return convert_sequence(units, arg, complaint, depth);
    }
    return convert_simple(units, arg, complaint);
}

const char* skip(Units& units) {
    constexpr const char* kBadUnit = "impossible<bad format char>";
    const char* const start = units.format;
    const auto bad = [&](const char* why) {
        units.format = start;
        return why;
    };
    switch (const char unit = *units.format++) {
        case 'b':
        case 'B':
        case 'h':
        case 'H':
        case 'i':
        case 'I':
        case 'l':
        case 'k':
        case 'L':
        case 'K':
        case 'n':
        case 'f':
        case 'd':
        case 'D':
        case 'c':
        case 'C':
        case 'p':
        case 'S':
        case 'U':
        case 'Y':
            units.next<void*>();
            return nullptr;
        case 'e':
        case 's':
        case 'z':
        case 'y':
        case 'w':
            if (unit == 'e') {
                units.next<const char*>();
                if (!take_mark(units, 's') && !take_mark(units, 't')) {
                    return bad(kBadUnit);
                }
            }
            units.next<void*>();  // a char* or a Py_buffer
            if (take_mark(units, '#')) {
                units.next<Py_ssize_t*>();
            } else if (unit != 'e') {
                take_mark(units, '*');
            }
            return nullptr;
        case 'O':
            if (take_mark(units, '!') || take_mark(units, '&')) {
                units.next<void*>();  // a type, or a function: as wide as any pointer
            }
            units.next<void*>();
            return nullptr;
        case '(':
            while (!take_mark(units, ')')) {
                if (is_end(*units.format)) {
                    return bad("Unmatched left paren in format string");
                }
                if (const char* why = skip(units)) {
                    return bad(why);
                }
            }
            return nullptr;
        case ')':
            return bad("Unmatched right paren in format string");
        default:
            return bad(kBadUnit);
    }
}

void raise(const Complaint& complaint, Py_ssize_t argument, const Names& names) {
    raise_at(complaint, argument, 0, names);
}

void raise_for_one(const Complaint& complaint, const Names& names) {
    raise_at(complaint, complaint.depth > 0 ? complaint.path[0] + 1 : 0, 1, names);
}

}  // namespace ouro::call
