// A view of the side tables has what its role may do and nothing else: the wrong call does not compile.

#include <gtest/gtest.h>

#include "core/heap/view.hpp"
#include "tests/support/heap_test.hpp"

namespace ouro::heap {
namespace {

template <class View>
concept ReadsStates = requires(const View& view) { view.states(0u); };
template <class View>
concept ReadsGenerationsPlainly = requires(const View& view) { view.young_word(0u); };
template <class View>
concept WalksOverBlocks =
    requires(const View& view) { view.for_each_container_block([](Block*) {}); };
template <class View>
concept WritesAnyCount = requires(const View& view) { view.count(0u) = 1; };
template <class View>
concept WritesCountsOfOld = requires(const View& view) { view.count_of_old(0u) = 1; };
template <class View>
concept MarksAnything = requires(const View& view) { view.set_mark(0u, kGrey); };
template <class View>
concept Locks = requires(const View& view) { view.lock(0u); };

using InAStop = HeapView<Stopped>;
using BesideMutators = HeapView<Concurrent>;
using WithAReference = HeapView<Holding>;

static_assert(ReadsStates<InAStop> && !ReadsStates<BesideMutators> && !ReadsStates<WithAReference>);
static_assert(ReadsGenerationsPlainly<InAStop> && !ReadsGenerationsPlainly<BesideMutators> &&
              !ReadsGenerationsPlainly<WithAReference>);
static_assert(WalksOverBlocks<InAStop> && !WalksOverBlocks<BesideMutators> &&
              !WalksOverBlocks<WithAReference>);
static_assert(WritesAnyCount<InAStop> && !WritesAnyCount<BesideMutators> &&
              !WritesAnyCount<WithAReference>);
static_assert(WritesCountsOfOld<BesideMutators> && !WritesCountsOfOld<WithAReference>);
static_assert(MarksAnything<InAStop> && MarksAnything<BesideMutators> &&
              !MarksAnything<WithAReference>);
static_assert(Locks<WithAReference> && !Locks<InAStop> && !Locks<BesideMutators>);

class AView : public test::HeapTest {};

// What all roles see of one object is one thing.
TEST_F(AView, OfAnySlotIsOfTheSameSlot) {
    void* p = allocate(BlockKind::kContainer, 40);
    const WithAReference holding;
    const InAStop stopped;
    const BesideMutators concurrent;
    const uint32_t slot = holding.slot_of(p);
    ASSERT_NE(slot, 0u);
    EXPECT_EQ(stopped.slot_of(p), slot);
    EXPECT_EQ(concurrent.slot_of(p), slot);
    EXPECT_EQ(holding.slot_in_heap(p), slot);
    EXPECT_EQ(holding.state(slot), stopped.states(slot));

    EXPECT_FALSE(stopped.is_condemned(slot));
    holding.condemn(slot);
    EXPECT_TRUE(stopped.is_condemned(slot) && concurrent.is_condemned(slot));
    holding.acquit(slot);
    EXPECT_FALSE(stopped.is_condemned(slot) || concurrent.is_condemned(slot));

    int outside = 0;
    EXPECT_EQ(holding.slot_of(&outside), 0u);
    EXPECT_EQ(stopped.slot_of(&outside), 0u);
    EXPECT_EQ(concurrent.slot_of(&outside), 0u);
    free(p);
}

}  // namespace
}  // namespace ouro::heap
