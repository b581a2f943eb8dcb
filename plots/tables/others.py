"""Workloads that have no figure of their own: a table."""
import json

from plots.data.results import HEAP_PREFIX, PROGRAM_PREFIX
from plots.drawing.section import Lacks, Section
from plots.drawing.tables import comparison

DRAWN = ("graph", "churn", "young", "rc-storm", "gcbench", "lru", "server", "rings")
PREFIXES = (HEAP_PREFIX, PROGRAM_PREFIX, "adversary:", "cycles:")
MEASURES = (("Everything alive, ms", "live_collect_ns", 1e-6),
            ("Everything garbage, ms", "garbage_collect_ns", 1e-6),
            ("Time of the run, ms", "run_ns", 1e-6))


def groups_of(results):
    """[(texts, {subject: {invocation: result}}, 1)], one for each workload and its parameters."""
    found = {}
    drawn = {*DRAWN, *(workload for workload, _ in results.steps)}
    for row in results.rows:
        if row["workload"] not in drawn and not row["workload"].startswith(PREFIXES):
            params = json.dumps(row["params"], sort_keys=True)
            key = row["workload"], ", ".join(f"{name} {value}" for name, value
                                             in json.loads(params).items())
            runs = found.setdefault(key, {}).setdefault(row["subject"], {})
            if row["repeat"] == 0:
                runs[row["invocation"]] = row["result"]
    return [(key, runs, 1) for key, runs in sorted(found.items())]


def section(results, looks):
    groups = groups_of(results)
    if not groups:
        raise Lacks("no run of another workload")
    tables = [comparison(results, title, ["workload", "parameters"], groups, key, scale, "{:.2f}")
              for title, key, scale in MEASURES]
    return Section("Other workloads", "", [], [each for each in tables if each.rows],
                   results.behind([runs for _, runs, _ in groups]))
