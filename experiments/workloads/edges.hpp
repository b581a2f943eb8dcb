// The random graph of the `graph` workload: one generator for every peer. `ouro edges` writes its
// numbers out, so that no other program needs a generator of its own.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace ouro::workloads {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers from the same seed everywhere.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next() {
        uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }
    // Uniform in [0, limit), up to a bias of limit / 2^32.
    uint32_t below(uint32_t limit) { return static_cast<uint32_t>((next() >> 32) * limit >> 32); }

private:
    uint64_t state_;
};

// The targets of node 0, then of node 1, and so on.
class EdgeGenerator {
public:
    EdgeGenerator(uint32_t objects, uint64_t seed) : objects_(objects), random_(seed) {}
    uint32_t next() { return random_.below(objects_); }

private:
    uint32_t objects_;
    Random random_;
};

// A reference that is made to point elsewhere: slot `slot` of the object at place `from` of the root
// list then refers to the object at place `to`.
struct Mutation {
    uint32_t from, slot, to;
};

// The mutations between collections, one after the other.
class MutationGenerator {
public:
    // Pre: objects > 0, degree > 0.
    MutationGenerator(uint32_t objects, uint32_t degree, uint64_t seed)
        : objects_(objects), degree_(degree), random_(seed ^ 0xA5A5A5A5A5A5A5A5) {}
    Mutation next() {
        const uint32_t from = random_.below(objects_);
        const uint32_t slot = random_.below(degree_);
        return {from, slot, random_.below(objects_)};
    }

private:
    uint32_t objects_;
    uint32_t degree_;
    Random random_;
};

// How many references one round of mutations changes.
inline uint64_t mutations_a_round(uint32_t objects, uint32_t degree, uint32_t percent) {
    return uint64_t{objects} * degree * percent / 100;
}

// order[k] is the node that the root list's k-th item holds: k itself, or a random permutation.
inline std::vector<uint32_t> root_order(uint32_t objects, bool shuffled, uint64_t seed) {
    std::vector<uint32_t> order(objects);
    std::iota(order.begin(), order.end(), 0u);
    if (shuffled) {
        Random random(~seed);
        for (uint32_t k = objects; k > 1; --k) {
            std::swap(order[k - 1], order[random.below(k)]);
        }
    }
    return order;
}

}  // namespace ouro::workloads
