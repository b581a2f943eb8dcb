// Special methods: what a class says about its objects, found in the class and not in the object.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/include/Python.h"

namespace ouro::type {

// A name that a template can be made for.
template <size_t size>
struct NameText {
    constexpr NameText(const char (&from)[size]) { std::copy_n(from, size, text); }
    char text[size];
};

// Makes the str of a name unless *place has it. Borrowed, there for ever; nullptr with MemoryError.
PyObject* name_once(const char* text, std::atomic<PyObject*>* place);

// "__len__"_name: the str, borrowed, there for ever; nullptr with MemoryError.
inline namespace literals {
template <NameText name>
PyObject* operator""_name() {
    static std::atomic<PyObject*> known{nullptr};
    return name_once(name.text, &known);
}
}  // namespace literals

// One special method of one object, looked up. It is not bound to the object if it need not be.
class SpecialMethod {
public:
    // `name` may be nullptr, if an exception is set.
    SpecialMethod(PyObject* self, PyObject* name);
    ~SpecialMethod();
    SpecialMethod(const SpecialMethod&) = delete;
    SpecialMethod& operator=(const SpecialMethod&) = delete;

    // An exception is set.
    bool failed() const { return failed_; }
    // Neither found nor failed.
    bool missing() const { return callable_ == nullptr && !failed_; }
    // The class says that its objects do not have it.
    bool is_none() const { return callable_ == Py_None; }
    // Borrowed; what is called, bound or not.
    PyObject* callable() const { return callable_; }

    // New reference, or nullptr with an exception. Pre: it was found.
    template <class... Arguments>
    PyObject* call(Arguments*... arguments) const {
        PyObject* all[] = {nullptr, self_, arguments...};
        const size_t count = sizeof...(arguments);
        return bound_ ? PyObject_Vectorcall(callable_, all + 2,
                                            count | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr)
                      : PyObject_Vectorcall(callable_, all + 1,
                                            (count + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    }

private:
    PyObject* const self_;
    PyObject* callable_ = nullptr;
    bool bound_ = false;
    bool failed_ = false;
};

// AttributeError, unless an exception is set: an object's class has no such method.
PyObject* refuse_missing(const SpecialMethod& method, PyObject* name);

// Calls it: AttributeError if the class has none.
template <class... Arguments>
PyObject* call_special(PyObject* self, PyObject* name, Arguments*... arguments) {
    const SpecialMethod method(self, name);
    return method.failed() || method.missing() ? refuse_missing(method, name)
                                               : method.call(arguments...);
}

// What a special method is when it is bound to its object: 1 and a new reference; 0 and nullptr; -1 with
// an exception. `name` may be nullptr, if an exception is set.
int bind_special(PyObject* self, PyObject* name, PyObject** bound);

}  // namespace ouro::type
