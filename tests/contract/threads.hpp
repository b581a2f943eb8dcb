// Threads and a fixture for what is proved with several of them. A test that waits for ever ends the program.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>
#include <vector>

#include "core/mutator/state.hpp"
#include "core/mutator/world.hpp"
#include "tests/contract/things.hpp"
#include "tests/support/attached.hpp"

namespace ouro::test {

// Threads, attached with states of their own. The maker's thread is attached and waits detached.
class Crew {
public:
    Crew() = default;
    ~Crew() { join(); }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    template <class Work>
    void add(Work work) {
        threads_.emplace_back([work] {
            const Attached attached;
            work();
        });
    }
    void join() {
        const Detached outside;
        for (std::thread& thread : threads_) {
            thread.join();
        }
        threads_.clear();
    }

private:
    std::vector<std::thread> threads_;
};

// Does it on another thread, attached, and returns when that has ended; the caller is detached all the
// time.
template <class Work>
void on_another_thread(Work work) {
    const Detached outside;
    std::thread([&work] {
        const Attached attached;
        work();
    }).join();
}

// An object that another thread makes and owns. Where threads run at once, that one's first safepoint is the next stop:
// until then the references that others drop of the object wait, under policy biased, and are dropped in it.
class OwnedElsewhere {
public:
    template <class Make>
    explicit OwnedElsewhere(Make make) {
        owner_ = std::thread([this, make] {
            const Attached here;
            made_ = make();
            if (mutator::is_free_threaded()) {
                wait_until([] {
                    return (mutator::current->thread->requests() & thread::kWorldRequests) != 0;
                });
            }
            run_until([this] { return ends_.load(); });
        });
        const Detached outside;
        wait_until([this] { return made_.load() != nullptr; });
    }
    ~OwnedElsewhere() {
        const Detached outside;
        ends_ = true;
        owner_.join();
    }
    OwnedElsewhere(const OwnedElsewhere&) = delete;
    OwnedElsewhere& operator=(const OwnedElsewhere&) = delete;

    // Its only reference, which the caller takes over.
    PyObject* get() const { return made_; }

private:
    std::atomic<PyObject*> made_{nullptr};
    std::atomic<bool> ends_{false};
    std::thread owner_;
};

inline PyThreadState* new_state() {
    return PyThreadState_New(PyInterpreterState_Main());
}

inline void sleep_ms(int ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

inline int64_t milliseconds() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Things, and an end to what waits for ever.
class Threads : public Things {
protected:
    static constexpr unsigned kSeconds = 240;

    void SetUp() override {
        alarm(kSeconds);
        Things::SetUp();
    }

    void TearDown() override {
        Things::TearDown();
        alarm(0);
    }

    // Whether several threads can be attached at once.
    static bool is_free_threaded() {
        return !std::string_view(GetParam()).starts_with(kOwnedCounts);
    }
};

// Where several threads are attached at once.
#ifdef OURO_REFCOUNT_PLAIN
#define EVERY_FREE_RUNTIME(suite) GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite)
#else
#define EVERY_FREE_RUNTIME(suite) \
    INSTANTIATE_TEST_SUITE_P(Counts, suite, testing::Values("atomic", "biased"), runtime_name)
#endif

}  // namespace ouro::test
