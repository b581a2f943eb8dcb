#include "core/builtins/type/slot_table.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/slot_dispatch.hpp"
#include "core/builtins/type/slot_wrappers.hpp"

namespace ouro::type {
namespace {

template <class Function>
void* code(Function* function) {
    return reinterpret_cast<void*>(function);
}
void* code(std::nullptr_t) {
    return nullptr;
}

wrapperfunc with_keywords(wrapperfunc_kwds wrapper) {
    return reinterpret_cast<wrapperfunc>(reinterpret_cast<void (*)()>(wrapper));
}

#define OURO_ROW(name, field, function, wrapper, signature, text)                           \
    wrapperbase {                                                                           \
        name, static_cast<int>(offsetof(PyHeapTypeObject, field)), code(function), wrapper, \
            name signature "\n--\n\n" text, 0, nullptr                                      \
    }
#define OURO_ROW_WITH_KEYWORDS(name, field, function, wrapper, text)                 \
    wrapperbase {                                                                    \
        name, static_cast<int>(offsetof(PyHeapTypeObject, field)), code(function),   \
            with_keywords(wrapper), name "($self, /, *args, **kwargs)\n--\n\n" text, \
            PyWrapperFlag_KEYWORDS, nullptr                                          \
    }

#define OURO_UNARY(name, field, text) \
    OURO_ROW(name, field, dispatch_unary<name>, wrap_unary, "($self, /)", text)
#define OURO_BINARY(method, field, sign)                                                          \
    OURO_ROW("__" method "__", as_number.field,                                                   \
             (dispatch_binary<&PyNumberMethods::field, "__" method "__", "__r" method "__">),     \
             wrap_binary_left, "($self, value, /)", "Return self" sign "value."),                 \
        OURO_ROW("__r" method "__", as_number.field,                                              \
                 (dispatch_binary<&PyNumberMethods::field, "__" method "__", "__r" method "__">), \
                 wrap_binary_right, "($self, value, /)", "Return value" sign "self.")
#define OURO_IN_PLACE(method, field, sign)                                                 \
    OURO_ROW("__i" method "__", as_number.field, dispatch_one_argument<"__i" method "__">, \
             wrap_binary, "($self, value, /)", "Return self" sign "=value.")
#define OURO_COMPARISON(method, wrapper, sign)                                        \
    OURO_ROW("__" method "__", ht_type.tp_richcompare, dispatch_richcompare, wrapper, \
             "($self, value, /)", "Return self" sign "value.")

std::array rows = std::to_array<wrapperbase>({
    // What takes a C string is left empty where a class has these.
    OURO_ROW("__getattribute__", ht_type.tp_getattr, nullptr, nullptr, "", ""),
    OURO_ROW("__getattr__", ht_type.tp_getattr, nullptr, nullptr, "", ""),
    OURO_ROW("__setattr__", ht_type.tp_setattr, nullptr, nullptr, "", ""),
    OURO_ROW("__delattr__", ht_type.tp_setattr, nullptr, nullptr, "", ""),
    OURO_ROW("__repr__", ht_type.tp_repr, dispatch_repr, wrap_unary, "($self, /)",
             "Return repr(self)."),
    OURO_ROW("__hash__", ht_type.tp_hash, dispatch_hash, wrap_hash, "($self, /)",
             "Return hash(self)."),
    OURO_ROW_WITH_KEYWORDS("__call__", ht_type.tp_call, dispatch_call, wrap_call,
                           "Call self as a function."),
    OURO_ROW("__str__", ht_type.tp_str, dispatch_str, wrap_unary, "($self, /)",
             "Return str(self)."),
    OURO_ROW("__getattribute__", ht_type.tp_getattro, dispatch_getattro, wrap_binary,
             "($self, name, /)", "Return getattr(self, name)."),
    OURO_ROW("__getattr__", ht_type.tp_getattro, dispatch_getattro, nullptr, "", ""),
    OURO_ROW("__setattr__", ht_type.tp_setattro, dispatch_setattro, wrap_set_attribute,
             "($self, name, value, /)", "Implement setattr(self, name, value)."),
    OURO_ROW("__delattr__", ht_type.tp_setattro, dispatch_setattro, wrap_delete_attribute,
             "($self, name, /)", "Implement delattr(self, name)."),
    OURO_COMPARISON("lt", wrap_less, "<"),
    OURO_COMPARISON("le", wrap_less_equal, "<="),
    OURO_COMPARISON("eq", wrap_equal, "=="),
    OURO_COMPARISON("ne", wrap_not_equal, "!="),
    OURO_COMPARISON("gt", wrap_greater, ">"),
    OURO_COMPARISON("ge", wrap_greater_equal, ">="),
    OURO_ROW("__iter__", ht_type.tp_iter, dispatch_iter, wrap_unary, "($self, /)",
             "Implement iter(self)."),
    OURO_ROW("__next__", ht_type.tp_iternext, dispatch_iternext, wrap_next, "($self, /)",
             "Implement next(self)."),
    OURO_ROW("__get__", ht_type.tp_descr_get, dispatch_descr_get, wrap_get,
             "($self, instance, owner=None, /)",
             "Return an attribute of instance, which is of type owner."),
    OURO_ROW("__set__", ht_type.tp_descr_set, dispatch_descr_set, wrap_set,
             "($self, instance, value, /)", "Set an attribute of instance to value."),
    OURO_ROW("__delete__", ht_type.tp_descr_set, dispatch_descr_set, wrap_delete,
             "($self, instance, /)", "Delete an attribute of instance."),
    OURO_ROW_WITH_KEYWORDS("__init__", ht_type.tp_init, dispatch_init, wrap_init,
                           "Initialize self.  See help(type(self)) for accurate signature."),
    OURO_ROW("__new__", ht_type.tp_new, dispatch_new, nullptr, "", ""),
    OURO_ROW("__del__", ht_type.tp_finalize, dispatch_finalize, wrap_finalize, "", ""),

    OURO_ROW("__await__", as_async.am_await, dispatch_await, wrap_unary, "($self, /)",
             "Return an iterator to be used in await expression."),
    OURO_ROW("__aiter__", as_async.am_aiter, dispatch_aiter, wrap_unary, "($self, /)",
             "Return an awaitable, that resolves in asynchronous iterator."),
    OURO_ROW("__anext__", as_async.am_anext, dispatch_anext, wrap_unary, "($self, /)",
             "Return a value or raise StopAsyncIteration."),

    OURO_BINARY("add", nb_add, "+"),
    OURO_BINARY("sub", nb_subtract, "-"),
    OURO_BINARY("mul", nb_multiply, "*"),
    OURO_BINARY("mod", nb_remainder, "%"),
    OURO_ROW("__divmod__", as_number.nb_divmod,
             (dispatch_binary<&PyNumberMethods::nb_divmod, "__divmod__", "__rdivmod__">),
             wrap_binary_left, "($self, value, /)", "Return divmod(self, value)."),
    OURO_ROW("__rdivmod__", as_number.nb_divmod,
             (dispatch_binary<&PyNumberMethods::nb_divmod, "__divmod__", "__rdivmod__">),
             wrap_binary_right, "($self, value, /)", "Return divmod(value, self)."),
    OURO_ROW("__pow__", as_number.nb_power, dispatch_power, wrap_ternary,
             "($self, value, mod=None, /)", "Return pow(self, value, mod)."),
    OURO_ROW("__rpow__", as_number.nb_power, dispatch_power, wrap_ternary_right,
             "($self, value, mod=None, /)", "Return pow(value, self, mod)."),
    OURO_UNARY("__neg__", as_number.nb_negative, "-self"),
    OURO_UNARY("__pos__", as_number.nb_positive, "+self"),
    OURO_UNARY("__abs__", as_number.nb_absolute, "abs(self)"),
    OURO_ROW("__bool__", as_number.nb_bool, dispatch_bool, wrap_inquiry, "($self, /)",
             "True if self else False"),
    OURO_UNARY("__invert__", as_number.nb_invert, "~self"),
    OURO_BINARY("lshift", nb_lshift, "<<"),
    OURO_BINARY("rshift", nb_rshift, ">>"),
    OURO_BINARY("and", nb_and, "&"),
    OURO_BINARY("xor", nb_xor, "^"),
    OURO_BINARY("or", nb_or, "|"),
    OURO_UNARY("__int__", as_number.nb_int, "int(self)"),
    OURO_UNARY("__float__", as_number.nb_float, "float(self)"),
    OURO_IN_PLACE("add", nb_inplace_add, "+"),
    OURO_IN_PLACE("sub", nb_inplace_subtract, "-"),
    OURO_IN_PLACE("mul", nb_inplace_multiply, "*"),
    OURO_IN_PLACE("mod", nb_inplace_remainder, "%"),
    OURO_ROW("__ipow__", as_number.nb_inplace_power, dispatch_inplace_power, wrap_ternary,
             "($self, value, /)", "Return self**=value."),
    OURO_IN_PLACE("lshift", nb_inplace_lshift, "<<"),
    OURO_IN_PLACE("rshift", nb_inplace_rshift, ">>"),
    OURO_IN_PLACE("and", nb_inplace_and, "&"),
    OURO_IN_PLACE("xor", nb_inplace_xor, "^"),
    OURO_IN_PLACE("or", nb_inplace_or, "|"),
    OURO_BINARY("floordiv", nb_floor_divide, "//"),
    OURO_BINARY("truediv", nb_true_divide, "/"),
    OURO_IN_PLACE("floordiv", nb_inplace_floor_divide, "//"),
    OURO_IN_PLACE("truediv", nb_inplace_true_divide, "/"),
    OURO_UNARY("__index__", as_number.nb_index,
               "Return self converted to an integer, if self is suitable for use as an index "
               "into a list."),
    OURO_BINARY("matmul", nb_matrix_multiply, "@"),
    OURO_IN_PLACE("matmul", nb_inplace_matrix_multiply, "@"),

    OURO_ROW("__len__", as_mapping.mp_length, dispatch_length, wrap_length, "($self, /)",
             "Return len(self)."),
    OURO_ROW("__getitem__", as_mapping.mp_subscript, dispatch_one_argument<"__getitem__">,
             wrap_binary, "($self, key, /)", "Return self[key]."),
    OURO_ROW("__setitem__", as_mapping.mp_ass_subscript, dispatch_set_key, wrap_set_key,
             "($self, key, value, /)", "Set self[key] to value."),
    OURO_ROW("__delitem__", as_mapping.mp_ass_subscript, dispatch_set_key, wrap_delete_key,
             "($self, key, /)", "Delete self[key]."),

    OURO_ROW("__len__", as_sequence.sq_length, dispatch_length, wrap_length, "($self, /)",
             "Return len(self)."),
    // A class's own method is the number's.
    OURO_ROW("__add__", as_sequence.sq_concat, nullptr, wrap_binary, "($self, value, /)",
             "Return self+value."),
    OURO_ROW("__mul__", as_sequence.sq_repeat, nullptr, wrap_repeat, "($self, value, /)",
             "Return self*value."),
    OURO_ROW("__rmul__", as_sequence.sq_repeat, nullptr, wrap_repeat, "($self, value, /)",
             "Return value*self."),
    OURO_ROW("__getitem__", as_sequence.sq_item, dispatch_item, wrap_item, "($self, key, /)",
             "Return self[key]."),
    OURO_ROW("__setitem__", as_sequence.sq_ass_item, dispatch_set_item, wrap_set_item,
             "($self, key, value, /)", "Set self[key] to value."),
    OURO_ROW("__delitem__", as_sequence.sq_ass_item, dispatch_set_item, wrap_delete_item,
             "($self, key, /)", "Delete self[key]."),
    OURO_ROW("__contains__", as_sequence.sq_contains, dispatch_contains, wrap_contains,
             "($self, key, /)", "Return key in self."),
    OURO_ROW("__iadd__", as_sequence.sq_inplace_concat, nullptr, wrap_binary, "($self, value, /)",
             "Implement self+=value."),
    OURO_ROW("__imul__", as_sequence.sq_inplace_repeat, nullptr, wrap_repeat, "($self, value, /)",
             "Implement self*=value."),
});

#undef OURO_COMPARISON
#undef OURO_IN_PLACE
#undef OURO_BINARY
#undef OURO_UNARY
#undef OURO_ROW_WITH_KEYWORDS
#undef OURO_ROW

// The position of another row with the same name; a row's own if there is none. No name has three.
const std::array<uint8_t, rows.size()>& twins() {
    static const auto positions = [] {
        std::array<uint8_t, rows.size()> found{};
        for (size_t i = 0; i < rows.size(); ++i) {
            size_t other = 0;
            while (other < rows.size() &&
                   (other == i || std::strcmp(rows[other].name, rows[i].name) != 0)) {
                ++other;
            }
            found[i] = static_cast<uint8_t>(other < rows.size() ? other : i);
        }
        return found;
    }();
    return positions;
}

template <class Suite>
SlotWord* inside(Suite* suite, size_t offset, size_t begin) {
    return suite == nullptr
               ? nullptr
               : reinterpret_cast<SlotWord*>(reinterpret_cast<char*>(suite) + (offset - begin));
}

}  // namespace

std::span<wrapperbase> slot_rows() {
    return rows;
}

PyObject* name_of(wrapperbase& row) {
    std::atomic_ref<PyObject*> place(row.name_strobj);
    // acquire: pairs with the exchange; the str is complete.
    PyObject* known = place.load(std::memory_order_acquire);
    if (known == nullptr) [[unlikely]] {
        PyObject* made = name_of_attribute(row.name);
        if (made == nullptr ||
            place.compare_exchange_strong(known, made, std::memory_order_acq_rel)) {
            return made;
        }
        Py_DECREF(made);  // another thread was first
    }
    return known;
}

SlotWord* slot_at(PyTypeObject* type, const wrapperbase& row) {
    // The groups lie in a heap type in this order.
    constexpr size_t async = offsetof(PyHeapTypeObject, as_async);
    constexpr size_t number = offsetof(PyHeapTypeObject, as_number);
    constexpr size_t mapping = offsetof(PyHeapTypeObject, as_mapping);
    constexpr size_t sequence = offsetof(PyHeapTypeObject, as_sequence);
    static_assert(async < number && number < mapping && mapping < sequence);
    const auto offset = static_cast<size_t>(row.offset);
    if (offset >= sequence) {
        return inside(type->tp_as_sequence, offset, sequence);
    }
    if (offset >= mapping) {
        return inside(type->tp_as_mapping, offset, mapping);
    }
    if (offset >= number) {
        return inside(type->tp_as_number, offset, number);
    }
    if (offset >= async) {
        return inside(type->tp_as_async, offset, async);
    }
    return inside(type, offset, 0);
}

SlotWord* only_filled_slot(PyTypeObject* type, const wrapperbase& row) {
    const auto i = static_cast<size_t>(&row - rows.data());
    const auto filled = [type](const wrapperbase& one) {
        SlotWord* slot = slot_at(type, one);
        return slot != nullptr && load_slot(slot) != nullptr ? slot : nullptr;
    };
    SlotWord* first = filled(row);
    SlotWord* second = twins()[i] == i ? nullptr : filled(rows[twins()[i]]);
    if (first != nullptr && second != nullptr) {
        return nullptr;
    }
    return first != nullptr ? first : second;
}

}  // namespace ouro::type
