#include "core/builtins/type/class_slots.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/builtins/container/iterate.hpp"

namespace ouro::type {
namespace {

using object::Own;

// A private name, __x in class _C, is _C__x: so that a derived class may have another.
std::string mangled(std::string_view class_name, std::string_view name) {
    const bool is_private =
        name.starts_with("__") && !name.ends_with("__") && name.find('.') == std::string_view::npos;
    const size_t start = class_name.find_first_not_of('_');
    if (!is_private || start == std::string_view::npos) {
        return std::string(name);
    }
    std::string result = "_";
    return result.append(class_name.substr(start)).append(name);
}

bool check_name(PyObject* name) {
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "__slots__ items must be strings, not '%.200s'",
                     Py_TYPE(name)->tp_name);
        return false;
    }
    if (PyUnicode_IsIdentifier(name) == 0) {
        PyErr_SetString(PyExc_TypeError, "__slots__ must be identifiers");
        return false;
    }
    return true;
}

class Reader {
public:
    Reader(PyObject* dict, const char* class_name, const PyTypeObject* base, ClassSlots* slots)
        : dict_(dict), class_name_(class_name), may_add_dict_(base->tp_dictoffset == 0),
          may_add_weak_list_(base->tp_weaklistoffset == 0 && base->tp_itemsize == 0),
          slots_(slots) {}

    bool add(PyObject* name) {
        if (!check_name(name)) {
            return false;
        }
        const char* text = PyUnicode_AsUTF8(name);
        if (text == nullptr) {
            return false;
        }
        const std::string_view view = text;
        if (view == "__dict__") {
            return add_special(may_add_dict_, &slots_->has_dict,
                               "__dict__ slot disallowed: we already got one");
        }
        if (view == "__weakref__") {
            return add_special(may_add_weak_list_, &slots_->has_weak_list,
                               "__weakref__ slot disallowed: either we already got one, or "
                               "__itemsize__ != 0");
        }
        names_.push_back(mangled(class_name_, view));
        // What the class itself will use is no conflict.
        if (view == "__qualname__" || view == "__classcell__") {
            return true;
        }
        const int taken = PyDict_ContainsString(dict_, names_.back().c_str());
        if (taken > 0) {
            PyErr_Format(PyExc_ValueError, "%R in __slots__ conflicts with class variable", name);
        }
        return taken == 0;
    }

    bool finish() {
        std::ranges::sort(names_);
        Own tuple(PyTuple_New(static_cast<Py_ssize_t>(names_.size())));
        if (!tuple) {
            return false;
        }
        for (size_t i = 0; i < names_.size(); ++i) {
            PyObject* name = PyUnicode_InternFromString(names_[i].c_str());
            if (name == nullptr) {
                return false;
            }
            PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), name);
        }
        slots_->names = std::move(tuple);
        return true;
    }

private:
    static bool add_special(bool may_add, bool* has, const char* refusal) {
        if (!may_add || *has) {
            PyErr_SetString(PyExc_TypeError, refusal);
            return false;
        }
        *has = true;
        return true;
    }

    PyObject* const dict_;
    const std::string_view class_name_;
    const bool may_add_dict_;
    const bool may_add_weak_list_;
    ClassSlots* const slots_;
    std::vector<std::string> names_;
};

}  // namespace

bool read_slots(PyObject* dict, PyObject* name, const PyTypeObject* base, ClassSlots* slots) {
    PyObject* given = nullptr;
    const int found = PyDict_GetItemStringRef(dict, "__slots__", &given);
    const Own held(given);
    if (found < 0) {
        return false;
    }
    if (found == 0) {
        slots->has_dict = base->tp_dictoffset == 0;
        slots->has_weak_list = base->tp_weaklistoffset == 0 && base->tp_itemsize == 0;
        return true;
    }
    Own items;
    if (PyUnicode_Check(given)) {
        items = Own(PyTuple_Pack(1, given));
    } else {
        const std::string refusal =
            std::string("'") + Py_TYPE(given)->tp_name + "' object is not iterable";
        items = Own(container::items_of_iterable(given, refusal.c_str()));
    }
    const char* class_name = PyUnicode_AsUTF8(name);
    if (!items || class_name == nullptr) {
        return false;
    }
    const Py_ssize_t count = container::count_of(items.get());
    const bool has_items =
        base->tp_itemsize != 0 || (base->tp_flags & Py_TPFLAGS_LONG_SUBCLASS) != 0;
    if (count > 0 && has_items) {
        PyErr_Format(PyExc_TypeError, "nonempty __slots__ not supported for subtype of '%s'",
                     base->tp_name);
        return false;
    }
    try {
        Reader reader(dict, class_name, base, slots);
        for (Py_ssize_t i = 0; i < count; ++i) {
            if (!reader.add(container::item_of(items.get(), i))) {
                return false;
            }
        }
        return reader.finish();
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
        return false;
    }
}

}  // namespace ouro::type
