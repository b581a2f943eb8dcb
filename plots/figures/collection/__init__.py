"""Figures of collections."""
