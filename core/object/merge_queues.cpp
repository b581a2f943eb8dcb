#include "core/object/merge_queues.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <new>

#include "concurrency/point/point.hpp"
#include "concurrency/refcount/merge.hpp"
#include "core/mutator/hooks.hpp"
#include "core/mutator/world.hpp"
#include "core/object/object.hpp"

namespace ouro::object {
namespace {

using mutator::world;

// While it is set, merging keeps the queue's reference to what would be dead, and lists it there.
Dead* kept = nullptr;

struct Policy {
    bool merge(void* object) {
        auto* op = static_cast<PyObject*>(object);
        const bool keep = kept != nullptr;
        const int32_t count =
            refcount::explicit_merge(biased_word(op), shared_word(op), keep ? 0 : -1);
        if (keep) {
            if (count == 1) {
                kept->push_back(op);  // room was reserved
            } else if (count > 1 && count != refcount::kImmortalCount) {
                (void)refcount::explicit_merge(biased_word(op), shared_word(op), -1);
            }
            return false;
        }
        if (count < 0) {
            Py_FatalError(fmt::format("an object of type {} has {} references: more were dropped "
                                      "than there were",
                                      Py_TYPE(op)->tp_name, count)
                              .c_str());
        }
        return count == 0;
    }
    void deallocate(void* object) { object::deallocate(static_cast<PyObject*>(object)); }
    // It was asked by try_suspend. If it is no more attached, then because somebody else keeps it
    // outside at this moment.
    void notify(uint32_t owner) {
        if (world.find(owner)->state() != thread::State::kAttached) {
            mutator::ask_for_help();
        }
    }
    // Asked first: request and state are one word, so either the owner, when it detaches, finds that
    // it has to drain, or it is found outside here.
    bool try_suspend(uint32_t owner) {
        thread::Thread* t = world.find(owner);
        world.request(t, thread::kDrainQueue);
        OURO_POINT("merge.suspend.requested");
        // In a stop of the caller's own nobody can be suspended who is not: others will help later.
        if (world.stopped_by(mutator::current->thread) ||
            !world.try_suspend(mutator::current->thread, t)) {
            return false;
        }
        (void)world.take_requests(t, thread::kDrainQueue);
        return true;
    }
    void resume(uint32_t owner) { (void)world.resume(world.find(owner)); }
    void pause() {
        if (mutator::poll()) {
            mutator::safepoint();
        }
        thread::SystemSync::yield();
    }
    void* allocate(size_t bytes) { return std::malloc(bytes); }
    void release(void* p, size_t) { std::free(p); }
};

using Queues = refcount::MergeQueues<Policy>;

// As long-lived as the process: threads of a finalized runtime may hold objects of others.
Policy policy;
Queues& queues = *new Queues(policy);

}  // namespace

void start_merge_queues() {
    mutator::hooks.drain_queue = [](uint32_t index) { (void)queues.drain(index); };
    mutator::hooks.merge_for = [](uint32_t index) { queues.merge_for(index); };
    mutator::hooks.register_owner = [](uint32_t index) { return queues.register_owner(index); };
    mutator::hooks.unregister_owner = [](uint32_t index) { queues.unregister_owner(index); };
}

void queue_to_owner(uint32_t owner, PyObject* op) {
    queues.push(owner, op);
}

bool merge_all_queues(Dead& dead) {
    const size_t entries = queues.usage().entries;
    if (entries == 0) {
        return true;
    }
    try {
        dead.reserve(dead.size() + entries);
    } catch (const std::bad_alloc&) {
        return false;
    }
    kept = &dead;
    world.for_each([](thread::Thread& t) { (void)queues.drain(t.index()); });
    kept = nullptr;
    return true;
}

refcount::QueueUsage queue_usage() {
    return queues.usage();
}

}  // namespace ouro::object
