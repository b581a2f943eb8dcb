"""Figures, tables and the page of a results directory: plots/report.py RESULTS_DIR"""
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from plots import command
    from plots.page.report import main
    command.end(main)
