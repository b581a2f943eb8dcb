#include "experiments/workloads/storm.hpp"

#include <new>

#include "experiments/workloads/edges.hpp"

namespace ouro::workloads {
namespace {

// Half a megabyte: long enough not to be learnt by a branch predictor.
constexpr size_t kSequence = 1 << 16;
static_assert(kSequence % Storm::kChunk == 0);

// Keeps the compiler from folding an increment and a decrement.
void fence_compiler() {
    asm volatile("" ::: "memory");
}

}  // namespace

StormObjects::StormObjects(uint32_t count) {
    objects_.reserve(count);
    for (uint32_t i = 0; i < count; ++i) {
        PyObject* op = PyList_New(0);
        if (op == nullptr) {
            throw std::bad_alloc();
        }
        objects_.push_back(op);
    }
}

StormObjects::~StormObjects() {
    for (PyObject* op : objects_) {
        Py_DECREF(op);
    }
}

Storm::Storm(uint32_t objects, const StormObjects& shared, uint32_t shared_percent, uint64_t seed)
    : own_(objects), sequence_(kSequence) {
    Random random(seed);
    for (PyObject*& op : sequence_) {
        const StormObjects& from = random.below(100) < shared_percent ? shared : own_;
        op = from[random.below(static_cast<uint32_t>(from.size()))];
    }
}

PyObject* const* Storm::next_chunk() {
    PyObject* const* chunk = &sequence_[position_];
    position_ = (position_ + kChunk) % kSequence;
    return chunk;
}

void Storm::run() {
    PyObject* const* chunk = next_chunk();
    for (size_t i = 0; i < kChunk; ++i) {
        PyObject* op = chunk[i];
        Py_INCREF(op);
        fence_compiler();
        Py_DECREF(op);
        fence_compiler();
    }
}

void Storm::walk() {
    PyObject* const* chunk = next_chunk();
    for (size_t i = 0; i < kChunk; ++i) {
        // The header is read, as counting does.
        asm volatile("" ::"r"(Py_TYPE(chunk[i])) : "memory");
    }
}

}  // namespace ouro::workloads
