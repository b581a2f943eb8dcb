"""python -m ouroboros: a program with full collections in slices, or a comparison."""
import argparse
import json
import logging
import os
import sys

import ouroboros
from ouroboros import budget, compare, control, program, report

USAGE = """python -m ouroboros [OPTIONS] [-m MODULE | -c CODE | SCRIPT] ARGS...
       python -m ouroboros --compare [OPTIONS] [-m MODULE | -c CODE | SCRIPT] ARGS..."""


def parser():
    it = argparse.ArgumentParser(prog="python -m ouroboros", usage=USAGE, allow_abbrev=False, description="""
        Runs a Python program whose full garbage collections are made in slices, so that no pause is long.""")
    it.add_argument("--pause-budget", metavar="TIME", type=_budget, default=budget.DEFAULT,
                    help="how long a pause with a part of a full collection may be, about: 500us, 1ms, 0.5e-3 "
                         f"(seconds); {budget.ALLOWED}; default 0.5ms")
    it.add_argument("--stats", action="store_true", help="print what the pauses were to standard error at exit")
    it.add_argument("--events", metavar="FILE", help="append each pause and each cycle to FILE as a line of JSON")
    it.add_argument("--log", action="store_true",
                    help="tell on standard error when a full collection has ended, and of what makes pauses long all "
                         "the same")
    it.add_argument("--idle", action="store_true", help="let a thread finish a cycle while the program does nothing")
    it.add_argument("--compare", action="store_true",
                    help="run the program under CPython's own collector and under the bridge in turn, without input "
                         "and output, and print longest and p99.9 pause, MMU(10 ms), wall and CPU time, peak memory")
    it.add_argument("--runs", metavar="N", type=_runs, help="runs under each; default 3")
    it.add_argument("--json", metavar="FILE", help="write what was compared to FILE, too")
    return it


def _budget(text):
    try:
        return budget.parsed(text)
    except ValueError as failure:
        raise argparse.ArgumentTypeError(str(failure)) from None


def _runs(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"a number of runs is 1 or more, not {text!r}")
    return int(text)


def main(words):
    it = parser()
    with_value = {name for action in it._actions if action.nargs is None for name in action.option_strings}
    words, target = program.split(words, with_value)
    options = it.parse_args(words)
    if target is None:
        it.error("a program is missing: SCRIPT, -m MODULE or -c CODE")
    for name, with_compare in (("stats", False), ("events", False), ("log", False), ("idle", False),
                              ("runs", True), ("json", True)):
        if getattr(options, name) and options.compare != with_compare:
            it.error(f"--{name} is {'for' if with_compare else 'not for'} --compare")
    found = ouroboros.supported()
    if not found:
        it.exit(1, f"ouroboros cannot be used here: {found.reason}\n")
    if options.compare:
        _compare(options, target, it)
    else:
        _run(options, target, it)


def _compare(options, target, it):
    try:
        found = compare.compare(target, options.pause_budget, options.runs or 3)
    except compare.Failed as failure:
        it.exit(1, f"ouroboros: {failure}\n")
    try:
        print("\n".join(compare.table(found)), flush=True)
    except OSError as failure:
        # Nor can what is left of it be written at the end of the process.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        it.exit(1, f"ouroboros: {failure.strerror}\n")
    if options.json:
        try:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(found, file, indent=1)
        except OSError as failure:
            it.exit(1, f"ouroboros: --json {options.json}: {failure.strerror}\n")


def _run(options, target, it):
    if options.log:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("ouroboros: %(levelname)s: %(message)s"))
        logging.getLogger("ouroboros").addHandler(handler)
        logging.getLogger("ouroboros").setLevel(logging.INFO)
    try:
        ouroboros.enable(options.pause_budget, events=options.events, idle=options.idle, log=options.log)
    except OSError as failure:
        it.exit(1, f"ouroboros: --events: {failure}\n")
    if options.stats:
        control.state.on_exit = lambda: print("\n".join(report.table()), file=sys.stderr, flush=True)
    elif options.log:
        control.state.on_exit = report.stats
    try:
        target.run()
    except program.NoProgram as failure:
        it.exit(2, f"ouroboros: {failure}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
