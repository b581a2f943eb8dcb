#include "core/builtins/type/spec_slots.hpp"

#include <cstring>

#include "core/builtins/type/heap_type.hpp"
#include "core/object/own.hpp"

namespace ouro::type {
namespace {

// The slots that are fields of a heap type, a pointer each.
#define OURO_SPEC_SLOTS(X)                                              \
    X(bf_getbuffer, as_buffer.bf_getbuffer)                             \
    X(bf_releasebuffer, as_buffer.bf_releasebuffer)                     \
    X(mp_ass_subscript, as_mapping.mp_ass_subscript)                    \
    X(mp_length, as_mapping.mp_length)                                  \
    X(mp_subscript, as_mapping.mp_subscript)                            \
    X(nb_absolute, as_number.nb_absolute)                               \
    X(nb_add, as_number.nb_add)                                         \
    X(nb_and, as_number.nb_and)                                         \
    X(nb_bool, as_number.nb_bool)                                       \
    X(nb_divmod, as_number.nb_divmod)                                   \
    X(nb_float, as_number.nb_float)                                     \
    X(nb_floor_divide, as_number.nb_floor_divide)                       \
    X(nb_index, as_number.nb_index)                                     \
    X(nb_inplace_add, as_number.nb_inplace_add)                         \
    X(nb_inplace_and, as_number.nb_inplace_and)                         \
    X(nb_inplace_floor_divide, as_number.nb_inplace_floor_divide)       \
    X(nb_inplace_lshift, as_number.nb_inplace_lshift)                   \
    X(nb_inplace_multiply, as_number.nb_inplace_multiply)               \
    X(nb_inplace_or, as_number.nb_inplace_or)                           \
    X(nb_inplace_power, as_number.nb_inplace_power)                     \
    X(nb_inplace_remainder, as_number.nb_inplace_remainder)             \
    X(nb_inplace_rshift, as_number.nb_inplace_rshift)                   \
    X(nb_inplace_subtract, as_number.nb_inplace_subtract)               \
    X(nb_inplace_true_divide, as_number.nb_inplace_true_divide)         \
    X(nb_inplace_xor, as_number.nb_inplace_xor)                         \
    X(nb_int, as_number.nb_int)                                         \
    X(nb_invert, as_number.nb_invert)                                   \
    X(nb_lshift, as_number.nb_lshift)                                   \
    X(nb_multiply, as_number.nb_multiply)                               \
    X(nb_negative, as_number.nb_negative)                               \
    X(nb_or, as_number.nb_or)                                           \
    X(nb_positive, as_number.nb_positive)                               \
    X(nb_power, as_number.nb_power)                                     \
    X(nb_remainder, as_number.nb_remainder)                             \
    X(nb_rshift, as_number.nb_rshift)                                   \
    X(nb_subtract, as_number.nb_subtract)                               \
    X(nb_true_divide, as_number.nb_true_divide)                         \
    X(nb_xor, as_number.nb_xor)                                         \
    X(sq_ass_item, as_sequence.sq_ass_item)                             \
    X(sq_concat, as_sequence.sq_concat)                                 \
    X(sq_contains, as_sequence.sq_contains)                             \
    X(sq_inplace_concat, as_sequence.sq_inplace_concat)                 \
    X(sq_inplace_repeat, as_sequence.sq_inplace_repeat)                 \
    X(sq_item, as_sequence.sq_item)                                     \
    X(sq_length, as_sequence.sq_length)                                 \
    X(sq_repeat, as_sequence.sq_repeat)                                 \
    X(tp_alloc, ht_type.tp_alloc)                                       \
    X(tp_base, ht_type.tp_base)                                         \
    X(tp_bases, ht_type.tp_bases)                                       \
    X(tp_call, ht_type.tp_call)                                         \
    X(tp_clear, ht_type.tp_clear)                                       \
    X(tp_dealloc, ht_type.tp_dealloc)                                   \
    X(tp_del, ht_type.tp_del)                                           \
    X(tp_descr_get, ht_type.tp_descr_get)                               \
    X(tp_descr_set, ht_type.tp_descr_set)                               \
    X(tp_getattr, ht_type.tp_getattr)                                   \
    X(tp_getattro, ht_type.tp_getattro)                                 \
    X(tp_hash, ht_type.tp_hash)                                         \
    X(tp_init, ht_type.tp_init)                                         \
    X(tp_is_gc, ht_type.tp_is_gc)                                       \
    X(tp_iter, ht_type.tp_iter)                                         \
    X(tp_iternext, ht_type.tp_iternext)                                 \
    X(tp_methods, ht_type.tp_methods)                                   \
    X(tp_new, ht_type.tp_new)                                           \
    X(tp_repr, ht_type.tp_repr)                                         \
    X(tp_richcompare, ht_type.tp_richcompare)                           \
    X(tp_setattr, ht_type.tp_setattr)                                   \
    X(tp_setattro, ht_type.tp_setattro)                                 \
    X(tp_str, ht_type.tp_str)                                           \
    X(tp_traverse, ht_type.tp_traverse)                                 \
    X(tp_members, ht_type.tp_members)                                   \
    X(tp_getset, ht_type.tp_getset)                                     \
    X(tp_free, ht_type.tp_free)                                         \
    X(nb_matrix_multiply, as_number.nb_matrix_multiply)                 \
    X(nb_inplace_matrix_multiply, as_number.nb_inplace_matrix_multiply) \
    X(am_await, as_async.am_await)                                      \
    X(am_aiter, as_async.am_aiter)                                      \
    X(am_anext, as_async.am_anext)                                      \
    X(tp_finalize, ht_type.tp_finalize)                                 \
    X(am_send, as_async.am_send)                                        \
    X(tp_vectorcall, ht_type.tp_vectorcall)

// The field of a slot; nullptr if there is no such slot.
void** field_of(PyHeapTypeObject* type, int number) {
    switch (number) {
#define X(name, field) \
    case Py_##name:    \
        return reinterpret_cast<void**>(&type->field);
        OURO_SPEC_SLOTS(X)
#undef X
        case Py_tp_doc:
            return reinterpret_cast<void**>(const_cast<char**>(&type->ht_type.tp_doc));
        case Py_tp_token:
            return &type->ht_token;
        default:
            return nullptr;
    }
}

bool is_read_apart(int number) {
    return number == Py_tp_base || number == Py_tp_bases || number == Py_tp_doc ||
           number == Py_tp_members || number == Py_tp_token;
}

}  // namespace

bool is_slot(int number) {
    PyHeapTypeObject none{};
    return field_of(&none, number) != nullptr;
}

void store_slot(PyTypeObject* type, const PyType_Slot& slot) {
    if (!is_read_apart(slot.slot)) {
        *field_of(as_heap_type(type), slot.slot) = slot.pfunc;
    }
}

}  // namespace ouro::type

using namespace ouro;

void* PyType_GetSlot(PyTypeObject* type, int number) {
    if (!type::is_slot(number)) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    // A static type has suites of its own, or none: a copy of both as a heap type has them.
    PyHeapTypeObject copy{};
    std::memcpy(&copy.ht_type, type, sizeof(PyTypeObject));
    const auto copy_suite = [](auto& to, const auto* from) {
        if (from != nullptr) {
            to = *from;
        }
    };
    copy_suite(copy.as_async, type->tp_as_async);
    copy_suite(copy.as_number, type->tp_as_number);
    copy_suite(copy.as_mapping, type->tp_as_mapping);
    copy_suite(copy.as_sequence, type->tp_as_sequence);
    copy_suite(copy.as_buffer, type->tp_as_buffer);
    copy.ht_token = type::is_heap_type(type) ? type::as_heap_type(type)->ht_token : nullptr;
    return *type::field_of(&copy, number);
}

unsigned long PyType_GetFlags(PyTypeObject* type) {
    return type->tp_flags;
}
