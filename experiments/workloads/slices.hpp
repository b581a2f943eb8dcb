// The `slices` workload: the same small work in every runtime, so that what a mutator feels of their
// collectors can be laid side by side. A live set of rings of four; each operation makes a new ring and
// puts it in the place of another, which is garbage from then on: the oldest, or one at random. An object
// has two reference fields, `next` in the ring and another that is always empty.
//
// Peers (experiments/peers) draw the same places with the same generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "Python.h"
#include "experiments/workloads/load.hpp"

namespace ouro::workloads {

// xorshift64* (Marsaglia, JSS 2003; Vigna, TOMS 2016).
class SlicePlaces {
public:
    explicit SlicePlaces(uint64_t seed) : state_(seed * 2 + 1) {}

    // Below `limit`. Pre: limit > 0.
    uint32_t below(uint32_t limit) {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return static_cast<uint32_t>((state_ * 2685821657736338717u >> 33) % limit);
    }
    // Fisher and Yates: 0 to count - 1 in a random order.
    std::vector<uint32_t> order(uint32_t count);

private:
    uint64_t state_;
};

struct SlicesParameters {
    uint32_t live = 100'000;  // objects of the live set; a remainder of four is left out
    bool shuffled =
        false;  // any ring is replaced, and the first ones lie in memory in a random order
    uint64_t seed = 1;
};

class Slices final : public Load {
public:
    static constexpr uint32_t kRing = 4;

    // Builds the live set. Throws std::bad_alloc. Pre: live >= kRing.
    explicit Slices(const SlicesParameters& parameters);
    ~Slices() override { drop_all(); }

    void step() override;
    void drop() override { drop_all(); }
    size_t live() const override { return live_; }
    size_t unreachable() const override { return unreachable_.get(); }

    // Of the first 1000 places that are replaced, FNV-1a over whole places: other programs that give the
    // same do the same work. Pre: no step was made.
    uint64_t places_checksum() const;
    // Whether each place holds a ring of four whose other fields are empty.
    bool intact() const;

private:
    PyObject* new_ring();
    uint32_t next_place();
    void drop_all();

    PyTypeObject* type_;
    SlicePlaces places_;
    bool shuffled_;
    uint32_t oldest_ = 0;  // its place
    PyObject* root_;
    size_t live_ = 0;
    OwnCount unreachable_;
};

}  // namespace ouro::workloads
