"""How long it takes to stop the world by how many threads there are, from micro.json: benchmarks
`stop/...` with the counters `threads`, `blocked` (how many of them are outside the API), and in ns
`tts_p50_ns`, `tts_p99_ns` (request to last safepoint), `stop_p50_ns`, `stop_p99_ns` (request to all
running again) and, of a thread that only reads the clock beside them, `hiccup_p99_ns`."""
import statistics

from plots.drawing import style
from plots.drawing.axes import canvas, count_axis, duration, legend, log_ticks
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show

from matplotlib.lines import Line2D

TIMES = (("tts", "time to safepoint"), ("stop", "stop and start"))
QUANTILES = (("p50", "-"), ("p99", (0, (3, 1.2))))
MIXTURES = ("all running", "some blocked", "all blocked")


def mixture(threads, blocked):
    return MIXTURES[0] if blocked == 0 else MIXTURES[2] if blocked >= threads else MIXTURES[1]


def measured(results):
    """{(mixture, threads): {counter: median over repetitions}}"""
    found = {}
    for each in results.micro:
        if each["name"].startswith("stop/") and "threads" in each:
            key = mixture(each["threads"], each.get("blocked", 0)), int(each["threads"])
            found.setdefault(key, []).append(each)
    names = [f"{kind}_{quantile}_ns" for kind, _ in TIMES for quantile, _ in QUANTILES]
    return {key: {name: statistics.median(each[name] for each in repetitions)
                  for name in [*names, "hiccup_p99_ns"]
                  if all(name in each for each in repetitions)}
            for key, repetitions in found.items()}


def draw(results, found):
    threads = sorted({number for _, number in found})
    figure, [panels] = canvas(
        results, "Stopping the world, by the number of threads",
        "Medians over repetitions. Blocked: outside the API, which a stop does not wait for. "
        "Dotted: what a thread that only reads the clock beside them misses, p99.",
        columns=2, panel=2.2, right=0.2, between=0.6, foot=0.62, sharey=True)
    for axes, (kind, text) in zip(panels, TIMES):
        for place, name in enumerate(MIXTURES):
            for quantile, dash in QUANTILES:
                points = [(number, found[name, number][f"{kind}_{quantile}_ns"] / 1e6)
                          for number in threads
                          if f"{kind}_{quantile}_ns" in found.get((name, number), {})]
                if points:
                    axes.plot(*zip(*points), color=style.OURS[place], linestyle=dash,
                              marker=style.OUR_MARKERS[place])
        noise = [(number, max(each["hiccup_p99_ns"] for (_, n), each in found.items()
                              if n == number and "hiccup_p99_ns" in each) / 1e6)
                 for number in threads
                 if any(n == number and "hiccup_p99_ns" in each for (_, n), each in found.items())]
        if noise:
            axes.plot(*zip(*noise), color=style.QUIET, linestyle=(0, (1, 2)))
        count_axis(axes, threads, "threads")
        axes.set_yscale("log")
        axes.set_title(text)
        axes.tick_params(labelleft=True)
    log_ticks(panels[0].yaxis, duration)
    panels[0].set_ylabel("time")
    names = [name for name in MIXTURES if any(each == name for each, _ in found)]
    legend(panels[0], [
        *(Line2D([], [], color=style.OURS[MIXTURES.index(name)], label=name,
                 marker=style.OUR_MARKERS[MIXTURES.index(name)]) for name in names),
        *(Line2D([], [], color=style.INK, linestyle=dash, label=quantile)
          for quantile, dash in QUANTILES)], loc="upper left", bbox_to_anchor=(-0.01, -0.2))
    return figure


def table(found):
    names = [f"{kind}_{quantile}_ns" for kind, _ in TIMES for quantile, _ in QUANTILES]
    head = [f"{text}, {quantile}" for _, text in TIMES for quantile, _ in QUANTILES]
    rows = [[name, str(number), *(show(each[key] / 1e3 if key in each else None, "{:.1f}")
                                  for key in [*names, "hiccup_p99_ns"])]
            for (name, number), each in sorted(found.items(),
                                               key=lambda one: (MIXTURES.index(one[0][0]),
                                                                one[0][1]))]
    return Table("Stops, µs", ["", "threads", *head, "OS jitter, p99"], rows, words=1)


def section(results, looks):
    found = measured(results)
    if not found:
        raise Lacks("micro.json has no benchmark stop/")
    return Section("Stops", "", [Drawing("stops", "Time to safepoint, and of a stop and start, "
                                         "against the number of threads", draw(results, found))],
                   [table(found)], source="micro.json")
