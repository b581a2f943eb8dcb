"""The tables of README.md and paper/RESULTS.md: `<!-- measured: NAME -->` is made by the function NAME, marked as one."""
from plots.numbers.named import Named

table = Named(__name__)
