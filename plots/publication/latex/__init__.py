"""The tables of the paper, in LaTeX: `\\measured{NAME}` is made by the function NAME, marked as a table."""
from plots.numbers.named import Named

table = Named(__name__)
