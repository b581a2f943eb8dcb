#include "core/verify/rules/heap_rules.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <new>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/heap/view.hpp"
#include "core/verify/rules/is_object.hpp"
#include "core/verify/rules/rule.hpp"

namespace ouro::rules {
namespace {

// Of the shared object that an address is in; nullptr if it is in none.
const void* object_file_of(const void* address) {
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

// Said once: guarded by the stop.
void accuse(Rule rule, const PyTypeObject* type, const std::string& detail) {
    static std::set<std::pair<Rule, const PyTypeObject*>> told;
    if (!told.emplace(rule, type).second) {
        return;
    }
    Dl_info info;
    const auto* handler = reinterpret_cast<const void*>(type->tp_traverse);
    const bool found = dladdr(handler, &info) != 0;
    const OuroRule& row = row_of(rule);
    fmt::print(stderr, "contract: {}: {}: {} [{}]\n    {}\n    to do: {}\n",
               found ? fmt::format("{}+{:#x}", info.dli_fname,
                                   static_cast<const char*>(handler) -
                                       static_cast<const char*>(info.dli_fbase))
                     : "?",
               type->tp_name, row.says, row.tag, detail, row.remedy);
    std::fflush(stderr);
}

// One check of the heap.
class Pass {
public:
    void look() {
        references_.resize(heap::HeapView<heap::Stopped>().slot_limit());
        heap::for_each_container_block([&](const heap::Block* block) {
            for (uint32_t i = 0; i < block->bump; ++i) {
                PyObject* op = heap::object_at(block, i);
                if (heap::address_is_object(op) && Py_TYPE(op)->tp_traverse != nullptr) {
                    look_at(op);
                }
            }
        });
        look_at_counts();
    }

private:
    struct Traversal {
        Pass* pass;
        std::vector<PyObject*>* visited;  // nullptr: counted alone
        size_t nulls = 0;
        const void* no_object = nullptr;
        int answer = 0;
        size_t calls = 0;
        bool no_memory = false;
    };

    static int note(PyObject* op, void* arg) {
        auto& traversal = *static_cast<Traversal*>(arg);
        ++traversal.calls;
        try {
            if (op == nullptr) {
                ++traversal.nulls;
            } else if (!traversal.pass->is_known(op)) {
                traversal.no_object = op;
            } else if (traversal.visited != nullptr) {
                traversal.visited->push_back(op);
            }
        } catch (const std::bad_alloc&) {  // it must not pass through the type's code
            traversal.no_memory = true;
        }
        return traversal.answer;
    }

    // Of a handler of the runtime's: believed.
    static int count(PyObject* op, void* arg) {
        auto& pass = *static_cast<Pass*>(arg);
        if (const uint32_t slot = pass.view_.slot_of(op); slot != 0) {
            ++pass.references_[slot];
        }
        return 0;
    }

    // An address is looked at once a pass, unless it is of the heap, where a look costs little.
    bool is_known(PyObject* op) {
        if (const uint32_t slot = view_.slot_of(op); slot != 0) {
            return (view_.state(slot) & heap::kAllocated) != 0;
        }
        if (others_.contains(op)) {
            return true;
        }
        return is_object(op) && others_.insert(op).second;
    }

    // Whether it is the program's, not the runtime's.
    bool is_foreign(const PyTypeObject* type) {
        if (type == last_) {
            return is_last_foreign_;
        }
        last_ = type;
        const auto [place, is_new] = foreign_.try_emplace(type, false);
        if (is_new) {
            static const void* const own =
                object_file_of(reinterpret_cast<const void*>(&check_tracked));
            place->second = object_file_of(reinterpret_cast<const void*>(type->tp_traverse)) != own;
        }
        return is_last_foreign_ = place->second;
    }

    int traverse(PyObject* op, Traversal& traversal) {
        const int result = Py_TYPE(op)->tp_traverse(op, note, &traversal);
        if (traversal.no_memory) {
            throw std::bad_alloc();
        }
        return result;
    }

    void look_at(PyObject* op) {
        if (!is_foreign(Py_TYPE(op))) {
            Py_TYPE(op)->tp_traverse(op, count, this);
            return;
        }
        visited_.clear();
        Traversal traversal{this, &visited_};
        const Py_ssize_t references = Py_REFCNT(op);
        const int result = traverse(op, traversal);
        for (PyObject* each : visited_) {
            count(each, this);
        }
        look_at_foreign(op, traversal, result, references);
    }

    void look_at_foreign(PyObject* op, const Traversal& first, int result, Py_ssize_t count) {
        const PyTypeObject* type = Py_TYPE(op);
        if (first.nulls != 0) {
            accuse(Rule::kTraverseNull, type, "visit is called with NULL");
        }
        if (first.no_object != nullptr) {
            accuse(Rule::kTraverseNoObject, type,
                   fmt::format("visit is called with {}, which is no object, or not any more",
                               first.no_object));
        }
        if (result != 0) {
            accuse(Rule::kTraverseUnasked, type,
                   fmt::format("it returns {} though visit returned 0", result));
        }
        if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 && !visits_type(type)) {
            accuse(Rule::kTypeNotVisited, type, "tp_traverse does not visit Py_TYPE(self)");
        }
        again_.clear();
        Traversal second{this, &again_};
        traverse(op, second);
        if (again_ != visited_) {
            accuse(Rule::kTraverseUnstable, type,
                   fmt::format("one traversal visits {} objects, the next {}, or others",
                               visited_.size(), again_.size()));
        }
        if (Py_REFCNT(op) != count) {
            accuse(Rule::kTraverseCounts, type,
                   fmt::format("two traversals change the count of the instance from {} to {}",
                               count, Py_REFCNT(op)));
        }
        constexpr int kAnswer = 4711;
        Traversal stopped{this, nullptr};
        stopped.answer = kAnswer;
        const int answered = traverse(op, stopped);
        if (stopped.calls > 1 || (stopped.calls == 1 && answered != kAnswer)) {
            accuse(Rule::kTraverseStops, type,
                   fmt::format("visit returned {}, {} more visits followed, and tp_traverse "
                               "returned {}",
                               kAnswer, stopped.calls - 1, answered));
        }
    }

    bool visits_type(const PyTypeObject* type) const {
        for (const PyObject* each : visited_) {
            if (each == reinterpret_cast<const PyObject*>(type)) {
                return true;
            }
        }
        return false;
    }

    // Whoever visits what has fewer references than visits: if all but one type are the runtime's, it is that one.
    void look_at_counts() {
        std::map<PyObject*, std::set<const PyTypeObject*>> too_many;
        heap::for_each_container_block([&](const heap::Block* block) {
            for (uint32_t i = 0; i < block->bump; ++i) {
                const uint32_t references = references_[block->first_slot + i];
                PyObject* op = heap::object_at(block, i);
                if (references != 0 && PyUnstable_IsImmortal(op) == 0 &&
                    Py_REFCNT(op) < static_cast<Py_ssize_t>(references)) {
                    too_many[op];
                }
            }
        });
        if (too_many.empty()) {
            return;
        }
        heap::for_each_container_block([&](const heap::Block* block) {
            for (uint32_t i = 0; i < block->bump; ++i) {
                PyObject* from = heap::object_at(block, i);
                if (!heap::address_is_object(from) || Py_TYPE(from)->tp_traverse == nullptr ||
                    !is_foreign(Py_TYPE(from))) {
                    continue;
                }
                visited_.clear();
                Traversal traversal{this, &visited_};
                traverse(from, traversal);
                for (PyObject* each : visited_) {
                    if (const auto found = too_many.find(each); found != too_many.end()) {
                        found->second.insert(Py_TYPE(from));
                    }
                }
            }
        });
        for (const auto& [op, types] : too_many) {
            if (types.size() == 1) {
                accuse(Rule::kTraverseUnowned, *types.begin(),
                       fmt::format("a {} has {} references, and is visited {} times",
                                   Py_TYPE(op)->tp_name, Py_REFCNT(op),
                                   references_[view_.slot_of(op)]));
            }
        }
    }

    const heap::HeapView<heap::Stopped> view_;
    std::vector<PyObject*> visited_, again_;
    std::vector<uint32_t> references_;  // visits of what is in each slot
    std::unordered_set<const void*> others_;
    std::unordered_map<const PyTypeObject*, bool> foreign_;
    const PyTypeObject* last_ = nullptr;
    bool is_last_foreign_ = false;
};

}  // namespace

void check_tracked() noexcept try { Pass().look(); } catch (const std::bad_alloc&) {
    std::fputs("contract: there is no memory to look at the heap with\n", stderr);
}

}  // namespace ouro::rules
