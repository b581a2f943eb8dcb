"""The numbers, tables and figures of the paper: plots/paper.py --help"""
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from plots import command
    from plots.publication.paper import main
    command.end(main)
