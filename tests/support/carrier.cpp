#include "tests/support/carrier.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/fiber.hpp"

namespace ouro::test {
namespace {

// Stacks are made once: a run is short.
fiber::Stack& stack(size_t index) {
    static std::vector<std::unique_ptr<fiber::Stack>> stacks;
    while (stacks.size() <= index) {
        stacks.push_back(std::make_unique<fiber::Stack>());
    }
    return *stacks[index];
}

class FiberCarrier : public Carrier {
public:
    FiberCarrier(size_t index, std::function<void()> body)
        : fiber_(stack(index), [body = std::move(body)](fiber::Fiber&) { body(); }) {}

    bool resume() override {
        fiber_.resume();
        return true;
    }
    void suspend() override { fiber_.suspend(); }
    bool finished() const override { return fiber_.finished(); }

private:
    fiber::Fiber fiber_;
};

// More than any thread takes between two points, on however slow a machine.
constexpr std::chrono::seconds kPatience{60};

class ThreadCarrier : public Carrier {
public:
    explicit ThreadCarrier(std::function<void()> body)
        : baton_(std::make_shared<Baton>()), thread_([baton = baton_, body = std::move(body)] {
              baton->wait_for_turn();
              body();
              baton->finished = true;
              baton->pass(false);
          }) {}
    ~ThreadCarrier() override {
        if (thread_.joinable()) {
            thread_.detach();
        }
    }

    bool resume() override {
        baton_->pass(true);
        {
            std::unique_lock lock(baton_->mutex);
            if (!baton_->moved.wait_for(lock, kPatience, [this] { return !baton_->with_thread; })) {
                return false;
            }
        }
        if (baton_->finished) {
            thread_.join();  // what it does while it exits is part of its last step
        }
        return true;
    }
    void suspend() override {
        const std::shared_ptr<Baton> baton = baton_;  // the carrier may be gone once it is passed
        baton->pass(false);
        baton->wait_for_turn();
    }
    bool finished() const override { return baton_->finished; }

private:
    // Shared, because a thread may be left waiting for its turn.
    struct Baton {
        std::mutex mutex;
        std::condition_variable moved;
        bool with_thread = false;
        bool finished = false;  // changed and read by who has the baton

        void pass(bool to_thread) {
            const std::lock_guard lock(mutex);
            with_thread = to_thread;
            moved.notify_one();
        }
        void wait_for_turn() {
            std::unique_lock lock(mutex);
            moved.wait(lock, [this] { return with_thread; });
        }
    };

    std::shared_ptr<Baton> baton_;
    std::thread thread_;
};

}  // namespace

std::unique_ptr<Carrier> carry_by_fiber(size_t index, std::function<void()> body) {
    return std::make_unique<FiberCarrier>(index, std::move(body));
}

std::unique_ptr<Carrier> carry_by_system_thread(std::function<void()> body) {
    return std::make_unique<ThreadCarrier>(std::move(body));
}

OneCore::OneCore() {
    CPU_ZERO(&before_);
    (void)sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
    (void)sched_setaffinity(0, sizeof one, &one);  // refused: slower
}

OneCore::~OneCore() {
    (void)sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace ouro::test
