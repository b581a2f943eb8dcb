// The types that a module makes, and what is wrong with them as they are written (types.*).
#pragma once

#include <vector>

#include "core/verify/contract/channel.hpp"
#include "core/verify/contract/module_calls.hpp"

namespace ouro::contract {

inline bool is_container_type(const PyTypeObject* type) {
    return (type->tp_flags & Py_TPFLAGS_HAVE_GC) != 0;
}
inline bool is_heap_type(const PyTypeObject* type) {
    return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
}

// The module that this process checks. Set once, before anything of it runs.
void set_module(const ModuleCalls* calls);
const ModuleCalls& module_calls();

// Types in the order in which they were made ready. They live as long as the process.
const std::vector<PyTypeObject*>& module_types();
bool is_module_type(const PyTypeObject* type);
// Where it is in them; -1 for one of nobody's, or that this process alone has made, after number_types().
int number_of(const PyTypeObject* type);
// The module has been imported. Processes that are made from here on tell each other types by number.
void number_types();
// Then: base types whose handlers nothing calls.
void check_bases();

// Has the calls of the module that make types checked; from then on those types are known.
void watch_types();
// Types that are made from now on are not known.
void ignore_new_types();

// The function that a type's tp_free was before the checker's took its place.
freefunc own_free(const PyTypeObject* type);

// A function of the type, to say where it is: the handler, or what else of it is in the module.
template <class Function>
Place place_of(const PyTypeObject* type, Function* handler) {
    if (handler != nullptr && module_calls().contains(reinterpret_cast<const void*>(handler))) {
        return function_at(handler);
    }
    return {module_calls().contains(type) ? type : nullptr, false};
}

}  // namespace ouro::contract
