// Where pauses have a budget, young collections that keep finding next to nothing are left out, one, then three,
// at most fifteen between two that look. What is garbage of the objects that grew old unseen is freed by a full
// collection; what lives loses nothing, born during a full one or not. Source: core/collector/policy.hpp.
// label: concurrency

#include <algorithm>
#include <mutex>

#include "tests/contract/flight.hpp"

namespace ouro::test {
namespace {

class YoungCollections : public Flight {
protected:
    const char* settings() const override { return ",generations=on"; }
    void SetUp() override {
        Flight::SetUp();
        looked_at_.clear();
        ASSERT_EQ(Ouro_AddListener(hear_young, nullptr), 0);
        live_ = PyList_New(0);
    }
    void TearDown() override {
        Py_CLEAR(live_);
        Ouro_RemoveListener(hear_young, nullptr);
        Flight::TearDown();
    }

    void keep(int rings) {
        for (int i = 0; i < rings; ++i) {
            PyObject* ring = thing_ring(10, kUncounted);
            PyList_Append(live_, ring);
            Py_DECREF(ring);
        }
    }
    static void drop(int rings, Fate* fate) {
        for (int i = 0; i < rings; ++i) {
            Py_DECREF(thing_ring(10, fate));
        }
    }
    // Of each young collection since the last call, the objects that it looked at.
    static std::vector<size_t> looked_at() { return std::exchange(looked_at_, {}); }
    static size_t left_out(const std::vector<size_t>& young) {
        return static_cast<size_t>(std::ranges::count(young, size_t{0}));
    }
    // Before each that looked.
    static std::vector<size_t> left_out_between(const std::vector<size_t>& young) {
        std::vector<size_t> between;
        for (size_t at = 0, last = 0; at < young.size(); ++at) {
            if (young[at] > 0) {
                between.push_back(at - last);
                last = at + 1;
            }
        }
        return between;
    }

private:
    static void hear_young(const OuroEvent* event, void*) {
        if (event->phase == OURO_PHASE_CYCLE && event->generation == 0) {
            looked_at_.push_back(event->objects);
        }
    }
    static inline std::vector<size_t> looked_at_;  // by the test's thread alone
    PyObject* live_ = nullptr;
};

TEST_P(YoungCollections, AreLeftOutWhileTheyFindNothing) {
    // 60 times what makes one due; everything is due, too, as long as the heap is small.
    keep(12'000);
    std::vector<size_t> between = left_out_between(looked_at());
    ASSERT_GE(between.size(), 3u);
    between.resize(3);
    EXPECT_EQ(between, (std::vector<size_t>{0, 1, 3}));
    PyGC_Collect();
    (void)looked_at();
    keep(12'000);
    between = left_out_between(looked_at());
    EXPECT_EQ(between, (std::vector<size_t>{0, 15, 15, 15}));
}

TEST_P(YoungCollections, LookWhileTheyFindGarbage) {
    keep(12'000);  // beside which everything is not soon due
    PyGC_Collect();
    (void)looked_at();
    Fate fate;
    drop(12'000, &fate);
    const std::vector<size_t> young = looked_at();
    EXPECT_GE(young.size(), 50u);
    EXPECT_EQ(left_out(young), 0u);
    EXPECT_GE(fate.died.load(), 110'000);
    PyGC_Collect();
    EXPECT_EQ(fate.died.load(), 120'000);
}

TEST_P(YoungCollections, LookAgainWhenThereIsGarbage) {
    keep(12'000);
    (void)looked_at();
    Fate fate;
    drop(12'000, &fate);
    EXPECT_LE(left_out(looked_at()), 15u);
    PyGC_Collect();
    EXPECT_EQ(fate.died.load(), 120'000) << "what grew old unseen is found with everything";
}

TEST_P(YoungCollections, LoseNothingBesideAFullOne) {
    keep(2000);
    gate().waiting = 0;
    gate().closed = true;
    while (gate().waiting.load() == 0) {
        keep(100);
        EXPECT_EQ(Py_MakePendingCalls(), 0);
    }
    (void)looked_at();
    const long before = record.live.load();
    Fate fate;
    keep(3000);
    drop(100, &fate);
    keep(3000);
    EXPECT_GT(left_out(looked_at()), 10u);
    gate().closed = false;
    const int ended = heard.ended.load();
    {
        const Detached outside;
        wait_until([&] { return heard.ended.load() > ended; });
    }
    PyGC_Collect();
    EXPECT_EQ(fate.died.load(), 1000);
    EXPECT_EQ(record.live.load() - before, 60'000);
}

EVERY_FLIGHT(YoungCollections);

}  // namespace
}  // namespace ouro::test
