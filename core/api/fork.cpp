// Forks of the process.
#include <pthread.h>

#include <mutex>
#include <utility>

#include "core/api/fork.hpp"
#include "core/api/pending_calls.hpp"
#include "core/builtins/module/import_lock.hpp"
#include "core/collector/collector.hpp"
#include "core/event/events.hpp"
#include "core/heap/heap.hpp"
#include "core/include/Python.h"
#include "core/mutator/fork.hpp"
#include "core/mutator/misuse.hpp"
#include "core/mutator/world.hpp"

namespace ouro::api {
namespace {

// Of the calling thread: PyOS_BeforeFork was called, and neither of the other two since.
constinit thread_local bool announced = false;
// How the fork that is being made was prepared.
constinit thread_local mutator::Fork preparation = mutator::Fork::kNoRuntime;

// Asks once.
bool was_prepared() {
    return std::exchange(preparation, mutator::Fork::kNoRuntime) == mutator::Fork::kPrepared;
}

void before() {
    preparation = mutator::begin_fork();
    if (preparation == mutator::Fork::kPrepared) {
        collector::collector().prepare_fork();
        mutator::stop_for_fork();
        collector::collector().before_fork();
        lock_pending_calls();
        event::before_fork();
    }
}

void after_in_parent() {
    if (was_prepared()) {
        event::after_fork();
        unlock_pending_calls();
        // First the collector's locks, then the world: who runs again may want them.
        collector::collector().after_fork_in_parent();
        mutator::start_after_fork();
        mutator::end_fork();
    }
}

void after_in_child() {
    if (preparation == mutator::Fork::kNoMemory) {
        mutator::forbid_use();
    }
    if (was_prepared()) {
        event::after_fork();
        unlock_pending_calls();
        collector::collector().after_fork_in_child();
        mutator::repair_after_fork();
        module::forget_importers();
        forget_other_end();
        mutator::end_fork();
    }
}

void before_unless_announced() {
    if (!announced) {
        before();
    }
}
void after_in_parent_unless_announced() {
    if (!announced) {
        after_in_parent();
    }
}
void after_in_child_unless_announced() {
    if (!announced) {
        after_in_child();
    }
}

}  // namespace

void watch_forks() {
    static const int registered = pthread_atfork(
        before_unless_announced, after_in_parent_unless_announced, after_in_child_unless_announced);
    if (registered != 0) {
        Py_FatalError("out of memory while the runtime prepared for forks of the process");
    }
}

}  // namespace ouro::api

using namespace ouro::api;

void PyOS_BeforeFork(void) {
    ouro::mutator::require_attached("PyOS_BeforeFork");
    if (announced) {
        ouro::mutator::refuse("PyOS_BeforeFork",
                              "it was called already, and none of PyOS_AfterFork_Parent and "
                              "PyOS_AfterFork_Child since");
    }
    before();
    announced = true;
}

void PyOS_AfterFork_Parent(void) {
    if (announced) {
        announced = false;
        after_in_parent();
    }
}

void PyOS_AfterFork_Child(void) {
    if (announced) {
        announced = false;
        after_in_child();
    }
}
