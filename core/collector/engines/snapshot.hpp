// Engine snapshot: a child process, made in a short stop, runs the passes of stw on its frozen copy of the
// heap, and says which slots are white. No type need be able to be traversed concurrently with mutators. What the
// child reads is private to it; what it writes is a bitmap of slots in shared memory, of which nothing is believed
// that does not pass the exact test.
//
// Price: the time to make it (the page tables of the whole process are copied), and a fault for each
// page that either writes while both are there.
//
// A child that cannot be made, crashes, or takes longer than the setting snapshot-limit-ms is reported by one
// event, and its work is done in slices as by the engine concurrent.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/collector/engine.hpp"
#include "core/collector/engines/child.hpp"
#include "core/collector/engines/sliced.hpp"
#include "core/event/events.hpp"

namespace ouro::collector {

class SnapshotEngine final : public Engine {
public:
    // `threads` read and test what the child names, as SliceWorkers says. Throws std::bad_alloc.
    explicit SnapshotEngine(size_t threads) : workers_(threads) {}
    ~SnapshotEngine() override { end(); }

    // Candidates are read as a traversal reads, which begins in a stop: blocks come and go meanwhile.
    bool reads_heap() const override {
        return instead_ ? instead_->reads_heap() : phase_ == OURO_PHASE_CANDIDATES;
    }
    void begin(Cycle cycle, Candidates& candidates) override;
    Next step(Deadline& deadline, World world, Candidates& candidates) override;
    OuroPhase phase() const override { return instead_ ? instead_->phase() : phase_; }
    void end() override;
    SliceWorkers* threads() override { return &workers_; }
    void before_fork() override { workers_.before_fork(); }
    void after_fork_in_child() override {
        child_.disown();
        workers_.after_fork_in_child();
    }
    size_t objects() const override;

private:
    // In memory that child and parent share; the bitmap of white slots follows.
    struct Report {
        std::atomic<uint64_t> objects;
        std::atomic<uint64_t> candidates;
        std::atomic<int64_t> born_ns;  // by the child, which may run before its parent does again
        event::Mapped at_birth;
    };

    static void work(void* self);
    uint64_t* bitmap() const { return reinterpret_cast<uint64_t*>(report_ + 1); }
    void kill_child();
    void tell_of_child();
    void fall_back();
    Next read(Deadline& deadline, Candidates& candidates);

    SliceWorkers workers_;
    Cycle cycle_{};
    OuroPhase phase_ = OURO_PHASE_MARK;
    Child child_;
    int64_t limit_ns_ = 0;  // when it is taking too long
    Report* report_ = nullptr;
    size_t report_bytes_ = 0;
    size_t slots_ = 0;
    const heap::Block* block_ = nullptr;  // to be read next
    std::optional<SlicedEngine> instead_;
};

}  // namespace ouro::collector
