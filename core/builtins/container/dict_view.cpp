// The views of a dict: its keys, its values, its items, as they are at each moment.
#include "core/builtins/container/dict.hpp"
#include "core/builtins/container/for_each.hpp"
#include "core/builtins/container/set.hpp"
#include "core/object/object.hpp"

using namespace ouro;

namespace {

void view_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_DECREF(container::dict_of_view(op));
    Py_TYPE(op)->tp_free(op);
}

int view_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(container::dict_of_view(op));
    return 0;
}

Py_ssize_t view_length(PyObject* op) {
    return PyDict_Size(container::dict_of_view(op));
}

// Views of a dict that it is in itself show it so.
PyObject* view_repr(PyObject* op) {
    const int nested = Py_ReprEnter(op);
    if (nested != 0) {
        return nested > 0 ? PyUnicode_FromString("...") : nullptr;
    }
    PyObject* items = PySequence_List(op);
    PyObject* text =
        items == nullptr ? nullptr : PyUnicode_FromFormat("%s(%R)", Py_TYPE(op)->tp_name, items);
    Py_XDECREF(items);
    Py_ReprLeave(op);
    return text;
}

int keys_contain(PyObject* op, PyObject* key) {
    return PyDict_Contains(container::dict_of_view(op), key);
}

int items_contain(PyObject* op, PyObject* pair) {
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
        return 0;
    }
    PyObject* value;
    const int found =
        PyDict_GetItemRef(container::dict_of_view(op), PyTuple_GET_ITEM(pair, 0), &value);
    if (found <= 0) {
        return found;
    }
    const int equal = PyObject_RichCompareBool(value, PyTuple_GET_ITEM(pair, 1), Py_EQ);
    Py_DECREF(value);
    return equal;
}

// Keys and items are sets of a kind.
bool is_set_like(PyObject* op) {
    return PyAnySet_Check(op) || PyDictViewSet_Check(op);
}

// Does b have all that a gives? 1, 0, or -1 with an exception.
int has_all(PyObject* b, PyObject* a) {
    int found = 1;
    const bool good = container::for_each(a, [&found, b](PyObject* item) {
        if (found > 0) {
            found = PySequence_Contains(b, item);
        }
        return found >= 0;
    });
    return good ? found : -1;
}

