// set and frozenset: what is made of two of them, or of one and an iterable.
#include "core/builtins/container/dict_items.hpp"
#include "core/builtins/container/for_each.hpp"
#include "core/builtins/container/set.hpp"

using namespace ouro;

namespace {

using Entry = container::SetEntry;

// Calls `take(element, hash)` for each element of a set, borrowed, until that says false.
template <class Take>
bool for_each_element(PyObject* set, const Take& take) {
    Entry element;
    for (Py_ssize_t position = 0; container::next_element(set, &position, &element);) {
        const bool good = take(element.key, element.hash);
        element.drop();
        if (!good) {
            return false;
        }
    }
    return true;
}

// The same of what any iterable gives. Sets and dicts know the hashes; a class derived from them may iterate
// in its own way.
template <class Take>
bool for_each_key(PyObject* iterable, const Take& take) {
    if (PyAnySet_Check(iterable)) {
        return for_each_element(iterable, take);
    }
    if (PyDict_CheckExact(iterable)) {
        container::DictItems items;
        if (!items.copy(iterable)) {
            return false;
        }
        return std::ranges::all_of(items,
                                   [&](const auto& item) { return take(item.key, item.hash); });
    }
    return container::for_each(iterable, [&](PyObject* key) {
        const Py_hash_t hash = PyObject_Hash(key);
        return hash != -1 && take(key, hash);
    });
}

bool remove_all(PyObject* set, PyObject* iterable) {
    return for_each_key(iterable, [set](PyObject* key, Py_hash_t hash) {
        return container::remove_element(set, key, hash) >= 0;
    });
}

// A set without itself is empty.
template <class Change>
bool unless_itself(PyObject* set, PyObject* iterable, const Change& change) {
    if (set != iterable) {
        return change(iterable);
    }
    container::clear_elements(set);
    return true;
}

}  // namespace

namespace ouro::container {

bool add_to_set(PyObject* set, PyObject* iterable) {
    return for_each_key(iterable, [set](PyObject* key, Py_hash_t hash) {
        return add_element(set, key, hash) == 0;
    });
}

bool subtract_from_set(PyObject* set, PyObject* iterable) {
    return unless_itself(set, iterable, [set](PyObject* other) { return remove_all(set, other); });
}

bool toggle_in_set(PyObject* set, PyObject* iterable) {
    return unless_itself(set, iterable, [set](PyObject* other) {
        // What is given twice counts once.
        PyObject* once = PyAnySet_Check(other) ? Py_NewRef(other) : PySet_New(other);
        const bool good =
            once != nullptr && for_each_key(once, [set](PyObject* key, Py_hash_t hash) {
                const int removed = remove_element(set, key, hash);
                return removed > 0 || (removed == 0 && add_element(set, key, hash) == 0);
            });
        Py_XDECREF(once);
        return good;
    });
}

bool keep_in_set(PyObject* set, PyObject* iterable) {
    PyObject* kept = set_intersection(set, iterable);
    if (kept == nullptr) {
        return false;
    }
    const bool good = for_each_element(set, [=](PyObject* key, Py_hash_t hash) {
        const int found = has_element(kept, key, hash);
        return found > 0 || (found == 0 && remove_element(set, key, hash) >= 0);
    });
    Py_DECREF(kept);
    return good;
}

PyObject* set_intersection(PyObject* set, PyObject* iterable) {
    PyTypeObject* type = plain_set_type(set);
    if (set == iterable) {
        return new_set(type, set);
    }
    if (PyAnySet_Check(iterable) && PySet_GET_SIZE(iterable) > PySet_GET_SIZE(set)) {
        std::swap(set, iterable);
    }
    PyObject* both = new_set(type, nullptr);
    const bool good = both != nullptr && for_each_key(iterable, [=](PyObject* key, Py_hash_t hash) {
                          const int found = has_element(set, key, hash);
                          return found == 0 || (found > 0 && add_element(both, key, hash) == 0);
                      });
    if (!good) {
        Py_CLEAR(both);
    }
    return both;
}

PyObject* set_difference(PyObject* set, PyObject* iterable) {
    PyTypeObject* type = plain_set_type(set);
    const bool is_set = PyAnySet_Check(iterable);
    if (!is_set && !PyDict_CheckExact(iterable)) {
        PyObject* rest = new_set(type, set);
        if (rest != nullptr && !remove_all(rest, iterable)) {
            Py_CLEAR(rest);
        }
        return rest;
    }
    PyObject* rest = new_set(type, nullptr);
    const bool good = rest != nullptr && for_each_element(set, [=](PyObject* key, Py_hash_t hash) {
                          const int found = is_set ? has_element(iterable, key, hash)
                                                   : PyDict_Contains(iterable, key);
                          return found > 0 || (found == 0 && add_element(rest, key, hash) == 0);
                      });
    if (!good) {
        Py_CLEAR(rest);
    }
    return rest;
}

int is_subset(PyObject* a, PyObject* b) {
    if (PySet_GET_SIZE(a) > PySet_GET_SIZE(b)) {
        return 0;
    }
    int found = 1;
    for_each_element(a, [&found, b](PyObject* key, Py_hash_t hash) {
        found = has_element(b, key, hash);
        return found > 0;
    });
    return found;
}

}  // namespace ouro::container
