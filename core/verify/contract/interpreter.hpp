// The language of `ouro check --script`, a line at a time.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/object/own.hpp"

namespace ouro::contract {

// What lines have written as literals, but for numbers and None, in order, each with so many references that it
// survives who gives back more than there were. Lines that run again get the same ones.
class Literals {
public:
    static constexpr Py_ssize_t kHeld = 64;

    void begin() { next_ = 0; }
    // A new reference.
    PyObject* next(const std::function<PyObject*()>& make);
    const std::vector<PyObject*>& all() const { return all_; }

private:
    std::vector<PyObject*> all_;  // never given back
    size_t next_ = 0;
};

// dict.fromkeys: can be called, and does not live for ever. New reference; nullptr with an exception.
PyObject* new_callable();

class Interpreter {
public:
    // `literals`: where those are to be kept, or nullptr.
    explicit Interpreter(PyObject* module, Literals* literals = nullptr)
        : module_(module), literals_(literals) {}

    // False, with an exception, if the line cannot be read or raises one.
    bool run(std::string_view line);
    const std::map<std::string, object::Own>& names() const { return names_; }
    void forget(const std::string& name) { names_.erase(name); }
    void forget_names() { names_.clear(); }
    // The references to `op` that are the names', and the literals'.
    Py_ssize_t references_to(const PyObject* op) const;

private:
    bool is_next(std::string_view token) const;
    bool take(std::string_view token);
    bool refuse() const;
    std::string word();
    bool expect(std::string_view token);
    bool statement();
    bool remove();
    bool set_or_call();
    object::Own named(const std::string& name);
    object::Own expression();
    object::Own literal(const std::string& first);
    object::Own made(const std::function<PyObject*()>& make);
    object::Own arguments();
    // Of a call.
    struct Given {
        object::Own positional, keywords;
    };
    Given given();
    bool is_keyword() const;

    PyObject* module_;
    Literals* literals_;
    std::map<std::string, object::Own> names_;
    std::vector<std::string> tokens_;
    size_t at_ = 0;
};

}  // namespace ouro::contract
