#include "experiments/workloads/instance.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

namespace ouro::workloads {
namespace {

// How many instances one thread deallocated: written by it alone. Those of threads that have exited
// are kept, so that a sum loses nothing.
struct alignas(64) Tally {
    std::atomic<size_t> count{0};
    Tally* next = nullptr;
};

std::atomic<Tally*> tallies{nullptr};
constinit thread_local Tally* own_tally = nullptr;

struct InstanceType {
    PyTypeObject type{};
    std::string name;
};

size_t slot_count(const PyTypeObject* type) {
    const auto end = static_cast<size_t>(type->tp_weaklistoffset != 0 ? type->tp_weaklistoffset
                                                                      : type->tp_basicsize);
    return (end - sizeof(PyObject)) / sizeof(PyObject*);
}

int instance_traverse(PyObject* self, visitproc visit, void* arg) {
    PyObject** slots = slots_of(self);
    for (size_t i = 0, count = slot_count(Py_TYPE(self)); i < count; ++i) {
        // acquire: pairs with OURO_STORE_FIELD's release; a collector may read concurrently with its mutators.
        PyObject* op = __atomic_load_n(&slots[i], __ATOMIC_ACQUIRE);
        Py_VISIT(op);
    }
    return 0;
}

int instance_clear(PyObject* self) {
    PyObject** slots = slots_of(self);
    for (size_t i = 0, count = slot_count(Py_TYPE(self)); i < count; ++i) {
        Py_CLEAR(slots[i]);
    }
    return 0;
}

void instance_dealloc(PyObject* self) {
    PyObject_GC_UnTrack(self);
    if (Py_TYPE(self)->tp_weaklistoffset != 0) {
        PyObject_ClearWeakRefs(self);
    }
    instance_clear(self);
    note_deallocation();
    PyObject_GC_Del(self);
}

}  // namespace

PyTypeObject* instance_type(size_t slots, const std::string& name, InstanceTraits traits) {
    using Key = std::tuple<size_t, std::string, InstanceTraits>;
    static std::mutex mutex;
    static std::map<Key, std::unique_ptr<InstanceType>> types;
    const std::lock_guard lock(mutex);
    std::unique_ptr<InstanceType>& entry = types[{slots, name, traits}];
    if (entry == nullptr) {
        entry = std::make_unique<InstanceType>();
        entry->name = name;
        PyTypeObject& type = entry->type;
        type.ob_base = {{OURO_BIASED_IMMORTAL, 0, nullptr}, 0};
        type.tp_name = entry->name.c_str();
        type.tp_basicsize = static_cast<Py_ssize_t>(sizeof(PyObject) + slots * sizeof(PyObject*));
        if (traits.weakly_referenced) {
            type.tp_weaklistoffset = type.tp_basicsize;
            type.tp_basicsize += static_cast<Py_ssize_t>(sizeof(PyObject*));
        }
        type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                        (traits.flagged ? OURO_TPFLAGS_CONCURRENT_TRAVERSE : 0);
        type.tp_traverse = instance_traverse;
        type.tp_clear = instance_clear;
        type.tp_dealloc = instance_dealloc;
        if (PyType_Ready(&type) < 0) {
            entry.reset();
            return nullptr;
        }
    }
    return &entry->type;
}

PyObject* new_instance(PyTypeObject* type) {
    PyObject* op = PyObject_GC_New(PyObject, type);
    if (op != nullptr) {
        const auto bytes = static_cast<size_t>(type->tp_basicsize) - sizeof(PyObject);
        std::fill_n(slots_of(op), bytes / sizeof(PyObject*), nullptr);
        PyObject_GC_Track(op);
    }
    return op;
}

void note_deallocation() {
    if (own_tally == nullptr) [[unlikely]] {
        own_tally = new Tally;
        own_tally->next = tallies.load(std::memory_order_relaxed);
        // release: pairs with the acquire of who adds the tallies up.
        while (!tallies.compare_exchange_weak(own_tally->next, own_tally, std::memory_order_release,
                                              std::memory_order_relaxed)) {
        }
    }
    own_tally->count.store(own_tally->count.load(std::memory_order_relaxed) + 1,
                           std::memory_order_relaxed);
}

size_t instances_deallocated() {
    size_t sum = 0;
    // acquire: pairs with the release of whoever put a tally there.
    for (const Tally* each = tallies.load(std::memory_order_acquire); each != nullptr;
         each = each->next) {
        sum += each->count.load(std::memory_order_relaxed);
    }
    return sum;
}

}  // namespace ouro::workloads
