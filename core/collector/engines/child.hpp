// A child process that works on a frozen copy of this one's memory.
//
// It is made with the bare system call, in a stop: no handler of pthread_atfork runs, and no lock of the
// C library is taken, here or there. Its parent's wait() and SIGCHLD handler never hear of it: it has no exit
// signal, and is waited for by a descriptor of its own. It closes the descriptors that it inherits before it
// does anything else, gets no signal but the one by which it dies with its parent, and leaves by the system
// call, so nothing registered with atexit runs. A crash of it is no crash of the program.
//
// The function that it runs may take no lock, allocate nothing but pages of its own, and write no file.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace ouro::collector {

class Child {
public:
    enum class State { kRunning, kDone, kFailed };

    Child() = default;
    // Kills it.
    ~Child() { kill(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // Makes it; it calls work(arg). 0, or the error (errno). The calling thread alone goes on in the child.
    int start(void (*work)(void* arg), void* arg);
    // Waits for so long at most. kFailed: it ended otherwise than by returning from `work`.
    State wait(int64_t ns);
    void kill();
    // It is another process's: it has failed, as far as this one is concerned.
    void disown();

    // Whether it has been made, and has neither been killed nor been seen to have ended.
    bool is_there() const { return pidfd_ >= 0; }
    // Of the one that was made last.
    pid_t process() const { return process_; }
    // CPU time of that one, when it has been killed or been seen to have ended: of its way out, too.
    int64_t cpu_ns() const { return cpu_ns_; }

private:
    void reap();

    int pidfd_ = -1;
    pid_t process_ = 0;
    int64_t cpu_ns_ = 0;
    State state_ = State::kFailed;
};

}  // namespace ouro::collector
