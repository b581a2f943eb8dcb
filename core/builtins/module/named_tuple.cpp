#include "core/builtins/module/named_tuple.hpp"

#include <algorithm>

#include "core/builtins/text/message.hpp"
#include "core/object/own.hpp"

namespace ouro::module {

PyObject* get_named_item(PyObject* self, void* index) {
    return Py_NewRef(PyTuple_GET_ITEM(self, reinterpret_cast<intptr_t>(index)));
}

PyObject* named_tuple_repr(PyObject* self) {
    text::Message text;
    text.add(Py_TYPE(self)->tp_name).add("(");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
        text.add(i == 0 ? "" : ", ").add(Py_TYPE(self)->tp_getset[i].name).add("=");
        text.add_repr(PyTuple_GET_ITEM(self, i));
    }
    return text.add(")").finish();
}

PyObject* new_named_tuple(PyTypeObject* type, std::span<PyObject* const> items) {
    const bool whole = std::ranges::none_of(items, [](PyObject* op) { return op == nullptr; });
    PyObject* made = whole && PyType_Ready(type) == 0
                         ? type->tp_alloc(type, static_cast<Py_ssize_t>(items.size()))
                         : nullptr;
    for (size_t i = 0; i < items.size(); ++i) {
        if (made != nullptr) {
            PyTuple_SET_ITEM(made, i, items[i]);
        } else {
            Py_XDECREF(items[i]);
        }
    }
    return made;
}

}  // namespace ouro::module
