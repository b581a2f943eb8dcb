// What a test does in a process of its own, because it leaves threads, or may hang.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace ouro::test {

// The status by waitpid of a forked process that returns what `work` does; it is killed after so long.
template <class Work>
int in_a_process(const Work& work, unsigned seconds = 20) {
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(seconds);
        _exit(work());
    }
    int status = -1;
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

inline std::string told(int status) {
    if (WIFSIGNALED(status)) {
        return WTERMSIG(status) == SIGALRM ? "it hung"
                                           : "signal " + std::to_string(WTERMSIG(status));
    }
    return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace ouro::test
