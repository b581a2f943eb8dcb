#include "core/collector/engines/snapshot.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>

#include "concurrency/worklist/executor.hpp"
#include "core/collector/engines/count_pass.hpp"
#include "core/collector/engines/mark_pass.hpp"
#include "core/event/events.hpp"
#include "core/heap/view.hpp"
#include "core/option/settings.hpp"

namespace ouro::collector {
namespace {

// How long the collector's thread sleeps before it looks whether it is still wanted.
constexpr int64_t kWaitNs = 1'000'000;

}  // namespace

// In the child.
void SnapshotEngine::work(void* arg) {
    auto* self = static_cast<SnapshotEngine*>(arg);
    self->report_->born_ns.store(event::monotonic_ns(), std::memory_order_relaxed);
    self->report_->at_birth = event::mapped();
    worklist::Executor alone(1);
    CountPass count(alone);
    MarkPass mark(alone);
    count.run();
    count.find_roots();
    mark.run();
    uint64_t candidates = 0;
    uint64_t* bitmap = self->bitmap();
    const heap::HeapView<heap::Stopped> view;
    view.for_each_container_block([&](const heap::Block* block) {
        view.for_each_white(block, [&](uint32_t i) {
            const uint32_t slot = block->first_slot + i;
            bitmap[slot / 64] |= uint64_t{1} << (slot % 64);
            ++candidates;
        });
    });
    // relaxed: the parent reads when this process has ended.
    self->report_->objects.store(count.objects(), std::memory_order_relaxed);
    self->report_->candidates.store(candidates, std::memory_order_relaxed);
}

void SnapshotEngine::begin(Cycle cycle, Candidates&) {
    cycle_ = cycle;
    phase_ = OURO_PHASE_MARK;
    heap::clear_young();
    const heap::HeapView<heap::Stopped> view;
    slots_ = view.slot_limit();
    report_bytes_ = sizeof(Report) + slots_ / 64 * sizeof(uint64_t);
    void* shared =
        mmap(nullptr, report_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        report_ = nullptr;
        return fall_back();
    }
    report_ = new (shared) Report();
    event::Span span(OURO_PHASE_FORK, cycle);
    span.event.bytes = heap::usage().heap_bytes;
    report_->born_ns.store(event::monotonic_ns(), std::memory_order_relaxed);  // if it never says
    if (child_.start(work, this) != 0) {
        return fall_back();
    }
    limit_ns_ = event::monotonic_ns() +
                static_cast<int64_t>(option::settings().snapshot_limit_ms) * 1'000'000;
    block_ = view.first_block();
}

void SnapshotEngine::kill_child() {
    if (child_.is_there()) {
        child_.kill();
        tell_of_child();
    }
}

// When it has ended, whichever way.
void SnapshotEngine::tell_of_child() {
    event::Phase phase(OURO_PHASE_CHILD, cycle_);
    phase.event.start_ns = report_->born_ns.load(std::memory_order_relaxed);
    phase.event.cpu_ns = child_.cpu_ns();
    phase.event.thread = static_cast<uint64_t>(child_.process());
    phase.event.objects = report_->objects.load(std::memory_order_relaxed);
    phase.event.candidates = report_->candidates.load(std::memory_order_relaxed);
    phase.event.rss_bytes = report_->at_birth.resident_bytes;
    phase.event.page_table_bytes = report_->at_birth.page_table_bytes;
    phase.end();
}

void SnapshotEngine::fall_back() {
    kill_child();
    const event::Span span(OURO_PHASE_FALLBACK, cycle_);
    instead_.emplace(1);
}

Next SnapshotEngine::step(Deadline& deadline, World world, Candidates& candidates) {
    if (instead_ && instead_->has_begun()) {
        return instead_->step(deadline, world, candidates);
    }
    if (instead_) {
        if (world == World::kRunning) {
            return Next::kStop;
        }
        instead_->begin(cycle_, candidates);
        return Next::kMore;
    }
    if (phase_ == OURO_PHASE_CANDIDATES) {
        return read(deadline, candidates);
    }
    switch (child_.wait(kWaitNs)) {
        case Child::State::kDone:
            tell_of_child();
            phase_ = OURO_PHASE_CANDIDATES;
            candidates.reserve(report_->candidates.load(std::memory_order_relaxed));
            return Next::kStop;
        case Child::State::kFailed:
            tell_of_child();
            fall_back();
            break;
        case Child::State::kRunning:
            if (event::monotonic_ns() > limit_ns_) {
                fall_back();
            }
            break;
    }
    return Next::kMore;
}

// What is not old any more has been freed since; only slot numbers are believed.
Next SnapshotEngine::read(Deadline& deadline, Candidates& candidates) {
    const heap::HeapView<heap::Concurrent> view;
    const heap::Block* end = view.first_block() + heap::block_limit();
    for (; block_ < end; ++block_) {
        const heap::Block* block = block_;
        if (!view.has_containers(block) || size_t{block->first_slot} + block->capacity > slots_) {
            continue;
        }
        for (uint32_t first = 0; first < block->capacity; first += 64) {
            uint64_t white = bitmap()[(block->first_slot + first) / 64];
            for (; white != 0; white &= white - 1) {
                const uint32_t i = first + static_cast<uint32_t>(std::countr_zero(white));
                if (i < block->capacity && view.is_old(block->first_slot + i)) {
                    candidates.push_back(heap::object_at(block, i));
                }
            }
        }
        if (deadline.has_passed(block->capacity / 64)) {
            ++block_;
            return Next::kMore;
        }
    }
    return Next::kDone;
}

void SnapshotEngine::end() {
    kill_child();
    instead_.reset();
    if (report_ != nullptr) {
        munmap(report_, report_bytes_);
        report_ = nullptr;
    }
}

size_t SnapshotEngine::objects() const {
    return instead_             ? instead_->objects()
           : report_ != nullptr ? report_->objects.load(std::memory_order_relaxed)
                                : 0;
}

std::unique_ptr<Engine> make_snapshot(const option::Settings& settings) {
    return std::make_unique<SnapshotEngine>(settings.workers);
}

std::unique_ptr<Engine> make_snapshot_sync(const option::Settings&) {
    return std::make_unique<SnapshotEngine>(1);
}

}  // namespace ouro::collector
