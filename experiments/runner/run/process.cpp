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

#include "experiments/runner/run/child.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

using Clock = std::chrono::steady_clock;
using Status = Outcome::Status;

sigset_t interrupting_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaddset(&set, signal);
    }
    return set;
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

std::string start_all(const Pipe& pipe, int errors, const Cpus& pin, std::vector<Child>& children,
                      Descriptor& answers) {
    Descriptor in(open("/dev/null", O_RDONLY | O_CLOEXEC));
    for (const Words& command : pipe) {
        Ends ends = make_pipe();
        const int error = start(command, in.get(), ends.write.get(), errors, children, pin);
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

const char* name_of(Status status) {
    switch (status) {
        case Status::kOk:
            return "ok";
        case Status::kFailed:
            return "failed";
        case Status::kTimeout:
            return "timeout";
        case Status::kInterrupted:
            return "interrupted";
    }
    return "failed";
}

Outcome run_pipe(const Pipe& pipe, double timeout, int interrupt,
                 const Surroundings& surroundings) {
    const Clock::time_point began = Clock::now();
    const auto deadline =
        began + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout));
    Outcome outcome;
    const ErrorFile errors = open_errors(surroundings.log);
    if (errors.file == nullptr) {
        outcome.status = Status::kFailed;
        outcome.reason = fmt::format("no file for standard error: {}", std::strerror(errno));
        return outcome;
    }
    std::vector<Child> children;
    Descriptor answers;
    outcome.reason = start_all(pipe, fileno(errors.file), surroundings.pin, children, answers);
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
        outcome.exit = exit_of(children.back().status);
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
    std::fclose(errors.file);
    outcome.seconds =
        std::round(std::chrono::duration<double>(Clock::now() - began).count() * 1000) / 1000;
    return outcome;
}

Outcome run_steps(const Steps& steps, double timeout, int interrupt,
                  const Surroundings& surroundings) {
    Outcome outcome;
    double seconds = 0;
    for (const Pipe& step : steps) {
        outcome = run_pipe(step, timeout, interrupt, surroundings);
        seconds += outcome.seconds;
        if (outcome.status != Status::kOk) {
            break;
        }
    }
    outcome.seconds = seconds;
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
