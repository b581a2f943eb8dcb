"""The figures of the paper: `\\drawn{NAME}` is drawn by the function NAME, marked as a figure."""
from plots.numbers.named import Named

figure = Named(__name__)
