// The module weakref: what CPython's has that is not written in Python. WeakValueDictionary, WeakKeyDictionary,
// WeakSet, WeakMethod and finalize are Python code there; they are not here.
#include "core/builtins/module/own_modules.hpp"
#include "core/object/weakref.hpp"

using namespace ouro;

namespace {

PyObject* getweakrefcount(PyObject*, PyObject* op) {
    return PyLong_FromSsize_t(object::count_weak_references(op));
}

PyObject* getweakrefs(PyObject*, PyObject* op) {
    return object::list_weak_references(op);
}

PyObject* proxy(PyObject*, PyObject* args) {
    PyObject* op;
    PyObject* callback = nullptr;
    return PyArg_UnpackTuple(args, "proxy", 1, 2, &op, &callback) == 0
               ? nullptr
               : PyWeakref_NewProxy(op, callback);
}

PyMethodDef functions[] = {
    {"getweakrefcount", getweakrefcount, METH_O,
     PyDoc_STR("Return the number of weak references to 'object'.")},
    {"getweakrefs", getweakrefs, METH_O,
     PyDoc_STR("Return a list of all weak reference objects pointing to 'object'.")},
    {"proxy", proxy, METH_VARARGS,
     PyDoc_STR("proxy(object[, callback])\n\nCreate a proxy object that weakly references "
               "'object'.")},
    {nullptr, nullptr, 0, nullptr},
};

int execute(PyObject* self) {
    auto* reference = reinterpret_cast<PyObject*>(&_PyWeakref_RefType);
    auto* plain = reinterpret_cast<PyObject*>(&_PyWeakref_ProxyType);
    auto* callable = reinterpret_cast<PyObject*>(&_PyWeakref_CallableProxyType);
    const bool done = PyModule_AddObjectRef(self, "ref", reference) == 0 &&
                      PyModule_AddObjectRef(self, "ReferenceType", reference) == 0 &&
                      PyModule_AddObjectRef(self, "ProxyType", plain) == 0 &&
                      PyModule_AddObjectRef(self, "CallableProxyType", callable) == 0 &&
                      PyModule_Add(self, "ProxyTypes", PyTuple_Pack(2, plain, callable)) == 0 &&
                      PyModule_AddObjectRef(self, "ReferenceError", PyExc_ReferenceError) == 0;
    return done ? 0 : -1;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, nullptr},
};

PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "weakref",
    .m_doc =
        PyDoc_STR("Weak references and proxies. The classes that CPython's module has in Python, "
                  "as WeakValueDictionary and finalize, are not part of it."),
    .m_methods = functions,
    .m_slots = slots,
};

}  // namespace

PyObject* module::init_weakref() {
    return PyModuleDef_Init(&definition);
}
