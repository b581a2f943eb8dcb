// Whatever is done with an object's attributes, its dictionary and the weak references to it, while other
// threads change them or let the object die, ends in a result of its type or an exception that may come, and
// no reference is lost.
// label: concurrency

#include "tests/contract/beside_changes.hpp"

namespace ouro::test {
namespace {

using Objects = BesideChanges;

// Of each kind that can be weakly referenced.
PyObject* new_target(const Stage& s, int kind) {
    switch (kind % 5) {
        case 0:
            return PySet_New(nullptr);
        case 1:
            return PyObject_CallNoArgs(s.type);
        case 2:
            return new_sample();
        case 3:
            return PyCFunction_New(&nothing, nullptr);
        default:
            return PyModule_New("thing");
    }
}

// A weak reference to what may be replaced at any time; it outlives, or does not, what it refers to.
PyObject* weakly_refer(const Stage& s, Py_ssize_t number, bool proxy, PyObject* callback) {
    PyObject* target = PyList_GetItemRef(s.targets, number);
    if (target == nullptr) {
        return nullptr;
    }
    PyObject* reference =
        proxy ? PyWeakref_NewProxy(target, callback) : PyWeakref_NewRef(target, callback);
    Py_DECREF(target);
    if (reference == nullptr) {
        return nullptr;
    }
    PyObject* found = nullptr;
    PyWeakref_GetRef(reference, &found);
    Py_DECREF(reference);
    return found == nullptr ? Py_NewRef(Py_None) : found;
}

// The one that all use, in a list.
template <class Use>
PyObject* with_shared(const Stage& s, const Use& use) {
    return with(PyList_GetItemRef(s.iterators, 0), use);
}

PyObject* called_back(PyObject*, PyObject* reference) {
    return of_truth(PyWeakref_IsDead(reference));
}
PyMethodDef callback_method = {"callback", called_back, METH_O, nullptr};

PyObject* refer_with_callback(const Stage& s, Py_ssize_t number) {
    return with(PyCFunction_New(&callback_method, nullptr),
                [&](PyObject* callback) { return weakly_refer(s, number, false, callback); });
}

PyObject* set_dict(PyObject* op) {
    return with(PyDict_New(), [op](PyObject* dict) {
        PyDict_SetItemString(dict, "a", dict == nullptr ? Py_None : Py_True);
        return of_status(PyObject_GenericSetDict(op, dict, nullptr));
    });
}

const Operation kOnAttributes[] = {
    {OURO_OPERATION(PyObject_GetAttrString(s.object, "a")), kAttributeError, nullptr},
    {OURO_OPERATION(of_status(PyObject_SetAttrString(s.object, "a", s.sample))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyObject_DelAttrString(s.object, "a"))), kAttributeError, nullptr},
    {OURO_OPERATION(of_truth(PyObject_HasAttrStringWithError(s.object, "b"))), kNothing,
     &PyBool_Type},
    {OURO_OPERATION(PyObject_GetAttrString(s.object, "b")), kAttributeError, nullptr},
    {OURO_OPERATION(PyObject_GetAttrString(s.object, "c")), kAttributeError, nullptr},
    {OURO_OPERATION(PyObject_GetAttrString(s.object, "__dict__")), kNothing, &PyDict_Type},
    {OURO_OPERATION(PyObject_GenericGetDict(s.object, nullptr)), kNothing, &PyDict_Type},
    {OURO_OPERATION(set_dict(s.object)), kNothing, nullptr},
    {OURO_OPERATION(with(PyObject_GenericGetDict(s.object, nullptr),
                         [](PyObject* dict) { return method(dict, "copy"); })),
     kNothing, &PyDict_Type},
    {OURO_OPERATION(with(PyObject_GenericGetDict(s.object, nullptr),
                         [](PyObject* dict) { return method(dict, "clear"); })),
     kNothing, nullptr},
    {OURO_OPERATION(PyObject_GetAttrString(s.type, "c")), kAttributeError, nullptr},
    {OURO_OPERATION(of_status(PyObject_SetAttrString(s.type, "c", s.sample))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyObject_DelAttrString(s.type, "c"))), kAttributeError, nullptr},
    {OURO_OPERATION(PyObject_GetAttrString(s.slotted, "x")), kAttributeError, nullptr},
    {OURO_OPERATION(of_status(PyObject_SetAttrString(s.slotted, "x", s.two))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyObject_DelAttrString(s.slotted, "x"))), kAttributeError, nullptr},
    {OURO_OPERATION(PyObject_GetAttrString(s.error, "filename")), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyObject_SetAttrString(s.error, "filename", s.two))), kNothing,
     nullptr},
    {OURO_OPERATION(PyObject_GetAttrString(s.error, "args")), kNothing, &PyTuple_Type},
    {OURO_OPERATION(PyObject_GetAttrString(s.function, "__module__")), kNothing, nullptr},
    {OURO_OPERATION(PyObject_CallOneArg(s.function, s.two)), kTypeError, nullptr},
    {OURO_OPERATION(PyObject_Repr(s.function)), kNothing, &PyUnicode_Type},
    {OURO_OPERATION(PyObject_Repr(s.object)), kNothing, &PyUnicode_Type},
    {OURO_OPERATION(PyObject_RichCompare(s.object, s.object, Py_EQ)), kNothing, &PyBool_Type},
};

