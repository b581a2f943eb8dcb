#include "core/builtins/type/slots.hpp"

#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/heap_type.hpp"
#include "core/builtins/type/lookup.hpp"
#include "core/builtins/type/new_method.hpp"
#include "core/builtins/type/ready.hpp"
#include "core/builtins/type/slot_dispatch.hpp"
#include "core/builtins/type/slot_table.hpp"
#include "core/builtins/type/subclasses.hpp"
#include "core/builtins/type/type_lock.hpp"
#include "core/object/own.hpp"

namespace ouro::type {
namespace {

// The slots of some built-in types have been filled from their bases already: what a base has too is the base's.
bool is_of_a_base(PyTypeObject* type, const wrapperbase& row, const void* function) {
    if ((type->tp_flags & kStaticBuiltin) == 0) {
        return false;
    }
    for (PyTypeObject* base = type->tp_base; base != nullptr; base = base->tp_base) {
        const SlotWord* slot = slot_at(base, row);
        if (slot != nullptr && load_slot(slot) == function) {
            return true;
        }
    }
    return false;
}

// None for a function that says that its objects are not hashable. New reference.
PyObject* method_for(PyTypeObject* type, wrapperbase& row, void* function) {
    return function == reinterpret_cast<void*>(PyObject_HashNotImplemented)
               ? Py_NewRef(Py_None)
               : PyDescr_NewWrapper(type, &row, function);
}

bool add_special_method(PyTypeObject* type, wrapperbase& row) {
    const SlotWord* slot = slot_at(type, row);
    void* function = slot == nullptr ? nullptr : load_slot(slot);
    if (row.wrapper == nullptr || function == nullptr || is_of_a_base(type, row, function)) {
        return true;
    }
    PyObject* name = name_of(row);
    const int there = name == nullptr ? -1 : PyDict_Contains(type->tp_dict, name);
    if (there != 0) {
        return there > 0;
    }
    const object::Own method(method_for(type, row, function));
    return method && PyDict_SetItem(type->tp_dict, name, method.get()) == 0;
}

// What the rows of one slot, taken together, put into it.
class Choice {
public:
    Choice(PyTypeObject* type, SlotWord* slot) : type_(type), slot_(slot) {}

    // False with an exception.
    bool look_at(wrapperbase& row) {
        PyObject* name = name_of(row);
        PyObject* found = nullptr;
        if (name == nullptr || lookup(type_, name, &found) < 0) {
            return false;
        }
        if (found != nullptr) {
            weigh(row, found);
            Py_DECREF(found);
        }
        return true;
    }

    // The C function that all the names stand for, if they stand for one.
    void* function() const {
        return c_function_ != nullptr && !is_mixed_ ? c_function_ : dispatch_;
    }

private:
    void weigh(const wrapperbase& row, PyObject* found) {
        if (Py_IS_TYPE(found, &PyWrapperDescr_Type) &&
            row_of(found)->name_strobj == row.name_strobj) {
            weigh_wrapper(row, found);
        } else if (slot_ == reinterpret_cast<SlotWord*>(&type_->tp_new) && is_new_method(found)) {
            c_function_ = load_slot(slot_);  // inherited
        } else if (found == Py_None && slot_ == reinterpret_cast<SlotWord*>(&type_->tp_hash)) {
            c_function_ = reinterpret_cast<void*>(PyObject_HashNotImplemented);
        } else {
            is_mixed_ = true;
            dispatch_ = row.function;
        }
    }

    void weigh_wrapper(const wrapperbase& row, PyObject* found) {
        // Of two slots of one name that which has no function stays empty.
        const SlotWord* only = only_filled_slot(type_, row);
        if (only == nullptr || only == slot_) {
            dispatch_ = row.function;
        }
        void* wrapped = wrapped_by(found);
        if ((c_function_ == nullptr || c_function_ == wrapped) &&
            row_of(found)->wrapper == row.wrapper &&
            PyType_IsSubtype(type_, descriptor(found)->type) != 0) {
            c_function_ = wrapped;
        } else {
            is_mixed_ = true;
        }
    }

    PyTypeObject* const type_;
    SlotWord* const slot_;
    void* c_function_ = nullptr;
    void* dispatch_ = nullptr;
    bool is_mixed_ = false;
};

using Row = std::span<wrapperbase>::iterator;

// Fills the slot whose rows begin at `row`, which is moved behind them. False with an exception.
bool fix_slot(PyTypeObject* type, Row& row) {
    const int offset = row->offset;
    SlotWord* slot = slot_at(type, *row);
    Choice choice(type, slot);
    bool done = true;
    for (; row != slot_rows().end() && row->offset == offset; ++row) {
        done = done && (slot == nullptr || choice.look_at(*row));
    }
    if (!done || slot == nullptr) {
        return done;
    }
    void* function = choice.function();
    if (function == reinterpret_cast<void*>(dispatch_call)) {
        // An object's own vectorcall would go around it.
        __atomic_and_fetch(&type->tp_flags, ~Py_TPFLAGS_HAVE_VECTORCALL, __ATOMIC_RELAXED);
    }
    store_slot(slot, function);
    return true;
}

bool has_in_dict(PyTypeObject* type, PyObject* name, bool* has) {
    const int found = type->tp_dict == nullptr ? 0 : PyDict_Contains(type->tp_dict, name);
    *has = found > 0;
    return found >= 0;
}

// What derives from a type has its slots, unless it has the attribute itself.
bool update(PyTypeObject* type, PyObject* name, const wrapperbase& named) {
    if (is_heap_type(type)) {
        Row row = slot_rows().begin();
        while (row->offset != named.offset) {
            ++row;
        }
        if (!fix_slot(type, row)) {
            return false;
        }
    }
    return for_each_subclass(type, [&](PyTypeObject* subclass) {
        bool has;
        return has_in_dict(subclass, name, &has) && (has || update(subclass, name, named));
    });
}

bool looks_special(PyObject* name) {
    return PyUnicode_GetLength(name) > 4 && PyUnicode_ReadChar(name, 0) == '_' &&
           PyUnicode_ReadChar(name, 1) == '_';
}

}  // namespace

bool add_special_methods(PyTypeObject* type) {
    for (wrapperbase& row : slot_rows()) {
        if (!add_special_method(type, row)) {
            return false;
        }
    }
    return type->tp_new == nullptr ||
           PyType_HasFeature(type, Py_TPFLAGS_DISALLOW_INSTANTIATION) != 0 || add_new_method(type);
}

bool fix_slots(PyTypeObject* type) {
    const TypeLock lock;
    for (Row row = slot_rows().begin(); row != slot_rows().end();) {
        if (!fix_slot(type, row)) {
            return false;
        }
    }
    return true;
}

bool update_slot(PyTypeObject* type, PyObject* name) {
    if (!looks_special(name)) {
        return true;
    }
    const TypeLock lock;
    for (const wrapperbase& row : slot_rows()) {
        if (PyUnicode_EqualToUTF8(name, row.name) != 0 && !update(type, name, row)) {
            return false;
        }
    }
    return true;
}

}  // namespace ouro::type
