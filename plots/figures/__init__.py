"""The figures of a report, by subject."""
