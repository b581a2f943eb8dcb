// Proxies: weak references that stand for their object. Whatever is asked of one is asked of the object, which
// is held meanwhile; of a dead one it is a ReferenceError.
#include "core/object/own.hpp"
#include "core/object/weakref.hpp"

using namespace ouro;
using object::Own;

namespace {

// A new reference to what a proxy stands for; nullptr with ReferenceError.
PyObject* proxied(PyObject* op) {
    PyObject* object = nullptr;
    PyWeakref_GetRef(op, &object);
    if (object == nullptr) {
        PyErr_SetString(PyExc_ReferenceError, "weakly-referenced object no longer exists");
    }
    return object;
}

// The same for an operand, which stands for itself if it is no proxy.
PyObject* operand(PyObject* op) {
    return PyWeakref_CheckProxy(op) ? proxied(op) : Py_NewRef(op);
}

template <auto kFunction>
PyObject* unary(PyObject* op) {
    const Own object(proxied(op));
    return object ? kFunction(object.get()) : nullptr;
}

template <auto kFunction>
PyObject* binary(PyObject* a, PyObject* b) {
    const Own x(operand(a));
    const Own y(x ? operand(b) : nullptr);
    return y ? kFunction(x.get(), y.get()) : nullptr;
}

template <auto kFunction>
PyObject* ternary(PyObject* a, PyObject* b, PyObject* c) {
    const Own x(operand(a));
    const Own y(x ? operand(b) : nullptr);
    const Own z(y ? operand(c) : nullptr);
    return z ? kFunction(x.get(), y.get(), z.get()) : nullptr;
}

template <auto kFunction>
Py_ssize_t length(PyObject* op) {
    const Own object(proxied(op));
    return object ? kFunction(object.get()) : -1;
}

PyObject* proxy_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    const Own object(proxied(op));
    return object ? PyObject_Call(object.get(), args, kwargs) : nullptr;
}

PyObject* proxy_richcompare(PyObject* a, PyObject* b, int operation) {
    const Own x(operand(a));
    const Own y(x ? operand(b) : nullptr);
    return y ? PyObject_RichCompare(x.get(), y.get(), operation) : nullptr;
}

PyObject* proxy_repr(PyObject* self) {
    PyObject* object = nullptr;
    PyWeakref_GetRef(self, &object);
    const Own held(object);
    return held ? PyUnicode_FromFormat("<weakproxy at %p; to '%s' at %p>", self,
                                       Py_TYPE(object)->tp_name, object)
                : PyUnicode_FromFormat("<weakproxy at %p; dead>", self);
}

int proxy_setattro(PyObject* op, PyObject* name, PyObject* value) {
    const Own object(proxied(op));
    return object ? PyObject_SetAttr(object.get(), name, value) : -1;
}

int proxy_bool(PyObject* op) {
    const Own object(proxied(op));
    return object ? PyObject_IsTrue(object.get()) : -1;
}

int proxy_contains(PyObject* op, PyObject* value) {
    const Own object(proxied(op));
    return object ? PySequence_Contains(object.get(), value) : -1;
}

int proxy_ass_subscript(PyObject* op, PyObject* key, PyObject* value) {
    const Own object(proxied(op));
    if (!object) {
        return -1;
    }
    return value == nullptr ? PyObject_DelItem(object.get(), key)
                            : PyObject_SetItem(object.get(), key, value);
}

PyObject* proxy_iternext(PyObject* op) {
    const Own object(proxied(op));
    if (object && PyIter_Check(object.get()) == 0) {
        return PyErr_Format(PyExc_TypeError,
                            "Weakref proxy referenced a non-iterator '%.200s' object",
                            Py_TYPE(object.get())->tp_name);
    }
    return object ? PyIter_Next(object.get()) : nullptr;
}

