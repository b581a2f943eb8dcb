#include "tests/support/scheduler.hpp"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

namespace ouro::test {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kStepNs = 100;
constexpr int64_t kRelaxNs = 20'000;

}  // namespace

SeededChoices::SeededChoices(uint64_t seed) : random_(seed) {
    static constexpr unsigned kPeriods[] = {1, 2, 8, 32};
    period_ = kPeriods[random_() % std::size(kPeriods)];
    processors_ = 1 + static_cast<unsigned>(random_() % 3);
}

size_t SeededChoices::next(size_t count, Current current) {
    if (current == Current::kGoOn && random_() % period_ != 0) {
        return count - 1;
    }
    return random_() % count;
}

bool SeededChoices::rarely() {
    return random_() % 16 == 0;
}

size_t EveryChoice::next(size_t count, Current current) {
    // Option 0 is to go on, if it wants that; the others follow in order.
    const bool goes_on = current == Current::kGoOn;
    size_t options = count;
    if (goes_on && preemptions_ == limit_) {
        options = 1;
    } else if (current == Current::kRatherNot) {
        options = count - 1;
    }
    if (at_ == path_.size()) {
        path_.push_back({0, options});
    }
    assert(path_[at_].options == options);  // or the run was not repeated up to here
    const size_t taken = path_[at_++].taken;
    if (!goes_on) {
        return taken;
    }
    if (taken == 0) {
        return count - 1;
    }
    ++preemptions_;
    return taken - 1;
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
    if (kind_ == Threads::kFibers) {
        thread->carrier = carry_by_fiber(threads_.size(), std::move(function));
    } else {
        thread->carrier = carry_by_system_thread([this, body = std::move(function)] {
            current_ = this;
            point::hook = this;
            body();
            point::hook = nullptr;
            current_ = nullptr;
        });
    }
    threads_.push_back(std::move(thread));
}

std::string Scheduler::run() {
    std::optional<OneCore> one_core;
    if (kind_ == Threads::kSystem) {
        one_core.emplace();
    }
    choose();
    // What fibers find.
    current_ = this;
    point::hook = this;
    while (running_ != nullptr) {
        if (!running_->carrier->resume()) {
            failure_ = describe(running_->name + " waits for what no thread here can give it");
            break;
        }
        if (running_ != nullptr && running_->carrier->finished()) {
            choose();
        }
    }
    point::hook = nullptr;
    current_ = nullptr;
    return failure_;
}

// Who goes on.
void Scheduler::choose() {
    // The turns begin after the one that runs.
    const auto place = std::ranges::find(threads_, running_, &std::unique_ptr<Thread>::get);
    const size_t first =
        place == threads_.end() ? 0 : static_cast<size_t>(place - threads_.begin()) + 1;
    for (;;) {
        runnable_.clear();
        bool all_ended = true;
        for (size_t i = 0; i < threads_.size(); ++i) {
            Thread* thread = threads_[(first + i) % threads_.size()].get();
            if (thread->carrier->finished()) {
                continue;
            }
            all_ended = false;
            if (thread->waits_for != nullptr && thread->deadline_ns <= now_ns_) {
                thread->waits_for = nullptr;
                thread->timed_out = true;
            }
            if (thread->waits_for == nullptr) {
                runnable_.push_back(thread);
            }
        }
        if (all_ended) {
            running_ = nullptr;
            return;
        }
        if (!runnable_.empty()) {
            if (++steps_ > kMostSteps) {
                failure_ = describe("nobody ends");
                running_ = nullptr;
                return;
            }
            size_t next = 0;
            if (runnable_.size() > 1) {
                auto current = Choices::Current::kCannot;
                if (runnable_.back() == running_) {
                    current = running_->rather_not ? Choices::Current::kRatherNot
                                                   : Choices::Current::kGoOn;
                }
                next = choices_.next(runnable_.size(), current);
            }
            running_ = runnable_[next];
            if (trace) {
                std::fprintf(stderr, "%8lld %s: %s\n", static_cast<long long>(now_ns_),
                             running_->name.c_str(), running_->at);
            }
            return;
        }
        if (!time_passes()) {
            failure_ = describe("everybody waits");
            running_ = nullptr;
            return;
        }
    }
}

void Scheduler::leave() {
    Thread* self = running_;
    choose();
    if (running_ != self) {
        self->carrier->suspend();
    }
}

void Scheduler::point(const char* name, bool rather) {
    now_ns_ += kStepNs;
    running_->at = name;
    running_->rather_not = rather;
    leave();
}

void Scheduler::relax() {
    now_ns_ += kRelaxNs;
    point("relax", true);
}

bool Scheduler::wait(const void* address, int64_t deadline_ns) {
    return choices_.rarely() || block(address, deadline_ns);
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
    self->rather_not = false;
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
        text += "\n  " + thread->name + ": " + (thread->carrier->finished() ? "ended" : thread->at);
    }
    return text;
}

}  // namespace ouro::test
