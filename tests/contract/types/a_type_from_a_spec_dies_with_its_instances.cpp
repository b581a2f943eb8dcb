// Types made from a spec: what the spec says of them, that instances and subclasses keep them alive, and that all of
// them die together. Source: "Type Objects", PyType_FromSpec and its kin; "Supporting Cyclic Garbage Collection".

#include <cstring>

#include "tests/contract/types.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

using Specs = Things;

struct Box {
    PyObject ob_base;
    PyObject* held;
    long number;
};

Box* box(PyObject* op) {
    return reinterpret_cast<Box*>(op);
}

int box_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(box(op)->held);
    return 0;
}

int box_clear(PyObject* op) {
    Py_CLEAR(box(op)->held);
    return 0;
}

void box_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    box_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

PyObject* box_number(PyObject* op, PyObject*) {
    return PyLong_FromLong(box(op)->number);
}

PyMethodDef box_methods[] = {{"get", box_number, METH_NOARGS, "The number."}, {}};
PyMemberDef box_members[] = {{"held", Py_T_OBJECT_EX, offsetof(Box, held), 0, nullptr},
                             {"number", Py_T_LONG, offsetof(Box, number), 0, nullptr},
                             {}};

template <class Function>
void* slot(Function* function) {
    return reinterpret_cast<void*>(function);
}

PyType_Slot box_slots[] = {{Py_tp_dealloc, slot(box_dealloc)},
                           {Py_tp_traverse, slot(box_traverse)},
                           {Py_tp_clear, slot(box_clear)},
                           {Py_tp_methods, box_methods},
                           {Py_tp_members, box_members},
                           {Py_tp_doc, const_cast<char*>("A box.")},
                           {}};
PyType_Spec box_spec = {"contract.Box", sizeof(Box), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, box_slots};

std::string text_of(PyObject* op) {
    std::string result = op == nullptr ? "<none>" : PyUnicode_AsUTF8(op);
    Py_XDECREF(op);
    return result;
}

TEST_P(Specs, AreTypesAsTheyAsk) {
    PyObject* type = PyType_FromSpec(&box_spec);
    ASSERT_NE(type, nullptr);
    EXPECT_STREQ(as_type(type)->tp_name, "contract.Box");
    EXPECT_STREQ(as_type(type)->tp_doc, "A box.");
    EXPECT_TRUE(PyType_HasFeature(as_type(type), Py_TPFLAGS_HEAPTYPE));
    EXPECT_TRUE(PyObject_GC_IsTracked(type));
    EXPECT_EQ(attribute(type, "__name__"), "'Box'");
    EXPECT_EQ(attribute(type, "__qualname__"), "'Box'");
    EXPECT_EQ(attribute(type, "__module__"), "'contract'");
    EXPECT_EQ(attribute(type, "__doc__"), "'A box.'");
    EXPECT_EQ(text_of(PyObject_Repr(type)), "<class 'contract.Box'>");
    EXPECT_EQ(text_of(PyType_GetFullyQualifiedName(as_type(type))), "contract.Box");
    EXPECT_EQ(PyType_GetSlot(as_type(type), Py_tp_traverse), slot(box_traverse));
    EXPECT_EQ(PyType_GetSlot(as_type(type), Py_nb_add), nullptr);
    EXPECT_EQ(PyType_GetSlot(as_type(type), 999), nullptr);
    expect_raised(PyExc_SystemError);
    PyObject* op = PyObject_CallNoArgs(type);
    ASSERT_NE(op, nullptr);
    box(op)->number = 7;
    EXPECT_EQ(attribute(op, "number"), "7");
    PyObject* result = PyObject_CallMethod(op, "get", nullptr);
    EXPECT_EQ(PyLong_AsLong(result), 7);
    drop({result, op, type});
    EXPECT_GT(PyGC_Collect(), 0);  // a type refers to itself by its order of resolution
}

