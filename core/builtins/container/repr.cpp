#include "core/builtins/container/repr.hpp"

#include <string>

#include "core/builtins/container/dict.hpp"
#include "core/builtins/container/set.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/mutator/critical_section.hpp"

namespace ouro::container {
namespace {

// Shows items between brackets. `next(i, &item)` gives a new reference to item i, or false if there are no
// more; a container that is being shown already, further up the stack, is `within`.
template <class Next>
PyObject* show_items(PyObject* op, std::string_view open, std::string_view close,
                     const char* within, const Next& next) {
    const int nested = Py_ReprEnter(op);
    if (nested != 0) {
        return nested > 0 ? PyUnicode_FromString(within) : nullptr;
    }
    text::TextBuffer out;
    out.append(open);
    bool whole = true;
    PyObject* item;
    for (Py_ssize_t i = 0; whole && next(i, &item); ++i) {
        if (i > 0) {
            out.append(", ");
        }
        whole = append_repr(item, &out);
        Py_XDECREF(item);
    }
    out.append(close);
    PyObject* text = whole ? out.to_str() : nullptr;
    Py_ReprLeave(op);
    return text;
}

}  // namespace

bool append_repr(PyObject* op, text::TextBuffer* out) {
    PyObject* text = PyObject_Repr(op);
    if (text == nullptr) {
        return false;
    }
    out->append(text::text_in(text));
    Py_DECREF(text);
    return !out->failed();
}

// The repr of an item may change the list.
PyObject* list_repr(PyObject* op) {
    return show_items(op, "[", "]", "[...]", [op](Py_ssize_t i, PyObject** item) {
        const mutator::Guard guard(op);
        if (i >= PyList_GET_SIZE(op)) {
            return false;
        }
        *item = Py_XNewRef(PyList_GET_ITEM(op, i));
        return true;
    });
}

PyObject* tuple_repr(PyObject* op) {
    const Py_ssize_t size = PyTuple_GET_SIZE(op);
    return show_items(op, "(", size == 1 ? ",)" : ")", "(...)",
                      [op, size](Py_ssize_t i, PyObject** item) {
                          if (i >= size) {
                              return false;
                          }
                          *item = Py_XNewRef(PyTuple_GET_ITEM(op, i));
                          return true;
                      });
}

// A key, before the value, and both before what follows: showing them may change the dict.
PyObject* dict_repr(PyObject* op) {
    const int nested = Py_ReprEnter(op);
    if (nested != 0) {
        return nested > 0 ? PyUnicode_FromString("{...}") : nullptr;
    }
    text::TextBuffer out;
    out.append('{');
    bool whole = true;
    DictEntry item;
    for (Py_ssize_t position = 0; whole && next_item(op, &position, &item);) {
        if (out.view().size() > 1) {
            out.append(", ");
        }
        whole = append_repr(item.key, &out);
        out.append(": ");
        whole = whole && append_repr(item.value, &out);
        item.drop();
    }
    out.append('}');
    PyObject* text = whole ? out.to_str() : nullptr;
    Py_ReprLeave(op);
    return text;
}

// Only an exact set has a form of its own.
PyObject* set_repr(PyObject* op) {
    const std::string name = Py_TYPE(op)->tp_name;
    if (PySet_GET_SIZE(op) == 0) {
        return PyUnicode_FromFormat("%s()", name.c_str());
    }
    const bool is_set = PySet_CheckExact(op);
    Py_ssize_t position = 0;
    return show_items(op, is_set ? "{" : name + "({", is_set ? "}" : "})", (name + "(...)").c_str(),
                      [&](Py_ssize_t, PyObject** item) {
                          SetEntry element;
                          const bool found = next_element(op, &position, &element);
                          *item = found ? element.key : nullptr;
                          return found;
                      });
}

}  // namespace ouro::container
