"""Which conditions hold for each figure and table: plots/gate.py RESULTS_DIR [--require] [NAME...]"""
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from plots import command
    from plots.page.gate import main
    command.end(main)
