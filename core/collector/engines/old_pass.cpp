#include "core/collector/engines/old_pass.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace ouro::collector {
namespace {

// So many slots are coloured in the time of one object's traversal or less.
constexpr uint32_t kSlotsAUnit = 8;

}  // namespace

OldPass::OldPass(bool noisy, SliceWorkers& workers)
    : OldPass(noisy, workers, heap::HeapView<heap::Stopped>()) {}

OldPass::OldPass(bool noisy, SliceWorkers& workers, const heap::HeapView<heap::Stopped>& now)
    : shared_{.noisy = noisy,
              .slots = static_cast<uint32_t>(now.slot_limit()),
              .queue = BlockQueue(now)},
      end_(now.end_of_blocks()), all_{now.first_block(), end_}, threads_(workers),
      workers_(workers.places()) {
    workers_[0].emplace(shared_, true);
}

OldPass::~OldPass() {
    if (!counting_) {
        return;
    }
    cleared_ = 0;
    Deadline none = Deadline::none();
    (void)clear_near_counts(none);
    clear_carried();
}

template <class Visit>
void OldPass::for_each_worker(const Visit& visit) {
    for (auto& worker : workers_) {
        if (worker) {
            visit(*worker);
        }
    }
}

template <class Is>
bool OldPass::any_worker(const Is& is) const {
    return std::ranges::any_of(workers_, [&](const auto& worker) { return worker && is(*worker); });
}

// The slots of old objects that something was carried for.
template <class Visit>
void OldPass::for_each_carried(const Visit& visit) {
    for_each_worker([&](const Worker& worker) {
        for (const uint32_t slot : worker.carried) {
            if (view_.is_old(slot)) {
                visit(slot);
            }
        }
    });
}

size_t OldPass::objects() const {
    size_t objects = 0;
    for (const auto& worker : workers_) {
        objects += worker ? worker->objects() : 0;
    }
    return objects;
}

