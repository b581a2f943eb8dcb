// A seeded scheduler: runs the threads of a test one at a time and switches at interleaving points.
//
// A point is each atomic operation, lock and wait of code that is compiled with SysSync (sys_sync.hpp),
// and each OURO_POINT, lock and wait of code that is compiled with OURO_POINTS=1. What runs next is a
// Choices' to say: by a seed, or every possibility in turn up to a number of preemptions. The same
// choices give the same run.
//
// Threads are fibers; or, where code under test uses thread-local variables, threads of the system
// (carrier.hpp).
//
//     Scheduler scheduler(choices, Threads::kFibers);
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

#include "concurrency/point/point.hpp"
#include "tests/support/carrier.hpp"

namespace ouro::test {

class Choices {
public:
    virtual ~Choices() = default;
    // What the one that runs wants.
    enum class Current { kGoOn, kRatherNot, kCannot };
    // Which of `count` runnable threads, two or more, goes on. They are in the order in which they would
    // take turns: the one that runs is the last, unless it cannot go on.
    virtual size_t next(size_t count, Current current) = 0;
    // Whether something allowed but rare happens: a weak operation fails, a wait returns early.
    virtual bool rarely() = 0;
    // 1 or more.
    virtual unsigned processors() = 0;
};

class SeededChoices : public Choices {
public:
    explicit SeededChoices(uint64_t seed);
    size_t next(size_t count, Current current) override;
    bool rarely() override;
    unsigned processors() override { return processors_; }

private:
    std::mt19937_64 random_;
    unsigned period_;  // a switch at one point of so many: short and long runs find other things
    unsigned processors_;
};

// Every schedule with at most `preemptions` switches away from a thread that could go on; who would rather
// not does not go on while there are others.
class EveryChoice : public Choices {
public:
    explicit EveryChoice(unsigned preemptions) : limit_(preemptions) {}
    size_t next(size_t count, Current current) override;
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

enum class Threads { kFibers, kSystem };

class Scheduler final : public point::Hook {
public:
    explicit Scheduler(Choices& choices, Threads kind = Threads::kFibers)
        : choices_(choices), kind_(kind) {}

    void add(std::string name, std::function<void()> function);

    // Runs all to their end. Else says what went wrong: everybody waits, or nobody ends.
    std::string run();

    // The one that runs the calling thread; null outside of run().
    static Scheduler* current() { return current_; }

    // Lets another thread run, or not. `rather`: rather yes.
    void point(const char* name, bool rather = false);
    // Waits for a wake on `address`, or until the deadline; false if that passed.
    bool block(const void* address, int64_t deadline_ns);

    Choices& choices() { return choices_; }

    // As the hook of code that has points.
    void reached(const char* name) override { point(name); }
    void relax() override;
    void yield() override { point("yield", true); }
    bool wait(const void* address, int64_t deadline_ns) override;
    void wake(const void* address, int count) override;
    int64_t now_ns() override { return now_ns_; }
    unsigned processors() override { return choices_.processors(); }

    size_t steps() const { return steps_; }

    // Everybody's points, in order, on stderr.
    bool trace = false;

private:
    struct Thread {
        std::string name;
        std::unique_ptr<Carrier> carrier;
        const char* at = "begin";
        const void* waits_for = nullptr;
        int64_t deadline_ns = 0;
        bool timed_out = false;
        bool rather_not = false;
    };

    void choose();
    void leave();
    bool time_passes();
    std::string describe(const std::string& what) const;

    static constexpr size_t kMostSteps = 2'000'000;
    static inline thread_local Scheduler* current_ = nullptr;

    Choices& choices_;
    const Threads kind_;
    std::vector<std::unique_ptr<Thread>> threads_;
    std::vector<Thread*> runnable_;
    Thread* running_ = nullptr;  // null: all have ended, or none can go on
    std::string failure_;
    int64_t now_ns_ = 1;
    size_t steps_ = 0;
};

}  // namespace ouro::test
