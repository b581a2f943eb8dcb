// A program forks while its threads are in every state: attached and allocating, collecting, inside a finalizer, in a
// critical section or waiting for its locks, outside, coming and going. From the first thread or from others,
// attached or not. The child has one thread: it allocates, locks, collects, starts threads, forks again and finalizes,
// and the parent goes on as if nothing had happened.
// label: concurrency

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <vector>

#include "core/include/ouroboros.h"
#include "tests/support/attached.hpp"
#include "tests/support/lives.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/rings.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

// All that a program does with the runtime, on a thread that is attached.
int go_on(int generation);

int wait_for_child(pid_t pid) {
    int status = -1;
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

// A child of the calling thread's, which may be attached or not.
int fork_and_go_on(int generation, bool announced) {
#ifdef __SANITIZE_ADDRESS__
    // A thread that starts takes a lock of the sanitizer's allocator, which a fork leaves locked (GCC 12): the child
    // could start none. So let those start that are about to.
    {
        std::optional<Detached> outside;
        if (PyThreadState_GetUnchecked() != nullptr) {
            outside.emplace();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
#endif
    if (announced) {
        PyOS_BeforeFork();
    }
    const pid_t pid = fork();
    if (pid == 0) {
        if (announced) {
            PyOS_AfterFork_Child();
        }
        alarm(20);
        is_in_a_hurry = true;
        if (PyThreadState_GetUnchecked() == nullptr) {
            PyGILState_Ensure();
        }
        _exit(go_on(generation));
    }
    if (announced) {
        PyOS_AfterFork_Parent();
    }
    std::optional<Detached> outside;  // the others may go on
    if (PyThreadState_GetUnchecked() != nullptr) {
        outside.emplace();
    }
    return wait_for_child(pid);
}

std::atomic<long> deaths{0};

int go_on(int generation) {
    PyCriticalSection section;
    PyCriticalSection_Begin(&section, world_of_lives().shared);
    PyList_Append(world_of_lives().shared, Py_None);
    PyCriticalSection_End(&section);
    on_link_death = [] { ++deaths; };
    const auto work = [] {
        for (int i = 0; i < 3000; ++i) {
            drop_ring(3);
        }
        PyGC_Collect();
    };
    PyGC_Collect();  // what others left
    deaths = 0;
    work();
    if (deaths < 9000) {
        return 11;
    }
#ifdef __SANITIZE_THREAD__
    return 0;  // it ends a child that starts threads
#endif
    {
        const Detached outside;
        std::vector<std::thread> more;
        for (int i = 0; i < 2; ++i) {
            more.emplace_back([&] {
                const Attached attached;
                work();
            });
        }
        for (std::thread& each : more) {
            each.join();
        }
    }
    PyGC_Collect();
    if (deaths < 3 * 9000) {
        return 12;
    }
    if (generation > 0) {
        if (const int status = fork_and_go_on(generation - 1, generation % 2 == 0); status != 0) {
            std::fprintf(stderr, "grandchild: %s\n", told(status).c_str());
            return 13;
        }
    }
    if (Py_FinalizeEx() != 0) {
        return 14;
    }
    Py_Initialize();
    work();
    return Py_FinalizeEx() == 0 ? 0 : 15;
}

class Forks : public testing::TestWithParam<const char*> {};

// One program, whose threads live on when it ends.
int program(const char* runtime, unsigned round) {
    if (Ouro_Configure(settings_for(runtime, "verify=off").c_str(), nullptr) != 0) {
        return 4;
    }
    Py_Initialize();
    begin_lives(1 + round % 8, round);
    const auto fork_often = [&](bool attached) {
        for (unsigned i = 0; i < 3; ++i) {
            if (attached) {
                for (unsigned rings = 0; rings < 300 * i; ++rings) {
                    drop_ring(4);
                }
            }
            const int status = fork_and_go_on(1, attached && (round + i) % 2 == 0);
            if (status != 0) {
                std::fprintf(stderr, "child %u: %s\n", i, told(status).c_str());
                return 5;
            }
        }
        return 0;
    };
    is_in_a_hurry = true;
    int result = 0;
    switch (round % 4) {
        case 0:
            return fork_often(true);
        case 1: {
            const Detached outside;
            return fork_often(false);
        }
        case 2: {
            const Detached outside;
            std::thread([&] {
                is_in_a_hurry = true;
                const Attached attached;
                result = fork_often(true);
            }).join();
            return result;
        }
        default: {
            const Detached outside;
            std::thread([&] { result = fork_often(false); }).join();
            return result;
        }
    }
}

TEST_P(Forks, WhateverThreadsAreDoing) {
    for (unsigned round = 0; round < scaled(8, 2); ++round) {
        const int status = in_a_process([&] { return program(GetParam(), round); }, 30);
        ASSERT_EQ(status, 0) << "round " << round << ": " << told(status);
    }
}

EVERY_ENGINE(Forks);

}  // namespace
}  // namespace ouro::test
