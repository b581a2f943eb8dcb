// A decrement by a thread that owns no reference is reported: by the slow path to its caller, and by
// Py_DECREF as a fatal error that names the type, the count and the thread's state.

#include <gtest/gtest.h>

#include "core/heap/heap.hpp"
#include "core/include/Python.h"
#include "tests/support/counted.hpp"

namespace ouro {
namespace {

using refcount::Outcome;
using test::Counted;
using test::kMyWord;
using test::kOtherWord;
using test::kUnattachedWord;

TEST(AReferenceThatNobodyOwns, IsMisuseWhateverTheState) {
    struct Row {
        const char* what;
        Counted counted;
        uint32_t thread_word;
    };
    const Row rows[] = {
        {"the owner's, at zero", Counted::owned(0), kMyWord},
        {"the owner's, at zero, references of others", Counted::owned(0, 3), kMyWord},
        {"merged, at zero", Counted::merged(0), kMyWord},
        {"merged, at zero, a thread that owns nothing", Counted::merged(0), kUnattachedWord},
        {"merged, below zero", Counted::merged(-5), kOtherWord},
        {"another thread's, at zero", Counted::owned(0), kOtherWord},
        {"another thread's, at zero, by one that owns nothing", Counted::owned(0), kUnattachedWord},
    };
    for (const Row& row : rows) {
        Counted counted = row.counted;
        EXPECT_EQ(counted.decref(row.thread_word), Outcome::kMisuse) << row.what;
        if (!row.counted.is_merged()) {
            EXPECT_EQ(counted, row.counted) << row.what;
        }
    }
}

// The object is gone and its memory is the program's own: what remains is a dangling pointer whose
// count words still say so.
void kept_dealloc(PyObject*) {}

PyTypeObject* kept_type() {
    static PyTypeObject type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "Kept",
                                .tp_basicsize = sizeof(PyObject),
                                .tp_dealloc = kept_dealloc,
                                .tp_flags = Py_TPFLAGS_DEFAULT};
    return &type;
}

TEST(AReferenceThatNobodyOwnsDeathTest, EndsTheProgramWithItsType) {
    Py_Initialize();
    ASSERT_EQ(PyType_Ready(kept_type()), 0);
    PyObject object{};
    PyObject_Init(&object, kept_type());
    Py_DECREF(&object);
    EXPECT_EQ(Py_REFCNT(&object), 0);
    EXPECT_DEATH(Py_DECREF(&object),
                 "Fatal Python error: .*type Kept.*nobody owns.*count 0.*that is attached");
    Py_Finalize();
}

TEST(AReferenceThatNobodyOwnsDeathTest, SaysWhenTheThreadIsNotAttached) {
    Py_Initialize();
    PyObject object{};
    PyObject_Init(&object, kept_type());
    Py_Finalize();
    EXPECT_DEATH(Py_DECREF(&object), "type Kept.*count 1.*not attached");
}

}  // namespace
}  // namespace ouro
