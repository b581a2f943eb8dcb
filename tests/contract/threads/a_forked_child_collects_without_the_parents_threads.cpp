// A program whose collections work on several threads may fork. The child has none of these; its collections find the
// same, whether the parent has collected or not, and it ends as any process does. The parent's go on on several.
// a process for each case

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/contract/things.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

class ForkedThreads : public Things {
protected:
    static constexpr int kRings = 200;
    static constexpr int kSize = 3;

    static bool finds_all() {
        PyGC_Disable();
        for (int i = 0; i < kRings; ++i) {
            drop_ring(kSize);
        }
        PyGC_Enable();
        const int before = record.live;
        return PyGC_Collect() == kRings * kSize && record.live == before - kRings * kSize;
    }

    // What a child does. It ends with what is registered with atexit, and with destructors.
    [[noreturn]] static void collect_in_child(bool is_finalized) {
        alarm(20);
        const bool right = finds_all() && finds_all();
        if (is_finalized) {
            Ouro_RemoveListener(note_cycle, nullptr);
            Py_Finalize();
        }
        std::exit(right ? 0 : 1);
    }

    static void expect_child_collects(bool is_finalized) {
        std::fflush(nullptr);
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            collect_in_child(is_finalized);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    }
};

// Threads that have just worked may be in the middle of going to sleep: many attempts.
TEST_P(ForkedThreads, AfterACollection) {
    for (size_t i = 0; i < scaled(150, 10) && !HasFailure(); ++i) {
        EXPECT_TRUE(finds_all());
        expect_child_collects(i % 2 == 0);
    }
    EXPECT_TRUE(finds_all());
}

TEST_P(ForkedThreads, BeforeAny) {
    expect_child_collects(false);
    expect_child_collects(true);
    EXPECT_TRUE(finds_all());
}

#ifdef OURO_REFCOUNT_PLAIN
#define EVERY_COUNT testing::Values("plain,engine=stw-parallel,workers=3")
#else
#define EVERY_COUNT                                                                              \
    testing::Values("gil,engine=stw-parallel,workers=3", "biased,engine=stw-parallel,workers=3", \
                    "atomic,engine=stw-parallel,workers=3", "biased,engine=concurrent,workers=3")
#endif
INSTANTIATE_TEST_SUITE_P(Counts, ForkedThreads, EVERY_COUNT, runtime_name);

}  // namespace
}  // namespace ouro::test
