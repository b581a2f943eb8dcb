"""Claims: each one's number from the data, with its interval, and whether it is within its limit.

paper/claims.toml says what is claimed. A claim with a limit is held if its whole interval is within the limit, not
held if none of it is, and else open: these data do not tell, nor do fewer than three invocations. One with `published` is reproduced or not, in the same
way: at least, at most, or equal to what somebody else published.
"""
import fnmatch
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

from plots.data.experiments import Missing, by_invocation, matching, value_of
from plots.data.loads import load_text
from plots.data.names import round_size
from plots.stats.pairing import mean_ratio, paired_ratios, summarize

FILE = Path(__file__).resolve().parents[2] / "paper" / "claims.toml"
SIZES = ("objects", "live", "old")
# By (is it somebody else's, all of the interval within, none of it within).
WORDS = {(False, True): "held", (False, False): "not held", (False, None): "open",
         (True, True): "reproduced", (True, False): "not reproduced", (True, None): "open"}


@dataclass
class Outcome:
    claim: dict
    median: float = None
    low: float = None
    high: float = None
    n: int = 0
    interval: bool = False   # low and high are one; with too few invocations they are least and greatest
    params: dict = field(default_factory=dict)   # what was selected
    worst: str = ""    # of several, whose number it is
    why_not: str = ""  # it is not measured

    @property
    def published(self):
        return "published" in self.claim

    @property
    def within(self):
        """True, False, or None where the interval has the limit inside."""
        lowest, greatest = bounds(self.claim)
        if lowest <= self.low and self.high <= greatest:
            return True
        if self.high < lowest or greatest < self.low:
            return False
        return True if is_equal_to(self.claim) else None

    @property
    def verdict(self):
        if self.why_not:
            return "not measured"
        return WORDS[self.published, self.within if self.interval else None]

    @property
    def sentence(self):
        """What is claimed, with the parameters that were selected."""
        return self.claim["sentence"].format_map(Named(
            {key: parameter(key, value) for key, value in self.params.items()}))


def parameter(key, value):
    """A parameter of a workload for people."""
    if key == "load":
        return load_text(value)
    return round_size(value) if key in SIZES and isinstance(value, int) else str(value)


class Named(dict):
    """A parameter that is not known stands for itself."""
    def __missing__(self, key):
        return {"live": "the most", "objects": "the most", "threads": "the most"}.get(key, key)


def is_equal_to(claim):
    """Whether it says that we found what was published, no less and no more."""
    return "value" in claim.get("published", {})


def bounds(claim):
    """(least, greatest) that the claim allows, in its own unit."""
    source = claim.get("published", claim)
    if is_equal_to(claim):
        value = source["value"]
        return (min(value), max(value)) if isinstance(value, list) else (value, value)
    return source.get("at_least", float("-inf")), source.get("at_most", float("inf"))


def read_claims(path=FILE):
    """The file as it is: experiments, usual parameters, claims."""
    with open(path, "rb") as file:
        return tomllib.load(file)


def quotient(row, claim):
    """What the claim measures in a row; None if the row has it not."""
    top = value_of(row["result"], claim["metric"])
    if "per" not in claim or top is None:
        return top
    below = value_of(row["result"], claim["per"])
    return top / below if below else None


def numbers(rows, subject, claim, what):
    found = {invocation: quotient(row, claim)
             for invocation, row in by_invocation(rows, subject, what).items()}
    found = {invocation: value for invocation, value in found.items() if value is not None}
    if not found:
        raise Missing(f"{what}: {claim['metric']} is in no row of {subject}")
    return found


def samples(rows, over_rows, claim, what):
    """[the number, or the paired ratio, of an invocation] of one group."""
    ours = numbers(rows, claim["subject"], claim, what)
    if "over" not in claim:
        return [value * claim.get("scale", 1) for value in ours.values()]
    ratios = paired_ratios(numbers(over_rows, claim["over"], claim, what), ours)
    if not ratios:
        raise Missing(f"{what}: no invocation that both have")
    return [(each - 1) * 100 for each in ratios] if claim.get("unit") == "% more" else ratios


def groups(claim, rows, over_rows):
    """[(name, rows, rows of the other)]: one, or one for each value of what the claim goes across."""
    across = claim.get("across")
    if not across:
        return [("", rows, over_rows)]

    def one(row, name):
        return row["workload"] if name == "workload" else row["params"].get(name)

    def value(row):
        if isinstance(across, str):
            return one(row, across)
        several = [one(row, name) for name in across]
        return None if None in several else ", ".join(map(str, several))
    of = {value(row) for row in rows} - {None}
    if "only" in claim:
        of &= set(claim["only"])
    return [(str(each), [row for row in rows if value(row) == each],
             [row for row in over_rows if value(row) == each]) for each in sorted(of, key=str)]


