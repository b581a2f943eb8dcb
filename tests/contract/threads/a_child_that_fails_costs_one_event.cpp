// Engine snapshot: a child process that crashes in somebody's tp_traverse, that hangs, or that cannot be
// made costs one event, and what was garbage is freed all the same. The program hears nothing of a child:
// wait() has none to wait for, no SIGCHLD comes, nothing registered with atexit runs in it, and neither does the
// program keep a descriptor of it nor the child one of the program's.
// a process for each case

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>

#include "tests/contract/flight.hpp"

namespace ouro::test {
namespace {

std::atomic<int> child_signals{0};
std::atomic<int>* at_exit = nullptr;  // calls, in any process that shares the memory

size_t descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<size_t>(std::distance(begin(all), end(all)));
}

class Children : public Flight {
protected:
    const char* settings() const override { return ",snapshot-limit-ms=50"; }
    void SetUp() override {
        if (at_exit == nullptr) {
            at_exit = new (mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0)) std::atomic<int>(0);
            ASSERT_EQ(std::atexit([] { ++*at_exit; }), 0);
        }
        struct sigaction action = {};
        action.sa_handler = [](int) { ++child_signals; };
        ASSERT_EQ(sigaction(SIGCHLD, &action, &before_), 0);
        child_signals = 0;
        Flight::SetUp();
        descriptors_ = descriptors();
    }
    void TearDown() override {
        EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
        EXPECT_EQ(errno, ECHILD);
        EXPECT_EQ(child_signals.load(), 0);
        EXPECT_EQ(at_exit->load(), 0);
        EXPECT_EQ(descriptors(), descriptors_);
        Flight::TearDown();
        sigaction(SIGCHLD, &before_, nullptr);
    }

    // Three collections, each with garbage of its own.
    void collect_thrice(int fallbacks) {
        for (int i = 1; i <= 3; ++i) {
            Fate fate;
            Py_DECREF(thing_ring(100, &fate, &FinalThingType));
            EXPECT_EQ(PyGC_Collect(), 100);
            EXPECT_EQ(fate.finalized.load(), 100);
            EXPECT_EQ(fate.died.load(), 100);
            EXPECT_EQ(heard.fallbacks.load(), i * fallbacks);
            EXPECT_EQ(heard.ended.load(), i);
        }
    }

private:
    struct sigaction before_ = {};
    size_t descriptors_ = 0;
};

TEST_P(Children, ThatWorkAreNotHeardOf) {
    collect_thrice(0);
}

TEST_P(Children, ThatCrashCostOneEvent) {
    gate().mode = kCrashes;
    collect_thrice(1);
}

TEST_P(Children, ThatHangCostOneEvent) {
    gate().mode = kHangs;
    const int64_t start = milliseconds();
    collect_thrice(1);
    EXPECT_GE(milliseconds() - start, 3 * 50);
}

// And in the background.
TEST_P(Children, ThatFailInACollectionOfTheCollectorsOwnDoSoToo) {
    gate().mode = kCrashes;
    Fate fate;
    Py_DECREF(thing_ring(100, &fate, &FinalThingType));
    while (heard.ended.load() == 0) {
        Py_DECREF(thing_ring(3, kUncounted));
        EXPECT_EQ(Py_MakePendingCalls(), 0);
    }
    EXPECT_GE(heard.fallbacks.load(), 1);
    PyGC_Collect();
    EXPECT_EQ(fate.died.load(), 100);
}

// A pipe ends when its writers have closed it, a child that hangs or not.
TEST_P(Children, HaveNoDescriptorOfTheProgramsOpen) {
    gate().mode = kHangs;
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::atomic<bool> ended{false};
    std::thread reader([&] {
        while (heard.ended.load() == 0 && !ended) {
            pollfd end = {ends[0], POLLIN, 0};
            char byte;
            if (poll(&end, 1, 1) > 0 && read(ends[0], &byte, 1) == 0) {
                ended = true;
            }
        }
    });
    // The only writer closes while the child hangs: not this thread, which collects.
    std::thread closer([&] {
        sleep_ms(15);
        close(ends[1]);
    });
    collect_thrice(1);
    closer.join();
    reader.join();
    EXPECT_TRUE(ended.load()) << "somebody else has the pipe open";
    close(ends[0]);
}

// In a process of its own, where the system refuses the calling thread every process.
int collect_where_none_can_be_made() {
    sock_filter no_clone[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program = {std::size(no_clone), no_clone};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        return 2;
    }
    Fate fate;
    Py_DECREF(thing_ring(100, &fate, &FinalThingType));
    const Py_ssize_t found = PyGC_Collect();
    if (found != 100 || fate.died.load() != 100) {
        return 5;
    }
    return heard.fallbacks.load() == 1 ? 0 : 6;
}

class Impossible : public testing::TestWithParam<const char*> {};

TEST_P(Impossible, ChildrenCostOneEvent) {
    const pid_t child = fork();
    if (child == 0) {
        heard.ended = heard.fallbacks = 0;
        bool ready = Ouro_Configure(settings_for(GetParam(), "verify=off,generations=off").c_str(),
                                    nullptr) == 0;
        Py_Initialize();
        for (PyTypeObject* type : {&ThingType, &FinalThingType}) {
            ready = ready && PyType_Ready(type) == 0;
        }
        Ouro_AddListener(hear_flight, nullptr);
        _exit(ready ? collect_where_none_can_be_made() : 4);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

EVERY_SNAPSHOT(Children);
EVERY_SNAPSHOT(Impossible);

}  // namespace
}  // namespace ouro::test
