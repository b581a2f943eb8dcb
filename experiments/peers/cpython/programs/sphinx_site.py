"""A site made by Sphinx: `size` documents of reStructuredText, with its environment, domains, search index and templates.

An operation is a build after three documents have changed: these are read, and they and what refers to them written.
"""
import io
import os
import random
import shutil
import tempfile

SIZE = 100
OPERATIONS = 12
PACKAGE = "python3-sphinx"


def document(number, size, version):
    functions = "\n".join(f"""
.. py:function:: function_{number}_{each}(first, second=None)

   Does what version {version} does, and refers to :py:func:`function_{(number + each) % size}_{each}`.

   :param first: one of :ref:`section-{(number * 7 + each) % size}`
   :returns: a ``list``
""" for each in range(15))
    return f"""
.. _section-{number}:

Document {number}
=================

.. index:: single: subject {number}

.. toctree::
   :hidden:

Of version {version}, after :doc:`d{(number + 1) % size}`.

======  ======
one     two
======  ======
{number:6d}  {version:6d}
======  ======
{functions}
"""


class Site:
    def __init__(self, size, seed):
        from sphinx.application import Sphinx
        self.size, self.chance = size, random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="sphinx-site-")
        self.keep("conf.py", "project = 'site'\nextensions = []\n")
        self.keep("index.rst", "Index\n=====\n\n.. toctree::\n   :glob:\n\n   d*\n")
        for number in range(size):
            self.keep(f"d{number}.rst", document(number, size, 0))
        self.app = Sphinx(self.folder, self.folder, self.folder + "/out", self.folder + "/trees", "html",
                          status=io.StringIO(), warning=io.StringIO())
        self.app.build(force_all=True)

    def __del__(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def keep(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def __call__(self, number):
        changed = [self.keep(f"d{each}.rst", document(each, self.size, number + 1))
                   for each in self.chance.sample(range(self.size), 3)]
        self.app.build(filenames=changed)


def load(size, seed):
    return Site(size, seed)
