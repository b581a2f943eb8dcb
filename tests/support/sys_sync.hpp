// The Sync policy (concurrency/thread/sync.hpp) of the seeded scheduler: each operation is an
// interleaving point, time is virtual, a wait is a fiber that does not run. Outside of a scheduler's run
// the operations are plain.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

#include "tests/support/scheduler.hpp"

namespace ouro::test {

struct SysSync {
    static constexpr int kRelaxes = 1;

    static void point(const char* name, bool rather = false) {
        if (Scheduler* scheduler = Scheduler::current()) {
            scheduler->point(name, rather);
        }
    }
    static bool rarely() {
        Scheduler* scheduler = Scheduler::current();
        return scheduler != nullptr && scheduler->choices().rarely();
    }

    template <class T>
    class Atomic {
    public:
        using Order = std::memory_order;
        constexpr Atomic() = default;
        constexpr Atomic(T value) : value_(value) {}  // NOLINT(google-explicit-constructor)
        Atomic(const Atomic&) = delete;
        Atomic& operator=(const Atomic&) = delete;

        T load(Order) const {
            at("load");
            return value_;
        }
        void store(T value, Order) {
            at("store");
            value_ = value;
        }
        T exchange(T value, Order) {
            at("exchange");
            return std::exchange(value_, value);
        }
        T fetch_add(T value, Order) {
            at("fetch_add");
            return std::exchange(value_, static_cast<T>(value_ + value));
        }
        T fetch_sub(T value, Order) {
            at("fetch_sub");
            return std::exchange(value_, static_cast<T>(value_ - value));
        }
        T fetch_or(T value, Order) {
            at("fetch_or");
            return std::exchange(value_, static_cast<T>(value_ | value));
        }
        T fetch_and(T value, Order) {
            at("fetch_and");
            return std::exchange(value_, static_cast<T>(value_ & value));
        }
        bool compare_exchange_strong(T& expected, T desired, Order, Order) {
            at("compare_exchange");
            if (value_ != expected) {
                expected = value_;
                return false;
            }
            value_ = desired;
            return true;
        }
        bool compare_exchange_weak(T& expected, T desired, Order success, Order failure) {
            if (rarely()) {
                at("compare_exchange fails");
                expected = value_;
                return false;
            }
            return compare_exchange_strong(expected, desired, success, failure);
        }

    private:
        friend struct SysSync;
        // Before the operation, which is one step with what follows it up to the next point.
        static void at(const char* name) { SysSync::point(name); }
        T value_{};
    };

    class Mutex {
    public:
        constexpr Mutex() = default;
        void lock() {
            point("lock");
            while (locked_) {
                Scheduler::current()->block(this, std::numeric_limits<int64_t>::max());
            }
            locked_ = true;
        }
        void unlock() {
            locked_ = false;
            if (Scheduler* scheduler = Scheduler::current()) {
                scheduler->wake(this, 1);
            }
        }

    private:
        bool locked_ = false;
    };

    static bool wait(const Atomic<uint32_t>& word, uint32_t value, int64_t deadline_ns) {
        point("wait");
        if (word.value_ != value || rarely()) {
            return true;
        }
        return Scheduler::current()->block(&word, deadline_ns);
    }
    static void wake(const Atomic<uint32_t>& word, int count) {
        if (Scheduler* scheduler = Scheduler::current()) {
            scheduler->point("wake");
            scheduler->wake(&word, count);
        }
    }
    static int64_t now_ns() {
        Scheduler* scheduler = Scheduler::current();
        return scheduler == nullptr ? 0 : scheduler->now_ns();
    }
    static void relax() {
        if (Scheduler* scheduler = Scheduler::current()) {
            scheduler->relax();
        }
    }
    static void yield() { point("yield", true); }
    static unsigned processors() {
        Scheduler* scheduler = Scheduler::current();
        return scheduler == nullptr ? 1 : scheduler->choices().processors();
    }
};

}  // namespace ouro::test
