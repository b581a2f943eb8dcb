// OrderedDict: a dict whose items can be moved to either end, and whose order counts when two are compared. The order is that
// of a dict, which needs no list of its own for it. Source: "Dictionary Objects" in the C API documentation, and the
// documentation of collections.OrderedDict.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/dict.hpp"
#include "core/builtins/container/dict_items.hpp"
#include "core/builtins/container/dict_watch.hpp"
#include "core/builtins/container/entries.hpp"
#include "core/builtins/container/table_iterator.hpp"
#include "core/object/own.hpp"
#include "core/object/weakref.hpp"

using namespace ouro;

namespace {

using Entry = container::DictEntry;

struct OrderedDict {
    PyDictObject dict;
    PyObject* attributes;  // a dict; nullptr: none yet
    PyObject* weak_list;
};

OrderedDict* ordered(PyObject* op) {
    return reinterpret_cast<OrderedDict*>(op);
}

void ordered_dealloc(PyObject* op) {
    if (container::are_dicts_watched() && !container::tell_of_end(op)) [[unlikely]] {
        return;
    }
    PyObject_GC_UnTrack(op);
    object::clear_weak_references(op, &ordered(op)->weak_list);
    Py_CLEAR(ordered(op)->attributes);
    container::dict_dealloc(op);
}

int ordered_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(ordered(op)->attributes);
    return container::dict_traverse(op, visit, arg);
}

int ordered_clear(PyObject* op) {
    Py_CLEAR(ordered(op)->attributes);
    return container::dict_clear(op);
}

PyObject* ordered_repr(PyObject* op) {
    const object::Own name(PyType_GetName(Py_TYPE(op)));
    if (!name) {
        return nullptr;
    }
    if (PyDict_Size(op) == 0) {
        return PyUnicode_FromFormat("%U()", name.get());
    }
    const int nested = Py_ReprEnter(op);
    if (nested != 0) {
        return nested > 0 ? PyUnicode_FromString("...") : nullptr;
    }
    const object::Own items(PyDict_New());  // as a derived class gives them
    PyObject* text = items && PyDict_Update(items.get(), op) == 0
                         ? PyUnicode_FromFormat("%U(%R)", name.get(), items.get())
                         : nullptr;
    Py_ReprLeave(op);
    return text;
}

// Do the keys of two come in the same order? 1, 0, or -1 with an exception. Comparing may change both.
int have_equal_order(PyObject* a, PyObject* b) {
    Py_ssize_t in_a = 0;
    Py_ssize_t in_b = 0;
    int equal = 1;
    Entry item;
    while (equal > 0 && container::next_item(a, &in_a, &item)) {
        Entry other;
        equal = container::next_item(b, &in_b, &other) ? 1 : 0;
        if (equal > 0) {
            equal = PyObject_RichCompareBool(item.key, other.key, Py_EQ);
            other.drop();
        }
        item.drop();
    }
    return equal;
}

PyObject* ordered_compare(PyObject* a, PyObject* b, int operation) {
    if (!PyDict_Check(b) || (operation != Py_EQ && operation != Py_NE)) {
        return Py_NewRef(Py_NotImplemented);
    }
    object::Own same(PyDict_Type.tp_richcompare(a, b, Py_EQ));
    if (!same) {
        return nullptr;
    }
    int equal = same.get() == Py_True ? 1 : 0;
    if (equal > 0 && PyODict_Check(b)) {
        equal = have_equal_order(a, b);
    }
    return equal < 0 ? nullptr : PyBool_FromLong(equal == (operation == Py_EQ));
}

// As a derived class stores them. False with an exception.
bool set_items(PyObject* op, PyObject* dict) {
    container::DictItems items;
    if (!items.copy(dict)) {
        return false;
    }
    for (const Entry& item : items) {
        if (PyObject_SetItem(op, item.key, item.value) < 0) {
            return false;
        }
    }
    return true;
}