const Operation kOnWeakReferences[] = {
    {OURO_OPERATION(weakly_refer(s, 0, false, nullptr)), kIndexError, nullptr},
    {OURO_OPERATION(weakly_refer(s, 1, false, nullptr)), kIndexError, nullptr},
    {OURO_OPERATION(weakly_refer(s, 2, true, nullptr)), kIndexError, nullptr},
    {OURO_OPERATION(weakly_refer(s, 3, false, nullptr)), kIndexError, nullptr},
    {OURO_OPERATION(weakly_refer(s, 4, false, nullptr)), kIndexError, nullptr},
    {OURO_OPERATION(refer_with_callback(s, 0)), kIndexError, nullptr},
    {OURO_OPERATION(refer_with_callback(s, 1)), kIndexError, nullptr},
    {OURO_OPERATION(refer_with_callback(s, 2)), kIndexError, nullptr},
    {OURO_OPERATION(refer_with_callback(s, 4)), kIndexError, nullptr},
    {OURO_OPERATION(with_shared(s, PyObject_Repr)), kNothing, &PyUnicode_Type},
    {OURO_OPERATION(with_shared(s, PyObject_CallNoArgs)), kNothing, nullptr},
    {OURO_OPERATION(with_shared(s, [](PyObject* op) { return of_truth(PyWeakref_IsDead(op)); })),
     kNothing, &PyBool_Type},
    {OURO_OPERATION(
         with_shared(s, [](PyObject* op) { return of_status(PyObject_Hash(op) == -1 ? -1 : 0); })),
     kTypeError, nullptr},
    {OURO_OPERATION(
         with_shared(s, [](PyObject* op) { return PyObject_RichCompare(op, op, Py_EQ); })),
     kNothing, &PyBool_Type},
    {OURO_OPERATION(
         with_shared(s, [](PyObject* op) { return PyObject_GetAttrString(op, "__callback__"); })),
     kNothing, nullptr},
    {OURO_OPERATION(with(PyList_GetItemRef(s.iterators, 1), PyObject_Str)), kReferenceError,
     nullptr},
    {OURO_OPERATION(with(PyList_GetItemRef(s.iterators, 1),
                         [](PyObject* op) { return PyObject_GetAttrString(op, "__class__"); })),
     kReferenceError, nullptr},
};

const Change kObjectChanges[] = {
    {"attributes set and deleted",
     [](const Stage& s, int round) {
         PyObject_SetAttrString(s.object, round % 2 == 0 ? "a" : "b",
                                round % 3 == 0 ? s.two : s.sample);
         PyObject_DelAttrString(s.object, "b");
         PyErr_Clear();
         put(s.list, new_sample());
     }},
    {"fields",
     [](const Stage& s, int round) {
         PyObject* op = round % 2 == 0 ? new_sample() : PyUnicode_FromFormat("%d", round);
         PyObject_SetAttrString(s.slotted, "x", op);
         PyObject_SetAttrString(s.error, "filename", op);
         PyObject_SetAttrString(s.function, "__module__", op);
         Py_DECREF(op);
         if (round % 3 == 0) {
             PyObject_DelAttrString(s.slotted, "x");
         }
         PyObject* args = PyTuple_Pack(1, s.sample);
         PyObject_SetAttrString(s.error, "args", args);
         Py_DECREF(args);
     }},
    {"another dictionary",
     [](const Stage& s, int round) {
         forget(set_dict(s.object));
         if (round % 4 == 0) {
             forget(with(PyObject_GenericGetDict(s.object, nullptr),
                         [](PyObject* dict) { return method(dict, "clear"); }));
         }
     }},
    {"the class",
     [](const Stage& s, int round) {
         PyObject_SetAttrString(s.type, round % 2 == 0 ? "a" : "c", s.sample);
         PyObject_DelAttrString(s.type, round % 3 == 0 ? "a" : "c");
     }},
    {"objects that die",
     [](const Stage& s, int round) {
         PyObject* target = new_target(s, round);
         PyObject* reference = PyWeakref_NewRef(target, nullptr);
         PyObject* proxy = PyWeakref_NewProxy(target, nullptr);
         PyList_SetItem(s.targets, round % 5, target);
         PyList_SetItem(s.iterators, 0, reference);
         PyList_SetItem(s.iterators, 1, proxy);
     }},
    {"references with callbacks",
     [](const Stage& s, int round) {
         PyObject* target = new_target(s, round);
         PyObject* callback = PyCFunction_New(&callback_method, nullptr);
         PyList_SetItem(s.iterators, 0, PyWeakref_NewRef(target, callback));
         Py_DECREF(callback);
         PyList_SetItem(s.targets, round % 5, target);
         if (round % 16 == 0) {
             PyGC_Collect();
         }
     }},
};

TEST_P(Objects, AttributesAreReadAndSetBesideAnyChange) {
    run(kOnAttributes, std::span(kObjectChanges).first(4), scaled(1000));
}

TEST_P(Objects, WeakReferencesAreMadeAndUsedBesideAnyChange) {
    PyObject* target = PyList_GetItem(stage().targets, 0);
    put(stage().iterators, PyWeakref_NewRef(target, nullptr));
    put(stage().iterators, PyWeakref_NewProxy(target, nullptr));
    run(kOnWeakReferences, std::span(kObjectChanges).last(2), scaled(1000));
}

EVERY_RUNTIME(Objects);

}  // namespace
}  // namespace ouro::test
