"""Packs results for keeping beside the paper: plots/pack.py FROM TO"""
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from plots import command
    from plots.data.pack import main
    command.end(main)
