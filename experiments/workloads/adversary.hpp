// Loads that are hard on a collector that works concurrently with its mutators. Each makes the same garbage as
// `lru`, which starts collections, and does one thing besides, all the time:
//
//   graph     references of a live random graph are made to point elsewhere
//   moves     references move between live objects, and no count changes
//   weakrefs  weak references to garbage are asked for it
//   deep      long chains of lists are dropped, every other one closed to a cycle
//   types     an extension type's buffers are allocated anew and freed
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/workloads/churn.hpp"

namespace ouro::workloads {

struct AdversaryParameters {
    std::string kind;  // one of adversary_kinds()
    ChurnParameters
        garbage;  // its live set is half of what is asked for; the other half is the kind's
    uint32_t live = 100'000;
    uint32_t depth = 10'000;  // of the chains of `deep`
};

const std::vector<std::string>& adversary_kinds();

// Throws std::bad_alloc. Pre: the kind is one of them; live >= 2 * cycle_size.
std::unique_ptr<Load> new_adversary(const AdversaryParameters& parameters);

// What all kinds have in common: the rings of `lru`, of half the size.
class Adversary : public Load {
public:
    explicit Adversary(const AdversaryParameters& parameters);

    void drop() override { rings_.drop(); }
    size_t live() const override { return rings_.live(); }
    size_t unreachable() const override { return rings_.unreachable() + let_go_.get(); }

protected:
    // How many operations of the kind's own there are for each ring.
    static constexpr int kRepeat = 8;

    void replace_ring() { rings_.step(); }
    void let_go(size_t instances) { let_go_.add(instances); }

private:
    Churn rings_;
    OwnCount let_go_;
};

// The kind `types`.
std::unique_ptr<Load> new_buffer_adversary(const AdversaryParameters& parameters);

}  // namespace ouro::workloads
