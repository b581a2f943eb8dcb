#include "core/collector/engines/count_pass.hpp"

#include <new>

#include "core/collector/engines/own_count.hpp"
#include "core/collector/engines/slots.hpp"

namespace ouro::collector {
// Zero is in the middle of the byte's range: a difference that goes down by a count of a few and up
// again by as many references is never carried, in whatever order that happens.
void CountPass::add(uint32_t slot, int32_t difference) {
    const int32_t sum = tables_.near_count[slot] + difference;
    const auto near = static_cast<int8_t>(sum);
    tables_.near_count[slot] = near;
    if (near != sum) [[unlikely]] {
        note_carried(slot);
        tables_.count[slot] += static_cast<uint32_t>((sum - near) / 256);
    }
}

void CountPass::note_carried(uint32_t slot) noexcept {
    try {
        carried_.push_back(slot);
    } catch (const std::bad_alloc&) {
        carried_is_whole_ = false;
    }
}

int CountPass::visit(PyObject* op, void* arg) {
    auto* self = static_cast<CountPass*>(arg);
    const uint32_t slot = heap::slot_of(op, self->tables_);
    __builtin_prefetch(&self->tables_.near_count[slot], 1);
    self->ring_.push(slot, [self](uint32_t oldest) { self->add(oldest, 1); });
    return 0;
}

void CountPass::count_block(const heap::Block* block) {
    for_each_tracked(block, [&](uint32_t i) {
        PyObject* op = heap::object_at(block, i);
        add(block->first_slot + i, -own_count(op));
        Py_TYPE(op)->tp_traverse(op, visit, this);
        ++objects_;
    });
}

void CountPass::run() {
    heap::for_each_container_block([this](const heap::Block* block) { count_block(block); });
    ring_.flush([this](uint32_t slot) { add(slot, 1); });
}

void CountPass::find_roots() {
    heap::for_each_container_block([](const heap::Block* block) {
        const uint8_t* state = heap::tables.state + block->first_slot;
        uint8_t* mark = heap::tables.mark + block->first_slot;
        int8_t* count = heap::tables.near_count + block->first_slot;
        for (uint32_t i = 0, end = block->bump; i < end; ++i) {
            const uint8_t colour = count[i] != 0 ? heap::kGrey : heap::kWhite;
            mark[i] = (state[i] & heap::kTracked) != 0 ? colour : uint8_t{heap::kNotSeen};
            count[i] = 0;
        }
    });
    for (const uint32_t slot : carried_) {
        settle_carried(slot);
    }
    if (!carried_is_whole_) {
        heap::for_each_container_block([this](const heap::Block* block) {
            for (uint32_t i = 0; i < block->bump; ++i) {
                settle_carried(block->first_slot + i);
            }
        });
    }
    tables_.near_count[0] = 0;  // what was counted for atoms
    tables_.count[0] = 0;
}

// An object whose byte came out as zero by chance is grey too.
void CountPass::settle_carried(uint32_t slot) {
    if (tables_.count[slot] != 0 && tables_.mark[slot] == heap::kWhite) {
        tables_.mark[slot] = heap::kGrey;
    }
    tables_.count[slot] = 0;
}

}  // namespace ouro::collector
