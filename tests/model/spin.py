"""Explores a model with Spin: every state that it can come to."""

import dataclasses
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
IS_THERE = shutil.which("spin") is not None


@dataclasses.dataclass
class Found:
    said: str
    states: int

    @property
    def right(self):
        """Whether all of it was explored, and nothing is wrong."""
        return ("errors: 0" in self.said and "search not completed" not in self.said.lower()
                and "max search depth too small" not in self.said)


def explore(model, *defines, options=(), build=()):
    """A model of this folder with these macros defined; `options` are pan's, `build` the compiler's."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["spin", *(f"-D{each}" for each in defines), "-a", HERE / model],
                       cwd=folder, check=True, stdout=subprocess.PIPE)
        subprocess.run(["cc", "-O1", "-w", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=2048", *build, "-o", "pan", "pan.c"],
                       cwd=folder, check=True)
        said = subprocess.run(["./pan", "-m1000000", *options], cwd=folder, check=True,
                              stdout=subprocess.PIPE, text=True).stdout
    states = re.search(r"(\d+) states, stored", said)
    if states is None:
        raise RuntimeError(f"{model}: {said}")
    return Found(said, int(states[1]))
