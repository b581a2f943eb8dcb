// A young collection is due after 2,000 more containers, as long as threads run one at a time; where the
// last collection stopped others that ran, after 8,000 for each that had a core to run on.
// Source: core/collector/policy.hpp.
// label: concurrency

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

std::atomic<int> cycles{0};

void count_cycle(const OuroEvent* event, void*) {
    cycles += event->phase == OURO_PHASE_CYCLE ? 1 : 0;
}

class Young : public Threads {
protected:
    void SetUp() override {
        Threads::SetUp();
        ASSERT_EQ(Ouro_AddListener(count_cycle, nullptr), 0);
    }
    void TearDown() override {
        Ouro_RemoveListener(count_cycle, nullptr);
        Threads::TearDown();
    }

    // After a collection, how many containers are made and kept until the next begins.
    static long made_until_collected() {
        PyGC_Collect();
        const int before = cycles;
        std::vector<PyObject*> kept;
        while (cycles == before && kept.size() < 1'000'000) {
            kept.push_back(PyList_New(0));
        }
        for (PyObject* op : kept) {
            Py_DECREF(op);
        }
        return static_cast<long>(kept.size());
    }
};

TEST_P(Young, EachThreadThatRunsAddsToWhatMayBeYoung) {
    std::atomic<bool> over{false};
    std::atomic<int> up{0};
    Crew crew;
    for (int i = 0; i < 2; ++i) {
        crew.add([&] {
            ++up;
            run_until([&] { return over.load(); });
        });
    }
    {
        const Detached outside;
        wait_until([&] { return up == 2; });
    }
    const long made = made_until_collected();
    const long at_once = std::min(3u, std::max(1u, std::thread::hardware_concurrency()));
    EXPECT_EQ(made, is_free_threaded() && at_once > 1 ? 8000 * at_once + 1 : 2001);
    over = true;
    crew.join();
    EXPECT_EQ(made_until_collected(), 2001) << "nobody else runs";
}

TEST_P(Young, ThreadsThatAreBlockedAddNothing) {
    std::atomic<bool> over{false};
    std::atomic<int> up{0};
    Crew crew;
    crew.add([&] {
        const Detached blocked;
        ++up;
        wait_until([&] { return over.load(); });
    });
    {
        const Detached outside;
        wait_until([&] { return up == 1; });
    }
    EXPECT_EQ(made_until_collected(), 2001);
    over = true;
    crew.join();
}

INSTANTIATE_TEST_SUITE_P(Counts, Young, every_runtime_with_a_middle(), runtime_name);

}  // namespace
}  // namespace ouro::test