TEST_P(Specs, AreCopied) {
    char name[] = "contract.Copied";
    char doc[] = "Kept.";
    PyMemberDef members[] = {{"number", Py_T_LONG, offsetof(Box, number), 0, nullptr}, {}};
    PyType_Slot slots[] = {{Py_tp_doc, doc}, {Py_tp_members, members}, {}};
    PyType_Spec spec = {name, sizeof(Box), 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* type = PyType_FromSpec(&spec);
    std::memset(name, 'x', sizeof(name) - 1);
    std::memset(doc, 'x', sizeof(doc) - 1);
    members[0].offset = 1000;
    slots[0].slot = 1000;
    PyObject* op = PyObject_CallNoArgs(type);
    box(op)->number = 3;
    EXPECT_EQ(attribute(op, "number"), "3");
    EXPECT_STREQ(as_type(type)->tp_name, "contract.Copied");
    EXPECT_STREQ(as_type(type)->tp_doc, "Kept.");
    drop({op, type});
    PyGC_Collect();
}

TEST_P(Specs, InstancesKeepTheirTypes) {
    PyObject* type = PyType_FromSpec(&box_spec);
    const Py_ssize_t before = Py_REFCNT(type);
    PyObject* op = PyObject_CallNoArgs(type);
    EXPECT_EQ(Py_REFCNT(type), before + 1);
    PyObject* other = PyType_GenericAlloc(as_type(type), 0);
    PyObject* third = PyObject_GC_New(PyObject, as_type(type));
    EXPECT_EQ(Py_REFCNT(type), before + 3);
    box(third)->held = nullptr;
    PyObject_GC_Track(third);
    drop({other, third});
    EXPECT_EQ(Py_REFCNT(type), before + 1);
    PyObject* weak = PyWeakref_NewRef(type, nullptr);
    Py_DECREF(type);
    PyGC_Collect();
    EXPECT_FALSE(is_dead(weak));  // the instance refers to it
    Py_DECREF(op);
    PyGC_Collect();
    EXPECT_TRUE(is_dead(weak));
    Py_DECREF(weak);
}

TEST_P(Specs, DieInOneCycleWithTheirInstances) {
    PyObject* type = PyType_FromSpec(&box_spec);
    PyObject* weak = PyWeakref_NewRef(type, nullptr);
    // An attribute of the class is an instance of it.
    PyObject* op = PyObject_CallNoArgs(type);
    ASSERT_EQ(PyObject_SetAttrString(type, "only", op), 0);
    box(op)->held = Py_NewRef(type);
    drop({op, type});
    EXPECT_FALSE(is_dead(weak));
    EXPECT_GT(PyGC_Collect(), 2);
    EXPECT_TRUE(is_dead(weak));
    Py_DECREF(weak);
}

TEST_P(Specs, SubclassesKeepTheirBases) {
    PyObject* base = PyType_FromSpec(&box_spec);
    PyType_Slot slots[] = {{Py_tp_base, base}, {}};
    PyType_Spec spec = {"contract.SubBox", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* type = PyType_FromSpec(&spec);
    ASSERT_NE(type, nullptr);
    PyObject* weak = PyWeakref_NewRef(base, nullptr);
    Py_DECREF(base);
    PyObject* op = PyObject_CallNoArgs(type);
    EXPECT_TRUE(PyObject_TypeCheck(op, as_type(base)));
    Py_DECREF(type);
    box(op)->held = Py_NewRef(op);
    PyGC_Collect();
    EXPECT_FALSE(is_dead(weak));
    box(op)->number = 1;
    EXPECT_EQ(attribute(op, "number"), "1");
    Py_DECREF(op);
    PyGC_Collect();
    EXPECT_TRUE(is_dead(weak));
    Py_DECREF(weak);
}

struct Pair {
    int first, second;
};

TEST_P(Specs, ANegativeSizeAddsToTheBase) {
    PyMemberDef members[] = {
        {"second", Py_T_INT, offsetof(Pair, second), Py_RELATIVE_OFFSET, nullptr}, {}};
    PyType_Slot slots[] = {{Py_tp_members, members}, {}};
    PyType_Spec spec = {"contract.LongList", -int{sizeof(Pair)}, 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* type = PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(&PyList_Type));
    ASSERT_NE(type, nullptr);
    EXPECT_GE(PyType_GetTypeDataSize(as_type(type)), Py_ssize_t{sizeof(Pair)});
    PyObject* op = PyObject_CallNoArgs(type);
    ASSERT_NE(op, nullptr);
    auto* pair = static_cast<Pair*>(PyObject_GetTypeData(op, as_type(type)));
    EXPECT_EQ(pair, PyObject_GetTypeData_DuringGC(op, as_type(type)));
    EXPECT_GE(reinterpret_cast<char*>(pair), reinterpret_cast<char*>(op) + sizeof(PyListObject));
    *pair = {1, 2};
    EXPECT_EQ(attribute(op, "second"), "2");
    EXPECT_EQ(PyList_Append(op, Py_None), 0);
    EXPECT_EQ(pair->first, 1);
    EXPECT_EQ(PyObject_GetItemData(op), nullptr);
    expect_raised(PyExc_TypeError,
                  "type 'contract.LongList' does not have Py_TPFLAGS_ITEMS_AT_END");
    EXPECT_EQ(PyObject_GetItemData_DuringGC(op), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    drop({op, type});
    PyGC_Collect();
}

TEST_P(Specs, ItemsAreAtTheEnd) {
    PyType_Slot slots[] = {{}};
    PyType_Spec spec = {"contract.Items", sizeof(PyVarObject), sizeof(long),
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_ITEMS_AT_END, slots};
    PyObject* type = PyType_FromSpec(&spec);
    PyType_Spec longer = {"contract.MoreItems", -8, 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* derived = PyType_FromSpecWithBases(&longer, type);
    ASSERT_NE(derived, nullptr);
    PyObject* op = PyType_GenericAlloc(as_type(derived), 3);
    auto* items = static_cast<long*>(PyObject_GetItemData(op));
    EXPECT_EQ(reinterpret_cast<char*>(items),
              reinterpret_cast<char*>(op) + as_type(derived)->tp_basicsize);
    items[2] = 5;
    EXPECT_EQ(PyObject_GetItemData_DuringGC(op), items);
    drop({op, derived, type});
    PyGC_Collect();
}

TEST_P(Specs, FindTheirBasesByToken) {
    int token = 0;
    PyType_Slot slots[] = {{Py_tp_token, &token}, {}};
    PyType_Spec spec = {"contract.WithToken", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        slots};
    PyObject* base = PyType_FromSpec(&spec);
    PyType_Slot own[] = {{Py_tp_token, Py_TP_USE_SPEC}, {}};
    PyType_Spec own_spec = {"contract.ItsOwn", 0, 0, Py_TPFLAGS_DEFAULT, own};
    PyObject* type = PyType_FromSpecWithBases(&own_spec, base);
    PyTypeObject* found = nullptr;
    const Py_ssize_t before = Py_REFCNT(base);
    EXPECT_EQ(PyType_GetBaseByToken(as_type(type), &token, &found), 1);
    EXPECT_EQ(found, as_type(base));
    EXPECT_EQ(Py_REFCNT(base), before + 1);
    Py_DECREF(found);
    EXPECT_EQ(PyType_GetBaseByToken_DuringGC(as_type(type), &own_spec, &found), 1);
    EXPECT_EQ(found, as_type(type));
    EXPECT_EQ(PyType_GetBaseByToken(as_type(base), &own_spec, &found), 0);
    EXPECT_EQ(found, nullptr);
    EXPECT_EQ(PyType_GetBaseByToken(as_type(type), &token, nullptr), 1);
    EXPECT_EQ(PyType_GetBaseByToken_DuringGC(as_type(type), nullptr, &found), -1);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(PyType_GetBaseByToken(as_type(type), nullptr, &found), -1);
    expect_raised(PyExc_SystemError, "PyType_GetBaseByToken called with token=NULL");
    EXPECT_EQ(Py_REFCNT(base), before);
    drop({type, base});
    PyGC_Collect();
}

TEST_P(Specs, ThatAreWrongAreRefused) {
    const auto refused = [](PyType_Spec spec, PyObject* bases, PyObject* error, const char* text) {
        SCOPED_TRACE(text);
        EXPECT_EQ(PyType_FromSpecWithBases(&spec, bases), nullptr);
        expect_raised(error, testing::HasSubstr(text));
    };
    PyType_Slot none[] = {{}};
    PyType_Slot wrong[] = {{999, nullptr}, {}};
    PyMemberDef far[] = {{"x", Py_T_INT, 64, Py_RELATIVE_OFFSET, nullptr}, {}};
    PyType_Slot far_member[] = {{Py_tp_members, far}, {}};
    PyMemberDef weak[] = {{"__weaklistoffset__", Py_T_INT, 16, Py_READONLY, nullptr}, {}};
    PyType_Slot weak_member[] = {{Py_tp_members, weak}, {}};
    constexpr unsigned flags = Py_TPFLAGS_DEFAULT;
    auto* const object = reinterpret_cast<PyObject*>(&PyBaseObject_Type);
    refused({nullptr, 0, 0, flags, none}, nullptr, PyExc_SystemError,
            "Type spec does not define the name field.");
    refused({"c.T", 0, 0, flags, wrong}, nullptr, PyExc_RuntimeError, "invalid slot offset");
    refused({"c.T", 32, 0, flags, far_member}, nullptr, PyExc_SystemError,
            "With Py_RELATIVE_OFFSET, basicsize must be negative.");
    refused({"c.T", -32, 0, flags, far_member}, nullptr, PyExc_SystemError,
            "Member offset out of range (0..-basicsize)");
    refused({"c.T", 32, 0, flags, weak_member}, nullptr, PyExc_SystemError,
            "type of __weaklistoffset__ must be Py_T_PYSSIZET");
    refused({"c.T", 8, 0, flags, none}, nullptr, PyExc_TypeError,
            "tp_basicsize for type 'c.T' (8) is too small for base 'object' (16)");
    refused({"c.T", -8, 0, flags, none}, reinterpret_cast<PyObject*>(&PyTuple_Type),
            PyExc_SystemError,
            "Cannot extend variable-size class without Py_TPFLAGS_ITEMS_AT_END.");
    refused({"c.T", 0, 0, flags, none}, reinterpret_cast<PyObject*>(&PyBool_Type), PyExc_TypeError,
            "type 'bool' is not an acceptable base type");
    PyObject* both = PyTuple_Pack(2, &PyLong_Type, &PyUnicode_Type);
    refused({"c.T", 0, 0, flags, none}, both, PyExc_TypeError,
            "multiple bases have instance lay-out conflict");
    PyObject* twice = PyTuple_Pack(2, object, object);
    refused({"c.T", 0, 0, flags, none}, twice, PyExc_TypeError, "duplicate base class object");
    refused({"c.T", sizeof(Box), 0, flags | Py_TPFLAGS_HAVE_GC, none}, nullptr, PyExc_SystemError,
            "has the Py_TPFLAGS_HAVE_GC flag but has no traverse function");
    drop({both, twice});
    PyGC_Collect();
}

TEST_P(Specs, WithoutMemoryLoseNothing) {
    Py_XDECREF(PyType_FromSpec(&box_spec));  // what is made once is made
    PyGC_Collect();
    const int failures = fail_each_allocation([](Failing& failing) {
        PyObject* type = failing([] { return PyType_FromSpec(&box_spec); });
        if (type == nullptr) {
            expect_raised(PyExc_MemoryError);
        }
        Py_XDECREF(type);
        PyGC_Collect();
    });
    EXPECT_GT(failures, 10);
}

EVERY_RUNTIME(Specs);

}  // namespace
}  // namespace ouro::test
