// The `server` workload: requests to a program that keeps sessions. Each request is parsed to a small
// graph of dicts, lists and instances, looks at some sessions, sometimes replaces one, and is dropped.
// Some of the graphs have cycles, and so has every session; the rest is freed by counting.
#pragma once

#include <cstdint>

#include "Python.h"
#include "experiments/workloads/edges.hpp"
#include "experiments/workloads/load.hpp"

namespace ouro::workloads {

struct ServerParameters {
    uint32_t live = 100'000;       // containers of all sessions, two each
    uint32_t cyclic_percent = 25;  // of the requests
    uint64_t seed = 1;
};

class Server final : public Load {
public:
    static constexpr uint32_t kParts = 8;            // instances of a request
    static constexpr uint32_t kTouched = 4;          // sessions that a request looks at
    static constexpr uint32_t kReplacePercent = 10;  // of the requests replace a session

    // Throws std::bad_alloc. Pre: live >= 2.
    explicit Server(const ServerParameters& parameters);
    ~Server() override { drop_all(); }

    // A request.
    void step() override;
    void drop() override { drop_all(); }
    size_t live() const override { return size_t{sessions_} * 2; }
    size_t unreachable() const override { return unreachable_.get(); }

private:
    PyObject* new_session(uint64_t id);
    PyObject* parse(uint64_t id, bool cyclic);
    void drop_all();

    Random random_;
    uint32_t sessions_;
    uint32_t cyclic_percent_;
    PyTypeObject* state_type_;
    PyTypeObject* part_type_;
    PyObject* cache_;  // a list of sessions
    uint64_t requests_ = 0;
    OwnCount unreachable_;
};

}  // namespace ouro::workloads
