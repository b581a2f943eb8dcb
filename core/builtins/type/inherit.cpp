#include "core/builtins/type/inherit.hpp"

#include <initializer_list>

#include "core/include/ouroboros/methods.h"

namespace ouro::type {
namespace {

// A base hands on what it has of its own; what it has from its own base comes from there.
template <class Table, class Slot>
void take(Table* to, const Table* from, const Table* from_base, Slot Table::*slot) {
    if (to->*slot == nullptr && from->*slot != nullptr &&
        (from_base == nullptr || from_base->*slot != from->*slot)) {
        to->*slot = from->*slot;
    }
}

template <class Table, class... Slots>
void take_all(Table* to, const Table* from, const Table* from_base, Slots... slots) {
    if (to != nullptr && from != nullptr) {
        (take(to, from, from_base, slots), ...);
    }
}

void inherit_suites(PyTypeObject* type, const PyTypeObject* base, const PyTypeObject* next) {
    using N = PyNumberMethods;
    take_all(type->tp_as_number, base->tp_as_number, next == nullptr ? nullptr : next->tp_as_number,
             &N::nb_add, &N::nb_subtract, &N::nb_multiply, &N::nb_remainder, &N::nb_divmod,
             &N::nb_power, &N::nb_negative, &N::nb_positive, &N::nb_absolute, &N::nb_bool,
             &N::nb_invert, &N::nb_lshift, &N::nb_rshift, &N::nb_and, &N::nb_xor, &N::nb_or,
             &N::nb_int, &N::nb_float, &N::nb_inplace_add, &N::nb_inplace_subtract,
             &N::nb_inplace_multiply, &N::nb_inplace_remainder, &N::nb_inplace_power,
             &N::nb_inplace_lshift, &N::nb_inplace_rshift, &N::nb_inplace_and, &N::nb_inplace_xor,
             &N::nb_inplace_or, &N::nb_floor_divide, &N::nb_true_divide,
             &N::nb_inplace_floor_divide, &N::nb_inplace_true_divide, &N::nb_index,
             &N::nb_matrix_multiply, &N::nb_inplace_matrix_multiply);
    using S = PySequenceMethods;
    take_all(type->tp_as_sequence, base->tp_as_sequence,
             next == nullptr ? nullptr : next->tp_as_sequence, &S::sq_length, &S::sq_concat,
             &S::sq_repeat, &S::sq_item, &S::sq_ass_item, &S::sq_contains, &S::sq_inplace_concat,
             &S::sq_inplace_repeat);
    using M = PyMappingMethods;
    take_all(type->tp_as_mapping, base->tp_as_mapping,
             next == nullptr ? nullptr : next->tp_as_mapping, &M::mp_length, &M::mp_subscript,
             &M::mp_ass_subscript);
    using A = PyAsyncMethods;
    take_all(type->tp_as_async, base->tp_as_async, next == nullptr ? nullptr : next->tp_as_async,
             &A::am_await, &A::am_aiter, &A::am_anext, &A::am_send);
    using B = PyBufferProcs;
    take_all(type->tp_as_buffer, base->tp_as_buffer, next == nullptr ? nullptr : next->tp_as_buffer,
             &B::bf_getbuffer, &B::bf_releasebuffer);
}

// A type without a suite uses its base's whole.
void share_suites(PyTypeObject* type, const PyTypeObject* base) {
    const auto share = [](auto& suite, auto* theirs) {
        if (suite == nullptr) {
            suite = theirs;
        }
    };
    share(type->tp_as_number, base->tp_as_number);
    share(type->tp_as_sequence, base->tp_as_sequence);
    share(type->tp_as_mapping, base->tp_as_mapping);
    share(type->tp_as_async, base->tp_as_async);
    share(type->tp_as_buffer, base->tp_as_buffer);
}

// The documented rule: the flag, tp_traverse and tp_clear are inherited together, and only by a type
// that has none of the three. What tp_traverse promises is its own: it goes with it.
void inherit_gc(PyTypeObject* type, const PyTypeObject* base) {
    if ((type->tp_flags & Py_TPFLAGS_HAVE_GC) == 0 && type->tp_traverse == nullptr &&
        type->tp_clear == nullptr && (base->tp_flags & Py_TPFLAGS_HAVE_GC) != 0) {
        constexpr unsigned long promise = OURO_TPFLAGS_CONCURRENT_TRAVERSE;
        type->tp_flags =
            (type->tp_flags & ~promise) | (base->tp_flags & promise) | Py_TPFLAGS_HAVE_GC;
        type->tp_traverse = base->tp_traverse;
        type->tp_clear = base->tp_clear;
    }
}

// Comparing and hashing come together or not at all: equal objects have equal hashes.
bool has_own_comparison(const PyTypeObject* type) {
    if (type->tp_richcompare != nullptr || type->tp_hash != nullptr) {
        return true;
    }
    for (const char* name : {"__eq__", "__hash__"}) {
        const int found = type->tp_dict == nullptr ? 0 : PyDict_ContainsString(type->tp_dict, name);
        if (found < 0) {
            PyErr_Clear();
        }
        if (found > 0) {
            return true;
        }
    }
    return false;
}

}  // namespace

void inherit_special(PyTypeObject* type, const PyTypeObject* base) {
    constexpr unsigned long kinds = Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_LIST_SUBCLASS |
                                    Py_TPFLAGS_TUPLE_SUBCLASS | Py_TPFLAGS_BYTES_SUBCLASS |
                                    Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_DICT_SUBCLASS |
                                    Py_TPFLAGS_BASE_EXC_SUBCLASS | Py_TPFLAGS_TYPE_SUBCLASS;
    constexpr unsigned long collections = Py_TPFLAGS_SEQUENCE | Py_TPFLAGS_MAPPING;
    type->tp_flags |= base->tp_flags & (kinds | Py_TPFLAGS_ITEMS_AT_END | Py_TPFLAGS_MANAGED_DICT |
                                        Py_TPFLAGS_MANAGED_WEAKREF);
    if ((type->tp_flags & collections) == 0) {
        type->tp_flags |= base->tp_flags & collections;
    }
    if (type->tp_basicsize == 0) {
        type->tp_basicsize = base->tp_basicsize;
    }
    if (type->tp_itemsize == 0) {
        type->tp_itemsize = base->tp_itemsize;
    }
    if (type->tp_weaklistoffset == 0) {
        type->tp_weaklistoffset = base->tp_weaklistoffset;
    }
    if (type->tp_dictoffset == 0) {
        type->tp_dictoffset = base->tp_dictoffset;
    }
    inherit_gc(type, base);
    share_suites(type, base);
}

void inherit_slots(PyTypeObject* type, const PyTypeObject* base) {
    const PyTypeObject* next = base->tp_base;
    inherit_suites(type, base, next);
    using T = PyTypeObject;
    if (type->tp_getattr == nullptr && type->tp_getattro == nullptr) {
        type->tp_getattr = base->tp_getattr;
        type->tp_getattro = base->tp_getattro;
    }
    if (type->tp_setattr == nullptr && type->tp_setattro == nullptr) {
        type->tp_setattr = base->tp_setattr;
        type->tp_setattro = base->tp_setattro;
    }
    if (!has_own_comparison(type)) {
        type->tp_richcompare = base->tp_richcompare;
        type->tp_hash = base->tp_hash;
    }
    if (type->tp_call == nullptr && type->tp_vectorcall_offset == 0 &&
        (base->tp_flags & Py_TPFLAGS_HAVE_VECTORCALL) != 0) {
        type->tp_vectorcall_offset = base->tp_vectorcall_offset;
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    }
    take_all(type, base, next, &T::tp_dealloc, &T::tp_repr, &T::tp_str, &T::tp_call, &T::tp_iter,
             &T::tp_iternext, &T::tp_descr_get, &T::tp_descr_set, &T::tp_init, &T::tp_alloc,
             &T::tp_is_gc, &T::tp_finalize);
    const bool alike =
        (type->tp_flags & Py_TPFLAGS_HAVE_GC) == (base->tp_flags & Py_TPFLAGS_HAVE_GC);
    if (alike) {
        take_all(type, base, next, &T::tp_free);
    } else if ((type->tp_flags & Py_TPFLAGS_HAVE_GC) != 0 && type->tp_free == nullptr &&
               base->tp_free == PyObject_Free) {
        type->tp_free = PyObject_GC_Del;  // a container that derives from none
    }
}

}  // namespace ouro::type
