// The units of a format: each converts one argument and stores it where the caller said.
#pragma once

#include <array>
#include <cstdarg>

#include "core/include/Python.h"

namespace ouro::call {

// So many parentheses may be open at once.
inline constexpr int kDeepest = 30;

// What is to be undone if a later argument fails: all of it when this goes, unless kept.
class Cleanups {
public:
    using Undo = int (*)(PyObject* none, void* address);

    Cleanups() = default;
    ~Cleanups();
    Cleanups(const Cleanups&) = delete;
    Cleanups& operator=(const Cleanups&) = delete;

    // False with MemoryError; then it is undone already.
    bool add(Undo undo, void* address);
    void keep() { count_ = 0; }

private:
    struct Entry {
        Undo undo;
        void* address;
    };
    std::array<Entry, 8> few_;
    Entry* entries_ = few_.data();
    size_t count_ = 0;
    size_t capacity_ = few_.size();
};

// A format that is being worked through, and where its values go.
struct Units {
    const char* format;  // the next unit
    std::va_list targets;
    Cleanups cleanups;

    Units(const char* text, std::va_list list) : format(text) { va_copy(targets, list); }
    ~Units() { va_end(targets); }
    Units(const Units&) = delete;
    Units& operator=(const Units&) = delete;

    template <class T>
    T next() {
        return va_arg(targets, T);
    }
};

// What is wrong with an argument, where no exception says it.
struct Complaint {
    std::array<char, 256> text;      // "must be str, not int"
    bool malformed = false;          // the format is
    int depth = 0;                   // parentheses around the unit
    std::array<int, kDeepest> path;  // the items that lead to it, counted from 0
};

// What a format says of the messages; both may be nullptr.
struct Names {
    const char* function;  // after ':'
    const char* message;   // after ';': the whole message

    // For "%.200s%s": the function with its parentheses, or what stands for it.
    const char* subject(const char* nobody = "function") const {
        return function == nullptr ? nobody : function;
    }
    const char* parentheses() const { return function == nullptr ? "" : "()"; }
};

inline bool is_end(char c) {
    return c == '\0' || c == ';' || c == ':';
}
// ASCII's, whatever the locale.
inline bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Both return false, for the unit to return: the argument is not what it takes; the format is wrong.
bool refuse(Complaint& complaint, const char* expected, PyObject* arg);
bool refuse_format(Complaint& complaint, const char* why);
// Whether this is what follows in the format; then it is passed over.
bool take_mark(Units& units, char mark);

// Converts one argument by the next unit. False with an exception, or with a complaint.
bool convert(Units& units, PyObject* arg, Complaint& complaint, int depth = 0);
// Passes over the next unit and its targets. What is wrong with it, or nullptr.
const char* skip(Units& units);
// Sets what the complaint says, unless an exception is set. Arguments are counted from 1; 0: it is the
// only one.
void raise(const Complaint& complaint, Py_ssize_t argument, const Names& names);
// The same for one argument that stands for all: what its items are to others.
void raise_for_one(const Complaint& complaint, const Names& names);

}  // namespace ouro::call
