#include "experiments/runner/run/jobs.hpp"

#include <fmt/format.h>

#include "experiments/runner/run/process.hpp"
#include "experiments/runner/run/progress.hpp"

namespace ouro::runner {
namespace {

std::string quoted(const Words& words) {
    return as_text({{words}});
}

std::string merge_hint(const Jobs& jobs) {
    return "join what they left: " + quoted(jobs.merging());
}

// Lines of the shell: shard I of the variable `shard`, whose directory is DIR/shard-I.
std::string shard_lines(const Jobs& jobs, const std::string& before_command) {
    return fmt::format(R"(resume=
if [ -e {0}/"shard-$shard/meta.json" ]; then resume=--resume; fi
{1}{2} --shard "$shard/{3}" -o {0}/"shard-$shard" $resume)",
                       quoted({jobs.directory.string()}), before_command, quoted(jobs.run),
                       jobs.shards);
}

}  // namespace

Words Jobs::merging() const {
    Words words = {run.at(0), "merge"};
    for (unsigned shard = 1; shard <= shards; ++shard) {
        words.push_back((directory / fmt::format("shard-{}", shard)).string());
    }
    words.insert(words.end(), {"-o", (directory / "merged").string()});
    return words;
}

std::string slurm_script(const Jobs& jobs) {
    const std::string directory = quoted({jobs.directory.string()});
    return fmt::format(R"(#!/bin/bash
# {0}: {1} shards, about {2} each, every one alone on a node.
#     mkdir -p {3} && sbatch THIS_FILE
# Started again, a shard goes on where it stopped.
# When all have ended, {4}
#SBATCH --job-name=ouro
#SBATCH --array=1-{1}
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@30
#SBATCH --output="{5}/shard-%a.log"
shard=$SLURM_ARRAY_TASK_ID
{6}
)",
                       jobs.title, jobs.shards, minutes(jobs.seconds / jobs.shards), directory,
                       merge_hint(jobs), jobs.directory.string(), shard_lines(jobs, "exec "));
}

std::string shell_script(const Jobs& jobs) {
    return fmt::format(R"(#!/bin/sh
# {0}: {1} shards, one after the other, about {2} in all.
# Started again, it goes on where it stopped.
status=0
shard=1
while [ "$shard" -le {1} ]; do
{3}
ended=$?
if [ "$ended" -gt 1 ]; then exit "$ended"; fi
if [ "$ended" -ne 0 ]; then status=$ended; fi
shard=$((shard + 1))
done
echo {4}
exit "$status"
)",
                       jobs.title, jobs.shards, minutes(jobs.seconds), shard_lines(jobs, ""),
                       quoted({merge_hint(jobs)}));
}

std::string parallel_lines(const Jobs& jobs) {
    std::string lines;
    for (unsigned shard = 1; shard <= jobs.shards; ++shard) {
        const std::string place =
            quoted({(jobs.directory / fmt::format("shard-{}", shard)).string()});
        lines +=
            fmt::format("{0} --shard {1}/{2} -o {3} $(test -e {3}/meta.json && echo --resume)\n",
                        quoted(jobs.run), shard, jobs.shards, place);
    }
    return lines;
}

}  // namespace ouro::runner
