#include "tests/program/boxes.hpp"

#include <cstddef>
#include <string>

#include "tests/program/report.hpp"

namespace ouro::program {
namespace {

int box_traverse(PyObject* op, visitproc visit, void* arg) {
    for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
        Py_VISIT(box(op)->slots[i]);
    }
    return 0;
}

void box_finalize(PyObject* op) {
    listener->finalize(op);
}

int box_clear(PyObject* op) {
    return listener->clear(op);
}

void box_dealloc(PyObject* op) {
    listener->deallocate(op);
}

// Called through a proxy, without arguments, it does nothing.
PyObject* box_call(PyObject* op, PyObject* args, PyObject*) {
    return PyTuple_GET_SIZE(args) == 0 ? Py_NewRef(Py_None)
                                       : listener->call(op, PyTuple_GET_ITEM(args, 0));
}

// The collector must not, and does not, call it.
void box_del(PyObject* op) {
    fail("tp_del of o{} was called", box(op)->node);
}

constexpr size_t kWeakList = 1, kFinalizer = 2, kCallable = 4, kDel = 8, kNoClear = 16, kTypes = 32;

struct Types {
    std::array<std::string, kTypes> names;
    std::array<PyTypeObject, kTypes> types{};

    Types() {
        for (size_t i = 0; i < kTypes; ++i) {
            make(i);
        }
    }

    void make(size_t i) {
        PyTypeObject& type = types[i];
        names[i] = "program.Box";
        type.ob_base = {{OURO_BIASED_IMMORTAL, 0, nullptr}, 0};
        type.tp_basicsize = offsetof(Box, slots);
        type.tp_itemsize = sizeof(PyObject*);
        type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE;
        type.tp_traverse = box_traverse;
        type.tp_dealloc = box_dealloc;
        if ((i & kWeakList) != 0) {
            names[i] += "+weak";
            type.tp_weaklistoffset = offsetof(Box, weak_references);
        }
        if ((i & kFinalizer) != 0) {
            names[i] += "+finalizer";
            type.tp_finalize = box_finalize;
        }
        if ((i & kCallable) != 0) {
            names[i] += "+call";
            type.tp_call = box_call;
        }
        if ((i & kDel) != 0) {
            names[i] += "+del";
            type.tp_del = box_del;
        }
        if ((i & kNoClear) == 0) {
            type.tp_clear = box_clear;
        } else {
            names[i] += "+noclear";
        }
        type.tp_name = names[i].c_str();
    }
};

Types& all() {
    static Types types;
    return types;
}

// The built-in types' own functions are replaced by ones that tell the listener.
template <PyTypeObject* type>
struct Noted {
    static inline destructor dealloc = nullptr;
    static inline inquiry clear = nullptr;

    static void noted_dealloc(PyObject* op) {
        if (listener != nullptr) {
            listener->deallocate_built_in(op, dealloc);
        } else {
            dealloc(op);
        }
    }
    static int noted_clear(PyObject* op) {
        return listener != nullptr ? listener->clear_built_in(op, clear) : clear(op);
    }
    static void install() {
        if (dealloc == nullptr) {
            dealloc = type->tp_dealloc;
            type->tp_dealloc = noted_dealloc;
            if (type->tp_clear != nullptr) {
                clear = type->tp_clear;
                type->tp_clear = noted_clear;
            }
        }
    }
};

}  // namespace

void ready_types() {
    for (PyTypeObject& type : all().types) {
        if (PyType_Ready(&type) < 0) {
            fail("{} cannot be readied", type.tp_name);
        }
    }
    Noted<&PyList_Type>::install();
    Noted<&PyTuple_Type>::install();
    Noted<&PyDict_Type>::install();
    Noted<&_PyWeakref_RefType>::install();
    Noted<&_PyWeakref_ProxyType>::install();
    Noted<&_PyWeakref_CallableProxyType>::install();
}

PyTypeObject* box_type(const Traits& traits) {
    const size_t i = (traits.weak_list ? kWeakList : 0) | (traits.finalizer ? kFinalizer : 0) |
                     (traits.callable ? kCallable : 0) | (traits.del ? kDel : 0) |
                     (traits.has_clear ? 0 : kNoClear);
    return &all().types[i];
}

}  // namespace ouro::program
