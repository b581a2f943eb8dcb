// What a collection notes of objects in the side tables: nothing of it may be left when it ends.
#pragma once

#include <gtest/gtest.h>

#include "core/heap/heap.hpp"

namespace ouro::test {

// However the collection ended: no object is a candidate, half marked or condemned, all counts are
// zero. One in slices that was given up leaves marks of its own, which say nothing to others: `with_marks`.
inline void expect_no_notes(bool with_marks = false) {
    heap::for_each_container_block([with_marks](const heap::Block* block) {
        for (uint32_t slot = block->first_slot; slot < block->first_slot + block->bump; ++slot) {
            if (!with_marks) {
                ASSERT_NE(heap::tables.mark[slot], heap::kWhite);
                ASSERT_NE(heap::tables.mark[slot], heap::kGrey);
            }
            ASSERT_EQ(heap::tables.mark[slot] & heap::kCondemned, 0);
            ASSERT_EQ(heap::tables.near_count[slot], 0);
            ASSERT_EQ(heap::tables.count[slot], 0u);
        }
    });
}

}  // namespace ouro::test
