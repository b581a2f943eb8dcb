// Tuples whose items have names. Source: "Struct Sequence Objects" in the C API documentation.
//
// The fields that are no items lie behind those that are, and behind all of them a mark: so a traversal finds the end
// without asking the type.
#include <vector>

#include "core/builtins/container/sequence.hpp"
#include "core/builtins/text/message.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

PyObject end_mark;

PyObject** fields_of(PyObject* op) {
    return reinterpret_cast<PyTupleObject*>(op)->ob_item;
}

void struct_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    for (PyObject** field = fields_of(op); *field != &end_mark; ++field) {
        Py_XDECREF(*field);
    }
    type->tp_free(op);
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        Py_DECREF(type);
    }
}

int struct_traverse(PyObject* op, visitproc visit, void* arg) {
    if (PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_HEAPTYPE)) {
        Py_VISIT(Py_TYPE(op));
    }
    for (PyObject** field = fields_of(op); __atomic_load_n(field, __ATOMIC_RELAXED) != &end_mark;
         ++field) {
        Py_VISIT(*field);
    }
    return 0;
}

// A number that the type's dictionary has; -1 with an exception.
Py_ssize_t number_of(PyTypeObject* type, const char* name) {
    const Own number(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name));
    return number ? PyLong_AsSsize_t(number.get()) : -1;
}

// The names of the fields, without those that have none, in order.
PyObject* struct_repr(PyObject* op) {
    text::Message text;
    text.add(Py_TYPE(op)->tp_name).add("(");
    const PyMemberDef* member = Py_TYPE(op)->tp_members;
    for (Py_ssize_t i = 0; i < Py_SIZE(op) && member->name != nullptr; ++i, ++member) {
        text.add(i == 0 ? "" : ", ").add(member->name).add("=").add_repr(fields_of(op)[i]);
    }
    return text.add(")").finish();
}

// The fields that are no items, by their names.
PyObject* hidden_fields(PyObject* op) {
    Own made(PyDict_New());
    const auto first = static_cast<Py_ssize_t>(offsetof(PyTupleObject, ob_item)) +
                       Py_SIZE(op) * static_cast<Py_ssize_t>(sizeof(PyObject*));
    for (const PyMemberDef* member = Py_TYPE(op)->tp_members; made && member->name != nullptr;
         ++member) {
        if (member->offset >= first) {
            PyObject* value =
                *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(op) + member->offset);
            if (PyDict_SetItemString(made.get(), member->name, value == nullptr ? Py_None : value) <
                0) {
                return nullptr;
            }
        }
    }
    return made.release();
}

PyObject* struct_reduce(PyObject* op, PyObject*) {
    const Own items(PyTuple_GetSlice(op, 0, Py_SIZE(op)));
    const Own hidden(items ? hidden_fields(op) : nullptr);
    return hidden ? Py_BuildValue("(O(OO))", Py_TYPE(op), items.get(), hidden.get()) : nullptr;
}

// False with TypeError if there are too few or too many items for a type.
bool check_size(const PyTypeObject* type, Py_ssize_t least, Py_ssize_t most, Py_ssize_t given) {
    if (given >= least && given <= most) {
        return true;
    }
    const char* bound = least == most ? "a " : given < least ? "an at least " : "an at most ";
    PyErr_Format(PyExc_TypeError, "%.500s() takes %s%zd-sequence (%zd-sequence given)",
                 type->tp_name, bound, given < least ? least : most, given);
    return false;
}

