// What a mutator does under load: one operation after the other, on objects of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace ouro::workloads {

// A number that one thread writes and others read.
class OwnCount {
public:
    // The writer's.
    void add(size_t n) {
        count_.store(count_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    size_t get() const { return count_.load(std::memory_order_relaxed); }

private:
    std::atomic<size_t> count_{0};
};

class Load {
public:
    Load();
    virtual ~Load() = default;
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    // One operation. Throws std::bad_alloc.
    virtual void step() = 0;
    // Lets go of everything that it holds.
    virtual void drop() = 0;
    // Containers that live as long as it goes on.
    virtual size_t live() const = 0;
    // Of the objects that instances_deallocated() counts, how many it has let go of so far. Any thread.
    virtual size_t unreachable() const = 0;
    // Of these how many still are there: dead and not deallocated. Only if no other load runs meanwhile.
    virtual size_t backlog() const;

private:
    size_t deallocated_before_;
};

// Makes what mutator `worker` of `workers` does, in its thread. Throws std::bad_alloc.
using MakeLoad = std::function<std::unique_ptr<Load>(unsigned worker, unsigned workers)>;

}  // namespace ouro::workloads