// What the constructor and update() are given.
bool set_arguments(PyObject* op, const char* function, PyObject* args, PyObject* kwargs) {
    PyObject* const* given = &PyTuple_GET_ITEM(args, 0);
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (PyODict_CheckExact(op)) {
        return container::update_from_arguments(op, function, given, count, kwargs);
    }
    const object::Own items(PyDict_New());
    return items && container::update_from_arguments(items.get(), function, given, count, kwargs) &&
           set_items(op, items.get());
}

// Of the class of the ordered one; of the left one, if both are.
PyObject* ordered_or(PyObject* a, PyObject* b) {
    if (!PyDict_Check(a) || !PyDict_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    PyTypeObject* type = Py_TYPE(PyODict_Check(a) ? a : b);
    PyObject* both = PyObject_CallOneArg(reinterpret_cast<PyObject*>(type), a);
    if (both != nullptr && !set_items(both, b)) {
        Py_CLEAR(both);
    }
    return both;
}

PyObject* ordered_or_in_place(PyObject* op, PyObject* other) {
    const object::Own args(PyTuple_Pack(1, other));
    return args && set_arguments(op, "update", args.get(), nullptr) ? Py_NewRef(op) : nullptr;
}

int ordered_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    return set_arguments(op, "OrderedDict", args, kwargs) ? 0 : -1;
}

PyObject* update(PyObject* op, PyObject* args, PyObject* kwargs) {
    return set_arguments(op, "update", args, kwargs) ? Py_NewRef(Py_None) : nullptr;
}

PyObject* set_default(PyObject* op, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"key", "default", nullptr};
    PyObject* key;
    PyObject* value = Py_None;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:setdefault", const_cast<char**>(names), &key,
                                    &value) == 0) {
        return nullptr;
    }
    if (PyODict_CheckExact(op)) {
        PyObject* there;
        PyDict_SetDefaultRef(op, key, value, &there);
        return there;
    }
    const int found = PySequence_Contains(op, key);
    if (found != 0) {
        return found < 0 ? nullptr : PyObject_GetItem(op, key);
    }
    return PyObject_SetItem(op, key, value) < 0 ? nullptr : Py_NewRef(value);
}

PyObject* from_keys(PyObject* type, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"iterable", "value", nullptr};
    PyObject* keys;
    PyObject* value = Py_None;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:fromkeys", const_cast<char**>(names), &keys,
                                    &value) == 0) {
        return nullptr;
    }
    return container::made_from_keys(type, keys, value);
}

PyObject* pop(PyObject* op, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"key", "default", nullptr};
    PyObject* key;
    PyObject* otherwise = nullptr;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:pop", const_cast<char**>(names), &key,
                                    &otherwise) == 0) {
        return nullptr;
    }
    PyObject* value = nullptr;
    if (PyObject_Hash(key) != -1 && PyDict_Pop(op, key, &value) == 0) {
        if (otherwise == nullptr) {
            container::set_key_error(key);
        }
        return Py_XNewRef(otherwise);
    }
    return value;
}

container::End end_at(int last) {
    return last != 0 ? container::End::kLast : container::End::kFirst;
}

PyObject* pop_item(PyObject* op, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"last", nullptr};
    int last = 1;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "|p:popitem", const_cast<char**>(names), &last) ==
        0) {
        return nullptr;
    }
    return container::pop_pair(op, end_at(last), "dictionary is empty");
}

PyObject* move_to_end(PyObject* op, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"key", "last", nullptr};
    PyObject* key;
    int last = 1;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "O|p:move_to_end", const_cast<char**>(names),
                                    &key, &last) == 0) {
        return nullptr;
    }
    const Py_hash_t hash = PyObject_Hash(key);
    const int found = hash == -1 ? -1 : container::move_item(op, key, hash, end_at(last));
    if (found == 0) {
        container::set_key_error(key);
    }
    return found > 0 ? Py_NewRef(Py_None) : nullptr;
}

// Of a derived class: what calling it gives, filled with what it gives.
PyObject* copy(PyObject* op, PyObject*) {
    object::Own made(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(Py_TYPE(op))));
    const object::Own items(PyDict_New());
    const bool good =
        made && items && PyDict_Update(items.get(), op) == 0 && set_items(made.get(), items.get());
    return good ? made.release() : nullptr;
}

