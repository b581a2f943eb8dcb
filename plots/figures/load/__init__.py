"""Figures of mutators at work."""
