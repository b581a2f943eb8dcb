"""What a workload does not cover, which is told with every figure of it: results say it of their workloads. One that nobody
says it of fails the gate."""
import tomllib
from pathlib import Path

# Of results that are older than that.
RECORDED = tomllib.loads(Path(__file__).with_name("coverage.toml").read_text(encoding="utf-8"))


def not_covered_by(workload, meta):
    """The words for a workload of results with this metadata; None if nobody wrote them."""
    told = {each["workload"]: each.get("not_covered") for each in meta.get("configurations", [])}
    if told.get(workload):
        return told[workload]
    return RECORDED.get(workload) or RECORDED.get(workload.partition(":")[0] + ":")
