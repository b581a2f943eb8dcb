"""The engines that there are, as `ouro list` tells."""
import os
import re
import subprocess

OURO = os.environ.get("OURO_BINARY") or os.path.join(os.path.dirname(__file__), "..", "..", "build", "bin", "ouro")


def engines(*left_out):
    """Their names, in order."""
    listed = subprocess.run([OURO, "list"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^  (\S+)", re.search(r"^engines\n((?:  .*\n)+)", listed, re.MULTILINE)[1], re.MULTILINE)
    return tuple(name for name in found if name not in left_out)
