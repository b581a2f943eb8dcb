"""Runs a script of this folder with garbage collected otherwise than CPython does by itself.

    python3 -I -S collecting.py HOW PACKAGE_DIR SCRIPT ARGUMENT...

HOW is what people do about long collections:

    bridge   full collections in slices (core/bridge); PACKAGE_DIR holds the package `ouroboros`, built for this
             interpreter
    tuned    thresholds of 50,000, 20 and 20
    freeze   gc.freeze() after a full collection when the script has loaded what it keeps
    off      gc.disable()

Without a script: ends with status 0 if that can be had here, else with 1, and says why. The script's row names the
engine "cpython-VERSION-HOW".
"""
import gc
import sys


def start_bridge():
    try:
        from ouroboros import _bridge
    except ImportError as error:
        sys.exit(f"collecting.py: {error}")
    if reason := _bridge.supported():
        sys.exit(f"collecting.py: {reason}")
    return lambda: _bridge.enable(500_000)


def start_freezing():
    import measure

    def loaded():
        gc.collect()
        gc.freeze()
    measure.loaded = loaded


START = {"bridge": start_bridge, "tuned": lambda: lambda: gc.set_threshold(50_000, 20, 20),
         "freeze": lambda: start_freezing, "off": lambda: gc.disable}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in START:
        sys.exit(f"usage: collecting.py {'|'.join(START)} PACKAGE_DIR [SCRIPT ARGUMENT...]")
    how = sys.argv[1]
    sys.path[:0] = [sys.argv[2], __file__.rpartition("/")[0] or "."]
    start = START[how]()
    if len(sys.argv) == 3:
        return
    sys.argv[:3] = []
    import measure
    engine = measure.engine
    measure.engine = lambda: {**engine(), "engine": f"{engine()['engine']}-{how}"}
    with open(sys.argv[0], encoding="utf-8") as file:
        script = compile(file.read(), sys.argv[0], "exec")
    start()
    exec(script, {"__name__": "__main__", "__file__": sys.argv[0]})


main()