// type(sequence, dict=None): the items, and then the fields that are none, from either.
PyObject* struct_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"sequence", "dict", nullptr};
    PyObject* sequence;
    PyObject* hidden = nullptr;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:structseq", names, &sequence, &hidden) ==
        0) {
        return nullptr;
    }
    if (hidden == Py_None) {
        hidden = nullptr;
    }
    const Own items(PySequence_Fast(sequence, "constructor requires a sequence"));
    if (!items) {
        return nullptr;
    }
    if (hidden != nullptr && !PyDict_Check(hidden)) {
        return PyErr_Format(PyExc_TypeError, "%.500s() takes a dict as second arg, if any",
                            type->tp_name);
    }
    const Py_ssize_t least = number_of(type, "n_sequence_fields");
    const Py_ssize_t most = least < 0 ? -1 : number_of(type, "n_fields");
    const Own copy(most < 0 ? nullptr : PySequence_Tuple(items.get()));
    if (!copy || !check_size(type, least, most, PyTuple_GET_SIZE(copy.get()))) {
        return nullptr;
    }
    Own made(PyStructSequence_New(type));
    if (!made) {
        return nullptr;
    }
    const Py_ssize_t given = PyTuple_GET_SIZE(copy.get());
    for (Py_ssize_t i = 0; i < given; ++i) {
        PyStructSequence_SetItem(made.get(), i, Py_NewRef(PyTuple_GET_ITEM(copy.get(), i)));
    }
    const Py_ssize_t unnamed = number_of(type, "n_unnamed_fields");
    for (Py_ssize_t i = given; i < most; ++i) {
        PyObject* value = nullptr;
        if (hidden != nullptr &&
            PyDict_GetItemStringRef(hidden, type->tp_members[i - unnamed].name, &value) < 0) {
            return nullptr;
        }
        PyStructSequence_SetItem(made.get(), i, value == nullptr ? Py_NewRef(Py_None) : value);
    }
    return made.release();
}

PyMethodDef struct_methods[] = {
    {"__reduce__", struct_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

struct Count {
    Py_ssize_t fields, unnamed;
};

Count count_fields(const PyStructSequence_Desc& desc) {
    Count count{};
    for (; desc.fields[count.fields].name != nullptr; ++count.fields) {
        count.unnamed += desc.fields[count.fields].name == PyStructSequence_UnnamedField ? 1 : 0;
    }
    return count;
}

// The fields that have names, as members, in PyMem_Raw memory, with one without a name behind them.
PyMemberDef* new_members(const PyStructSequence_Desc& desc) {
    const Count count = count_fields(desc);
    const auto many = static_cast<size_t>(count.fields - count.unnamed) + 1;
    auto* members = static_cast<PyMemberDef*>(PyMem_RawCalloc(many, sizeof(PyMemberDef)));
    if (members == nullptr) {
        PyErr_NoMemory();
        return nullptr;
    }
    PyMemberDef* member = members;
    for (Py_ssize_t i = 0; i < count.fields; ++i) {
        if (desc.fields[i].name != PyStructSequence_UnnamedField) {
            *member++ = {
                .name = desc.fields[i].name,
                .type = _Py_T_OBJECT,
                .offset = static_cast<Py_ssize_t>(offsetof(PyTupleObject, ob_item)) +
                          i * static_cast<Py_ssize_t>(sizeof(PyObject*)),
                .flags = Py_READONLY,
                .doc = desc.fields[i].doc,
            };
        }
    }
    return members;
}

// The names of the items that have one.
PyObject* names_of_items(const PyStructSequence_Desc& desc) {
    Own made(PyList_New(0));
    for (int i = 0; made && i < desc.n_in_sequence; ++i) {
        if (desc.fields[i].name != PyStructSequence_UnnamedField) {
            const Own name(PyUnicode_FromString(desc.fields[i].name));
            if (!name || PyList_Append(made.get(), name.get()) < 0) {
                return nullptr;
            }
        }
    }
    return made ? PyList_AsTuple(made.get()) : nullptr;
}

// What a static type has is there as long as the type is: for ever.
void keep_for_ever(PyObject* value) {
    if (value != nullptr && PyTuple_Check(value)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
            _Py_SetImmortal(PyTuple_GET_ITEM(value, i));
        }
        PyObject_GC_UnTrack(value);
    }
    if (value != nullptr) {
        _Py_SetImmortal(value);
    }
}

int describe(PyTypeObject* type, const PyStructSequence_Desc& desc) {
    const Count count = count_fields(desc);
    const struct {
        const char* name;
        PyObject* value;
    } attributes[] = {
        {"n_sequence_fields", PyLong_FromLong(desc.n_in_sequence)},
        {"n_fields", PyLong_FromSsize_t(count.fields)},
        {"n_unnamed_fields", PyLong_FromSsize_t(count.unnamed)},
        {"__match_args__", names_of_items(desc)},
    };
    int result = 0;
    for (const auto& each : attributes) {
        const Own value(each.value);
        if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
            keep_for_ever(value.get());
        }
        if (!value ||
            (result == 0 && PyDict_SetItemString(type->tp_dict, each.name, value.get()) < 0)) {
            result = -1;
        }
    }
    PyType_Modified(type);
    return result;
}