// Null: there is no memory for one.
OldPassWorker* OldPass::worker_at(unsigned place) noexcept {
    std::optional<Worker>& worker = workers_[place];
    if (!worker) {
        try {
            worker.emplace(shared_, false);
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }
    return &*worker;
}

void OldPass::check_memory() const {
    if (any_worker([](const Worker& worker) { return worker.is_out_of_memory(); })) {
        throw std::bad_alloc();
    }
}

// A slice of a step, by all who take part; in a stop by the calling thread for all who did.
void OldPass::let_work(Deadline& deadline, void (Worker::*step)(Deadline&)) {
    if (shared_.world == World::kRunning) {
        threads_.run(deadline, [&](unsigned place, Deadline& until) {
            if (Worker* worker = worker_at(place)) {
                worker->work(step, until);
            }
        });
    } else {
        for_each_worker([&](Worker& worker) { worker.work(step, deadline); });
    }
    check_memory();
}

bool OldPass::has_aside() const {
    return any_worker([](const Worker& worker) { return worker.has_aside(); });
}

// Whether there is nothing left to take, and nothing left of what was taken.
bool OldPass::is_at_end() const {
    return shared_.queue.is_empty() &&
           !any_worker([](const Worker& worker) { return !worker.is_done(); });
}

// A slice of counting or of marking: in a stop what was put aside, with one step; then, unless the stop was for that, the
// other step. kDone: nothing is left.
Next OldPass::slice(Deadline& deadline, World world, void (Worker::*aside)(Deadline&),
                    void (Worker::*step)(Deadline&)) {
    shared_.world = world;
    if (world == World::kStopped && has_aside()) {
        let_work(deadline, aside);
        if (has_aside()) {
            return Next::kStop;
        }
    }
    if (!std::exchange(asked_, false)) {
        let_work(deadline, step);
    }
    const bool at_end = is_at_end();
    asked_ = any_worker([](const Worker& worker) { return worker.must_stop(); }) ||
             (at_end && has_aside());
    return asked_ ? Next::kStop : at_end ? Next::kDone : Next::kMore;
}

void OldPass::hand_out_from(heap::Block* from) {
    shared_.queue.restart(from);
    for_each_worker([](Worker& worker) { worker.begin_sweep(); });
}

// Of slots that were not old, or not yet in a block, when the last pass came by, something may be left.
bool OldPass::clear_near_counts(Deadline& deadline) {
    constexpr size_t part = 64 << 10;
    for (; cleared_ < shared_.slots; cleared_ += part) {
        std::memset(view_.near_counts(0) + cleared_, 0, std::min(part, shared_.slots - cleared_));
        if (deadline.has_passed_now()) {
            cleared_ += part;
            return cleared_ >= shared_.slots;
        }
    }
    return true;
}

Next OldPass::count(Deadline& deadline, World world) {
    if (!clear_near_counts(deadline)) {
        return Next::kMore;
    }
    return slice(deadline, world, &Worker::count_aside, &Worker::count);
}

// Adds the counts of the block's objects in tables of their own to the heap's.
void OldPass::add_counts_to_heap(const heap::Block* block) {
    const uint32_t end = std::min(block->first_slot + block->capacity, shared_.slots);
    for (uint32_t slot = block->first_slot; slot < end; ++slot) {
        int32_t sum = 0;
        for_each_worker([&](const Worker& worker) { worker.add_near_count(slot, sum); });
        sum += view_.near_count(slot);
        const auto near = static_cast<int8_t>(sum);
        view_.near_count(slot) = near;
        if (near != sum) {
            workers_[0]->carry(slot, (sum - near) / 256);
        }
    }
}

void OldPass::colour_block(const heap::Block* block) {
    const uint32_t first = block->first_slot;
    for (uint32_t slot = first, end = first + block->capacity; slot < end; ++slot) {
        // inv.exact.one-owner
        if (view_.is_old(slot) && !view_.is_condemned(slot)) {
            view_.set_mark(slot, view_.near_count(slot) != 0 ? heap::kGrey : heap::kWhite);
        }
    }
    std::memset(view_.near_counts(first), 0, block->capacity);
}

// An object whose byte is zero by chance is grey too, if something was carried: looked at in a stop, where
// no young collection uses the words of slots that are not old any more.
Next OldPass::colour(Deadline& deadline, World world) {
    const bool adds = std::ranges::count_if(workers_, [](auto& worker) { return !!worker; }) > 1;
    for (heap::Block*& block = all_.block; block < end_;) {
        const heap::Block* const here = block++;
        if (view_.has_containers(here)) {
            if (adds) {
                add_counts_to_heap(here);
            }
            colour_block(here);
            if (deadline.has_passed(here->capacity / kSlotsAUnit)) {
                return Next::kMore;
            }
        }
    }
    check_memory();
    if (world == World::kRunning &&
        any_worker([](const Worker& worker) { return !worker.carried.empty(); })) {
        return Next::kStop;
    }
    for_each_carried([this](uint32_t slot) {
        if (view_.count_of_old(slot) != 0 && view_.mark(slot) == heap::kWhite) {
            view_.set_mark(slot, heap::kGrey);
        }
    });
    clear_carried();
    counting_ = false;
    hand_out_from(view_.first_block());
    return Next::kDone;
}

void OldPass::clear_carried() {
    view_.near_count(0) = 0;
    for_each_carried([this](uint32_t slot) { view_.count_of_old(slot) = 0; });
    // A young collection may be looking up what is no object (HeapView::load_count).
    __atomic_store_n(&view_.count_of_old(0), 0, __ATOMIC_RELAXED);
    for_each_worker([](Worker& worker) { worker.carried.clear(); });
}

// When a sweep is over and nothing is left to follow: whether there must be another, which is begun.
bool OldPass::sweeps_again() {
    heap::Block* from = nullptr;
    int marked = 0;
    for_each_worker([&](const Worker& worker) {
        heap::Block* left = worker.restart();
        from = from == nullptr || (left != nullptr && left < from) ? left : from;
        marked += worker.has_marked() ? 1 : 0;
    });
    if (marked > 1) {
        from = view_.first_block();
    }
    if (from != nullptr) {
        hand_out_from(from);
    }
    return from != nullptr;
}

Next OldPass::mark(Deadline& deadline, World world) {
    const Next next = slice(deadline, world, &Worker::mark_aside, &Worker::mark);
    if (next != Next::kDone) {
        return next;
    }
    if (sweeps_again()) {
        return Next::kMore;
    }
    all_.go_to(view_.first_block());
    return Next::kDone;
}

Next OldPass::list(Deadline& deadline, Candidates& candidates) {
    if (candidates.capacity() < objects()) {
        candidates.reserve(objects());  // address space: nothing is moved later
    }
    const bool at_end = walk(view_, all_, deadline, [&](uint32_t slot, uint32_t i) {
        if (view_.mark(slot) == heap::kWhite) {
            candidates.push_back(heap::object_at(all_.block, i));
        }
        return 1u;
    });
    return at_end ? Next::kDone : Next::kMore;
}

}  // namespace ouro::collector
