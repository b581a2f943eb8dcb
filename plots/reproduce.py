"""The paper's experiments, run here, and its claims checked: `ouro reproduce --help`"""
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from plots import command
    from plots.publication.reproduce import main
    command.end(main)
