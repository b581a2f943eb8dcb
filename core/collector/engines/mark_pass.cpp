#include "core/collector/engines/mark_pass.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/collector/engines/slots.hpp"

namespace ouro::collector {

MarkPass::MarkPass() {
    stack_.reserve(kStackSize);
}

int MarkPass::visit(PyObject* op, void* arg) {
    auto* self = static_cast<MarkPass*>(arg);
    const uint32_t slot = heap::slot_of(op, self->tables_);
    __builtin_prefetch(&self->tables_.mark[slot], 1);
    self->reached_.push({slot, op}, [self](Reached oldest) { self->reach(oldest); });
    return 0;
}

void MarkPass::reach(Reached reached) {
    uint8_t& mark = tables_.mark[reached.slot];
    if (mark != heap::kWhite) {
        return;
    }
    if (reached.op > cursor_) {
        mark = heap::kGrey;
    } else if (stack_.size() < kStackSize) {
        mark = heap::kBlack;
        stack_.push_back(reached.op);
    } else {
        mark = heap::kGrey;
        restart_ = restart_ == nullptr ? reached.op : std::min(restart_, reached.op);
    }
}

// Pre: op is black. It is traversed some objects later, when it and its buffer have been fetched.
void MarkPass::approach(PyObject* op) {
    __builtin_prefetch(op);
    __builtin_prefetch(reinterpret_cast<char*>(op) + 48);
    approached_.push(op, [this](PyObject* near) { prefetch_buffer(near); });
}

void MarkPass::prefetch_buffer(PyObject* op) {
    if (PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_DICT_SUBCLASS)) {
        static_assert(offsetof(PyListObject, ob_item) == offsetof(PyDictObject, ma_table));
        // Of an empty container there is no buffer: a number, because NULL must not be added to.
        const auto buffer =
            reinterpret_cast<uintptr_t>(reinterpret_cast<const PyListObject*>(op)->ob_item);
        for (const uintptr_t line : {0, 64, 128}) {
            __builtin_prefetch(reinterpret_cast<const void*>(buffer + line));
        }
    }
    next_.push(op, [this](PyObject* fetched) { traverse(fetched); });
}

void MarkPass::traverse(PyObject* op) {
    Py_TYPE(op)->tp_traverse(op, visit, this);
}

// Follows what is on the stack and all that is on its way, until nothing is left.
void MarkPass::drain() {
    for (;;) {
        while (!stack_.empty()) {
            PyObject* op = stack_.back();
            stack_.pop_back();
            approach(op);
        }
        if (!approached_.empty()) {
            approached_.flush([this](PyObject* op) { prefetch_buffer(op); });
        } else if (!next_.empty()) {
            next_.flush([this](PyObject* op) { traverse(op); });
        } else if (!reached_.empty()) {
            reached_.flush([this](Reached reached) { reach(reached); });
        } else {
            return;
        }
    }
}

void MarkPass::sweep_block(const heap::Block* block) {
    uint8_t* mark = tables_.mark + block->first_slot;
    for (uint32_t first = 0; first < block->bump; first += kLanes) {
        for (;;) {
            // Read again after each object: traversing one can turn a later one of these grey.
            const uint64_t lanes = load_lanes(mark + first);
            const uint64_t grey = lanes >> 1 & ~lanes & kEachLane;
            if (grey == 0) {
                break;
            }
            const uint32_t i = first + static_cast<uint32_t>(std::countr_zero(grey)) / 8;
            mark[i] = heap::kBlack;
            cursor_ = heap::object_at(block, i);
            approach(cursor_);
            if (stack_.size() >= kDrainAt) {
                drain();
            }
        }
    }
}

void MarkPass::run() {
    const heap::Block* from = heap::tables.blocks;
    for (;;) {
        heap::for_each_container_block([&](const heap::Block* block) {
            if (block >= from) {
                sweep_block(block);
            }
        });
        cursor_ = reinterpret_cast<PyObject*>(tables_.base + tables_.size);
        drain();
        if (restart_ == nullptr) {
            return;
        }
        from = heap::block_of(restart_);
        cursor_ = std::exchange(restart_, nullptr);
    }
}

void list_white(Candidates& candidates) {
    size_t white = 0;
    heap::for_each_container_block([&](const heap::Block* block) {
        const uint8_t* mark = heap::tables.mark + block->first_slot;
        white += static_cast<size_t>(std::count(mark, mark + block->bump, heap::kWhite));
    });
    try {
        candidates.reserve(white);
    } catch (const std::bad_alloc&) {
        heap::for_each_container_block([](const heap::Block* block) {
            uint8_t* mark = heap::tables.mark + block->first_slot;
            std::replace(mark, mark + block->bump, uint8_t{heap::kWhite}, uint8_t{heap::kBlack});
        });
        throw;
    }
    if (white == 0) {
        return;
    }
    heap::for_each_container_block([&](const heap::Block* block) {
        for_each_white(block, [&](uint32_t i) { candidates.push_back(heap::object_at(block, i)); });
    });
}

}  // namespace ouro::collector
