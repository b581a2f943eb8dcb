#include "core/builtins/protocol/position.hpp"

#include "core/object/object.hpp"

namespace ouro::protocol {

PyObject* new_position(PyTypeObject* type, PyObject* over, Py_ssize_t index) {
    PyObject* op = _PyObject_GC_New(type);
    if (op != nullptr) {
        position(op)->index = index;
        position(op)->over = Py_NewRef(over);
        object::track_new(op);
    }
    return op;
}

void position_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(position(op)->over);
    Py_TYPE(op)->tp_free(op);
}

int position_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(position(op)->over);
    return 0;
}

Place place_of(PyObject* op) {
    const mutator::Guard guard(op);
    return {object::Own(Py_XNewRef(position(op)->over)), position(op)->index};
}

void move(PyObject* op, Py_ssize_t index) {
    const mutator::Guard guard(op);
    position(op)->index = index;
}

void end_iteration(PyObject* op) {
    object::Own over;  // dropped when the lock is let go
    const mutator::Guard guard(op);
    over = object::Own(position(op)->over);
    OURO_STORE_FIELD(&position(op)->over, nullptr);
}

}  // namespace ouro::protocol
