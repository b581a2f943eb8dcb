// set and frozenset: their methods.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/dict.hpp"
#include "core/builtins/container/for_each.hpp"
#include "core/builtins/container/set.hpp"

using namespace ouro;

namespace {

PyObject* none_if(bool good) {
    return good ? Py_NewRef(Py_None) : nullptr;
}

PyObject* add(PyObject* op, PyObject* key) {
    return none_if(PySet_Add(op, key) == 0);
}

PyObject* discard(PyObject* op, PyObject* key) {
    return none_if(container::remove_key(op, key) >= 0);
}

PyObject* remove(PyObject* op, PyObject* key) {
    const int removed = container::remove_key(op, key);
    if (removed == 0) {
        container::set_key_error(key);
    }
    return none_if(removed > 0);
}

PyObject* pop(PyObject* op, PyObject*) {
    return PySet_Pop(op);
}

PyObject* clear(PyObject* op, PyObject*) {
    return none_if(PySet_Clear(op) == 0);
}

PyObject* contains(PyObject* op, PyObject* key) {
    const int found = container::has_key(op, key);
    return found < 0 ? nullptr : PyBool_FromLong(found);
}

PyObject* copy(PyObject* op, PyObject*) {
    return PyFrozenSet_CheckExact(op) ? Py_NewRef(op)
                                      : container::new_set(container::plain_set_type(op), op);
}

// The set, changed by one iterable after the other.
template <bool (*change)(PyObject*, PyObject*)>
PyObject* change_by_each(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    for (Py_ssize_t i = 0; i < nargs; ++i) {
        if (!change(op, args[i])) {
            return nullptr;
        }
    }
    return Py_NewRef(Py_None);
}

PyObject* toggle(PyObject* op, PyObject* iterable) {
    return none_if(container::toggle_in_set(op, iterable));
}

PyObject* unite(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* made = container::new_set(container::plain_set_type(op), op);
    for (Py_ssize_t i = 0; made != nullptr && i < nargs; ++i) {
        if (args[i] != op && !container::add_to_set(made, args[i])) {
            Py_CLEAR(made);
        }
    }
    return made;
}

// What is left of the set when each iterable in turn has taken something from it.
template <PyObject* (*take)(PyObject*, PyObject*)>
PyObject* reduce(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* left = nargs == 0 ? copy(op, nullptr) : Py_NewRef(op);
    for (Py_ssize_t i = 0; left != nullptr && i < nargs; ++i) {
        PyObject* next = take(left, args[i]);
        Py_SETREF(left, next);
    }
    return left;
}

// All at once, for an error of a later one changes nothing.
PyObject* keep_common(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* common = reduce<container::set_intersection>(op, args, nargs);
    const bool good = common != nullptr && container::keep_in_set(op, common);
    Py_XDECREF(common);
    return none_if(good);
}

PyObject* symmetric_difference(PyObject* op, PyObject* iterable) {
    PyObject* made = container::new_set(container::plain_set_type(op), op);
    if (made != nullptr && !container::toggle_in_set(made, iterable)) {
        Py_CLEAR(made);
    }
    return made;
}

PyObject* is_disjoint(PyObject* op, PyObject* other) {
    if (PyAnySet_Check(other) && PySet_GET_SIZE(other) > PySet_GET_SIZE(op)) {
        std::swap(op, other);
    }
    int common = 0;
    const bool good = container::for_each(other, [&common, op](PyObject* item) {
        const Py_hash_t hash = PyObject_Hash(item);
        common = hash == -1 ? -1 : container::has_element(op, item, hash);
        return common == 0;
    });
    return good || common > 0 ? PyBool_FromLong(common == 0) : nullptr;
}

// Calls `ask` with an iterable as a set.
template <class Ask>
PyObject* ask_of_set(PyObject* iterable, const Ask& ask) {
    PyObject* set = PyAnySet_Check(iterable) ? Py_NewRef(iterable) : PySet_New(iterable);
    const int answer = set == nullptr ? -1 : ask(set);
    Py_XDECREF(set);
    return answer < 0 ? nullptr : PyBool_FromLong(answer);
}

PyObject* compare_subset(PyObject* op, PyObject* other) {
    return ask_of_set(other, [op](PyObject* set) { return container::is_subset(op, set); });
}

PyObject* compare_superset(PyObject* op, PyObject* other) {
    return ask_of_set(other, [op](PyObject* set) { return container::is_subset(set, op); });
}

// clang-format off
// What both types have.
#define OURO_COMMON_SET_METHODS \
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("See PEP 585")}, \
    {"__contains__", contains, METH_O | METH_COEXIST, "Whether the set has the element."}, \
    {"copy", copy, METH_NOARGS, "A set with the same elements."}, \
    {"difference", _PyCFunction_CAST(reduce<container::set_difference>), METH_FASTCALL, \
     "A set of the elements that no other iterable gives."}, \
    {"intersection", _PyCFunction_CAST(reduce<container::set_intersection>), METH_FASTCALL, \
     "A set of the elements that all iterables give."}, \
    {"isdisjoint", is_disjoint, METH_O, "Whether the two have no element in common."}, \
    {"issubset", compare_subset, METH_O, "Whether the other one gives all elements of this."}, \
    {"issuperset", compare_superset, METH_O, "Whether this has all that the other one gives."}, \
    {"symmetric_difference", symmetric_difference, METH_O, \
     "A set of the elements that just one of the two has."}, \
    {"union", _PyCFunction_CAST(unite), METH_FASTCALL, "A set of the elements of all."}
// clang-format on

}  // namespace

PyMethodDef container::set_methods[] = {
    {"add", add, METH_O, "Adds an element, if it is not there already."},
    {"clear", clear, METH_NOARGS, "Removes all elements."},
    {"difference_update", _PyCFunction_CAST(change_by_each<subtract_from_set>), METH_FASTCALL,
     "Removes what other iterables give."},
    {"discard", discard, METH_O, "Removes an element, if it is there."},
    {"intersection_update", _PyCFunction_CAST(keep_common), METH_FASTCALL,
     "Removes what another iterable does not give."},
    {"pop", pop, METH_NOARGS, "Removes some element and returns it; KeyError if there is none."},
    {"remove", remove, METH_O, "Removes an element; KeyError if it is not there."},
    {"symmetric_difference_update", toggle, METH_O,
     "Removes what the other one gives and this has, and adds what it has not."},
    {"update", _PyCFunction_CAST(change_by_each<add_to_set>), METH_FASTCALL,
     "Adds what other iterables give."},
    OURO_COMMON_SET_METHODS,
    {}};

PyMethodDef container::frozenset_methods[] = {OURO_COMMON_SET_METHODS, {}};
