// Work in slices, which threads may join while a slice lasts, and leave when they like.
//
//     Crew<Deadline> crew(4);
//
//     crew.open(job);          // a slice begins
//     crew.join(deadline);     // works, as whoever else joins
//     crew.close(deadline);    // back when nobody works; between two slices all that the job uses is the caller's
//
//     crew.join(deadline);     // any other thread: works, and is back at once where no slice is open
//
// Who joins gets a place below places(), which nobody else has meanwhile, and calls job(place, argument). So what
// belongs to a place (a cursor, a stack, a table of its own) needs no synchronisation, and what one left unfinished goes
// on with the next who has the place: close itself joins each place that was ever taken and is free.
//
// Cost: join is two atomic operations; close the same for each place, and it waits for those who are in.
#pragma once

#include <atomic>
#include <cstdint>

#include "concurrency/thread/sync.hpp"

namespace ouro::worklist {

template <class Argument, class Sync = thread::SystemSync>
class Crew {
public:
    static constexpr unsigned kMost = 16;

    // 1 to kMost.
    explicit Crew(unsigned places) : places_(places) {}
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    unsigned places() const { return places_; }

    // Begins a slice. By one thread, the owner, which also closes it. The job outlives it, and may not throw.
    template <class Job>
    void open(const Job& job) {
        job_ = &job;
        call_ = [](const void* arg, unsigned place, Argument& argument) {
            (*static_cast<const Job*>(arg))(place, argument);
        };
        // release: pairs with the acquire of take.
        state_.store(kOpen, std::memory_order_release);
    }

    // Takes part in the open slice; false if none is, or all places are taken.
    bool join(Argument& argument) {
        for (unsigned place = 0; place < places_; ++place) {
            switch (take(place)) {
                case Taken::kMine:
                    work(place, argument);
                    return true;
                case Taken::kOthers:
                    break;
                case Taken::kClosed:
                    return false;
            }
        }
        return false;
    }

    // Ends the slice: works at each free place that has ever been taken, and waits until everybody has left.
    void close(Argument& argument) {
        for (unsigned place = 0; place < used_.load(std::memory_order_relaxed); ++place) {
            if (take(place) == Taken::kMine) {
                work(place, argument);
            }
        }
        // acquire: pairs with the release of leave.
        uint32_t left = state_.fetch_sub(kOpen, std::memory_order_acquire) - kOpen;
        const auto nobody = [&] {
            left = state_.load(std::memory_order_acquire);
            return left == 0;
        };
        while (left != 0 && !thread::spin_until<Sync>(nobody, kSpinNs)) {
            (void)Sync::wait(state_, left, thread::kForever);
        }
    }

private:
    enum class Taken { kMine, kOthers, kClosed };

    static constexpr uint32_t kOpen = uint32_t{1} << 31;
    // Who is in leaves soon; to sleep and to be woken takes longer than this.
    static constexpr int64_t kSpinNs = 20'000;

    static uint32_t bit(unsigned place) { return uint32_t{1} << place; }

    Taken take(unsigned place) {
        uint32_t state = state_.load(std::memory_order_relaxed);
        do {
            if ((state & kOpen) == 0) {
                return Taken::kClosed;
            }
            if ((state & bit(place)) != 0) {
                return Taken::kOthers;
            }
            // acquire: pairs with open, and with the release of who had the place before.
        } while (!state_.compare_exchange_weak(state, state | bit(place), std::memory_order_acquire,
                                               std::memory_order_relaxed));
        uint32_t used = used_.load(std::memory_order_relaxed);
        while (used <= place &&
               !used_.compare_exchange_weak(used, place + 1, std::memory_order_relaxed,
                                            std::memory_order_relaxed)) {
        }
        return Taken::kMine;
    }

    void work(unsigned place, Argument& argument) {
        call_(job_, place, argument);
        const uint32_t before = state_.fetch_sub(bit(place), std::memory_order_release);
        if (before == bit(place)) {  // the slice has been closed, and this is the last
            Sync::wake(state_, 1);
        }
    }

    const unsigned places_;
    // kOpen, and a bit for each place that is taken.
    typename Sync::template Atomic<uint32_t> state_{0};
    // Places that have ever been taken are below it.
    typename Sync::template Atomic<uint32_t> used_{0};
    // Written while no slice is open.
    void (*call_)(const void* job, unsigned place, Argument& argument) = nullptr;
    const void* job_ = nullptr;
};

}  // namespace ouro::worklist
