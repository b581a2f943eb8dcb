// The table of slots: where each is in a type, what it is called in a class, which function calls what a
// class has under that name, and which function is called by that name. Both directions are made from it.
#pragma once

#include <cstdint>
#include <span>

#include "core/include/Python.h"

namespace ouro::type {

// A row a name of a slot; the rows of one slot follow each other. `function` is what fills the slot where a class
// has something of that name: nullptr if that leaves it empty. `wrapper` is nullptr for what no C
// function is called.
std::span<wrapperbase> slot_rows();

// The str of a row's name: borrowed, there for ever; nullptr with MemoryError.
PyObject* name_of(wrapperbase& row);

// A slot holds a pointer to a function of one type or another; it is read and replaced whole.
using SlotWord [[gnu::may_alias]] = void*;

// Where a row's slot is; nullptr if the type has not got that group of slots.
SlotWord* slot_at(PyTypeObject* type, const wrapperbase& row);

inline void* load_slot(const SlotWord* slot) {
    return __atomic_load_n(slot, __ATOMIC_RELAXED);
}

// Relaxed: what a slot holds is code, which was there before anybody ran.
inline void store_slot(SlotWord* slot, void* function) {
    __atomic_store_n(slot, function, __ATOMIC_RELAXED);
}

// The one slot of those with this row's name that is filled; nullptr if there is none, or two.
SlotWord* only_filled_slot(PyTypeObject* type, const wrapperbase& row);

}  // namespace ouro::type
