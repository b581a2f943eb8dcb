// A seeded scheduler: threads of a test as fibers of one OS thread, switched at interleaving points.
//
// A point is each atomic operation, lock and wait of code that is compiled with SysSync (sys_sync.hpp),
// and each OURO_POINT. What runs next is a Choices' to say: by a seed, or every possibility in turn up
// to a number of preemptions. The same choices give the same run.
//
//     Scheduler scheduler(choices);
//     scheduler.add("a", [] { ... });
//     scheduler.add("b", [] { ... });
//     const std::string failure = scheduler.run();   // empty: all ended
//
// Time is virtual: it moves with the points, and jumps where all wait for it. Interleavings are
// sequentially consistent: what weaker orders allow is for the models and the thread sanitizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "concurrency/fiber/fiber.hpp"

namespace ouro::test {

class Choices {
public:
    virtual ~Choices() = default;
    // Which of `count` runnable threads goes on; `current` is the index of the one that runs, or count
    // if it cannot go on or would rather not.
    virtual size_t next(size_t count, size_t current) = 0;
    // Whether something allowed but rare happens: a weak operation fails, a wait returns early.
    virtual bool rarely() = 0;
    // 1 or more.
    virtual unsigned processors() = 0;
};

class SeededChoices : public Choices {
public:
    explicit SeededChoices(uint64_t seed);
    size_t next(size_t count, size_t current) override;
    bool rarely() override;
    unsigned processors() override { return processors_; }

private:
    std::mt19937_64 random_;
    unsigned period_;  // a switch at one point of so many: short and long runs find other things
    unsigned processors_;
};

// Every schedule with at most `preemptions` switches away from a thread that could go on.
class EveryChoice : public Choices {
public:
    explicit EveryChoice(unsigned preemptions) : limit_(preemptions) {}
    size_t next(size_t count, size_t current) override;
    bool rarely() override { return false; }
    unsigned processors() override { return 1; }

    // On to the next schedule; false if there is none.
    bool advance();

private:
    struct Choice {
        size_t taken;
        size_t options;
    };
    const unsigned limit_;
    unsigned preemptions_ = 0;
    size_t at_ = 0;
    std::vector<Choice> path_;
};

class Scheduler {
public:
    explicit Scheduler(Choices& choices) : choices_(choices) {}

    void add(std::string name, std::function<void()> function);

    // Runs all to their end. Else says what went wrong: everybody waits, or nobody ends.
    std::string run();

    // The one that runs the calling fiber; null outside of run().
    static Scheduler* current() { return current_; }

    // Lets another thread run, or not. `rather`: rather yes.
    void point(const char* name, bool rather = false);
    // Waits for a wake on `address`, or until the deadline; false if that passed.
    bool block(const void* address, int64_t deadline_ns);
    void wake(const void* address, int count);

    int64_t now_ns() const { return now_ns_; }
    void pass(int64_t ns) { now_ns_ += ns; }
    Choices& choices() { return choices_; }
    size_t steps() const { return steps_; }

    // Everybody's points, in order, on stderr.
    bool trace = false;

private:
    struct Thread {
        std::string name;
        std::unique_ptr<fiber::Fiber> fiber;
        const char* at = "begin";
        const void* waits_for = nullptr;
        int64_t deadline_ns = 0;
        bool timed_out = false;
        bool rather_not = false;
    };

    void leave();
    bool time_passes();
    std::string describe(const std::string& what) const;

    static constexpr size_t kMostSteps = 2'000'000;
    static inline thread_local Scheduler* current_ = nullptr;

    Choices& choices_;
    std::vector<std::unique_ptr<Thread>> threads_;
    Thread* running_ = nullptr;
    int64_t now_ns_ = 1;
    size_t steps_ = 0;
};

}  // namespace ouro::test
