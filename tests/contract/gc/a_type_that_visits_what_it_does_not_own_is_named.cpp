// tp_traverse visits the references that the object owns. Where one visits others, verify=on ends the program and names
// the object that is visited too often and the types that visit it. Source: "Supporting Cyclic Garbage Collection",
// Traversal.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using BorrowingDeathTest = Things;

struct Borrower {
    PyObject ob_base;
    PyObject* borrowed;
};

PyObject* new_borrower(PyObject* borrowed) {
    static PyTypeObject type;
    if (type.tp_name == nullptr) {
        type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Borrower",
                .tp_basicsize = sizeof(Borrower),
                .tp_dealloc =
                    [](PyObject* op) {
                        PyObject_GC_UnTrack(op);
                        PyObject_GC_Del(op);
                    },
                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                .tp_traverse = [](PyObject* op, visitproc visit, void* arg) -> int {
                    Py_VISIT(reinterpret_cast<Borrower*>(op)->borrowed);
                    return 0;
                }};
        EXPECT_EQ(PyType_Ready(&type), 0);
    }
    auto* op = PyObject_GC_New(Borrower, &type);
    op->borrowed = borrowed;
    PyObject_GC_Track(op);
    return object(op);
}

TEST_P(BorrowingDeathTest, EndsTheProgram) {
    PyObject* list = PyList_New(0);
    PyObject* first = new_borrower(list);
    PyObject* second = new_borrower(list);
    EXPECT_DEATH(
        PyGC_Collect(),
        "verify: the list at .* has 2 references but a count of 1: .*"
        "visits what is not owned: contract\\.Borrower \\(2\\)\\. Type Objects, tp_traverse: ");
    drop({first, second, list});
}

EVERY_WAY_OF_COUNTING(BorrowingDeathTest);

}  // namespace
}  // namespace ouro::test
