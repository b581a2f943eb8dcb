// `ouro numbers`: what the workloads' generator of random numbers draws, so that no peer needs one of its own.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <vector>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/decimal.hpp"
#include "experiments/workloads/edges.hpp"

namespace ouro::runner {
namespace {

// Without an end: who reads them knows how many it needs, and goes.
int run_numbers(uint64_t seed) {
    std::signal(SIGPIPE, SIG_IGN);
    workloads::Random random(seed);
    std::vector<uint32_t> words(1 << 14);
    while (true) {
        for (uint32_t& word : words) {
            word = static_cast<uint32_t>(random.next() >> 32);
        }
        const char* bytes = reinterpret_cast<const char*>(words.data());
        for (size_t left = words.size() * sizeof(uint32_t); left > 0;) {
            const ssize_t written = write(STDOUT_FILENO, bytes, left);
            if (written < 0 && errno == EPIPE) {
                return 0;
            }
            if (written < 0 && errno != EINTR) {
                fmt::print(stderr, "ouro: numbers: {}\n", std::strerror(errno));
                return kExitFailed;
            }
            bytes += std::max<ssize_t>(written, 0);
            left -= static_cast<size_t>(std::max<ssize_t>(written, 0));
        }
    }
}

}  // namespace

Command add_numbers(CLI::App& app) {
    const auto seed = std::make_shared<uint64_t>(1);
    CLI::App* command = app.add_subcommand(
        "numbers", "write the random numbers of a workload as 32-bit numbers, without an end");
    command->add_option("--seed", *seed, "of the workload")
        ->check(decimal(0, UINT64_MAX))
        ->capture_default_str();
    return {command, [seed] { return run_numbers(*seed); }};
}

}  // namespace ouro::runner
