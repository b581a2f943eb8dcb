"""A/A pairs: the same configuration twice in one invocation, which is the noise floor of every ratio."""
import json

from plots.stats.distribution import values
from plots.stats.pairing import paired_ratios


def measure(result):
    """What a run is compared with itself by."""
    if "operations_due" in result:  # it takes as long as it is told
        return result["ns_per_op"]
    return next(filter(None, map(result.get, ("run_ns", "live_collect_ns", "garbage_collect_ns"))),
                None)


def configuration(row):
    return row["workload"], json.dumps(row["params"], sort_keys=True)


def pairs_of(results, rows):
    """{subject: [ratio of the second run to the first]} of the configurations of these rows."""
    shown = {(row["subject"], configuration(row)) for row in rows}
    sides = {}
    for row in results.rows:
        if (row["subject"], configuration(row)) in shown:
            two = sides.setdefault(row["subject"], ({}, {}))
            two[row["repeat"]][configuration(row), row["invocation"]] = row["result"]
    found = {name: paired_ratios(*(values(side, measure) for side in two))
             for name, two in sides.items()}
    return {name: each for name, each in found.items() if each}
