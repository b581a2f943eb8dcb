"""Garbage that hangs together by containers of extension modules from Debian's archive dies with full collections in
slices as it does in CPython's own, and what is alive in them stays."""
# not with a sanitizer: runs nothing of the build
import subprocess

from bridge_support import BridgeTest, interpreters, run

# How a container of the module comes to refer to a node: {module: source of `hold(node)`}.
HOLDERS = {
    "BTrees.OOBTree": "OOBTree = module.OOBTree\ndef hold(node): return OOBTree({1: node, 2: [node]})",
    "frozenlist": "def hold(node): return module.FrozenList([node, [node]])",
    "lxml.etree": "def hold(node): return module.XMLParser(target=node)",
    "multidict": "def hold(node): return module.MultiDict([('a', node), ('a', [node]), ('b', node)])",
    "numpy": "def hold(node): return module.array([node, None], dtype=object)",
    "persistent": """
class Kept(module.Persistent):
    pass
def hold(node):
    kept = Kept()
    kept.node = node
    return kept
""",
    "pyrsistent": """
import pvectorc
def hold(node): return module.pvector([node, 1]).append([node])
""",
    "wrapt": "def hold(node): return module.ObjectProxy(node)",
    "yarl": """
def hold(node):
    url = module.URL('http://example.org/a')
    node.url = url
    return [url, node]
""",
    "zope.interface": """
from zope.interface.adapter import AdapterRegistry
class IWanted(module.Interface):
    pass
def hold(node):
    registry = AdapterRegistry()
    registry.register([], IWanted, '', node)
    return registry
""",
}

# Rings of a node and a container; each third is alive. What stock finds to be dead, and what the bridge does.
PROGRAM = '''
from driving import *
import importlib
import weakref

module = importlib.import_module(sys.argv[1])
exec(sys.argv[2])

class Target(Node):
    """For a parser, too."""
    def start(self, *_): pass
    def close(self): pass

def make(count):
    """(numbers of the dead, what lives)"""
    dead, alive = set(), []
    for number in range(count):
        node = Target()
        node.number = number
        node.holder = hold(node)
        watched.append(weakref.ref(node, lambda _, number=number: dead.add(number)))
        if number % 3 == 0:
            alive.append(node)
    return dead, alive

watched = []
count = scaled(1_500)
gc.disable()
of_stock, alive = make(count)
while gc.collect():
    pass
living = [node.number for node in alive]
enable(20_000)
of_bridge, alive_too = make(count)
for _ in range(3):
    make_old()
    cycle()
check([node.number for node in alive_too] == living)
check(all(node.holder is not None for node in alive + alive_too))
check(of_stock == of_bridge, (len(of_stock), len(of_bridge)))
# What has been found alive for long dies as well.
before = len(of_bridge)
del alive
alive_too.clear()
for _ in range(3):
    make_old()
    cycle()
check(len(of_bridge) - before == (count + 2) // 3 if of_stock else len(of_bridge) == 0, (before, len(of_bridge)))
_bridge.disable()
check(gc.collect() == 0)
'''


class Test(BridgeTest):
    def test_of_each_module(self):
        python = interpreters()[0]
        tried = []
        for name, holder in HOLDERS.items():
            there = subprocess.run([python.path, "-c", f"import {name}"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, check=False)
            if there.returncode != 0:
                continue
            with self.subTest(module=name):
                run(python, PROGRAM, name, holder)
                tried.append(name)
        self.assertTrue(tried)
