"""Simulates a population and keeps it: many small classes, links in all directions.

    simulation.py [--people N] [--steps N] [--seed S]

N people (default 48000) in clans live through some steps (default 5): they are born to parents and
die, trade, sign contracts, make friends. A person has a __dict__, what they own has __slots__; there
are sets of friends and of contracts, frozensets of skills, tuples, deques of memories, weak references
to rivals and a weak registry. Since people come and go, neighbours in the graph are far apart in
memory. About a million containers.
"""

import argparse
import collections
import random
import weakref

world = None  # what keeps everything alive

SKILLS = ("bake", "brew", "carve", "dye", "farm", "fish", "forge", "hunt", "sail", "weave")


class Thing:
    __slots__ = ("kind", "owner", "parts")

    def __init__(self, kind, owner, parts):
        self.kind, self.owner, self.parts = kind, owner, parts


class Contract:
    __slots__ = ("parties", "terms", "__weakref__")

    def __init__(self, parties, terms):
        self.parties, self.terms = parties, terms
        for person in parties:
            person.contracts.add(self)

    def cancel(self):
        for person in self.parties:
            person.contracts.discard(self)


class Person:
    def __init__(self, number, clan, parents, skills):
        self.number, self.clan, self.parents, self.skills = number, clan, parents, skills
        self.children, self.things = [], []
        self.friends, self.contracts = set(), set()
        self.memories = collections.deque(maxlen=4)
        self.rival = None
        self.position = [number % 1000, number // 1000]
        clan.members[number] = self
        for parent in parents:
            parent.children.append(self)


class Clan:
    def __init__(self, name):
        self.name = name
        self.members = {}
        self.leader = None


class World:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.clans = [Clan("clan %d" % number) for number in range(50)]
        self.people = []
        self.registry = weakref.WeakValueDictionary()
        self.born = 0

    def birth(self):
        draw = self.draw
        clan = draw.choice(self.clans)
        parents = tuple(draw.sample(self.people, 2)) if len(self.people) > 100 else ()
        person = Person(self.born, clan, parents, frozenset(draw.sample(SKILLS, 3)))
        self.born += 1
        for _ in range(draw.randint(1, 3)):
            parts = [Thing("part", None, ()) for _ in range(draw.randint(0, 2))]
            thing = Thing("tool", person, parts)
            for part in parts:
                part.owner = thing
            person.things.append(thing)
        self.people.append(person)
        self.registry[person.number] = person
        if clan.leader is None or clan.leader() is None:
            clan.leader = weakref.ref(person)

    def death(self):
        """Somebody leaves; those who are left forget them, but for their children."""
        people = self.people
        place = self.draw.randrange(len(people))
        person, people[place] = people[place], people[-1]
        people.pop()
        del person.clan.members[person.number]
        for contract in list(person.contracts):
            contract.cancel()
        for friend in list(person.friends):
            friend.friends.discard(person)
        for parent in person.parents:
            parent.children.remove(person)

    def meet(self):
        draw = self.draw
        one, other = draw.choice(self.people), draw.choice(self.people)
        if one is other:
            return
        what = draw.random()
        if what < 0.5:
            one.friends.add(other)
            other.friends.add(one)
        elif what < 0.8:
            Contract((one, other), {"from": one, "to": other, "price": draw.randint(1, 99)})
        elif what < 0.9 and one.things:
            thing = one.things.pop()
            thing.owner = other
            other.things.append(thing)
        else:
            one.rival = weakref.ref(other)
        one.memories.append((other, what))

    def live(self, people, steps):
        while len(self.people) < people:
            self.birth()
        for _ in range(steps):
            for _ in range(people // 20):
                self.death()
                self.birth()
            for _ in range(people // 5):
                self.meet()


def main():
    global world
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=48_000, metavar="N")
    parser.add_argument("--steps", type=int, default=5, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    wanted = parser.parse_args()
    world = World(wanted.seed)
    world.live(wanted.people, wanted.steps)
    print(f"{len(world.people)} people, {world.born} born, "
          f"{sum(len(person.contracts) for person in world.people) // 2} contracts")


main()
