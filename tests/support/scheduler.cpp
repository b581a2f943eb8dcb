#include "tests/support/scheduler.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "concurrency/point/point.hpp"

namespace ouro::test {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kStepNs = 100;

// Stacks are made once: a run is short.
fiber::Stack& stack(size_t index) {
    static std::vector<std::unique_ptr<fiber::Stack>> stacks;
    while (stacks.size() <= index) {
        stacks.push_back(std::make_unique<fiber::Stack>());
    }
    return *stacks[index];
}

}  // namespace

SeededChoices::SeededChoices(uint64_t seed) : random_(seed) {
    static constexpr unsigned kPeriods[] = {1, 2, 8, 32};
    period_ = kPeriods[random_() % std::size(kPeriods)];
    processors_ = 1 + static_cast<unsigned>(random_() % 3);
}

size_t SeededChoices::next(size_t count, size_t current) {
    if (current < count && random_() % period_ != 0) {
        return current;
    }
    return random_() % count;
}

bool SeededChoices::rarely() {
    return random_() % 16 == 0;
}

size_t EveryChoice::next(size_t count, size_t current) {
    // Option 0 is to go on; the others follow in order.
    const bool free = current >= count;
    const size_t options = free || preemptions_ < limit_ ? count : 1;
    if (at_ == path_.size()) {
        path_.push_back({0, options});
    }
    const size_t taken = path_[at_++].taken;
    if (free) {
        return taken;
    }
    if (taken == 0) {
        return current;
    }
    ++preemptions_;
    return taken <= current ? taken - 1 : taken;
}

bool EveryChoice::advance() {
    at_ = 0;
    preemptions_ = 0;
    while (!path_.empty() && path_.back().taken + 1 == path_.back().options) {
        path_.pop_back();
    }
    if (path_.empty()) {
        return false;
    }
    ++path_.back().taken;
    return true;
}

void Scheduler::add(std::string name, std::function<void()> function) {
    auto thread = std::make_unique<Thread>();
    thread->name = std::move(name);
    thread->fiber = std::make_unique<fiber::Fiber>(
        stack(threads_.size()), [body = std::move(function)](fiber::Fiber&) { body(); });
    threads_.push_back(std::move(thread));
}

std::string Scheduler::run() {
    point::hook = [](const char* name) { current_->point(name); };
    std::string failure;
    std::vector<Thread*> runnable;
    for (;;) {
        runnable.clear();
        size_t current = SIZE_MAX;
        bool all_ended = true;
        for (const auto& thread : threads_) {
            if (thread->fiber->finished()) {
                continue;
            }
            all_ended = false;
            if (thread->waits_for != nullptr && thread->deadline_ns <= now_ns_) {
                thread->waits_for = nullptr;
                thread->timed_out = true;
            }
            if (thread->waits_for == nullptr) {
                if (thread.get() == running_ && !std::exchange(thread->rather_not, false)) {
                    current = runnable.size();
                }
                runnable.push_back(thread.get());
            }
        }
        if (all_ended) {
            break;
        }
        if (runnable.empty()) {
            if (time_passes()) {
                continue;
            }
            failure = describe("everybody waits");
            break;
        }
        if (++steps_ > kMostSteps) {
            failure = describe("nobody ends");
            break;
        }
        size_t next = 0;
        if (runnable.size() > 1) {
            next = choices_.next(runnable.size(), std::min(current, runnable.size()));
        }
        running_ = runnable[next];
        if (trace) {
            std::fprintf(stderr, "%8lld %s: %s\n", static_cast<long long>(now_ns_),
                         running_->name.c_str(), running_->at);
        }
        current_ = this;
        running_->fiber->resume();
        current_ = nullptr;  // the scheduler's own code has no points
    }
    point::hook = nullptr;
    return failure;
}

void Scheduler::leave() {
    running_->fiber->suspend();
}

void Scheduler::point(const char* name, bool rather) {
    now_ns_ += kStepNs;
    running_->at = name;
    running_->rather_not = rather;
    leave();
}

bool Scheduler::block(const void* address, int64_t deadline_ns) {
    Thread* self = running_;
    if (deadline_ns <= now_ns_) {
        return false;
    }
    self->waits_for = address;
    self->deadline_ns = deadline_ns;
    self->timed_out = false;
    self->at = "waits";
    leave();
    return !self->timed_out;
}

void Scheduler::wake(const void* address, int count) {
    for (const auto& thread : threads_) {
        if (count > 0 && thread->waits_for == address) {
            thread->waits_for = nullptr;
            --count;
        }
    }
}

// On to the earliest deadline.
bool Scheduler::time_passes() {
    Thread* first = nullptr;
    for (const auto& thread : threads_) {
        if (thread->waits_for != nullptr && thread->deadline_ns != kNever &&
            (first == nullptr || thread->deadline_ns < first->deadline_ns)) {
            first = thread.get();
        }
    }
    if (first == nullptr) {
        return false;
    }
    now_ns_ = std::max(now_ns_, first->deadline_ns);
    first->waits_for = nullptr;
    first->timed_out = true;
    return true;
}

std::string Scheduler::describe(const std::string& what) const {
    std::string text = what + " after " + std::to_string(steps_) + " steps:";
    for (const auto& thread : threads_) {
        text += "\n  " + thread->name + ": " + (thread->fiber->finished() ? "ended" : thread->at);
    }
    return text;
}

}  // namespace ouro::test
