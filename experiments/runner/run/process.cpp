#include "experiments/runner/run/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

using Clock = std::chrono::steady_clock;
using Status = Outcome::Status;

constexpr size_t kMostOutput = size_t{64} << 20;
constexpr long kKeptErrors = 2000;

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int value) : value_(value) {}
    Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Descriptor() { close(); }
    int get() const { return value_; }
    int release() { return std::exchange(value_, -1); }
    void close() {
        if (value_ >= 0) {
            ::close(release());
        }
    }

private:
    int value_ = -1;
};

struct Ends {
    Descriptor read{};
    Descriptor write{};
};

Ends make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return {};
    }
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

struct Child {
    pid_t id;
    Descriptor ended;  // can be read when it has ended
    int status = 0;
    bool running = true;
};

sigset_t interrupting_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaddset(&set, signal);
    }
    return set;
}

// In the child, until it is another program. Nothing here allocates.
[[noreturn]] void become(char* const* arguments, char* const* environment, int in, int out,
                         int errors, int failure, pid_t parent) {
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
    execvpe(arguments[0], arguments, environment);
    const int error = errno;
    [[maybe_unused]] const ssize_t written = write(failure, &error, sizeof error);
    _exit(127);
}

// Starts a program; 0, or the error with which that failed.
int start(const Words& command, int in, int out, int errors, std::vector<Child>& children) {
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
        become(arguments.data(), variables.data(), in, out, errors, failure.write.get(), parent);
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

// What a child left running goes with it.
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

// Waits until all children have ended; otherwise says why they shall end now.
void wait_for(std::vector<Child>& children, Descriptor& answers, Clock::time_point deadline,
              double timeout, int interrupt, Outcome& outcome) {
    while (true) {
        std::vector<pollfd> waiting = {{interrupt, POLLIN, 0}, {answers.get(), POLLIN, 0}};
        for (const Child& child : children) {
            if (child.running) {
                waiting.push_back({child.ended.get(), POLLIN, 0});
            }
        }
        if (waiting.size() == 2) {
            return;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            outcome.status = Status::kTimeout;
            outcome.reason = fmt::format("not done after {:.0f} s", timeout);
            return;
        }
        if (poll(waiting.data(), waiting.size(),
                 static_cast<int>(std::min<int64_t>(left.count(), 1 << 30))) < 0) {
            continue;  // a signal that is none of ours
        }
        if (waiting[0].revents != 0) {
            outcome.status = Status::kInterrupted;
            outcome.reason = "interrupted";
            return;
        }
        read_what_is_there(answers, outcome.output);
        if (outcome.output.size() > kMostOutput) {
            outcome.status = Status::kFailed;
            outcome.reason = fmt::format("printed more than {} MiB", kMostOutput >> 20);
            return;
        }
        size_t place = 2;
        for (Child& child : children) {
            if (child.running && waiting[place++].revents != 0) {
                reap(child);
            }
        }
    }
}

std::string ending(int status) {
    if (WIFEXITED(status)) {
        return fmt::format("ended with status {}", WEXITSTATUS(status));
    }
    const char* name = sigabbrev_np(WTERMSIG(status));
    return name == nullptr ? fmt::format("was killed by signal {}", WTERMSIG(status))
                           : fmt::format("was killed by SIG{}", name);
}

std::string end_of(std::FILE* file) {
    std::fseek(file, 0, SEEK_END);
    const long size = std::ftell(file);
    std::fseek(file, std::max(0L, size - kKeptErrors), SEEK_SET);
    std::string text(static_cast<size_t>(std::min(size, kKeptErrors)), '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    return text;
}

std::string start_all(const Pipe& pipe, int errors, std::vector<Child>& children,
                      Descriptor& answers) {
    Descriptor in(open("/dev/null", O_RDONLY | O_CLOEXEC));
    for (const Words& command : pipe) {
        Ends ends = make_pipe();
        const int error = start(command, in.get(), ends.write.get(), errors, children);
        if (error != 0) {
            return fmt::format("{}: {}", command[0], std::strerror(error));
        }
        in = std::move(ends.read);  // the reader alone holds it: when it dies, so does the writer
    }
    answers = std::move(in);
    fcntl(answers.get(), F_SETFL, O_NONBLOCK);
    return {};
}

}  // namespace

Outcome run_pipe(const Pipe& pipe, double timeout, int interrupt) {
    const Clock::time_point began = Clock::now();
    const auto deadline =
        began + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout));
    Outcome outcome;
    std::FILE* errors = std::tmpfile();
    if (errors == nullptr) {
        outcome.status = Status::kFailed;
        outcome.reason = fmt::format("no temporary file: {}", std::strerror(errno));
        return outcome;
    }
    std::vector<Child> children;
    Descriptor answers;
    outcome.reason = start_all(pipe, fileno(errors), children, answers);
    if (outcome.reason.empty()) {
        wait_for(children, answers, deadline, timeout, interrupt, outcome);
    } else {
        outcome.status = Status::kFailed;
    }
    for (Child& child : children) {
        if (child.running) {
            reap(child);
        }
    }
    read_what_is_there(answers, outcome.output);
    if (outcome.status == Status::kOk) {
        const int last = children.back().status;
        outcome.exit = WIFEXITED(last) ? WEXITSTATUS(last) : -WTERMSIG(last);
        // The last that failed: a writer whose reader is gone dies of that.
        for (size_t i = 0; i < children.size(); ++i) {
            if (children[i].status != 0) {
                outcome.status = Status::kFailed;
                outcome.reason = std::filesystem::path(pipe[i][0]).filename().string() + " " +
                                 ending(children[i].status);
            }
        }
    }
    outcome.errors = end_of(errors);
    std::fclose(errors);
    outcome.seconds =
        std::round(std::chrono::duration<double>(Clock::now() - began).count() * 1000) / 1000;
    return outcome;
}

std::optional<std::string> output_of(const Words& command) {
    Outcome outcome = run_pipe({command}, 30);
    if (outcome.status != Status::kOk) {
        return {};
    }
    while (!outcome.output.empty() &&
           std::isspace(static_cast<unsigned char>(outcome.output.back()))) {
        outcome.output.pop_back();
    }
    return outcome.output;
}

std::string as_text(const Steps& steps) {
    const auto quoted = [](const std::string& word) {
        const auto plain = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) ||
                   std::string_view("@%+=:,./-_").find(c) != std::string_view::npos;
        };
        if (!word.empty() && std::ranges::all_of(word, plain)) {
            return word;
        }
        std::string text = "'";
        for (const char c : word) {
            text += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
        }
        return text + "'";
    };
    std::vector<std::string> lines;
    for (const Pipe& pipe : steps) {
        std::vector<std::string> processes;
        for (const Words& command : pipe) {
            Words shown;
            std::ranges::transform(command, std::back_inserter(shown), quoted);
            processes.push_back(joined(shown, " "));
        }
        lines.push_back(joined(processes, " | "));
    }
    return joined(lines, " && ");
}

Interrupts::Interrupts() {
    const sigset_t set = interrupting_signals();
    sigprocmask(SIG_BLOCK, &set, nullptr);
    descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Interrupts::~Interrupts() {
    // What came and was heard shall not end the process now.
    signalfd_siginfo heard;
    while (read(descriptor_, &heard, sizeof heard) == sizeof heard) {
    }
    close(descriptor_);
    const sigset_t set = interrupting_signals();
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

bool Interrupts::came() const {
    pollfd waiting = {descriptor_, POLLIN, 0};
    return poll(&waiting, 1, 0) > 0;
}

}  // namespace ouro::runner
