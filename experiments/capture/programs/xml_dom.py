"""Parses a large XML document with xml.dom.minidom and keeps its tree.

    xml_dom.py [--orders N] [--seed S]

The document, a catalogue of N orders (default 4000) drawn from the seed, is parsed as one text. Every
node refers to its parent, its siblings and its document, so that the whole tree is one cycle: nodes of
few types, instances with __slots__ and with __dict__, lists of children, dictionaries of attributes.
"""

import argparse
import random
import xml.dom.minidom

WORDS = ("amber", "barley", "cedar", "delta", "ember", "fennel", "garnet", "harbour", "indigo",
         "juniper", "kestrel", "linden", "marble", "nectar", "olive", "pepper")

document = None  # what keeps everything alive


def item(draw):
    name = " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, 3)))
    note = "<!-- %s -->" % draw.choice(WORDS) if draw.random() < 0.1 else ""
    return ('<item sku="%06d" amount="%d">%s<name>%s</name><price currency="EUR">%.2f</price></item>'
            % (draw.randrange(10 ** 6), draw.randint(1, 20), note, name, draw.uniform(1, 100)))


def order(draw, number):
    items = "\n".join([item(draw) for _ in range(draw.randint(1, 6))])
    return ('<order id="o%d" state="%s">\n<customer ref="c%d"/>\n%s\n</order>\n'
            % (number, draw.choice(("open", "paid", "sent")), draw.randint(1, 5000), items))


def count(node):
    """The nodes of a tree, attributes included."""
    nodes, pending = 0, [node]
    while pending:
        node = pending.pop()
        nodes += 1
        pending += node.childNodes
        if node.nodeType == node.ELEMENT_NODE and node.hasAttributes():
            pending += node.attributes.values()
    return nodes


def main():
    global document
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--orders", type=int, default=4000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    wanted = parser.parse_args()
    draw = random.Random(wanted.seed)
    text = "".join([order(draw, number) for number in range(wanted.orders)])
    document = xml.dom.minidom.parseString("<?xml version='1.0'?>\n<orders>\n%s</orders>\n" % text)
    print(f"{wanted.orders} orders, {count(document)} nodes")


main()
