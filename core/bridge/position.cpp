#include "core/bridge/position.hpp"

namespace ouro::bridge {
namespace {

int traverse(PyObject*, visitproc, void*) {
    return 0;
}
int clear(PyObject*) {
    return 0;
}
void dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    PyObject_GC_Del(op);
}

PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

}  // namespace

bool ready_position() {
    type.tp_name = "ouroboros.position";
    type.tp_doc = "A place in the list of old objects that a collection in slices has come to.";
    type.tp_basicsize = sizeof(PyObject);
    type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    type.tp_traverse = traverse;
    type.tp_clear = clear;
    type.tp_dealloc = dealloc;
    return PyType_Ready(&type) == 0;
}

PyObject* new_position() {
    PyObject* op = PyObject_GC_New(PyObject, &type);
    if (op != nullptr) {
        PyObject_GC_Track(op);
    }
    return op;
}

bool Position::make() {
    if (object_ == nullptr) {
        object_ = new_position();
        if (object_ != nullptr) {
            take_out();
        }
    }
    return object_ != nullptr;
}

void Position::put_before(GcHead* place) {
    if (PyObject_GC_IsTracked(object_) == 0) {
        PyObject_GC_Track(object_);  // into the youngest generation
    }
    move_before(head(), place);
}

void Position::take_out() {
    PyObject_GC_UnTrack(object_);
}

}  // namespace ouro::bridge
