"""Results as objects, and names for people."""
