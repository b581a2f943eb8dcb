// The lock of types: who holds it may change a type, or ready one.
#pragma once

#include <atomic>

#include "core/include/Python.h"

namespace ouro::type {

// Taken as often as its thread likes: allocating while a type is readied may collect, and a finalizer may ready
// types. Waits detached, so that nobody waits for who waits. The order of locks: before an object's.
class TypeLock {
public:
    TypeLock();
    ~TypeLock();
    TypeLock(const TypeLock&) = delete;
    TypeLock& operator=(const TypeLock&) = delete;
};

}  // namespace ouro::type
