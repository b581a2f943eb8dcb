"""Algebra with sympy: each operation expands, differentiates, factors and integrates an expression of its own.

Expressions are kept in the library's caches, and the last `size` results besides.
"""
import collections

SIZE = 1_000
OPERATIONS = 100
PACKAGE = "python3-sympy"


class Algebra:
    def __init__(self, size):
        import sympy
        self.sympy, self.kept = sympy, collections.deque(maxlen=size)

    def __call__(self, number):
        sympy = self.sympy
        x, y = sympy.symbols("x y")
        expression = (x + number + 1) ** 4 * (y - number) ** 3 + sympy.sin(number * x)
        expanded = sympy.expand(expression)
        self.kept.append((expanded, sympy.diff(expanded, x, 2), sympy.factor(sympy.expand((x + number) ** 3 * (x - 1))),
                          sympy.integrate(x ** 3 * sympy.exp(x) + number * x, x)))


def load(size, seed):
    return Algebra(size)
