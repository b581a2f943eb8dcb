// The `rc-storm` workload: nothing but counting. Each operation adds and drops a reference to one
// object, chosen at random from the thread's own or from those that all threads share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "Python.h"

namespace ouro::workloads {

// Objects with a reference each, owned by the thread that makes them.
class StormObjects {
public:
    // Throws std::bad_alloc.
    explicit StormObjects(uint32_t count);
    ~StormObjects();
    StormObjects(const StormObjects&) = delete;
    StormObjects& operator=(const StormObjects&) = delete;

    size_t size() const { return objects_.size(); }
    PyObject* operator[](size_t place) const { return objects_[place]; }

private:
    std::vector<PyObject*> objects_;
};

// One thread's operations. Which objects they take is drawn beforehand, so that an operation is a
// load from a sequence and the two counts.
class Storm {
public:
    // `shared_percent` of the operations take an object of `shared`, which must live longer.
    Storm(uint32_t objects, const StormObjects& shared, uint32_t shared_percent, uint64_t seed);

    // Operations that a call of run or walk makes.
    static constexpr uint64_t kChunk = 4096;
    void run();
    // The same without counting: what an operation costs besides.
    void walk();

private:
    PyObject* const* next_chunk();

    StormObjects own_;
    std::vector<PyObject*> sequence_;
    size_t position_ = 0;
};

}  // namespace ouro::workloads
