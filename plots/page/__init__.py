"""The report: its parts, its files, its page."""
