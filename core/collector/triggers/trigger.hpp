// The plug-in point for when a full collection is due: by how many containers the heap may grow before. A value of the
// setting `trigger` is a class in a file of this folder; Policy (policy.hpp) asks it, and says which other conditions
// there are: thresholds, generations, and what comes before any trigger.
//
// Of the heap's growth a trigger sees what the generations leave: with them the containers that have become old, without
// them those allocated less those freed.
#pragma once

#include <cstddef>
#include <memory>

#include "core/option/settings.hpp"

namespace ouro::collector {

// What triggers measure. Tests give their own.
struct Gauges {
    double (*seconds)();         // since some point in the past
    size_t (*resident_bytes)();  // 0: not known
};

class Trigger {
public:
    // More containers than there will ever be.
    static constexpr size_t kUnbounded = static_cast<size_t>(-1) / 4;

    Trigger() = default;
    virtual ~Trigger() = default;
    Trigger(const Trigger&) = delete;
    Trigger& operator=(const Trigger&) = delete;

    // The growth since the last full collection below which no other is due, where `live` containers survived that.
    virtual size_t room(size_t live) const = 0;
    // Whether it takes the place of CPython's ten middle collections between two full ones.
    virtual bool is_alone() const { return false; }
    // Whether one is due now that the heap has grown by so many, the room at least. If not, the room becomes larger.
    virtual bool confirms(size_t) { return true; }

    // So many containers have become part of the heap since the start of the runtime. Called about once a batch of
    // allocations, and when a full collection begins.
    virtual void note(size_t) {}
    // A full collection begins.
    virtual void begin() {}
    // One has ended: it looked at so many containers in so much processor time; 0: not known.
    virtual void end(size_t, double) {}
};

// That of the settings. Throws std::bad_alloc.
std::unique_ptr<Trigger> make_trigger(const option::Settings& settings);

}  // namespace ouro::collector
