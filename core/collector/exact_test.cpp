#include "core/collector/exact_test.hpp"

#include <algorithm>
#include <new>

#include "core/collector/concurrent_traverse.hpp"
#include "core/heap/view.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

// A member's number in the set, from 1. Of what is no member any more, anything.
uint32_t& word_of(const PyObject* op) {
    const heap::HeapView<heap::Concurrent> view;
    return view.count_of_old(view.slot_of(op));
}

bool always_live(PyObject* op) {
    return !object::is_tracked(op) ||
           OURO_IS_IMMORTAL(OURO_LOAD_BIASED(op),
                            __atomic_load_n(&op->ob_shared, __ATOMIC_RELAXED));
}

}  // namespace

ExactTest::ExactTest(const Candidates& set, uint32_t pins, Memory& memory, bool (*keeps)(PyObject*))
    : set_(set), pins_(pins), keeps_(keeps), components_(memory.components),
      accounted_(memory.accounted), outward_(memory.outward), objects_(memory.objects) {
    accounted_.reserve(set.size());
    components_.reserve(set.size());
}

ExactTest::~ExactTest() {
    Deadline none = Deadline::none();
    (void)forget(none);
    components_.clear();
    heap::empty_pages(accounted_);
    heap::empty_pages(outward_);
    heap::empty_pages(objects_);
}

// 0: not a member. A slot that was freed may hold another object now, whose word is another's.
uint32_t ExactTest::number_of(const PyObject* op) const {
    const uint32_t number = word_of(op);
    return number == 0 || (number <= set_.size() && set_[number - 1] == op) ? number : 0;
}

bool ExactTest::is_there(const PyObject* op) const {
    // Where it was is something else now, or nothing: that is no old object, whatever its slot's number.
    return pins_ > 0 || heap::HeapView<heap::Concurrent>().is_old(op);
}

bool ExactTest::number(Deadline& deadline) {
    while (numbered_ < set_.size()) {
        const PyObject* op = set_[numbered_++];
        if (is_there(op)) {
            word_of(op) = static_cast<uint32_t>(numbered_);
        }
        if (deadline.has_passed(1)) {
            break;
        }
    }
    return numbered_ == set_.size();
}

// What is young or middle is somebody else's, and so is its word.
bool ExactTest::forget(const PyObject* op) {
    const bool there = is_there(op);
    if (there) {
        word_of(op) = 0;
    }
    return there;
}

// They have been judged, and references to them say nothing any more: they are alive, or nothing that is yet to be
// judged can be garbage and refer to them.
void ExactTest::forget(std::span<const Node> members) {
    for (const Node node : members) {
        all_forgotten_ = forget(set_[node]) && all_forgotten_;
    }
}

bool ExactTest::forget(Deadline& deadline) {
    const bool none_left = all_judged_ && all_forgotten_;
    while (forgotten_ < numbered_ && !none_left) {
        (void)forget(set_[forgotten_++]);
        if (deadline.has_passed(1)) {
            return false;
        }
    }
    return drop_large(accounted_, deadline) && components_.drop(deadline);
}

int ExactTest::visit_to_read(PyObject* op, void* arg) {
    auto* self = static_cast<ExactTest*>(arg);
    ++self->work_;
    if (op == nullptr) {
        return 0;
    }
    if (const uint32_t number = self->number_of(op); number != 0) {
        try {
            self->components_.add_edge(number - 1);
        } catch (const std::bad_alloc&) {
            self->out_of_memory_ = true;
            return -1;  // C code may lie between: no exception
        }
    }
    return 0;
}

Next ExactTest::read(Deadline& deadline, World world) {
    while (read_ < set_.size()) {
        PyObject* op = set_[read_];
        const bool there = is_there(op);
        if (there && world == World::kRunning && !may_traverse_concurrently(op)) {
            return Next::kStop;
        }
        ++read_;
        components_.add_node();
        work_ = 1;
        if (there && !always_live(op)) {  // the fields of what is not tracked need not be valid
            call_traverse(op, world, visit_to_read, this);
        }
        if (out_of_memory_) {
            throw std::bad_alloc();
        }
        if (deadline.has_passed(work_)) {
            break;
        }
    }
    return read_ == set_.size() ? Next::kDone : Next::kMore;
}

bool ExactTest::order(Deadline& deadline) {
    constexpr size_t part = 64 << 10;
    bool ordered = components_.order(deadline);
    while (ordered && accounted_.size() < set_.size()) {
        accounted_.resize(std::min(accounted_.size() + part, set_.size()), 0);
        ordered = !deadline.has_passed_now();
    }
    return ordered;
}

int ExactTest::visit_to_count(PyObject* op, void* arg) {
    auto* self = static_cast<ExactTest*>(arg);
    ++self->work_;
    if (op == nullptr) {
        return 0;
    }
    const uint32_t number = self->number_of(op);
    if (number == 0) {
        return 0;
    }
    const Node to = number - 1;
    if (self->components_.together(self->node_, to)) {
        ++self->accounted_[to];
        return 0;
    }
    try {
        self->outward_.push_back(to);
    } catch (const std::bad_alloc&) {
        self->out_of_memory_ = true;
        return -1;
    }
    return 0;
}

bool ExactTest::is_garbage(std::span<const Node> members) {
    work_ = static_cast<uint32_t>(members.size());
    outward_.clear();
    const auto may_be_dead = [this](Node node) {
        PyObject* op = set_[node];
        // At zero its deallocation is running, on a thread that is stopped in it.
        return is_there(op) && !always_live(op) && Py_REFCNT(op) > 0;
    };
    if (!std::ranges::all_of(members, may_be_dead)) {
        return false;
    }
    for (const Node node : members) {
        node_ = node;
        PyObject* op = set_[node];
        Py_TYPE(op)->tp_traverse(op, visit_to_count, this);
    }
    if (out_of_memory_) {
        throw std::bad_alloc();
    }
    return std::ranges::all_of(members, [this](Node node) {
        const auto count = static_cast<uint32_t>(Py_REFCNT(set_[node]));
        return count - pins_ == (accounted_[node] & ~kTainted);
    });
}

Verdict ExactTest::judge(std::span<const Node> members) {
    if (!is_garbage(members)) {
        return Verdict::kLive;
    }
    const bool kept = keeps_ != nullptr && std::ranges::any_of(members, [this](Node node) {
                          return (accounted_[node] & kTainted) != 0 || keeps_(set_[node]);
                      });
    for (const Node to : outward_) {
        furthest_ = std::max(furthest_, components_.component_of(to));
        ++accounted_[to];
        accounted_[to] |= kept ? kTainted : 0;
    }
    return kept ? Verdict::kKept : Verdict::kGarbage;
}

std::span<PyObject* const> ExactTest::objects(std::span<const Node> members) {
    objects_.clear();
    for (const Node node : members) {
        objects_.push_back(set_[node]);
    }
    return objects_;
}

}  // namespace ouro::collector
