#include "experiments/runner/run/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace ouro::runner {
namespace {

constexpr long kKeptErrors = 2000;

// In the child, until it is another program. Nothing here allocates.
[[noreturn]] void become(char* const* arguments, char* const* environment, int in, int out,
                         int errors, int failure, pid_t parent, const cpu_set_t* pin) {
    setsid();  // Ctrl-C reaches the parent alone, which then ends it
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);
    }
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    if (pin == nullptr || sched_setaffinity(0, sizeof *pin, pin) == 0) {
        execvpe(arguments[0], arguments, environment);
    }
    const int error = errno;
    [[maybe_unused]] const ssize_t written = write(failure, &error, sizeof error);
    _exit(127);
}

}  // namespace

void Descriptor::close() {
    if (value_ >= 0) {
        ::close(release());
    }
}

Ends make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return {};
    }
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

int start(const Words& command, int in, int out, int errors, std::vector<Child>& children,
          const Cpus& pin) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    for (const unsigned cpu : pin) {
        CPU_SET(cpu, &allowed);
    }
    std::vector<char*> arguments;
    for (const std::string& word : command) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    std::vector<char*> variables;
    for (char** each = environ; *each != nullptr; ++each) {
        if (!std::string_view(*each).starts_with("OURO=")) {
            variables.push_back(*each);
        }
    }
    variables.push_back(nullptr);
    Ends failure = make_pipe();
    const pid_t parent = getpid();
    const pid_t id = fork();
    if (id == 0) {
        become(arguments.data(), variables.data(), in, out, errors, failure.write.get(), parent,
               pin.empty() ? nullptr : &allowed);
    }
    if (id < 0) {
        return errno;
    }
    failure.write.close();
    int error = 0;
    ssize_t length;
    while ((length = read(failure.read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
    }
    if (length != sizeof error) {
        error = 0;  // it is the other program now
    }
    children.push_back({id, Descriptor(static_cast<int>(syscall(SYS_pidfd_open, id, 0)))});
    return error;
}

void reap(Child& child) {
    kill(-child.id, SIGKILL);
    kill(child.id, SIGKILL);
    while (waitpid(child.id, &child.status, 0) < 0 && errno == EINTR) {
    }
    child.running = false;
}

void read_what_is_there(Descriptor& from, std::string& output) {
    char buffer[1 << 16];
    while (from.get() >= 0) {
        const ssize_t length = read(from.get(), buffer, sizeof buffer);
        if (length > 0) {
            output.append(buffer, static_cast<size_t>(length));
        } else if (length == 0) {
            from.close();
        } else if (errno != EINTR) {
            return;
        }
        if (output.size() > kMostOutput) {
            return;
        }
    }
}

int exit_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string ending(int status) {
    if (WIFEXITED(status)) {
        return fmt::format("ended with status {}", WEXITSTATUS(status));
    }
    const char* name = sigabbrev_np(WTERMSIG(status));
    return name == nullptr ? fmt::format("was killed by signal {}", WTERMSIG(status))
                           : fmt::format("was killed by SIG{}", name);
}

ErrorFile open_errors(const std::filesystem::path& path) {
    std::FILE* file = path.empty() ? std::tmpfile() : std::fopen(path.c_str(), "a+e");
    if (file != nullptr) {
        std::fseek(file, 0, SEEK_END);
    }
    return {file, file == nullptr ? 0 : std::ftell(file)};
}

std::string end_of(const ErrorFile& errors) {
    std::fseek(errors.file, 0, SEEK_END);
    const long end = std::ftell(errors.file);
    const long kept = std::min(end - errors.begin, kKeptErrors);
    std::fseek(errors.file, end - kept, SEEK_SET);
    std::string text(static_cast<size_t>(kept), '\0');
    text.resize(std::fread(text.data(), 1, text.size(), errors.file));
    return text;
}

}  // namespace ouro::runner
