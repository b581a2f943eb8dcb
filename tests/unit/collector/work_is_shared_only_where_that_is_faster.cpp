// Both ways are tried first, then the faster one is taken, if sharing gains enough to be worth the others' processor time;
// and the other one is looked at again, now and then, for what it costs may change.

#include <gtest/gtest.h>

#include <utility>

#include "core/collector/sharing.hpp"

namespace ouro::collector {
namespace {

constexpr size_t kObjects = 10'000;

// How many of so many pieces are shared, where an object takes so long, shared and alone.
int shared_of(Sharing& sharing, int pieces, int64_t shared_ns, int64_t alone_ns) {
    int count = 0;
    for (int i = 0; i < pieces; ++i) {
        const bool shared = sharing.is_worth_it();
        sharing.took(shared, kObjects,
                     (shared ? shared_ns : alone_ns) * static_cast<int64_t>(kObjects));
        count += shared ? 1 : 0;
    }
    return count;
}

TEST(Sharing, TriesBothWays) {
    Sharing sharing;
    EXPECT_EQ(shared_of(sharing, 2, 10, 10), 1);
}

TEST(Sharing, IsKeptWhereItPaysAndLookedAtElsewhere) {
    for (const auto& [shared_ns, pays] :
         {std::pair{20, true}, std::pair{36, false}, std::pair{80, false}}) {
        Sharing sharing;
        shared_of(sharing, 2, shared_ns, 40);
        const int shared = shared_of(sharing, 1'000, shared_ns, 40);
        EXPECT_GT(pays ? 1'000 - shared : shared, 5) << "the other way is looked at, too";
        EXPECT_LT(pays ? 1'000 - shared : shared, 30);
    }
}

TEST(Sharing, FollowsWhatChanges) {
    Sharing sharing;
    shared_of(sharing, 1'000, 20, 40);
    EXPECT_LT(shared_of(sharing, 1'000, 80, 40), 100);
    EXPECT_GT(shared_of(sharing, 10'000, 20, 40), 5'000);
}

// What takes hardly longer than to begin says nothing of an object.
TEST(Sharing, IsNotJudgedByALittle) {
    Sharing sharing;
    sharing.took(true, 10, 1'000'000);
    EXPECT_TRUE(sharing.is_worth_it());
}

}  // namespace
}  // namespace ouro::collector
