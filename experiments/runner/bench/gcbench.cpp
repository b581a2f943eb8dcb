// `gcbench`: the program of Ellis, Kovac and Boehm, by one thread or several.
#include <cmath>
#include <memory>

#include "experiments/runner/bench_team.hpp"
#include "experiments/workloads/description.hpp"
#include "experiments/workloads/gcbench.hpp"

namespace ouro::runner {
namespace {

using workloads::Described;
using workloads::GcBench;
using workloads::Kind;
using workloads::Parameter;
using workloads::Values;

workloads::Measure begin(const Values& values, uint64_t) {
    const unsigned depth = values.at("depth");
    const uint32_t array = values.at("array");
    const unsigned threads = values.at("threads");
    const Prepare prepare = [=]() -> Build {
        return [=](unsigned) -> Round {
            const auto bench = std::make_shared<GcBench>(depth, array);
            return [=] { return bench->round(); };
        };
    };
    return begin_team({.threads = threads,
                       .rounds = values.at("rounds"),
                       .prepare = prepare,
                       .live = threads * (uint64_t{2} << depth)});  // a tree and the list
}

// Of the trees of one depth, there and back.
double nodes_of(const Values& values) {
    return std::pow(2.0, values.at("depth").get<double>() + 3);
}

double seconds(Kind, const Values& values) {
    const double depths = (values.at("depth").get<double>() - 2) / 2;
    return 0.1 + 120e-9 * (4 * depths + 1) * nodes_of(values) * values.at("rounds").get<double>() *
                     team_turns(values);
}

double bytes(Kind, const Values& values) {
    return (40 * nodes_of(values) + 24 * values.at("array").get<double>()) *
           values.at("threads").get<double>();
}

const Described gcbench({
    .name = "gcbench",
    .summary = "binary trees of all sizes that die at once, beside a tree and an array",
    .parameters =
        {team_threads(),
         Parameter::number("depth", 16, GcBench::kLeastDepth, 24,
                           "of the tree that lives long, and of the largest that die at once"),
         Parameter::number("array", 500'000, 1, 1 << 28, "floats on a list that lives long"),
         team_rounds()},
    .size = "depth",
    .begin = begin,
    .print = print_team,
    .seconds = seconds,
    .bytes = bytes,
    .not_covered = "trees that counting frees; the collector has little to do",
});

}  // namespace
}  // namespace ouro::runner
