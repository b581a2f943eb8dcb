#include "core/mutator/suspects.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <span>
#include <utility>

#include "core/heap/pages.hpp"
#include "core/mutator/allocation_trigger.hpp"
#include "core/mutator/state.hpp"

namespace ouro::mutator {
namespace {

// 2 MiB of addresses: as many as a collector could not look at between two young collections by far.
constexpr size_t kMostWaiting = size_t{256} << 10;

struct Shared {
    std::mutex mutex;
    heap::PageVector<PyObject*> waiting;
    size_t taken = 0;             // of these, from the first on
    std::atomic<size_t> size{0};  // of the others
    std::atomic<uint64_t> round{1};
    std::atomic<size_t> batch{SIZE_MAX};
};

// Never destroyed: threads may note while the process exits.
Shared& shared = *new Shared;

void note_size() {
    shared.size.store(shared.waiting.size() - shared.taken, std::memory_order_relaxed);
}

// Those that wait to the front of the list.
void forget_taken() {
    shared.waiting.erase(shared.waiting.begin(),
                         shared.waiting.begin() + static_cast<ptrdiff_t>(shared.taken));
    shared.taken = 0;
}

// They are lost if there is no room, or no memory.
void append(std::span<PyObject* const> suspects) {
    auto& waiting = shared.waiting;
    if (2 * shared.taken >= waiting.size()) {
        forget_taken();  // at least as many are away as are moved
    }
    if (waiting.size() - shared.taken + suspects.size() > kMostWaiting) {
        return;
    }
    try {
        waiting.insert(waiting.end(), suspects.begin(), suspects.end());
    } catch (const std::bad_alloc&) {
        return;
    }
    note_size();
}

}  // namespace

bool SuspectBuffer::note(PyObject* op) {
    const uint64_t round = shared.round.load(std::memory_order_relaxed);
    if (round_ != round) {
        round_ = round;
        remembered_.fill(nullptr);
    }
    const auto place = (reinterpret_cast<uintptr_t>(op) >> 4) % kRemembered;
    if (remembered_[place] == op) {
        return false;
    }
    remembered_[place] = op;
    noted_[size_++] = op;
    return size_ >= std::min(kNoted, shared.batch.load(std::memory_order_relaxed));
}

void SuspectBuffer::flush() {
    if (size_ == 0) {
        return;
    }
    const std::lock_guard guard(shared.mutex);
    append({noted_.data(), std::exchange(size_, 0)});
}

void note_suspect(PyObject* op) {
    SuspectBuffer& mine = current->suspects;
    if (mine.note(op)) {
        mine.flush();
        if (suspects_are_due()) {
            allocation_trigger.call_at_next();
        }
    }
}

void set_suspect_batch(size_t count) {
    shared.batch.store(count, std::memory_order_relaxed);
}

bool suspects_are_due() {
    return shared.size.load(std::memory_order_relaxed) >=
           shared.batch.load(std::memory_order_relaxed);
}

void gather_suspects() {
    if (current != nullptr) {
        current->suspects.flush();
    }
    shared.round.fetch_add(1, std::memory_order_relaxed);
}

PyObject* take_suspect() {
    const std::lock_guard guard(shared.mutex);
    if (shared.taken == shared.waiting.size()) {
        return nullptr;
    }
    PyObject* op = shared.waiting[shared.taken++];
    note_size();
    return op;
}

void forget_suspects() {
    const std::lock_guard guard(shared.mutex);
    heap::empty_pages(shared.waiting);
    shared.taken = 0;
    shared.round.fetch_add(1, std::memory_order_relaxed);
    note_size();
}

}  // namespace ouro::mutator
