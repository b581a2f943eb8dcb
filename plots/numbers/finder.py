"""Numbers as claims.evaluate finds a claim's: the median over invocations with its interval. Missing, which says what,
where the data lack one. And those that several tables show."""
from functools import cached_property

from plots.claims import claims
from plots.claims.gate import verdicts
from plots.data.experiments import Missing
from plots.data.results import by_number

USUAL = {"live": "largest", "load": "300000/s"}
ENGINES = ("stw", "incremental", "concurrent", "snapshot")
MS, MIB, MILLION = 1e-6, 1 / 2**20, 1e-6
# Of the same work in every runtime: shuffled, what, its unit.
SLICES = ((False, "slices.wall.p50_ns", 1e-3), (False, "slices.wall.p999_ns", MS), (False, "slices.wall.max_ns", MS),
          (True, "slices.wall.max_ns", MS), (False, "rss_peak_bytes", MIB))
# Of threads that make nothing but garbage: what, its unit.
RINGS = (("backlog_max", 1e-3), ("rss_growth_bytes", MIB), ("operations_per_s", 1e-6))

# Of Python programs: an interpreter as it is, and as it collects otherwise.
STOCK, BRIDGE = "cpython-*[0-9]", "cpython-*-bridge"
WAYS = (("CPython", STOCK), ("thresholds 50,000, 20, 20", "cpython-*-tuned"),
        ("`gc.freeze()` after loading", "cpython-*-freeze"), ("`gc.disable()`", "cpython-*-off"),
        ("**the bridge**", BRIDGE))


class Finder:
    """Numbers by what they are of: experiments, why others are missing, and the file of claims."""
    def __init__(self, experiments, missing, document):
        self.experiments, self.missing, self.document = experiments, missing, document
        self.usual = document.get("usual", {})

    @cached_property
    def outcomes(self):
        """[Outcome] of every claim."""
        return claims.evaluate_all(self.document, self.experiments, self.missing)

    @cached_property
    def judged(self):
        """{experiment: its Verdicts} of those that `ouro run` made. Of A/A pairs the first is shown, as in figures."""
        return {name: verdicts(each.results, each.results.where(lambda row: True))
                for name, each in self.experiments.items() if each.results}

    def rows(self, experiment):
        """All that there are of an experiment."""
        if experiment not in self.experiments:
            raise Missing(self.missing.get(experiment, f"experiment {experiment} was not run"))
        return self.experiments[experiment].rows

    def __call__(self, experiment, workload, subject, metric, *, per=None, scale=1, select=None, **more):
        asked = {"id": f"a table's {metric} of {subject}", "experiment": experiment, "workload": workload,
                 "subject": subject, "metric": metric, "scale": scale, "select": select or {}, **more}
        if per:
            asked["per"] = per
        found = claims.evaluate(asked, self.experiments, self.missing, self.usual)
        if found.why_not:
            raise Missing(found.why_not)
        return found


def sizes(find, experiment, workload, key):
    """What was measured of a parameter, in order."""
    return sorted({row["params"][key] for row in find.rows(experiment) if row["workload"] == workload})


def interpreters(find, experiment, workload):
    """The names of CPythons that ran it, the oldest first."""
    found = {row["subject"] for row in find.rows(experiment)
             if row["workload"] == workload and row["subject"].startswith("cpython-")}
    if not found:
        raise Missing(f"experiment {experiment}: no CPython ran {workload}")
    return sorted(found, key=by_number)


def programs(find):
    """[(workload, rate)] of the Python programs."""
    return sorted({(row["workload"], row["params"]["rate"]) for row in find.rows("bridge")})


def slices(find):
    """[(subject, [what was found of each of SLICES])], ours first."""
    names = sorted({row["subject"] for row in find.rows("peers")},
                   key=lambda name: (name not in ENGINES, name))
    return [(name, [find("peers", "slices", name, metric, scale=scale,
                         select={"live": "largest", "shuffled": shuffled})
                    for shuffled, metric, scale in SLICES]) for name in names]


def rings(find):
    """([threads], [(subject, [what was found of the first of RINGS by threads, of the next, of the last], whether any
    of its runs ended at the limit of what may wait)]), ours with biased counts first, interpreters last."""
    runs = find.rows("backlog")
    threads = sorted({row["params"]["threads"] for row in runs})

    def place(name):
        engine, _, counts = name.partition("-")
        return name.startswith("cpython"), counts, ENGINES.index(engine) if engine in ENGINES else 0, name
    found = []
    for name in sorted({row["subject"] for row in runs}, key=place):
        numbers = [[find("backlog", "rings", name, metric, scale=scale, select={"threads": each}) for each in threads]
                   for metric, scale in RINGS]
        found.append((name, numbers, any(row["result"]["stopped_at_limit"] for row in runs
                                         if row["subject"] == name)))
    return threads, found
