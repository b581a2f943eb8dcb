// Explores, prints how much that was, and the counter-example if there is one.
#pragma once

#include <cstdio>
#include <ctime>

#include "tests/model/pipeline/explorer.hpp"

namespace ouro::model::pipeline {

inline Result explore(const char* name, const Bounds& bounds) {
    const std::clock_t begin = std::clock();
    const Result result = Explorer(bounds).run();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%s: %zu heaps, %zu states, %zu steps, %zu ends, depth %u, %.1f s of CPU: %s\n",
                name, result.beginnings, result.states, result.steps, result.ends, result.depth,
                seconds, in_words(result.broken));
    for (size_t i = 0; i < result.example.size(); ++i) {
        std::printf("    %2zu. %s\n", i, result.example[i].c_str());
    }
    std::fflush(stdout);
    return result;
}

}  // namespace ouro::model::pipeline
