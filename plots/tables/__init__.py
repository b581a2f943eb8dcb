"""The parts of a report that are tables alone."""
