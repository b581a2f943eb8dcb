#include "core/builtins/type/special.hpp"

#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/lookup.hpp"

namespace ouro::type {
namespace {

// What is found, made what it is for `self`. Takes the reference.
PyObject* bind(PyObject* found, PyObject* self) {
    const descrgetfunc get = Py_TYPE(found)->tp_descr_get;
    if (get == nullptr) {
        return found;
    }
    PyObject* bound = get(found, self, reinterpret_cast<PyObject*>(Py_TYPE(self)));
    Py_DECREF(found);
    return bound;
}

}  // namespace

PyObject* name_once(const char* text, std::atomic<PyObject*>* place) {
    // acquire: pairs with the exchange; the str is complete.
    PyObject* known = place->load(std::memory_order_acquire);
    if (known != nullptr) [[likely]] {
        return known;
    }
    PyObject* made = name_of_attribute(text);
    if (made != nullptr &&
        !place->compare_exchange_strong(known, made, std::memory_order_acq_rel)) {
        Py_DECREF(made);  // another thread was first
        return known;
    }
    return made;
}

SpecialMethod::SpecialMethod(PyObject* self, PyObject* name) : self_(self) {
    failed_ = name == nullptr || lookup(Py_TYPE(self), name, &callable_) < 0;
    if (callable_ != nullptr &&
        !PyType_HasFeature(Py_TYPE(callable_), Py_TPFLAGS_METHOD_DESCRIPTOR)) {
        bound_ = true;
        callable_ = bind(callable_, self);
        failed_ = callable_ == nullptr;
    }
}

SpecialMethod::~SpecialMethod() {
    Py_XDECREF(callable_);
}

PyObject* refuse_missing(const SpecialMethod& method, PyObject* name) {
    if (!method.failed()) {
        PyErr_SetObject(PyExc_AttributeError, name);
    }
    return nullptr;
}

int bind_special(PyObject* self, PyObject* name, PyObject** bound) {
    *bound = nullptr;
    if (name == nullptr) {
        return -1;
    }
    const int found = lookup(Py_TYPE(self), name, bound);
    if (found > 0) {
        *bound = bind(*bound, self);
        return *bound == nullptr ? -1 : 1;
    }
    return found;
}

}  // namespace ouro::type
