// Types that are asked for and have no object: there is no interpreter.
#include "core/include/Python.h"

namespace {

constexpr PyTypeObject absent(const char* name) {
    return {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    };
}

}  // namespace

constinit PyTypeObject PyFunction_Type = absent("function");
constinit PyTypeObject PyCode_Type = absent("code");
constinit PyTypeObject PyFrame_Type = absent("frame");
constinit PyTypeObject PyGen_Type = absent("generator");
constinit PyTypeObject PyCoro_Type = absent("coroutine");
constinit PyTypeObject PyAsyncGen_Type = absent("async_generator");

PyFrameObject* PyEval_GetFrame(void) {
    return nullptr;
}

PyFrameObject* PyThreadState_GetFrame(PyThreadState*) {
    return nullptr;
}

PyObject* PyEval_GetGlobals(void) {
    return nullptr;
}

PyObject* PyEval_GetLocals(void) {
    return nullptr;
}
