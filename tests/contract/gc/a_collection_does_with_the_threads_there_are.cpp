// Where the system has no more threads to give, for a limit of processes or of memory was reached since the heap was
// filled, a collection that works on several finds what it would have found with them.
// a process for each case

#include <grp.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

// What a child process says when it ends.
enum Outcome { kRight = 0, kNotReady, kNotLimited, kLost, kAgainLost, kLiveLost };

constexpr int kRings = 5000;
constexpr int kRingSize = 4;
constexpr int kAlive = 1000;

bool is_refused_a_thread() {
    pthread_t thread;
    if (pthread_create(
            &thread, nullptr, [](void* arg) { return arg; }, nullptr) != 0) {
        return true;
    }
    pthread_join(thread, nullptr);
    return false;
}

// No process is limited in the number of processes that the superuser has.
bool limit_processes() {
    if (geteuid() == 0 &&
        (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0)) {
        return false;
    }
    const rlimit none = {0, 0};
    return setrlimit(RLIMIT_NPROC, &none) == 0 && is_refused_a_thread();
}

// Bytes of memory that are private and can be written.
std::optional<rlim_t> data_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmData:")) {
            return rlim_t{std::stoul(line.substr(std::strlen("VmData:")))} * 1024;
        }
    }
    return std::nullopt;
}

// Enough for what a collection of this heap needs, too little for the stack of a thread.
bool limit_data() {
    constexpr rlim_t kRoom = rlim_t{4} << 20;
    const auto used = data_bytes();
    if (!used) {
        return false;
    }
    const rlimit limit = {*used + kRoom, *used + kRoom};
    return setrlimit(RLIMIT_DATA, &limit) == 0 && is_refused_a_thread();
}

// No collection begins meanwhile.
void make_garbage(int rings) {
    PyGC_Disable();
    for (int i = 0; i < rings; ++i) {
        drop_ring(kRingSize);
    }
    PyGC_Enable();
}

// In a process of its own: the garbage of a full heap, and once more. What is thrown ends it.
Outcome collect(const char* runtime, bool (*limit)()) noexcept {
    if (Ouro_Configure(settings_for(runtime, "verify=on,generations=off").c_str(), nullptr) != 0) {
        return kNotReady;
    }
    Py_Initialize();
    if (PyType_Ready(&ThingType) != 0) {
        return kNotReady;
    }
    const std::vector<PyObject*> alive = ring(kAlive);
    make_garbage(kRings);
    if (!limit()) {
        return kNotLimited;
    }
    if (PyGC_Collect() != kRings * kRingSize || record.live != kAlive) {
        return kLost;
    }
    make_garbage(100);
    if (PyGC_Collect() != 100 * kRingSize || record.live != kAlive) {
        return kAgainLost;
    }
    drop(alive);
    if (PyGC_Collect() != kAlive || record.live != 0) {
        return kLiveLost;
    }
    Py_Finalize();
    return kRight;
}

class WithoutThreads : public testing::TestWithParam<const char*> {
protected:
    static void expect_right(bool (*limit)()) {
        std::fflush(nullptr);
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(120);
            _exit(collect(GetParam(), limit));
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
        if (WEXITSTATUS(status) == kNotLimited) {
            GTEST_SKIP() << "the system gives threads all the same";
        }
        EXPECT_EQ(WEXITSTATUS(status), kRight);
    }
};

TEST_P(WithoutThreads, ForWantOfProcesses) {
    expect_right(limit_processes);
}

TEST_P(WithoutThreads, ForWantOfMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer ends the program where memory is out";
#endif
    expect_right(limit_data);
}

#ifdef OURO_REFCOUNT_PLAIN
#define EVERY_COUNT testing::Values("plain,engine=stw-parallel,workers=3")
#else
#define EVERY_COUNT                                                                              \
    testing::Values("gil,engine=stw-parallel,workers=3", "biased,engine=stw-parallel,workers=3", \
                    "atomic,engine=stw-parallel,workers=3")
#endif
INSTANTIATE_TEST_SUITE_P(Counts, WithoutThreads, EVERY_COUNT, runtime_name);

}  // namespace
}  // namespace ouro::test