PyNumberMethods proxy_number = {
    .nb_add = binary<PyNumber_Add>,
    .nb_subtract = binary<PyNumber_Subtract>,
    .nb_multiply = binary<PyNumber_Multiply>,
    .nb_remainder = binary<PyNumber_Remainder>,
    .nb_divmod = binary<PyNumber_Divmod>,
    .nb_power = ternary<PyNumber_Power>,
    .nb_negative = unary<PyNumber_Negative>,
    .nb_positive = unary<PyNumber_Positive>,
    .nb_absolute = unary<PyNumber_Absolute>,
    .nb_bool = proxy_bool,
    .nb_invert = unary<PyNumber_Invert>,
    .nb_lshift = binary<PyNumber_Lshift>,
    .nb_rshift = binary<PyNumber_Rshift>,
    .nb_and = binary<PyNumber_And>,
    .nb_xor = binary<PyNumber_Xor>,
    .nb_or = binary<PyNumber_Or>,
    .nb_int = unary<PyNumber_Long>,
    .nb_float = unary<PyNumber_Float>,
    .nb_inplace_add = binary<PyNumber_InPlaceAdd>,
    .nb_inplace_subtract = binary<PyNumber_InPlaceSubtract>,
    .nb_inplace_multiply = binary<PyNumber_InPlaceMultiply>,
    .nb_inplace_remainder = binary<PyNumber_InPlaceRemainder>,
    .nb_inplace_power = ternary<PyNumber_InPlacePower>,
    .nb_inplace_lshift = binary<PyNumber_InPlaceLshift>,
    .nb_inplace_rshift = binary<PyNumber_InPlaceRshift>,
    .nb_inplace_and = binary<PyNumber_InPlaceAnd>,
    .nb_inplace_xor = binary<PyNumber_InPlaceXor>,
    .nb_inplace_or = binary<PyNumber_InPlaceOr>,
    .nb_floor_divide = binary<PyNumber_FloorDivide>,
    .nb_true_divide = binary<PyNumber_TrueDivide>,
    .nb_inplace_floor_divide = binary<PyNumber_InPlaceFloorDivide>,
    .nb_inplace_true_divide = binary<PyNumber_InPlaceTrueDivide>,
    .nb_index = unary<PyNumber_Index>,
    .nb_matrix_multiply = binary<PyNumber_MatrixMultiply>,
    .nb_inplace_matrix_multiply = binary<PyNumber_InPlaceMatrixMultiply>,
};

PySequenceMethods proxy_sequence = {
    .sq_length = length<PyObject_Size>,
    .sq_contains = proxy_contains,
};

PyMappingMethods proxy_mapping = {
    .mp_length = length<PyObject_Size>,
    .mp_subscript = binary<PyObject_GetItem>,
    .mp_ass_subscript = proxy_ass_subscript,
};

// The two types differ in whether they can be called.
constexpr PyTypeObject proxy_type(const char* name, ternaryfunc call) {
    return {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
        .tp_basicsize = sizeof(PyWeakReference),
        .tp_dealloc = object::weak_dealloc,
        .tp_repr = proxy_repr,
        .tp_as_number = &proxy_number,
        .tp_as_sequence = &proxy_sequence,
        .tp_as_mapping = &proxy_mapping,
        .tp_hash = PyObject_HashNotImplemented,
        .tp_call = call,
        .tp_str = unary<PyObject_Str>,
        .tp_getattro = binary<PyObject_GetAttr>,
        .tp_setattro = proxy_setattro,
        .tp_flags = object::kWeakFlags | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .tp_traverse = object::weak_traverse,
        .tp_clear = object::weak_clear,
        .tp_richcompare = proxy_richcompare,
        .tp_iter = unary<PyObject_GetIter>,
        .tp_iternext = proxy_iternext,
    };
}

}  // namespace

PyTypeObject _PyWeakref_ProxyType = proxy_type("weakref.ProxyType", nullptr);
PyTypeObject _PyWeakref_CallableProxyType = proxy_type("weakref.CallableProxyType", proxy_call);
