#include "core/collector/exact_test.hpp"

#include <algorithm>
#include <new>

#include "core/collector/chunks.hpp"
#include "core/collector/engines/slice_workers.hpp"
#include "core/heap/view.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

// So many objects are weighed together, for each thread that weighs, and in all: some 50 us, verdicts included.
constexpr size_t kBatch = 1024;
constexpr size_t kMostAtOnce = 4096;
// So few are weighed in less time than another thread needs to begin.
constexpr size_t kAlone = 256;
// In components of so many objects references are looked up together, which costs smaller ones more than it saves.
constexpr size_t kLarge = 64;
// Components that a thread takes at once to weigh them.
constexpr size_t kShare = 16;

}  // namespace

ExactTest::ExactTest(const Candidates& set, uint32_t pins, Memory& memory, SliceWorkers* threads,
                     bool (*keeps)(PyObject*))
    : set_(set), pins_(pins), keeps_(keeps), threads_(threads), numbers_(set, pins > 0),
      reader_(numbers_, memory.reading, threads), components_(memory.components),
      unexplained_(memory.unexplained), objects_(memory.objects), weighed_(memory.weighed),
      workers_(memory.workers), sharing_(memory.sharing) {
    unexplained_.reserve(set.size());
    components_.reserve_to_join(set.size());
    workers_.resize(threads != nullptr ? threads->in_stops() : 1);
    for (Worker& worker : workers_) {
        worker.test = this;
        worker.lookups = Lookups();  // its view is of this heap
        worker.out_of_memory = false;
        worker.all_forgotten = true;
    }
}

ExactTest::~ExactTest() {
    Deadline none = Deadline::none();
    (void)forget(none);
    components_.clear();
    heap::empty_pages(unexplained_);
    heap::empty_pages(objects_);
    heap::empty_pages(weighed_);
    for (Worker& worker : workers_) {
        heap::empty_pages(worker.outward);
    }
}

bool ExactTest::may_be_dead(PyObject* op) const {
    // At zero its deallocation is running, on a thread that is stopped in it.
    return numbers_.is_there(op) && !is_always_live(op) && Py_REFCNT(op) > 0;
}

// They have been judged, and references to them say nothing any more: they are alive, or nothing that is yet to be
// judged can be garbage and refer to them.
void ExactTest::forget(std::span<const Node> members) {
    for (const Node node : members) {
        all_forgotten_ = numbers_.take_back(set_[node]) && all_forgotten_;
    }
}

bool ExactTest::forget(Deadline& deadline) {
    const bool none_left = all_judged_ && all_forgotten_;
    return (none_left || numbers_.take_all_back(deadline)) && drop_large(unexplained_, deadline) &&
           drop_large(objects_, deadline) && reader_.drop(deadline) && components_.drop(deadline);
}

// Memory of members that the stops need is touched here, while the world runs.
bool ExactTest::order(Deadline& deadline) {
    return reader_.join(components_, deadline) && components_.order(deadline) &&
           reader_.drop(deadline) && lengthen(unexplained_, set_.size(), 0U, deadline) &&
           lengthen<PyObject*>(objects_, largest_batch(), nullptr, deadline);
}

int ExactTest::visit_to_weigh(PyObject* op, void* arg) {
    auto* worker = static_cast<Worker*>(arg);
    ExactTest* self = worker->test;
    ++worker->work;
    if (op == nullptr) {
        return 0;
    }
    self->add_reference(self->numbers_.of(op), *worker);
    return worker->out_of_memory ? -1 : 0;
}

int ExactTest::visit_to_weigh_later(PyObject* op, void* arg) {
    auto* worker = static_cast<Worker*>(arg);
    ++worker->work;
    if (op == nullptr) {
        return 0;
    }
    worker->lookups.ask(op, [worker] { worker->test->weigh_asked(*worker); });
    return worker->out_of_memory ? -1 : 0;
}

void ExactTest::weigh_asked(Worker& self) {
    self.lookups.look_up(
        numbers_,
        [this](uint32_t number) {
            components_.prefetch(number - 1);
            __builtin_prefetch(&unexplained_[number - 1], 1);
        },
        [this, &self](const PyObject*, uint32_t number) { add_reference(number, self); });
}

// From a member of the component that is weighed.
void ExactTest::add_reference(uint32_t number, Worker& self) {
    if (number == 0) {
        return;
    }
    const Node to = number - 1;
    if (components_.together(self.node, to)) {
        unexplained_[to] -= kReference;
        return;
    }
    try {
        self.outward.push_back(to);
    } catch (const std::bad_alloc&) {
        self.out_of_memory = true;
    }
}

std::span<PyObject*> ExactTest::objects(size_t component) const {
    const size_t first = components_.begin_of(weighed_to_ - 1);
    return {objects_.data() + (components_.begin_of(component) - first),
            components_.members(component).size()};
}

// Adds what refers to some members of a component, and takes away what they hold of each other. False: one of them may
// not be dead.
bool ExactTest::weigh_chunk(std::span<const Node> members, std::span<PyObject* const> objects,
                            visitproc visit, Worker& self) {
    if (!std::ranges::all_of(objects, [this](PyObject* op) { return may_be_dead(op); })) {
        return false;
    }
    for (size_t i = 0; i < members.size(); ++i) {
        PyObject* op = objects[i];
        uint32_t& unexplained = unexplained_[members[i]];
        unexplained += (static_cast<uint32_t>(Py_REFCNT(op)) - pins_) * kReference;
        unexplained |= keeps_ != nullptr && keeps_(op) ? kTainted : 0;
        Py_TYPE(op)->tp_traverse(op, visit, &self);
    }
    return true;
}

