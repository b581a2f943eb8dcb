"""Documents of JSON read into memory, the standard library alone: each operation parses one of some thirty containers,
files it under its number, and refers to it from two indices. After `size` of them the oldest go.

The heap grows for most of the run, as that of what reads a large file does, and nothing is cyclic: collections find
nothing.
"""
import collections
import json

SIZE = 60_000
OPERATIONS = 60_000
PACKAGE = None


def text(number):
    return json.dumps({"number": number, "lines": [{"article": i, "price": [number, i], "tags": {"a": i, "b": [i]}}
                                                   for i in range(7)]})


class Documents:
    def __init__(self, size):
        self.size, self.next = size, 0
        self.texts = [text(number) for number in range(997)]
        self.documents, self.by_article = {}, collections.defaultdict(dict)

    def __call__(self, _):
        number, self.next = self.next, self.next + 1
        document = self.documents[number] = json.loads(self.texts[number % 997])
        self.by_article[number % 5_000][number] = [document, document["lines"][0]]
        if (old := number - self.size) >= 0:
            del self.documents[old], self.by_article[old % 5_000][old]


def load(size, seed):
    return Documents(size)
