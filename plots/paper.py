"""The numbers, tables and figures of the paper: plots/paper.py --help"""
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from plots.publication.paper import main
    sys.exit(main(sys.argv[1:]))