PyObject* view_compare(PyObject* a, PyObject* b, int operation) {
    if (!is_set_like(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    const Py_ssize_t in_a = PyObject_Size(a);
    const Py_ssize_t in_b = PyObject_Size(b);
    if (in_a < 0 || in_b < 0) {
        return nullptr;
    }
    int holds = 0;
    switch (operation) {
        case Py_EQ:
        case Py_NE:
            holds = in_a == in_b ? has_all(b, a) : 0;
            break;
        case Py_LT:
            holds = in_a < in_b ? has_all(b, a) : 0;
            break;
        case Py_LE:
            holds = in_a <= in_b ? has_all(b, a) : 0;
            break;
        case Py_GT:
            holds = in_a > in_b ? has_all(a, b) : 0;
            break;
        default:
            holds = in_a >= in_b ? has_all(a, b) : 0;
    }
    return holds < 0 ? nullptr : PyBool_FromLong(operation == Py_NE ? holds == 0 : holds);
}

// A set of what the left operand gives, changed by what the right one gives.
template <bool (*change)(PyObject* set, PyObject* iterable)>
PyObject* combine(PyObject* a, PyObject* b) {
    PyObject* set = PySet_New(a);
    if (set != nullptr && !change(set, b)) {
        Py_CLEAR(set);
    }
    return set;
}

// What the shorter one gives and the longer one has; the view may be on either side of the operator.
PyObject* view_and(PyObject* a, PyObject* b) {
    if (!PyDictViewSet_Check(a)) {
        std::swap(a, b);
    }
    if (PyDictViewSet_Check(b) && view_length(b) > view_length(a)) {
        std::swap(a, b);
    }
    PyObject* set = PySet_New(nullptr);
    const bool good = set != nullptr && container::for_each(b, [=](PyObject* item) {
                          const int found = PySequence_Contains(a, item);
                          return found == 0 || (found > 0 && PySet_Add(set, item) == 0);
                      });
    if (!good) {
        Py_CLEAR(set);
    }
    return set;
}

PyObject* is_disjoint(PyObject* a, PyObject* b) {
    if (a == b) {
        return PyBool_FromLong(view_length(a) == 0);
    }
    if (is_set_like(b)) {
        const Py_ssize_t in_b = PyObject_Size(b);
        if (in_b < 0) {
            return nullptr;
        }
        if (in_b > view_length(a)) {
            std::swap(a, b);
        }
    }
    int common = 0;
    const bool good = container::for_each(b, [&common, a](PyObject* item) {
        common = PySequence_Contains(a, item);
        return common == 0;
    });
    return good || common > 0 ? PyBool_FromLong(common == 0) : nullptr;
}

template <PyObject* (*iterate)(PyObject*)>
PyObject* view_iter(PyObject* op) {
    return iterate(container::dict_of_view(op));
}

template <PyObject* (*iterate)(PyObject*)>
PyObject* view_reversed(PyObject* op, PyObject*) {
    return iterate(container::dict_of_view(op));
}

PyObject* keys_backwards(PyObject* dict) {
    return container::dict_reversed(dict, nullptr);
}

constexpr char kIsDisjoint[] = "Whether the view and the given iterable have nothing in common.";
constexpr char kReversed[] = "An iterator over the view, the last first.";

PyMethodDef keys_methods[] = {
    {"isdisjoint", is_disjoint, METH_O, kIsDisjoint},
    {"__reversed__", view_reversed<keys_backwards>, METH_NOARGS, kReversed},
    {}};
PyMethodDef items_methods[] = {
    {"isdisjoint", is_disjoint, METH_O, kIsDisjoint},
    {"__reversed__", view_reversed<container::iterate_items_backwards>, METH_NOARGS, kReversed},
    {}};
PyMethodDef values_methods[] = {
    {"__reversed__", view_reversed<container::iterate_values_backwards>, METH_NOARGS, kReversed},
    {}};

PyGetSetDef getset[] = {
    {"mapping", [](PyObject* op, void*) { return PyDictProxy_New(container::dict_of_view(op)); },
     nullptr, "the dict, to be read", nullptr},
    {}};

PyNumberMethods as_number = {
    .nb_subtract = combine<container::subtract_from_set>,
    .nb_and = view_and,
    .nb_xor = combine<container::toggle_in_set>,
    .nb_or = combine<container::add_to_set>,
};

PySequenceMethods keys_as_sequence = {.sq_length = view_length, .sq_contains = keys_contain};
PySequenceMethods items_as_sequence = {.sq_length = view_length, .sq_contains = items_contain};
PySequenceMethods values_as_sequence = {.sq_length = view_length};

constexpr PyTypeObject view_type(const char* name, PyNumberMethods* number,
                                 PySequenceMethods* sequence, richcmpfunc compare, getiterfunc iter,
                                 PyMethodDef* methods) {
    return {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
        .tp_basicsize = sizeof(_PyDictViewObject),
        .tp_dealloc = view_dealloc,
        .tp_repr = view_repr,
        .tp_as_number = number,
        .tp_as_sequence = sequence,
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
        .tp_traverse = view_traverse,
        .tp_richcompare = compare,
        .tp_iter = iter,
        .tp_methods = methods,
        .tp_getset = getset,
    };
}

}  // namespace

constinit PyTypeObject PyDictKeys_Type =
    view_type("dict_keys", &as_number, &keys_as_sequence, view_compare,
              view_iter<container::dict_iter>, keys_methods);
constinit PyTypeObject PyDictItems_Type =
    view_type("dict_items", &as_number, &items_as_sequence, view_compare,
              view_iter<container::iterate_items>, items_methods);
constinit PyTypeObject PyDictValues_Type =
    view_type("dict_values", nullptr, &values_as_sequence, nullptr,
              view_iter<container::iterate_values>, values_methods);

namespace ouro::container {

PyObject* new_view(PyTypeObject* type, PyObject* dict) {
    PyObject* op = _PyObject_GC_New(type);
    if (op != nullptr) {
        reinterpret_cast<_PyDictViewObject*>(op)->dv_dict = container::as_dict(Py_NewRef(dict));
        object::track(op);
    }
    return op;
}

PyObject* keys_view(PyObject* op, PyObject*) {
    return new_view(&PyDictKeys_Type, op);
}

PyObject* items_view(PyObject* op, PyObject*) {
    return new_view(&PyDictItems_Type, op);
}

PyObject* values_view(PyObject* op, PyObject*) {
    return new_view(&PyDictValues_Type, op);
}

}  // namespace ouro::container
