// What a collection notes of objects in the side tables: nothing of it may be left when it ends.
#pragma once

#include <gtest/gtest.h>

#include "core/heap/heap.hpp"

namespace ouro::test {

// However the collection ended: no object is a candidate, half marked or condemned, all counts are
// zero.
inline void expect_no_notes() {
    heap::for_each_container_block([](const heap::Block* block) {
        for (uint32_t slot = block->first_slot; slot < block->first_slot + block->bump; ++slot) {
            ASSERT_NE(heap::tables.mark[slot], heap::kWhite);
            ASSERT_NE(heap::tables.mark[slot], heap::kGrey);
            ASSERT_EQ(heap::tables.mark[slot] & heap::kCondemned, 0);
            ASSERT_EQ(heap::tables.near_count[slot], 0);
            ASSERT_EQ(heap::tables.count[slot], 0u);
        }
    });
}

}  // namespace ouro::test
