// Iterators over the keys, the values and the items of a dict, forwards and backwards.
#include "core/builtins/container/dict.hpp"
#include "core/builtins/container/table_iterator.hpp"

using namespace ouro;

namespace {

using Entry = container::DictEntry;

constexpr container::Changed kChanged = {"dictionary changed size during iteration",
                                         "dictionary keys changed during iteration"};

template <bool reverse, PyObject* Entry::*part>
PyObject* next(PyObject* op) {
    PyObject* found = nullptr;
    container::step<reverse>(op, kChanged, container::table_and_size,
                             [&found](const Entry& entry) { found = Py_NewRef(entry.*part); });
    return found;
}

template <bool reverse>
PyObject* next_pair(PyObject* op) {
    Entry found = {};
    const auto keep = [&found](const Entry& entry) {
        found = {entry.hash, Py_NewRef(entry.key), Py_NewRef(entry.value)};
    };
    if (!container::step<reverse>(op, kChanged, container::table_and_size, keep)) {
        return nullptr;
    }
    PyObject* pair = PyTuple_Pack(2, found.key, found.value);
    found.drop();
    return pair;
}

PyMethodDef methods[] = {
    {"__length_hint__",
     [](PyObject* op, PyObject*) { return container::entries_left(op, container::table_and_size); },
     METH_NOARGS, "How many more there are."},
    {}};

PyObject* forwards(PyTypeObject* type, PyObject* op) {
    return container::new_table_iterator(type, op, PyDict_Size(op), 0);
}

PyObject* backwards(PyTypeObject* type, PyObject* op) {
    return container::new_table_iterator(type, op, PyDict_Size(op), PY_SSIZE_T_MAX);
}

}  // namespace

constinit PyTypeObject PyDictIterKey_Type =
    container::table_iterator_type("dict_keyiterator", next<false, &Entry::key>, methods);
constinit PyTypeObject PyDictIterValue_Type =
    container::table_iterator_type("dict_valueiterator", next<false, &Entry::value>, methods);
constinit PyTypeObject PyDictIterItem_Type =
    container::table_iterator_type("dict_itemiterator", next_pair<false>, methods);
constinit PyTypeObject PyDictRevIterKey_Type =
    container::table_iterator_type("dict_reversekeyiterator", next<true, &Entry::key>, methods);
constinit PyTypeObject PyDictRevIterValue_Type =
    container::table_iterator_type("dict_reversevalueiterator", next<true, &Entry::value>, methods);
constinit PyTypeObject PyDictRevIterItem_Type =
    container::table_iterator_type("dict_reverseitemiterator", next_pair<true>, methods);

namespace ouro::container {

PyObject* dict_iter(PyObject* op) {
    return forwards(&PyDictIterKey_Type, op);
}

PyObject* iterate_values(PyObject* op) {
    return forwards(&PyDictIterValue_Type, op);
}

PyObject* iterate_items(PyObject* op) {
    return forwards(&PyDictIterItem_Type, op);
}

PyObject* dict_reversed(PyObject* op, PyObject*) {
    return backwards(&PyDictRevIterKey_Type, op);
}

PyObject* iterate_values_backwards(PyObject* op) {
    return backwards(&PyDictRevIterValue_Type, op);
}

PyObject* iterate_items_backwards(PyObject* op) {
    return backwards(&PyDictRevIterItem_Type, op);
}

}  // namespace ouro::container
