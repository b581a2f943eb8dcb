#include "experiments/runner/run/server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>

namespace ouro::runner {
namespace {

using Clock = std::chrono::steady_clock;
using Status = Outcome::Status;

}  // namespace

Server::Server(const Words& command, const Surroundings& surroundings)
    : program_(std::filesystem::path(command.at(0)).filename().string()),
      errors_(open_errors(surroundings.log)) {
    if (errors_.file == nullptr) {
        failure_ = fmt::format("no file for standard error: {}", std::strerror(errno));
        return;
    }
    Ends in = make_pipe();
    Ends out = make_pipe();
    const int error = start(command, in.read.get(), out.write.get(), fileno(errors_.file),
                            children_, surroundings.pin);
    if (error != 0) {
        failure_ = fmt::format("{}: {}", command[0], std::strerror(error));
    }
    requests_ = std::move(in.write);
    answers_ = std::move(out.read);
    fcntl(answers_.get(), F_SETFL, O_NONBLOCK);
}

Server::~Server() {
    for (Child& child : children_) {
        if (child.running) {
            reap(child);
        }
    }
    if (errors_.file != nullptr) {
        std::fclose(errors_.file);
    }
}

Outcome Server::wait_for_line(double timeout, int interrupt) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(timeout));
    Outcome outcome;
    const auto end = [&](Status status, std::string reason) {
        outcome.status = status;
        outcome.reason = std::move(reason);
        return outcome;
    };
    for (;;) {
        read_what_is_there(answers_, received_);
        const size_t newline = received_.find('\n');
        if (newline != std::string::npos) {
            outcome.output = received_.substr(0, newline);
            received_.erase(0, newline + 1);
            return outcome;
        }
        if (received_.size() > kMostOutput) {
            return end(Status::kFailed, fmt::format("printed more than {} MiB", kMostOutput >> 20));
        }
        if (answers_.get() < 0) {  // it has closed its output: it has ended, or is of no use
            reap(children_.back());
            outcome.exit = exit_of(children_.back().status);
            return end(Status::kFailed,
                       program_ + " " + ending(children_.back().status) + " without an answer");
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            return end(Status::kTimeout, fmt::format("not done after {:.0f} s", timeout));
        }
        pollfd waiting[] = {{interrupt, POLLIN, 0}, {answers_.get(), POLLIN, 0}};
        if (poll(waiting, 2, static_cast<int>(std::min<int64_t>(left.count(), 1 << 30))) < 0) {
            continue;  // a signal that is none of ours
        }
        if (waiting[0].revents != 0) {
            return end(Status::kInterrupted, "interrupted");
        }
    }
}

Outcome Server::answer(double timeout, int interrupt) {
    Outcome outcome;
    if (!failure_.empty()) {
        outcome.status = Status::kFailed;
        outcome.reason = failure_;
        return outcome;
    }
    const auto began = Clock::now();
    outcome = wait_for_line(timeout, interrupt);
    outcome.errors = end_of(errors_);
    outcome.seconds =
        std::round(std::chrono::duration<double>(Clock::now() - began).count() * 1000) / 1000;
    return outcome;
}

Outcome Server::failed() const {
    Outcome outcome;
    outcome.status = Status::kFailed;
    outcome.errors = end_of(errors_);
    return outcome;
}

Outcome Server::ask(const std::string& request, double timeout, int interrupt) {
    const std::string line = request + "\n";
    // A line is shorter than what a pipe holds, so this does not wait; a server that is gone is told
    // by its answer. Not so for the whole of an experiment: who reads what it prints may end it.
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    [[maybe_unused]] const ssize_t written = write(requests_.get(), line.data(), line.size());
    std::signal(SIGPIPE, before);
    return answer(timeout, interrupt);
}

}  // namespace ouro::runner
