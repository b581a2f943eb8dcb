// While a slot is free, the count words of the object that was there read as dead: no owner, merged,
// no reference left; the link of the free list never lies over them. So somebody who still holds the
// address and tries to take a reference is refused.

#include <cstring>
#include <thread>
#include <vector>

#include "concurrency/refcount/count_word.h"
#include "core/include/Python.h"
#include "tests/support/heap_test.hpp"

namespace ouro::heap {
namespace {

using AFreedSlot = test::HeapTest;

// Everything of it is set, so that nothing reads as dead by accident.
void* filled(BlockKind kind, size_t size) {
    void* p = allocate(kind, size);
    std::memset(p, 0xFF, size);
    return p;
}

void expect_dead(const void* p, const char* what) {
    uint32_t words[2];
    std::memcpy(words, p, sizeof words);
    EXPECT_EQ(words[0], OURO_OWNER_WORD(OURO_OWNER_NONE)) << what;
    EXPECT_EQ(words[1], OURO_SHARED_DEAD) << what;
    EXPECT_EQ(OURO_SHARED_COUNT(words[1]), 0) << what;
}

constexpr size_t kFreedSizes[] = {16, 32, 48, 64, 256, 576, 4096, kLargestSlot - kPrefix};

// Many slots of one block, so that the free list's links are not null.
void expect_all_dead_after(BlockKind kind, size_t size, void (*free_all)(std::vector<void*>&)) {
    std::vector<void*> objects;
    for (int i = 0; i < 40; ++i) {
        objects.push_back(filled(kind, size));
    }
    void* kept = filled(kind, size);  // keeps at least one block from going back
    free_all(objects);
    for (const void* p : objects) {
        expect_dead(p, test::name_of(kind));
        if (testing::Test::HasFailure()) {
            break;
        }
    }
    free(kept);
}

TEST_F(AFreedSlot, ReadsAsDeadInItsOwnersList) {
    for (const BlockKind kind : test::kAllKinds) {
        for (const size_t size : kFreedSizes) {
            expect_all_dead_after(kind, size, [](std::vector<void*>& objects) {
                for (void* p : objects) {
                    heap::free(p);
                }
            });
        }
    }
}

TEST_F(AFreedSlot, ReadsAsDeadInTheListOfRemoteFrees) {
    for (const BlockKind kind : test::kAllKinds) {
        for (const size_t size : kFreedSizes) {
            expect_all_dead_after(kind, size, [](std::vector<void*>& objects) {
                std::jthread([&objects] {
                    attach_thread();
                    for (void* p : objects) {
                        heap::free(p);
                    }
                    detach_thread();
                });
            });
        }
    }
}

TEST_F(AFreedSlot, ReadsAsDeadAfterItsOwnerTookItBack) {
    for (const BlockKind kind : test::kAllKinds) {
        expect_all_dead_after(kind, 48, [](std::vector<void*>& objects) {
            std::jthread([&objects] {
                attach_thread();
                for (void* p : objects) {
                    heap::free(p);
                }
                detach_thread();
            }).join();
            purge();
        });
    }
}

TEST_F(AFreedSlot, OfALargeObjectReadsAsDead) {
    for (const BlockKind kind : test::kAllKinds) {
        void* p = filled(kind, kBlockSize);
        free(p);
        expect_dead(p, test::name_of(kind));
    }
}

// A whole object, through the public functions.
TEST(AFreedSlotOfAnObject, ReadsAsDead) {
    Py_Initialize();
    static PyTypeObject type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "Plain",
                                .tp_basicsize = sizeof(PyObject) + 24,
                                .tp_dealloc = [](PyObject* op) { PyObject_GC_Del(op); },
                                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                .tp_traverse = [](PyObject*, visitproc, void*) { return 0; }};
    PyObject* kept = _PyObject_GC_New(&type);
    PyObject* op = _PyObject_GC_New(&type);
    EXPECT_EQ(Py_REFCNT(op), 1);
    Py_DECREF(op);
    expect_dead(op, "object");
    EXPECT_EQ(Py_REFCNT(op), 0);
    Py_DECREF(kept);
    Py_Finalize();
}

}  // namespace
}  // namespace ouro::heap
