#include "core/mutator/traversal.hpp"

#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "concurrency/point/point.hpp"
#include "concurrency/thread/sync.hpp"
#include "core/heap/fault.hpp"
#include "core/heap/traversed.hpp"
#include "core/mutator/hooks.hpp"
#include "core/mutator/world.hpp"

namespace ouro::mutator {
namespace {

// So many bytes of all threads may wait before a thread that has a large part of them waits.
constexpr size_t kLimit = size_t{16} << 20;
constexpr size_t kGoodPart = kLimit / 16;

reclaim::Limbo& freed_beside =
    *new reclaim::Limbo(heap::traversal_epochs(), heap::give_back);  // as long-lived as the process

// The calling thread's, if it is the traversing one.
constinit thread_local Traversal* own __attribute__((tls_model("initial-exec"))) = nullptr;

void wait_for(uint64_t goal) {
    if (own != nullptr) {
        own->quiesce();  // it frees only at quiescent points: Traversal::pause
        return;
    }
    if (heap::traversal_epochs().passed(goal)) {
        return;
    }
    const int64_t from = thread::SystemSync::now_ns();
    do {
        if (point::hook != nullptr) {
            thread::SystemSync::yield();
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
    } while (!heap::traversal_epochs().passed(goal));
    if (hooks.note_wait_for_traversal != nullptr) {
        hooks.note_wait_for_traversal(from, thread::SystemSync::now_ns());
    }
}

bool make_room(reclaim::Limbo::Queue& queue) {
    if (queue.has_room()) {
        return true;
    }
    if (heap::allocation_fails()) {
        return false;
    }
    try {
        queue.prepare();
    } catch (const std::bad_alloc&) {
        return false;
    }
    return true;
}

void free_beside(void* p) {
    PyThreadState* state = current;
    if (state == nullptr || !make_room(*state->freed_beside)) {
        // No memory for an entry, so it is freed here, when no thread reads it any more.
        wait_for(heap::traversal_epochs().advance());
        heap::give_back(p);
        return;
    }
    reclaim::Limbo::Queue& queue = *state->freed_beside;
    if (!freed_beside.defer(queue, p, heap::usable_size(p))) {
        return;
    }
    freed_beside.reclaim(queue);
    if (freed_beside.bytes() > kLimit && queue.bytes() > kGoodPart) {
        wait_for_traversal();
        freed_beside.reclaim(queue);
    }
}

// The field still has the old place. It is freed when the thread resizes another buffer or is at a safepoint:
// then the new place has been stored (inv.reclaim.unlink-before-goal).
void free_moved_beside(void* p) {
    if (void* before = std::exchange(current->moved_beside, p)) {
        free_beside(before);
    }
}

}  // namespace

Traversal::Traversal() {
#ifdef OURO_TRAVERSAL_NONE
    Py_FatalError("this library was built without concurrent collections");
#endif
    if (heap::is_traversed()) {
        Py_FatalError("a concurrent traversal begins while another lives");
    }
    own = this;
    heap::traversal_epochs().add(reader_);
    heap::traversal_epochs().enter(reader_);
    heap::begin_traversal(free_beside, free_moved_beside);
}

Traversal::~Traversal() {
    pause();
    heap::end_traversal();
    heap::traversal_epochs().remove(reader_);
    own = nullptr;
}

void Traversal::abandon() {
    heap::traversal_epochs().leave(reader_);
    heap::end_traversal();
}

void Traversal::quiesce() {
    if (!paused_) {
        heap::traversal_epochs().quiesce(reader_);
    }
}

void Traversal::pause() {
    paused_ = true;
    heap::traversal_epochs().leave(reader_);
}

void Traversal::resume() {
    paused_ = false;
    heap::traversal_epochs().enter(reader_);
}

void give_back_freed_beside(PyThreadState* state) {
    if (void* moved = std::exchange(state->moved_beside, nullptr)) {
        free_beside(moved);
    }
    if (state->freed_beside->size() > 0 || freed_beside.any_left()) {
        freed_beside.reclaim(*state->freed_beside);
    }
}

void leave_freed_beside(PyThreadState* state) {
    freed_beside.abandon(std::move(state->freed_beside));
}

void wait_for_traversal() {
    if (current == nullptr || !world.stopped_by(current->thread)) {
        wait_for(heap::traversal_epochs().advance());
    }
}

size_t freed_beside_bytes() {
    return freed_beside.bytes();
}

}  // namespace ouro::mutator
