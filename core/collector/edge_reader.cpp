#include "core/collector/edge_reader.hpp"

#include <algorithm>
#include <new>
#include <ranges>

#include "core/collector/concurrent_traverse.hpp"
#include "core/collector/engines/slice_workers.hpp"

namespace ouro::collector {
namespace {

// Objects that a thread takes at once.
constexpr size_t kRun = 512;

}  // namespace

EdgeReader::EdgeReader(const Numbering& numbers, Memory& memory, SliceWorkers* threads)
    : numbers_(numbers), threads_(threads), parts_(memory.parts), workers_(memory.workers) {
    const size_t count = threads != nullptr ? threads->own() : 1;
    parts_.resize(count);
    parts_.front().reserve(numbers.set().size());
    workers_.resize(count);
    for (size_t i = 0; i < count; ++i) {
        workers_[i] = {.part = &parts_[i], .numbers = &numbers};
    }
}

EdgeReader::~EdgeReader() {
    std::ranges::for_each(parts_, &Components::Part::clear);
}

int EdgeReader::visit(PyObject* op, void* arg) {
    auto* self = static_cast<Worker*>(arg);
    ++self->work;
    if (op == nullptr) {
        return 0;
    }
    if (!self->out_of_memory) {  // a traversal may go on, whatever it is answered
        try {
            ask(*self, op);
        } catch (const std::bad_alloc&) {
            self->out_of_memory = true;  // C code may lie between: no exception
        }
    }
    return self->out_of_memory ? -1 : 0;
}

void EdgeReader::ask(Worker& self, const PyObject* op) {
    self.lookups.ask(op, [&self] { add_edges(self); });
}

void EdgeReader::add_edges(Worker& self) {
    self.lookups.look_up(
        *self.numbers, [](uint32_t) {},
        [&self](const PyObject* op, uint32_t number) {
            if (op == nullptr) {
                self.part->add_node();
            } else if (number != 0) {
                self.part->add_edge(number - 1);
            }
        });
}

bool EdgeReader::take_nodes(Worker& self) {
    const size_t first = taken_.fetch_add(kRun, std::memory_order_relaxed);
    if (first >= numbers_.set().size()) {
        return false;
    }
    self.next = static_cast<Components::Node>(first);
    self.end = static_cast<Components::Node>(std::min(first + kRun, numbers_.set().size()));
    if (first > 0 && self.part->is_empty()) {
        self.part->reserve(numbers_.set().size() - first);
    }
    add_edges(self);
    self.part->begin_run(self.next);
    return true;
}

// The job of a slice may not throw.
void EdgeReader::read(Worker& self, Deadline& deadline, World world) noexcept {
    try {
        read_some(self, deadline, world);
        add_edges(self);
    } catch (const std::bad_alloc&) {
        self.out_of_memory = true;
    }
}

// Until the deadline, the end, or an object that may not be read while the world runs.
void EdgeReader::read_some(Worker& self, Deadline& deadline, World world) {
    while (self.next < self.end || take_nodes(self)) {
        PyObject* op = numbers_.set()[self.next];
        const bool there = numbers_.is_there(op);
        self.must_stop = there && world == World::kRunning && !may_traverse_concurrently(op);
        if (self.must_stop) {
            return;
        }
        ++self.next;
        ask(self, nullptr);
        self.work = 1;
        if (there && !is_always_live(op)) {  // the fields of what is not tracked need not be valid
            call_traverse(op, world, visit, &self);
        }
        if (self.out_of_memory || deadline.has_passed(self.work)) {
            return;
        }
    }
}

Next EdgeReader::read(Deadline& deadline, World world) {
    if (world == World::kRunning && threads_ != nullptr) {
        threads_->run_own([&](unsigned worker) {
            Deadline own = deadline;
            read(workers_[worker], own, world);
        });
    } else {
        // The first one last: it takes what is left.
        for (Worker& self : workers_ | std::views::reverse) {
            if (self.next < self.end || &self == &workers_.front()) {
                read(self, deadline, world);
            }
        }
    }
    if (std::ranges::any_of(workers_, &Worker::out_of_memory)) {
        throw std::bad_alloc();
    }
    if (std::ranges::any_of(workers_, &Worker::must_stop)) {
        return Next::kStop;
    }
    const bool all =
        taken_.load(std::memory_order_relaxed) >= numbers_.set().size() &&
        std::ranges::all_of(workers_, [](const Worker& self) { return self.next == self.end; });
    return all ? Next::kDone : Next::kMore;
}

bool EdgeReader::join(Components& components, Deadline& deadline) {
    is_joined_ = is_joined_ || components.join(parts_, numbers_.set().size(), deadline);
    return is_joined_;
}

bool EdgeReader::drop(Deadline& deadline) {
    return std::ranges::all_of(parts_,
                               [&deadline](Components::Part& part) { return part.drop(deadline); });
}

}  // namespace ouro::collector
