#include "core/api/leaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/heap/view.hpp"
#include "core/object/object.hpp"
#include "core/option/settings.hpp"

namespace ouro::api {
namespace {

using Counts = std::map<std::string, size_t>;
Counts there_at_first;

// A slot that holds no object reads as dead. A container's state says more: it may be freed, its contents kept
// for whoever is still reading them.
bool holds_mortal_object(const heap::Block* block, uint32_t slot) {
    PyObject* op = heap::object_at(block, slot);
    const uint32_t biased = __atomic_load_n(&op->ob_biased, __ATOMIC_RELAXED);
    const uint32_t shared = __atomic_load_n(&op->ob_shared, __ATOMIC_RELAXED);
    if (OURO_IS_IMMORTAL(biased, shared) || Py_REFCNT(op) <= 0) {
        return false;
    }
    return !heap::is_container_kind(block->kind) ||
           (heap::HeapView<heap::Stopped>().state(block->first_slot + slot) & heap::kAllocated) !=
               0;
}

Counts count_objects() {
    Counts counts;
    for (size_t number = 0; number < heap::block_limit(); ++number) {
        const heap::Block* block = heap::HeapView<heap::Stopped>().first_block() + number;
        const bool has_objects =
            heap::is_container_kind(block->kind) || block->kind == heap::BlockKind::kAtom;
        for (uint32_t slot = 0; has_objects && slot < block->bump; ++slot) {
            if (holds_mortal_object(block, slot)) {
                ++counts[Py_TYPE(heap::object_at(block, slot))->tp_name];
            }
        }
    }
    return counts;
}

}  // namespace

void begin_leak_report() {
    if (option::settings().leaks) {
        there_at_first = count_objects();
    }
}

void report_leaks() {
    if (!option::settings().leaks) {
        return;
    }
    std::vector<std::pair<std::string, size_t>> left;
    for (const auto& [name, count] : count_objects()) {
        const size_t before = there_at_first[name];
        if (count > before) {
            left.emplace_back(name, count - before);
        }
    }
    std::ranges::stable_sort(left, std::greater(), [](const auto& each) { return each.second; });
    for (const auto& [name, count] : left) {
        fmt::print(stderr, "ouro leaks: {} {}\n", count, name);
    }
    if (left.empty()) {
        fmt::print(stderr, "ouro leaks: none\n");
    }
}

}  // namespace ouro::api
