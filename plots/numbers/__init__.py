"""Numbers for texts, and what texts ask for by name."""
