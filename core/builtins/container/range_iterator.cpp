// Iterators over ranges: one that counts in longs, and one in ints of any size.
#include "core/builtins/container/range.hpp"
#include "core/builtins/number/long.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using container::range;

namespace {

struct LongIterator {
    PyObject ob_base;
    long next, step;
    unsigned long left;
};

LongIterator* longs(PyObject* op) {
    return reinterpret_cast<LongIterator*>(op);
}

PyObject* new_long_iterator(long start, long step, unsigned long count) {
    PyObject* op = object::allocate_atom(&PyRangeIter_Type, sizeof(LongIterator));
    if (op != nullptr) {
        longs(op)->next = start;
        longs(op)->step = step;
        longs(op)->left = count;
    }
    return op;
}

PyObject* long_iterator_next(PyObject* op) {
    long value;
    {
        const mutator::Guard guard(op);
        LongIterator* self = longs(op);
        if (self->left == 0) {
            return nullptr;
        }
        --self->left;
        value = self->next;
        // Beyond the last one there may be no long.
        (void)__builtin_add_overflow(value, self->step, &self->next);
    }
    return PyLong_FromLong(value);
}

PyObject* long_iterator_hint(PyObject* op, PyObject*) {
    const mutator::Guard guard(op);
    return PyLong_FromUnsignedLong(longs(op)->left);
}

struct AnyIterator {
    PyObject ob_base;
    PyObject *next, *step, *left;
};

AnyIterator* ints(PyObject* op) {
    return reinterpret_cast<AnyIterator*>(op);
}

PyObject* new_any_iterator(object::Own start, object::Own step, PyObject* count) {
    PyObject* op = object::allocate_atom(&PyLongRangeIter_Type, sizeof(AnyIterator));
    if (op != nullptr) {
        ints(op)->next = start.release();
        ints(op)->step = step.release();
        ints(op)->left = Py_NewRef(count);
    }
    return op;
}

void any_iterator_dealloc(PyObject* op) {
    Py_DECREF(ints(op)->next);
    Py_DECREF(ints(op)->step);
    Py_DECREF(ints(op)->left);
    Py_TYPE(op)->tp_free(op);
}

PyObject* any_iterator_next(PyObject* op) {
    const object::Own one(PyLong_FromLong(1));
    AnyIterator* self = ints(op);
    for (;;) {
        object::Own value, left;
        {
            const mutator::Guard guard(op);
            value = object::Own(Py_NewRef(self->next));
            left = object::Own(Py_NewRef(self->left));
        }
        if (!one || number::sign_of(left.get()) == 0) {
            return nullptr;
        }
        // Without the lock, which would not be kept: numbers are allocated.
        object::Own fewer = container::apply(PyNumber_Subtract, left.get(), one.get());
        object::Own following =
            fewer ? container::apply(PyNumber_Add, value.get(), self->step) : object::Own();
        if (!following) {
            return nullptr;
        }
        const mutator::Guard guard(op);
        if (self->left == left.get()) {  // no other thread was faster
            Py_SETREF(self->left, fewer.release());
            return std::exchange(self->next, following.release());
        }
    }
}

PyObject* any_iterator_hint(PyObject* op, PyObject*) {
    const mutator::Guard guard(op);
    return Py_NewRef(ints(op)->left);
}

constexpr const char* kHintDoc = PyDoc_STR("How many ints are left.");

PyMethodDef long_iterator_methods[] = {
    {"__length_hint__", long_iterator_hint, METH_NOARGS, kHintDoc},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef any_iterator_methods[] = {
    {"__length_hint__", any_iterator_hint, METH_NOARGS, kHintDoc},
    {nullptr, nullptr, 0, nullptr},
};

// As many ints as a range has, from `start`, which is one of its own.
PyObject* iterate(PyObject* op, object::Own start, object::Own step) {
    if (!start || !step) {
        return nullptr;
    }
    PyObject* count = range(op)->length;
    // Where both ends are longs all ints between them are.
    if (number::is_small(range(op)->start) && number::is_small(range(op)->stop) &&
        number::is_small(start.get()) && number::is_small(step.get()) && number::is_small(count)) {
        return new_long_iterator(number::small_value(start.get()), number::small_value(step.get()),
                                 static_cast<unsigned long>(number::small_value(count)));
    }
    return new_any_iterator(std::move(start), std::move(step), count);
}

}  // namespace

PyObject* container::range_iterate(PyObject* op) {
    return iterate(op, object::Own(Py_NewRef(range(op)->start)),
                   object::Own(Py_NewRef(range(op)->step)));
}

PyObject* container::range_iterate_backwards(PyObject* op, PyObject*) {
    const object::Own one(PyLong_FromLong(1));
    const object::Own last = apply(PyNumber_Subtract, range(op)->length, one.get());
    const object::Own distance = apply(PyNumber_Multiply, last.get(), range(op)->step);
    object::Own start = apply(PyNumber_Add, range(op)->start, distance.get());
    return start ? iterate(op, std::move(start), object::Own(PyNumber_Negative(range(op)->step)))
                 : nullptr;
}

PyTypeObject PyRangeIter_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "range_iterator",
    .tp_basicsize = sizeof(LongIterator),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = long_iterator_next,
    .tp_methods = long_iterator_methods,
};

PyTypeObject PyLongRangeIter_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "longrange_iterator",
    .tp_basicsize = sizeof(AnyIterator),
    .tp_dealloc = any_iterator_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = any_iterator_next,
    .tp_methods = any_iterator_methods,
};
