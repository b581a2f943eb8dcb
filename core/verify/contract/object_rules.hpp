// The calls by which a module allocates, tracks, resizes and frees objects (objects.*).
#pragma once

#include <cstddef>

#include "core/include/Python.h"

namespace ouro::contract {

// Has these calls of the module checked.
void watch_objects();

// Stands in tp_free of the module's types: checks, and calls what stood there.
void watched_free(void* op);

// Is asked before each of these frees an instance of the module's types: true if it has taken that over.
void set_free_hook(bool (*hook)(PyObject* op));

// Whether the memory of what was a container is free: it may have died, and be kept for another.
bool is_freed(const PyObject* op);
// How many instances of the module's types it freed in this process.
size_t freed_instances();

// What a function is that the module took the address of, if it is one of the checker's.
freefunc original(freefunc function);

}  // namespace ouro::contract
