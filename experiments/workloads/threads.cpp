#include "experiments/workloads/threads.hpp"

#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "Python.h"

namespace ouro::workloads {
namespace {

// The first exception of several threads.
class FirstError {
public:
    template <typename Work>
    void guard(const Work& work) {
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (error_ == nullptr) {
                error_ = std::current_exception();
            }
        }
    }
    void rethrow() const {
        if (error_ != nullptr) {
            std::rethrow_exception(error_);
        }
    }

private:
    std::mutex mutex_;
    std::exception_ptr error_;
};

void attached(const std::function<void()>& work) {
    const PyGILState_STATE state = PyGILState_Ensure();
    work();
    PyGILState_Release(state);
}

}  // namespace

void wait_detached(const std::function<void()>& wait) {
    Py_BEGIN_ALLOW_THREADS;
    wait();
    Py_END_ALLOW_THREADS;
}

void run_threads(unsigned threads, const std::function<void(unsigned)>& work) {
    FirstError error;
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) {
        others.emplace_back([&error, &work, i] {
            error.guard([&] { attached([&] { error.guard([&] { work(i); }); }); });
        });
    }
    error.guard([&] { work(0); });
    wait_detached([&] {
        for (std::thread& other : others) {
            other.join();
        }
    });
    error.rethrow();
}

void run_in_exited_thread(const std::function<void()>& work) {
    FirstError error;
    wait_detached([&] {
        std::thread([&] { error.guard([&] { attached([&] { error.guard(work); }); }); }).join();
    });
    error.rethrow();
}

BlockedThread::BlockedThread(const std::function<void()>& work) {
    FirstError error;
    thread_ = std::thread([this, &work, &error] {
        attached([&] {
            error.guard(work);
            wait_detached([this] {
                worked_.set_value();
                end_.get_future().wait();
            });
        });
    });
    wait_detached([this] { worked_.get_future().wait(); });
    try {
        error.rethrow();
    } catch (...) {
        join();
        throw;
    }
}

BlockedThread::~BlockedThread() {
    join();
}

void BlockedThread::join() {
    end_.set_value();
    wait_detached([this] { thread_.join(); });
}

}  // namespace ouro::workloads
