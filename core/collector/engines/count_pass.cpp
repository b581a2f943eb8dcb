#include "core/collector/engines/count_pass.hpp"

#include "core/collector/engines/slots.hpp"

namespace ouro::collector {
namespace {

// What is subtracted for an object's own count. An immortal object's is out of reach of any number
// of references, so it is a root.
uint32_t own_count(const PyObject* op) {
    const uint32_t biased = op->ob_biased;
    if (OURO_OWNER_OF(biased) == OURO_OWNER_IMMORTAL) {
        return uint32_t{1} << 31;
    }
    return OURO_BIASED_COUNT(biased) + static_cast<uint32_t>(OURO_SHARED_COUNT(op->ob_shared));
}

}  // namespace

int CountPass::visit(PyObject* op, void* arg) {
    auto* self = static_cast<CountPass*>(arg);
    const uint32_t slot = heap::slot_of(op, self->tables_);
    uint32_t* count = self->tables_.count;
    __builtin_prefetch(&count[slot], 1);
    self->ring_.push(slot, [count](uint32_t oldest) { ++count[oldest]; });
    return 0;
}

void CountPass::count_block(const heap::Block* block) {
    for_each_tracked(block, [&](uint32_t i) {
        PyObject* op = heap::object_at(block, i);
        tables_.count[block->first_slot + i] -= own_count(op);
        Py_TYPE(op)->tp_traverse(op, visit, this);
        ++objects_;
    });
}

void CountPass::run() {
    heap::for_each_container_block([this](const heap::Block* block) { count_block(block); });
    ring_.flush([this](uint32_t slot) { ++tables_.count[slot]; });
}

void find_roots() {
    heap::for_each_container_block([](const heap::Block* block) {
        const uint8_t* state = heap::tables.state + block->first_slot;
        uint8_t* mark = heap::tables.mark + block->first_slot;
        uint32_t* count = heap::tables.count + block->first_slot;
        for (uint32_t i = 0, end = block->bump; i < end; ++i) {
            const uint8_t colour = count[i] != 0 ? heap::kGrey : heap::kWhite;
            mark[i] = (state[i] & heap::kTracked) != 0 ? colour : uint8_t{heap::kNotSeen};
            count[i] = 0;
        }
    });
}

}  // namespace ouro::collector
