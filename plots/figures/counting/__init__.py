"""Figures of reference counting."""
