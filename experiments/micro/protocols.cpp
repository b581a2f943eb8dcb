// What a pair of an increment and a decrement costs by who owns the object: the table of Choi, Shull
// and Torrellas (PACT 2018, table 7), from the program and from an extension module, on one object
// and round-robin over 64 and over a million.
#include <dlfcn.h>

#include <string>
#include <vector>

#include "experiments/micro/count_loop.h"
#include "experiments/micro/fixture.hpp"

namespace {

enum class Kind { kPlain, kOwner, kAtomic, kNonOwner };

struct Loops {
    ouro_one_loop one;
    ouro_many_loop many;
};

// Of the shared object; null, with the reason, if it cannot be loaded.
Loops module_loops(const char** problem) {
    static void* const handle = dlopen(OURO_MICRO_MODULE, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        *problem = "the extension module cannot be loaded";
        return {};
    }
    return {reinterpret_cast<ouro_one_loop>(dlsym(handle, "ouro_module_one")),
            reinterpret_cast<ouro_many_loop>(dlsym(handle, "ouro_module_many"))};
}

// As far apart as lists lie in the heap.
struct alignas(16) Slot {
    PyObject op;
    char rest[32];
};

// Enough references on both sides that no pair comes near zero or a limit.
constexpr uint32_t kReferences = 1000;

PyObject header(Kind kind) {
    switch (kind) {
        case Kind::kPlain:
            return {kReferences, 0, &PyList_Type};
        case Kind::kOwner:
            return {_Ouro_ThreadWord | kReferences, 0, &PyList_Type};
        case Kind::kAtomic:
            return {OURO_OWNER_WORD(OURO_OWNER_NONE),
                    kReferences * OURO_SHARED_ONE | OURO_SHARED_MERGED, &PyList_Type};
        default:
            return {OURO_OWNER_WORD(OURO_OWNER_LAST) | kReferences, kReferences * OURO_SHARED_ONE,
                    &PyList_Type};
    }
}

bool has_biased_counts() {
    return std::string(Ouro_SettingValues("refcount")).find("biased") != std::string::npos;
}

void pairs(benchmark::State& state, Kind kind, size_t objects, bool from_module) {
    Py_Initialize();
    const char* problem = nullptr;
    Loops loops = kind == Kind::kPlain ? Loops{ouro_plain_one, ouro_plain_many}
                                       : Loops{ouro_program_one, ouro_program_many};
    if (from_module) {
        loops = module_loops(&problem);
    }
    if (kind == Kind::kNonOwner && !has_biased_counts()) {
        problem = "no object has an owner on another thread: refcount=biased is not there";
    }
    if (problem != nullptr) {
        state.SkipWithError(problem);
        return;
    }
    std::vector<Slot> slots(objects);
    std::vector<PyObject*> pointers;
    for (Slot& slot : slots) {
        slot.op = header(kind);
        pointers.push_back(&slot.op);
    }
    const size_t batch = std::max<size_t>(objects, 1 << 14);
    for (auto _ : state) {
        if (objects == 1) {
            loops.one(pointers[0], batch);
        } else {
            loops.many(pointers.data(), objects, batch);
        }
    }
    // Seconds for a pair, to be shown in nanoseconds by who reads it.
    state.counters["pair_s"] = benchmark::Counter(static_cast<double>(batch),
                                                  benchmark::Counter::kIsIterationInvariantRate |
                                                      benchmark::Counter::kInvert);
}

const bool registered = [] {
    const std::pair<Kind, const char*> kinds[] = {{Kind::kPlain, "plain"},
                                                  {Kind::kOwner, "owner"},
                                                  {Kind::kAtomic, "atomic"},
                                                  {Kind::kNonOwner, "non-owner"}};
    for (const bool from_module : {false, true}) {
        for (const size_t objects : {size_t{1}, size_t{64}, size_t{1} << 20}) {
            for (const auto& [kind, name] : kinds) {
                if (from_module && kind == Kind::kPlain) {
                    continue;  // the same instructions: nothing of it depends on where it is
                }
                const std::string title = std::string("pair/") + name + "/" +
                                          std::to_string(objects) + "/" +
                                          (from_module ? "module" : "program");
                const Kind which = kind;
                benchmark::RegisterBenchmark(title.c_str(), [=](benchmark::State& state) {
                    pairs(state, which, objects, from_module);
                });
            }
        }
    }
    return true;
}();

}  // namespace