constexpr unsigned kFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE;

}  // namespace

const char* const PyStructSequence_UnnamedField = "unnamed field";

int PyStructSequence_InitType2(PyTypeObject* type, PyStructSequence_Desc* desc) {
    if (PyType_HasFeature(type, Py_TPFLAGS_READY)) {
        return 0;
    }
    PyMemberDef* members = new_members(*desc);  // as long as the type: for ever
    if (members == nullptr) {
        return -1;
    }
    type->tp_name = desc->name;
    type->tp_basicsize = PyTuple_Type.tp_basicsize;
    type->tp_itemsize = sizeof(PyObject*);
    type->tp_dealloc = struct_dealloc;
    type->tp_repr = struct_repr;
    type->tp_doc = desc->doc;
    type->tp_flags = kFlags;
    type->tp_traverse = struct_traverse;
    type->tp_methods = struct_methods;
    type->tp_members = members;
    type->tp_base = &PyTuple_Type;
    type->tp_new = struct_new;
    return PyType_Ready(type) < 0 ? -1 : describe(type, *desc);
}

void PyStructSequence_InitType(PyTypeObject* type, PyStructSequence_Desc* desc) {
    (void)PyStructSequence_InitType2(type, desc);
}

PyTypeObject* PyStructSequence_NewType(PyStructSequence_Desc* desc) {
    PyMemberDef* members = new_members(*desc);
    if (members == nullptr) {
        return nullptr;
    }
    PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void*>(struct_dealloc)},
        {Py_tp_repr, reinterpret_cast<void*>(struct_repr)},
        {Py_tp_traverse, reinterpret_cast<void*>(struct_traverse)},
        {Py_tp_methods, struct_methods},
        {Py_tp_members, members},
        {Py_tp_new, reinterpret_cast<void*>(struct_new)},
        {desc->doc == nullptr ? 0 : Py_tp_doc, const_cast<char*>(desc->doc)},
        {0, nullptr},
    };
    PyType_Spec spec = {desc->name, static_cast<int>(PyTuple_Type.tp_basicsize), sizeof(PyObject*),
                        kFlags, slots};
    Own made(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(&PyTuple_Type)));
    PyMem_RawFree(members);
    auto* type = reinterpret_cast<PyTypeObject*>(made.get());
    if (type == nullptr || describe(type, *desc) < 0) {
        return nullptr;
    }
    return reinterpret_cast<PyTypeObject*>(made.release());
}

PyObject* PyStructSequence_New(PyTypeObject* type) {
    const Py_ssize_t items = number_of(type, "n_sequence_fields");
    const Py_ssize_t fields = items < 0 ? -1 : number_of(type, "n_fields");
    if (fields < 0) {
        return nullptr;
    }
    auto* made = PyObject_GC_NewVar(PyTupleObject, type, fields + 1);
    if (made == nullptr) {
        return nullptr;
    }
    PyObject* op = reinterpret_cast<PyObject*>(made);
    for (Py_ssize_t i = 0; i < fields; ++i) {
        fields_of(op)[i] = nullptr;
    }
    fields_of(op)[fields] = &end_mark;
    Py_SET_SIZE(op, items);
    PyObject_GC_Track(op);
    return op;
}

void PyStructSequence_SetItem(PyObject* op, Py_ssize_t index, PyObject* value) {
    OURO_STORE_FIELD(&fields_of(op)[index], value);
}

PyObject* PyStructSequence_GetItem(PyObject* op, Py_ssize_t index) {
    return fields_of(op)[index];
}