ExactTest::Weighed::Found ExactTest::weigh(std::span<const Node> members,
                                           std::span<PyObject* const> objects, Worker& self,
                                           Take take, uint32_t stopper) {
    using Found = Weighed::Found;
    self.work += static_cast<uint32_t>(members.size());
    self.node = members.front();
    const visitproc visit = members.size() < kLarge ? visit_to_weigh : visit_to_weigh_later;
    const bool all_may_be_dead = by_chunks(members.size(), [&](size_t from, size_t size) {
        return weigh_chunk(members.subspan(from, size), objects.subspan(from, size), visit, self);
    });
    weigh_asked(self);
    if (!all_may_be_dead || self.out_of_memory) {
        return Found::kLive;
    }
    uint32_t left = 0;
    for (const Node node : members) {
        left |= unexplained_[node];
    }
    // Nothing that is judged before it can be garbage and refer to it, or left would not be zero.
    if (left != 0 || !take(objects, stopper)) {
        return Found::kOpen;
    }
    for (const PyObject* op : objects) {
        self.all_forgotten = numbers_.take_back(op) && self.all_forgotten;
    }
    return Found::kTaken;
}

// Writes nothing that another thread reads or writes meanwhile but what `take` does.
void ExactTest::weigh(size_t component, uint32_t worker, Take take, uint32_t stopper) noexcept {
    Worker& self = workers_[worker];
    const std::span<const Node> members = components_.members(component);
    const std::span<PyObject*> all = objects(component);
    std::ranges::transform(members, all.begin(), [this](Node node) { return set_[node]; });
    const size_t outward = self.outward.size();
    const Weighed::Found found = weigh(members, all, self, take, stopper);
    weighed_[component - weighed_from_] = {found, worker, outward, self.outward.size()};
}

ExactTest::Piece::Piece(ExactTest& test) : test_(test), start_ns_(event::monotonic_ns()) {
    test.shares_ = test.workers_.size() > 1 && test.sharing_.is_worth_it();
    test.weighed_objects_ = 0;
}

ExactTest::Piece::~Piece() {
    test_.sharing_.took(test_.shares_, test_.weighed_objects_, event::monotonic_ns() - start_ns_);
}

size_t ExactTest::largest_batch() const {
    const size_t before_it = workers_.size() > 1 ? kMostAtOnce - 1 : 0;
    return std::min(set_.size(), before_it + components_.largest());
}

// One component, or as many as are worth it where threads help.
size_t ExactTest::end_of_batch() const {
    const size_t wanted = shares_ ? std::min(kBatch * workers_.size(), kMostAtOnce) : 1;
    size_t end = tested_;
    for (size_t objects = 0; end < components_.size() && objects < wanted; ++end) {
        objects += components_.members(end).size();
    }
    return end;
}

// Weighs what is left of the batch, as long as nobody else has taken it.
void ExactTest::weigh_until(size_t end, std::atomic<size_t>& next, uint32_t worker, Take take,
                            uint32_t stopper) noexcept {
    for (size_t from = next.fetch_add(kShare, std::memory_order_relaxed); from < end;
         from = next.fetch_add(kShare, std::memory_order_relaxed)) {
        for (size_t component = from; component < std::min(from + kShare, end); ++component) {
            weigh(component, worker, take, stopper);
        }
    }
}

void ExactTest::weigh_next(Take take) {
    const size_t end = end_of_batch();
    const size_t size = components_.begin_of(tested_) + components_.members(tested_).size() -
                        components_.begin_of(end - 1);
    if (objects_.size() < size) {
        objects_.resize(size);
    }
    weighed_.resize(end - tested_);
    weighed_from_ = tested_;
    weighed_to_ = end;
    for (Worker& worker : workers_) {
        worker.outward.clear();
        worker.work = 0;
    }
    const uint32_t stopper = _Ouro_ThreadWord;
    weighed_objects_ += size;
    if (!shares_ || size <= kAlone) {
        for (size_t component = weighed_from_; component < end; ++component) {
            weigh(component, 0, take, stopper);
        }
    } else {
        // On a line of its own: the stopper's stack is written all the time.
        struct alignas(64) {
            std::atomic<size_t> next;
        } queue{weighed_from_};
        threads_->run_in_stop([this, end, take, stopper, &queue](unsigned worker) {
            weigh_until(end, queue.next, worker, take, stopper);
        });
    }
    work_ = 0;
    for (Worker& worker : workers_) {
        work_ += worker.work;
        all_forgotten_ = all_forgotten_ && worker.all_forgotten;
    }
}

void ExactTest::check_memory() const {
    if (std::ranges::any_of(workers_, &Worker::out_of_memory)) {
        throw std::bad_alloc();
    }
}

// All before it have been settled.
Verdict ExactTest::settle(size_t component) {
    const Weighed& weighed = weighed_[component - weighed_from_];
    if (weighed.found == Weighed::Found::kLive) {
        return Verdict::kLive;
    }
    Verdict verdict = Verdict::kTaken;
    if (weighed.found == Weighed::Found::kOpen) {
        uint32_t left = 0;
        for (const Node node : components_.members(component)) {
            left |= unexplained_[node];
        }
        if ((left & ~kTainted) != 0) {
            return Verdict::kLive;
        }
        verdict = left != 0 ? Verdict::kKept : Verdict::kGarbage;
    }
    const heap::PageVector<Node>& outward = workers_[weighed.worker].outward;
    for (size_t i = weighed.outward; i < weighed.outward_end; ++i) {
        const Node to = outward[i];
        furthest_ = std::max(furthest_, components_.component_of(to));
        unexplained_[to] -= kReference;
        unexplained_[to] |= verdict == Verdict::kKept ? kTainted : 0;
    }
    return verdict;
}

}  // namespace ouro::collector
