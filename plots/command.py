"""What the commands of this room share."""
import os
import sys
from pathlib import Path


def end(main):
    """Runs `main` on the arguments of the command line and ends the process with the status that it returns, or, where
    something cannot be read or written, with 1 and a line on standard error."""
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except OSError as failure:
        where = f"{failure.filename}: " if failure.filename is not None else ""
        print(f"{Path(sys.argv[0]).name}: {where}{failure.strerror}", file=sys.stderr)
        # Nor can what standard output still holds be written at the end of the process.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)
