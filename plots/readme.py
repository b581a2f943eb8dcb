"""The tables of README.md and paper/RESULTS.md: plots/readme.py --help"""
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from plots import command
    from plots.publication.readme import main
    command.end(main)
