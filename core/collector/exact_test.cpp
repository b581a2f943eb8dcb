#include "core/collector/exact_test.hpp"

#include <new>

#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

// While a test lives, a member's number in the set, from 1; 0: not a member.
uint32_t& number_of(const PyObject* op) {
    return heap::tables.count[heap::slot_of(op)];
}

bool always_live(PyObject* op) {
    return !object::is_tracked(op) || OURO_IS_IMMORTAL(op->ob_biased, op->ob_shared);
}

}  // namespace

ExactTest::ExactTest(const Candidates& set, uint32_t pins, Memory& memory)
    : set_(set), pins_(pins), components_(memory.components), accounted_(memory.accounted),
      outward_(memory.outward), objects_(memory.objects) {
    accounted_.assign(set.size(), 0);
    uint32_t number = 0;
    for (const PyObject* op : set) {
        number_of(op) = ++number;
    }
}

ExactTest::~ExactTest() {
    for (const PyObject* op : set_) {
        number_of(op) = 0;
    }
    components_.clear();
    heap::empty_pages(accounted_);
    heap::empty_pages(outward_);
    heap::empty_pages(objects_);
}

int ExactTest::visit_to_read(PyObject* op, void* arg) {
    auto* self = static_cast<ExactTest*>(arg);
    ++self->work_;
    if (const uint32_t number = number_of(op); number != 0) {
        try {
            self->components_.add_edge(number - 1);
        } catch (const std::bad_alloc&) {
            self->out_of_memory_ = true;
            return -1;  // C code may lie between: no exception
        }
    }
    return 0;
}

bool ExactTest::read(Deadline& deadline) {
    while (next_ < set_.size()) {
        PyObject* op = set_[next_++];
        components_.add_node();
        work_ = 1;
        if (!always_live(op)) {  // the fields of what is not tracked need not be valid
            Py_TYPE(op)->tp_traverse(op, visit_to_read, this);
        }
        if (out_of_memory_) {
            throw std::bad_alloc();
        }
        if (deadline.has_passed(work_)) {
            break;
        }
    }
    return next_ == set_.size();
}

void ExactTest::order() {
    components_.order();
    next_ = 0;
}

int ExactTest::visit_to_count(PyObject* op, void* arg) {
    auto* self = static_cast<ExactTest*>(arg);
    ++self->work_;
    const uint32_t number = number_of(op);
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
    bool garbage = true;
    for (const Node node : members) {
        garbage = garbage && !always_live(set_[node]);
    }
    if (!garbage) {
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
    for (const Node node : members) {
        const auto count = static_cast<uint32_t>(Py_REFCNT(set_[node]));
        garbage = garbage && count - pins_ == accounted_[node];
    }
    if (garbage) {
        for (const Node to : outward_) {
            ++accounted_[to];
        }
    }
    return garbage;
}

std::span<PyObject* const> ExactTest::objects(std::span<const Node> members) {
    objects_.clear();
    for (const Node node : members) {
        objects_.push_back(set_[node]);
    }
    return objects_;
}

}  // namespace ouro::collector