def worst_of(claim):
    """min or max: of several numbers that which is the hardest for the claim's limit."""
    return min if "at_least" in claim.get("published", claim) else max


def of_all(claim, each):
    """(name, its Ratio) of the groups as one: the geometric mean, or the worst by its median."""
    if claim.get("combine") == "geometric mean":
        return "", mean_ratio([found for _, found in each])
    return worst_of(claim)(((name, summarize(found)) for name, found in each), key=lambda pair: pair[1].median)


def subjects_of(claim, rows):
    """The names that the claim goes through, of its `each`."""
    workload = claim["workload"] if claim["each"] == "subject" else claim.get("over_workload", claim["workload"])
    return sorted({row["subject"] for row in rows if fnmatch.fnmatchcase(row["subject"], claim[claim["each"]])
                   and fnmatch.fnmatchcase(row["workload"], workload)})


def evaluate(claim, experiments, missing, usual):
    """The Outcome of a claim; where it goes through subjects, that of the worst of them."""
    name = claim["experiment"]
    if name not in experiments:
        return Outcome(claim, why_not=missing.get(name, f"experiment {name} was not run"))
    if "each" not in claim:
        return evaluate_one(claim, experiments, missing, usual)
    found = [(subject, evaluate_one({**claim, claim["each"]: subject}, experiments, missing, usual))
             for subject in subjects_of(claim, experiments[name].rows)]
    lacking = [each for _, each in found if each.why_not] if found else [
        Outcome(claim, why_not=f"claim {claim['id']}, experiment {name}: no run of {claim[claim['each']]}")]
    if lacking:
        return replace(lacking[0], claim=claim)
    subject, worst = worst_of(claim)(found, key=lambda pair: pair[1].median)
    return replace(worst, claim=claim, worst=", ".join(filter(None, (worst.worst, subject))))


def evaluate_one(claim, experiments, missing, usual):
    """That of a claim whose subjects are one each."""
    name = claim["experiment"]
    what = f"claim {claim['id']}, experiment {name}"
    try:
        all_rows = experiments[name].rows
        rows = matching(all_rows, claim["workload"], claim.get("select", {}), usual)
        others = matching(all_rows, claim.get("over_workload", claim["workload"]),
                          {**claim.get("select", {}), **claim.get("over_select", {})}, usual)
        chosen = groups(claim, rows, others)
        each = [(group, samples(ours, theirs, claim, what)) for group, ours, theirs in chosen]
        if not each:
            raise Missing(f"{what}: no run of {claim['workload']}")
        worst, summary = of_all(claim, each)
    except Missing as why:
        return Outcome(claim, why_not=str(why))
    params = {key: value for _, ours, _ in chosen for row in ours for key, value in row["params"].items()}
    return Outcome(claim, summary.median, summary.low, summary.high, summary.pairs, summary.interval, params,
                   worst)


def evaluate_all(document, experiments, missing):
    usual = document.get("usual", {})
    return [evaluate(claim, experiments, missing, usual) for claim in document["claim"]]


def number(value):
    """Three digits that say something."""
    value = float(f"{value:.12g}")  # the last digits of a logarithm are the processor's, and may decide a tie
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    if size == 0:
        return "0"
    for least, form in ((100, "{:.0f}"), (10, "{:.1f}"), (1, "{:.2f}"), (0.1, "{:.2f}"),
                        (0.01, "{:.3f}"), (0.001, "{:.4f}")):
        if size >= least:
            return form.format(value)
    return f"{value:.1e}"


def with_unit(text, claim):
    unit = claim.get("unit", "")
    return f"{text} {unit}".strip()


def limit_text(claim):
    """"at most 0.5", "0.45", "5 to 6 ms"."""
    source = claim.get("published", claim)
    words = [f"{name} {source[key]:g}" for key, name in (("at_most", "at most"), ("at_least", "at least"))
             if key in source]
    if not words:
        value = source["value"]
        words = [" to ".join(f"{each:g}" for each in (value if isinstance(value, list) else [value]))]
    return with_unit(" and ".join(words), claim)


def source_of(claim):
    return claim["published"]["source"] if "published" in claim else claim["source"]
