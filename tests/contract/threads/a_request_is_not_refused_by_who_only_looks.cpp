// PyGC_Collect returns 0 while another thread makes a collection, not while one looks whether any is due.
// label: concurrency

#include <atomic>

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using Requests = Threads;

TEST_P(Requests, AreNotRefusedByWhoOnlyLooks) {
    constexpr int kLookers = 2;
    std::atomic<int> looking{0};
    std::atomic<bool> done{false};
    Crew crew;
    for (int i = 0; i < kLookers; ++i) {
        crew.add([&] {
            ++looking;
            run_until([&] {
                // What is due may have changed by the first, so the second looks: nothing is.
                PyGC_Enable();
                EXPECT_EQ(Py_MakePendingCalls(), 0);
                return done.load();
            });
        });
    }
    run_until([&] { return looking == kLookers; });
    int refused = 0;
    for (int i = 0; i < 200; ++i) {
        Py_DECREF(thing_ring(2, kUncounted));
        refused += PyGC_Collect() == 2 ? 0 : 1;
    }
    done = true;
    crew.join();
    EXPECT_EQ(refused, 0) << "of 200";
}

EVERY_RUNTIME(Requests);

}  // namespace
}  // namespace ouro::test