// Iterators: one type for all.
enum class Gives { kKeys, kValues, kItems };

struct OrderedIterator {
    container::TableIterator iterator;
    uint64_t version;  // of the dict
    Gives gives;
    bool reverse;
};

// Another when items were added or moved. Under the dict's lock.
uint64_t version_of(PyObject* dict) {
    const _ouro_dict_table* table = container::as_dict(dict)->ma_table;
    return table == nullptr ? 0 : uint64_t{table->renewed} << 32 | table->filled;
}

PyObject* iterate(PyObject* dict, Gives gives, bool reverse) {
    PyObject* op =
        container::new_table_iterator(&PyODictIter_Type, dict, 0, reverse ? PY_SSIZE_T_MAX : 0);
    if (op != nullptr) {
        auto* self = reinterpret_cast<OrderedIterator*>(op);
        const mutator::Guard guard(dict);
        self->iterator.used = self->iterator.left = container::as_dict(dict)->ma_used;
        self->version = version_of(dict);
        self->gives = gives;
        self->reverse = reverse;
    }
    return op;
}

PyObject* given(Gives gives, const Entry& entry) {
    switch (gives) {
        case Gives::kKeys:
            return Py_NewRef(entry.key);
        case Gives::kValues:
            return Py_NewRef(entry.value);
        case Gives::kItems:
            break;
    }
    return PyTuple_Pack(2, entry.key, entry.value);
}

// Ends where the dict's order has changed, with an exception, unless it is at its end.
PyObject* next(PyObject* op) {
    PyObject* dict = container::container_of(op);
    if (dict == nullptr) {
        return nullptr;
    }
    auto* self = reinterpret_cast<OrderedIterator*>(op);
    Entry found = {};
    bool changed = false;
    {
        const mutator::Guard guard(dict);
        container::TableIterator& at = self->iterator;
        const auto [table, used] = container::table_and_size(dict);
        changed = at.left > 0 && (used != at.used || version_of(dict) != self->version);
        if (at.left > 0 && !changed) {
            const Entry* entry = self->reverse ? container::previous_entry(table, &at.position)
                                               : container::next_entry(table, &at.position);
            changed = entry == nullptr;  // it was cleared and filled meanwhile
            if (!changed) {
                found = {entry->hash, Py_NewRef(entry->key), Py_NewRef(entry->value)};
                --at.left;
            }
        }
    }
    Py_DECREF(dict);
    if (found.key == nullptr) {
        container::end_table_iterator(op);
        if (changed) {
            PyErr_SetString(PyExc_RuntimeError, "OrderedDict mutated during iteration");
        }
        return nullptr;
    }
    PyObject* result = given(self->gives, found);
    found.drop();
    return result;
}

template <Gives gives>
PyObject* view_iter(PyObject* op) {
    return iterate(container::dict_of_view(op), gives, false);
}

template <Gives gives>
PyObject* view_reversed(PyObject* op, PyObject*) {
    return iterate(container::dict_of_view(op), gives, true);
}

PyObject* ordered_iter(PyObject* op) {
    return iterate(op, Gives::kKeys, false);
}

PyObject* ordered_reversed(PyObject* op, PyObject*) {
    return iterate(op, Gives::kKeys, true);
}

template <PyTypeObject* type>
PyObject* view(PyObject* op, PyObject*) {
    return container::new_view(type, op);
}

constexpr char kReversed[] = "An iterator over the view, the last first.";
template <Gives gives>
PyMethodDef view_methods[] = {{"__reversed__", view_reversed<gives>, METH_NOARGS, kReversed}, {}};

template <Gives gives>
constexpr PyTypeObject view_type(const char* name, PyTypeObject* base) {
    return {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_iter = view_iter<gives>,
        .tp_methods = view_methods<gives>,
        .tp_base = base,
    };
}

constexpr PyTypeObject iterator_type() {
    PyTypeObject type = container::table_iterator_type("odict_iterator", next, nullptr);
    type.tp_basicsize = sizeof(OrderedIterator);
    return type;
}

