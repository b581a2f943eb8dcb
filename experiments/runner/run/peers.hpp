// The runtimes of experiments/peers: what they are, and which of them are built.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/runner/run/catalogue.hpp"
#include "experiments/runner/run/fields.hpp"

namespace ouro::runner {

struct Peer {
    struct Variant {
        std::string name;  // of the subject: begins with the peer's
        Words arguments;
        std::vector<std::pair<std::string, std::string>> environment{};
    };
    std::string name;  // of its folder
    std::vector<Variant> variants;
    std::string program{};  // `run` of its build
    std::string version{};  // of the runtime, as its build said it
    std::string missing{};  // why it is not built; empty if it is
};

// Each folder with a peer.toml, by name. What is wrong with one of these files is a mistake.
std::vector<Peer> find_peers(const Places& places, Mistakes& mistakes);

// A variant as a subject.
Subject subject_of(const Peer& peer, const Peer::Variant& variant);

}  // namespace ouro::runner
