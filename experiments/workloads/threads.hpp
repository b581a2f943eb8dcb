// The one place where a workload's threads begin: each is attached to the runtime, works, is detached.
#pragma once

#include <functional>
#include <future>
#include <thread>

namespace ouro::workloads {

// Runs work(0) to work(threads - 1), each in an attached thread, and returns when all have ended: the
// calling thread, which must be attached, has number 0. One thread is the caller alone. If calls of
// `work` throw, the first exception is thrown again here.
void run_threads(unsigned threads, const std::function<void(unsigned)>& work);

// Runs work() in a thread of its own that has exited on return.
void run_in_exited_thread(const std::function<void()>& work);

// A thread that is attached for some work and blocked, detached, as long as this lives.
class BlockedThread {
public:
    // Returns when work() has returned in the thread; throws what it throws.
    explicit BlockedThread(const std::function<void()>& work);
    // The calling thread is attached.
    ~BlockedThread();
    BlockedThread(const BlockedThread&) = delete;
    BlockedThread& operator=(const BlockedThread&) = delete;

private:
    void join();

    std::promise<void> worked_, end_;
    std::thread thread_;
};

// Waits detached from the runtime, so that no stop waits for the caller: wait() returns when it may
// go on.
void wait_detached(const std::function<void()>& wait);

}  // namespace ouro::workloads
