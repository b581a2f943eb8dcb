// A list where finalizers put what they are called for. On another thread one may be about to use it while the test
// lets go of it, so whoever uses it has a reference of its own.
#pragma once

#include <mutex>
#include <utility>

#include "core/include/ouroboros.h"

namespace ouro::test {

class RevivedList {
public:
    // Refers to the list, or with nullptr to none, instead of the one before.
    void set(PyObject* list) {
        Py_XINCREF(list);
        {
            const std::lock_guard lock(mutex_);
            std::swap(list_, list);
        }
        Py_XDECREF(list);
    }
    // A new reference; nullptr if there is none.
    PyObject* get() {
        const std::lock_guard lock(mutex_);
        return Py_XNewRef(list_);
    }

private:
    std::mutex mutex_;
    PyObject* list_ = nullptr;
};

}  // namespace ouro::test
