// Iterators over sets.
#include "core/builtins/container/set.hpp"
#include "core/builtins/container/table_iterator.hpp"

using namespace ouro;

namespace {

std::pair<_ouro_set_table*, Py_ssize_t> look(PyObject* op) {
    return {container::as_set(op)->table, container::as_set(op)->used};
}

constexpr container::Changed kChanged = {"Set changed size during iteration",
                                         "Set changed size during iteration"};

PyObject* next(PyObject* op) {
    PyObject* found = nullptr;
    container::step<false>(op, kChanged, look, [&found](const container::SetEntry& entry) {
        found = Py_NewRef(entry.key);
    });
    return found;
}

PyMethodDef methods[] = {{"__length_hint__",
                          [](PyObject* op, PyObject*) { return container::entries_left(op, look); },
                          METH_NOARGS, "How many more there are."},
                         {}};

}  // namespace

constinit PyTypeObject PySetIter_Type =
    container::table_iterator_type("set_iterator", next, methods);

PyObject* container::set_iter(PyObject* op) {
    return new_table_iterator(&PySetIter_Type, op, PySet_Size(op), 0);
}
