#include "experiments/runner/team.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

#include "experiments/runner/clock.hpp"
#include "experiments/workloads/threads.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

Sample timed(const Round& round) {
    Sample sample;
    sample.start_ns = wall_ns();
    sample.operations = round();
    sample.end_ns = wall_ns();
    return sample;
}

bool read_whole(int file, void* data, size_t size) {
    auto* to = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t got = read(file, to, size);
        if (got <= 0) {
            if (got < 0 && errno == EINTR) {
                continue;
            }
            return false;
        }
        to += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

// A byte each way says that the worker is ready, and that it may go on; the end of the pipe ends it.
void serve(unsigned worker, const Prepare& prepare, int go, int done) {
    Py_Initialize();
    const Build build = prepare();
    const Round round = build(worker);
    char signal = 0;
    bool goes_on = write(done, &signal, 1) == 1;
    while (goes_on && read_whole(go, &signal, 1)) {
        const Sample sample = timed(round);
        goes_on = write(done, &sample, sizeof sample) == sizeof sample;
    }
}

// Never returns: what the parent's destructors would do is not this process's to do.
[[noreturn]] void live(unsigned worker, const Prepare& prepare, int go, int done) {
    int status = 0;
    try {
        serve(worker, prepare, go, done);
    } catch (const std::exception& error) {
        fmt::print(stderr, "ouro: bench: process {}: {}\n", worker, error.what());
        status = 1;
    }
    _exit(status);
}

[[noreturn]] void fail(const char* what) {
    throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Crew::Crew(unsigned processes, const Prepare& prepare) {
    for (unsigned i = 0; i < processes; ++i) {
        int go[2];
        int done[2];
        if (pipe2(go, O_CLOEXEC) != 0 || pipe2(done, O_CLOEXEC) != 0) {
            fail("a pipe for a process beside the threads");
        }
        const pid_t pid = fork();
        if (pid < 0) {
            fail("a process beside the threads");
        }
        if (pid == 0) {
            close(go[1]);
            close(done[0]);
            for (const Member& other : members_) {  // or they would outlive the parent's end
                close(other.go);
                close(other.done);
            }
            live(i, prepare, go[0], done[1]);
        }
        close(go[0]);
        close(done[1]);
        members_.push_back({pid, go[1], done[0]});
    }
    for (const Member& each : members_) {
        char ready = 0;
        if (!read_whole(each.done, &ready, 1)) {
            throw std::runtime_error("a process beside the threads did not become ready");
        }
    }
}

Crew::~Crew() {
    for (const Member& each : members_) {
        close(each.go);
        close(each.done);
    }
    for (const Member& each : members_) {
        while (waitpid(each.pid, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

std::vector<Sample> Crew::round() {
    std::vector<Sample> samples(members_.size());
    bool whole = true;
    for (const Member& each : members_) {
        const char go = 1;
        whole = write(each.go, &go, 1) == 1 && whole;
    }
    for (size_t i = 0; i < members_.size(); ++i) {
        whole = whole && read_whole(members_[i].done, &samples[i], sizeof(Sample));
    }
    if (!whole) {
        throw std::runtime_error("a process beside the threads has ended");
    }
    return samples;
}

std::vector<TeamRound> run_team(unsigned threads, unsigned rounds, const Prepare& prepare,
                                Crew* crew) {
    std::vector<TeamRound> results(rounds, {std::vector<Sample>(threads), {}});
    std::barrier barrier(threads);
    const auto meet = [&] { workloads::wait_detached([&] { barrier.arrive_and_wait(); }); };
    const auto conduct = [&](unsigned worker, const Build& build) {
        const Round round = build(worker);
        for (TeamRound& result : results) {
            meet();
            result.threads[worker] = timed(round);
            meet();
            if (worker == 0 && crew != nullptr) {
                workloads::wait_detached([&] { result.processes = crew->round(); });
            }
        }
    };
    const Build build = prepare();
    workloads::run_threads(threads, [&](unsigned worker) {
        try {
            conduct(worker, build);
        } catch (...) {
            barrier.arrive_and_drop();  // nobody waits for who does not come any more
            throw;
        }
    });
    return results;
}

}  // namespace ouro::runner
