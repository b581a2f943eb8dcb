"""The paper, the README's tables, and reproduction."""
