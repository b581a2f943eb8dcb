// A container with a pre-header of 16 bytes has its state, its slot, its death and its place in the
// enumeration as any other, and the pre-header is its own.

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/heap/view.hpp"
#include "core/include/Python.h"
#include "tests/support/heap_test.hpp"

namespace ouro::heap {
namespace {

using APrefixedObject = test::HeapTest;

char* prefix_of(void* p) {
    return static_cast<char*>(p) - kPrefix;
}

TEST_F(APrefixedObject, LiesSixteenBytesBehindTheStartOfItsSlot) {
    for (size_t size = 16; size <= kLargestSlot + 64; size += 16) {
        void* p = allocate(BlockKind::kPrefixed, size);
        const Block* block = block_of(p);
        const size_t offset = reinterpret_cast<uintptr_t>(p) - start_of(block);
        ASSERT_EQ(block->kind, BlockKind::kPrefixed);
        ASSERT_EQ(block->object_offset, kPrefix);
        ASSERT_EQ(block->is_large, size + kPrefix > kLargestSlot) << size;
        ASSERT_EQ(block->is_large ? offset : offset % block->slot_bytes, kPrefix);
        ASSERT_GE(usable_size(p), size);
        ASSERT_EQ(test::state_of(p), kAllocated);
        ASSERT_EQ(slot_of(prefix_of(p)), slot_of(p));
        free(p);
        ASSERT_EQ(test::state_of(p), 0);
    }
}

TEST_F(APrefixedObject, OwnsItsPreHeader) {
    std::vector<char*> objects;
    for (int i = 0; i < 10'000; ++i) {
        auto* p = static_cast<char*>(allocate(BlockKind::kPrefixed, 48));
        std::memset(prefix_of(p), i, kPrefix + 48);
        objects.push_back(p);
    }
    for (size_t i = 0; i < objects.size(); ++i) {
        for (const char* byte = prefix_of(objects[i]); byte < objects[i] + 48; ++byte) {
            ASSERT_EQ(*byte, static_cast<char>(i));
        }
    }
    for (char* p : objects) {
        free(p);
    }
}

TEST_F(APrefixedObject, IsFoundByItsOwnAddressAndNotByItsSlots) {
    std::vector<void*> objects;
    for (int i = 0; i < 100; ++i) {
        objects.push_back(allocate(BlockKind::kPrefixed, 48));
        test::set_tracked(objects.back(), true);
    }
    std::ranges::sort(objects);
    size_t found = 0;
    for_each_container_block([&](const Block* block) {
        heap::HeapView<heap::Stopped>().for_each_tracked(block, [&](uint32_t slot) {
            ASSERT_LT(found, objects.size());
            EXPECT_EQ(static_cast<void*>(object_at(block, slot)), objects[found++]);
        });
    });
    EXPECT_EQ(found, objects.size());
    for (void* p : objects) {
        EXPECT_TRUE(address_is_object(p));
        EXPECT_FALSE(address_is_object(prefix_of(p)));
        EXPECT_FALSE(address_is_object(static_cast<char*>(p) + 16));
        free(p);
        EXPECT_FALSE(address_is_object(p));
    }
}

TEST_F(APrefixedObject, ComesFromTheSlotThatWasFreedLast) {
    std::vector<void*> objects;
    for (int i = 0; i < 50; ++i) {
        objects.push_back(allocate(BlockKind::kPrefixed, 48));
    }
    for (void* p : objects) {
        free(p);
    }
    for (auto it = objects.rbegin(); it != objects.rend(); ++it) {
        EXPECT_EQ(allocate(BlockKind::kPrefixed, 48), *it);
    }
    for (void* p : objects) {
        free(p);
    }
}

// Resizing moves the pre-header with the object, and the object whole.
TEST_F(APrefixedObject, KeepsItsPreHeaderWhenItIsResized) {
    static PyTypeObject type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name =
                                    "Prefixed",
                                .tp_basicsize = sizeof(PyVarObject),
                                .tp_itemsize = 8,
                                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                .tp_traverse = [](PyObject*, visitproc, void*) { return 0; }};
    auto* op = static_cast<PyVarObject*>(allocate(BlockKind::kPrefixed, 24 + 8));
    PyObject_InitVar(op, &type, 1);
    std::memcpy(prefix_of(op), "sixteen bytes..", kPrefix);
    const auto last = [](PyVarObject* of, Py_ssize_t items) {
        return reinterpret_cast<Py_ssize_t*>(of + 1) + items - 1;
    };
    *last(op, 1) = 1;
    Py_ssize_t least = 1;
    for (const Py_ssize_t items : {2, 100, 3000, 5, 70'000, 1}) {
        op = _PyObject_GC_Resize(op, items);
        ASSERT_NE(op, nullptr);
        EXPECT_EQ(block_of(op)->kind, BlockKind::kPrefixed);
        EXPECT_STREQ(prefix_of(op), "sixteen bytes..");
        EXPECT_EQ(Py_SIZE(op), items);
        EXPECT_EQ(test::state_of(op), kAllocated);
        EXPECT_GE(usable_size(op), 24 + 8 * static_cast<size_t>(items));
        least = std::min(least, items);
        EXPECT_EQ(*last(op, least), least);
        for (Py_ssize_t i = least; i <= items; ++i) {
            *last(op, i) = i;
        }
        least = items;
    }
    PyObject_GC_Del(op);
    EXPECT_EQ(tracked_count(), 0u);
}

}  // namespace
}  // namespace ouro::heap
