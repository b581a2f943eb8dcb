#include "core/collector/engines/child.hpp"

#include <linux/close_range.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace ouro::collector {
namespace {

constexpr int kFatalSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

int64_t nanoseconds(const timeval& time) {
    return (int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000;
}

[[noreturn]] void leave(int status) {
    for (;;) {
        syscall(SYS_exit_group, status);
    }
}

// In the child, before anything else.
void settle_in(pid_t parent) {
    syscall(SYS_close_range, 0u, UINT_MAX, 0u);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);  // a crash writes no core
    if (getppid() != parent) {
        leave(1);  // it has died already
    }
    // A handler of the program's would do what the program means to do about a crash of itself.
    struct sigaction by_default = {};
    by_default.sa_handler = SIG_DFL;
    sigset_t fatal;
    sigemptyset(&fatal);
    for (const int signal : kFatalSignals) {
        sigaction(signal, &by_default, nullptr);
        sigaddset(&fatal, signal);
    }
    pthread_sigmask(SIG_UNBLOCK, &fatal, nullptr);
}

}  // namespace

int Child::start(void (*work)(void* arg), void* arg) {
    kill();
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t parent = getpid();
    clone_args args = {};
    args.flags = CLONE_PIDFD;
    args.pidfd = reinterpret_cast<uintptr_t>(&pidfd_);
    args.exit_signal = 0;
    const long made = syscall(SYS_clone3, &args, sizeof args);
    const int error = errno;
    if (made == 0) {
        settle_in(parent);
        try {
            work(arg);
        } catch (...) {
            leave(1);  // or the child would go on as the program
        }
        leave(0);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (made < 0) {
        pidfd_ = -1;
        return error;
    }
    process_ = static_cast<pid_t>(made);
    cpu_ns_ = 0;
    state_ = State::kRunning;
    return 0;
}

void Child::reap() {
    siginfo_t info = {};
    rusage used = {};
    // The C library's waitid() does not pass on what was used.
    while (syscall(SYS_waitid, P_PIDFD, pidfd_, &info, WEXITED | __WALL, &used) < 0 &&
           errno == EINTR) {
    }
    cpu_ns_ = nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime);
    close(pidfd_);
    pidfd_ = -1;
    state_ = info.si_code == CLD_EXITED && info.si_status == 0 ? State::kDone : State::kFailed;
}

Child::State Child::wait(int64_t ns) {
    if (pidfd_ < 0) {
        return state_;
    }
    pollfd ended = {pidfd_, POLLIN, 0};
    const timespec timeout = {ns / 1'000'000'000, ns % 1'000'000'000};
    if (ppoll(&ended, 1, &timeout, nullptr) > 0) {
        reap();
    }
    return state_;
}

void Child::disown() {
    if (pidfd_ >= 0) {
        close(pidfd_);
        pidfd_ = -1;
    }
    state_ = State::kFailed;
}

void Child::kill() {
    if (pidfd_ >= 0) {
        syscall(SYS_pidfd_send_signal, pidfd_, SIGKILL, nullptr, 0);
        reap();
        state_ = State::kFailed;
    }
}

}  // namespace ouro::collector
