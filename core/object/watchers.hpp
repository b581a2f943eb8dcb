// Functions of the program's that want to be told of what happens to objects of a kind: eight places, whose indexes are
// their identifiers. Any attached thread may add, clear and tell.
#pragma once

#include <atomic>

#include "core/include/Python.h"

namespace ouro::object {

template <class Callback>
class Watchers {
public:
    static constexpr int kMost = 8;

    // `kind` is for messages, and outlives this.
    explicit constexpr Watchers(const char* kind) : kind_(kind) {}

    // The identifier; -1 with RuntimeError if all places are taken.
    int add(Callback callback) {
        for (int id = 0; id < kMost; ++id) {
            Callback none = nullptr;
            // release: whoever finds it sees what the caller prepared for it.
            if (callbacks_[id].compare_exchange_strong(none, callback, std::memory_order_release,
                                                       std::memory_order_relaxed)) {
                return id;
            }
        }
        PyErr_Format(PyExc_RuntimeError, "no more %s watcher IDs available", kind_);
        return -1;
    }

    // 0, or -1 with ValueError.
    int clear(int id) {
        if (check(id) < 0) {
            return -1;
        }
        callbacks_[id].store(nullptr, std::memory_order_relaxed);
        return 0;
    }

    // Whether there is one of that identifier: 0, or -1 with ValueError.
    int check(int id) const {
        if (id < 0 || id >= kMost) {
            PyErr_Format(PyExc_ValueError, "Invalid %s watcher ID %d", kind_, id);
            return -1;
        }
        if (callbacks_[id].load(std::memory_order_relaxed) == nullptr) {
            PyErr_Format(PyExc_ValueError, "No %s watcher set for ID %d", kind_, id);
            return -1;
        }
        return 0;
    }

    // The bit of the one of that identifier; 0 with ValueError.
    unsigned bit_of(int id) const { return check(id) < 0 ? 0 : 1U << static_cast<unsigned>(id); }

    // Calls call(callback) for each one whose bit is set in `which`.
    template <class Call>
    void tell(unsigned which, const Call& call) const {
        for (int id = 0; id < kMost; ++id) {
            // acquire: pairs with the release in add.
            const Callback callback =
                (which >> id & 1U) == 0 ? nullptr : callbacks_[id].load(std::memory_order_acquire);
            if (callback != nullptr) {
                call(callback);
            }
        }
    }

    // At the end of the runtime: there is none any more.
    void forget() {
        for (std::atomic<Callback>& each : callbacks_) {
            each.store(nullptr, std::memory_order_relaxed);
        }
    }

private:
    const char* const kind_;
    std::atomic<Callback> callbacks_[kMost]{};
};

}  // namespace ouro::object