PyMethodDef methods[] = {
    {"update", _PyCFunction_CAST(update), METH_VARARGS | METH_KEYWORDS,
     "Stores the items of a mapping or of an iterable of pairs, and those given by name."},
    {"setdefault", _PyCFunction_CAST(set_default), METH_VARARGS | METH_KEYWORDS,
     "setdefault($self, /, key, default=None)\n--\n\nThe key's value; if there is none, the "
     "default, which is then stored."},
    {"fromkeys", _PyCFunction_CAST(from_keys), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "fromkeys($type, /, iterable, value=None)\n--\n\nA new one with keys from an iterable and "
     "one value for all."},
    {"pop", _PyCFunction_CAST(pop), METH_VARARGS | METH_KEYWORDS,
     "Removes the key and returns its value, or the default; without one, a missing key is a "
     "KeyError."},
    {"popitem", _PyCFunction_CAST(pop_item), METH_VARARGS | METH_KEYWORDS,
     "popitem($self, /, last=True)\n--\n\nRemoves the last item, or the first, and returns it as a "
     "pair."},
    {"move_to_end", _PyCFunction_CAST(move_to_end), METH_VARARGS | METH_KEYWORDS,
     "move_to_end($self, /, key, last=True)\n--\n\nMakes the key's item the last, or the first; a "
     "missing key is a KeyError."},
    {"keys", view<&PyODictKeys_Type>, METH_NOARGS, "A view of the keys."},
    {"items", view<&PyODictItems_Type>, METH_NOARGS, "A view of the items."},
    {"values", view<&PyODictValues_Type>, METH_NOARGS, "A view of the values."},
    {"copy", copy, METH_NOARGS, "A new one with the same items."},
    {"__reversed__", ordered_reversed, METH_NOARGS,
     "__reversed__($self, /)\n--\n\nAn iterator over the keys, the last first."},
    {}};

PyGetSetDef getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};

PyNumberMethods as_number = {.nb_or = ordered_or, .nb_inplace_or = ordered_or_in_place};

}  // namespace

// The attributes come before the items.
const container::Entries container::ordered_dict_entries = {
    .count = [](PyObject* op) { return dict_entries.count(op) + 1; },
    .visit =
        [](PyObject* op, size_t begin, size_t end, visitproc visit, void* arg) {
            if (begin == 0) {
                Py_VISIT(ordered(op)->attributes);
            }
            return dict_entries.visit(op, begin == 0 ? 0 : begin - 1, end - 1, visit, arg);
        },
};

constinit PyTypeObject PyODictKeys_Type = view_type<Gives::kKeys>("odict_keys", &PyDictKeys_Type);
constinit PyTypeObject PyODictValues_Type =
    view_type<Gives::kValues>("odict_values", &PyDictValues_Type);
constinit PyTypeObject PyODictItems_Type =
    view_type<Gives::kItems>("odict_items", &PyDictItems_Type);
constinit PyTypeObject PyODictIter_Type = iterator_type();

PyTypeObject PyODict_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "collections.OrderedDict",
    .tp_basicsize = sizeof(OrderedDict),
    .tp_dealloc = ordered_dealloc,
    .tp_repr = ordered_repr,
    .tp_as_number = &as_number,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_doc = "Dictionary that remembers insertion order",
    .tp_traverse = ordered_traverse,
    .tp_clear = ordered_clear,
    .tp_richcompare = ordered_compare,
    .tp_weaklistoffset = offsetof(OrderedDict, weak_list),
    .tp_iter = ordered_iter,
    .tp_methods = methods,
    .tp_getset = getset,
    .tp_base = &PyDict_Type,
    .tp_dictoffset = offsetof(OrderedDict, attributes),
    .tp_init = ordered_init,
};

PyObject* PyODict_New(void) {
    return PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyODict_Type));
}

int PyODict_SetItem(PyObject* op, PyObject* key, PyObject* value) {
    return PyDict_SetItem(op, key, value);
}

int PyODict_DelItem(PyObject* op, PyObject* key) {
    return PyDict_DelItem(op, key);
}
