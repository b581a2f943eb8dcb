"""The random numbers of the workloads, as `ouro numbers` writes them."""
import array


class Random:
    """Draws as workloads::Random of experiments/workloads/edges.hpp does, from a stream of its numbers."""
    CHUNK = 1 << 14

    def __init__(self, stream):
        self.stream = stream
        self.words = iter(())

    def below(self, limit):
        """In [0, limit)."""
        for word in self.words:
            return word * limit >> 32
        words = array.array("I", self.stream.read(4 * self.CHUNK))
        if not words:
            raise SystemExit("the random numbers have ended")
        self.words = iter(words)
        return self.below(limit)

    def shuffled(self, count):
        """The numbers below count in a random order."""
        order = list(range(count))
        for k in range(count, 1, -1):
            place = self.below(k)
            order[k - 1], order[place] = order[place], order[k - 1]
        return order
