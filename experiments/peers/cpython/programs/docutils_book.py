"""A book made by docutils: chapters of reStructuredText with sections, lists, tables, code and references between them
are read, resolved and written as HTML.

An operation is one chapter; the trees of `size` chapters are alive, as Sphinx keeps them.
"""
import collections
import io

SIZE = 100
OPERATIONS = 120
PACKAGE = "python3-docutils"


def chapter(number):
    parts = [f"Chapter {number}\n{'=' * 20}\n"]
    for section in range(12):
        parts.append(f"""
Section {number}.{section}
{'-' * 20}

A paragraph with *emphasis*, **more**, ``code {section}`` and a reference to `Section {number}.{section}`_.

1. first of {section}
2. second, with `a link <https://example.org/{number}/{section}>`_

   - nested
   - deeper still

+--------+--------+
| one    | two    |
+========+========+
| {section:6d} | {number:6d} |
+--------+--------+

.. note:: Of chapter {number}.

.. code:: python

    def function_{section}(argument):
        return [argument, {number}]
""")
    return "".join(parts)


class Book:
    def __init__(self, size):
        from docutils.core import publish_doctree, publish_from_doctree
        self.read, self.write = publish_doctree, publish_from_doctree
        self.trees = collections.deque(maxlen=size)
        self.quiet = {"warning_stream": io.StringIO(), "report_level": 5}
        self.sources = [chapter(number) for number in range(50)]

    def __call__(self, number):
        tree = self.read(self.sources[number % 50], settings_overrides=self.quiet)
        self.trees.append(tree)
        self.write(tree.deepcopy(), writer_name="html5", settings_overrides=self.quiet)


def load(size, seed):
    return Book(size)
