// Scripts that run the shards of an experiment.
#pragma once

#include <filesystem>
#include <string>

#include "experiments/runner/run/catalogue.hpp"

namespace ouro::runner {

struct Jobs {
    std::string title;
    Words run;  // `ouro run CONFIG ...`, less --shard and -o
    unsigned shards;
    std::filesystem::path directory;  // shard I goes to shard-I in it
    double seconds;                   // a guess of all of them, one after the other

    // The command that joins what they leave.
    Words merging() const;
};

// Each of them goes on where it stopped when it is started again. A script for `sbatch`: an array of
// jobs, each alone on its node; for `sh`: one shard after the other; a line a shard for GNU parallel.
std::string slurm_script(const Jobs& jobs);
std::string shell_script(const Jobs& jobs);
std::string parallel_lines(const Jobs& jobs);

}  // namespace ouro::runner
