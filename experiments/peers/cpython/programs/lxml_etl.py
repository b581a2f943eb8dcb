"""Extracting, transforming, loading with lxml: a document of orders is parsed, each order becomes records that refer
to their customer, and is written out again as XML. An operation is one document of 200 orders.

The customers, and the records of the last `size` documents, are alive.
"""
import collections

SIZE = 400
OPERATIONS = 1_500
PACKAGE = "python3-lxml"
ORDERS = 200


class Customer:
    def __init__(self, name):
        self.name, self.orders = name, collections.deque(maxlen=50)


class Order:
    def __init__(self, number, customer, lines):
        self.number, self.customer, self.lines = number, customer, lines
        customer.orders.append(self)


def document(seed):
    lines = "".join(f'<line article="a{i}" count="{i + 1}"/>' for i in range(4))
    orders = "".join(f'<order number="{seed * ORDERS + i}" customer="c{(seed * 31 + i) % 2000}">{lines}</order>'
                     for i in range(ORDERS))
    return f"<orders>{orders}</orders>".encode()


class Pipeline:
    def __init__(self, size):
        from lxml import etree
        self.etree = etree
        self.customers = {f"c{i}": Customer(f"c{i}") for i in range(2000)}
        self.documents = [document(seed) for seed in range(50)]
        self.kept = collections.deque(maxlen=size)
        for number in range(size):
            self(number)

    def __call__(self, number):
        etree = self.etree
        records = []
        for node in etree.fromstring(self.documents[number % 50]).iterfind("order"):
            lines = [{"article": line.get("article"), "count": int(line.get("count"))} for line in node]
            records.append(Order(node.get("number"), self.customers[node.get("customer")], lines))
        self.kept.append(records)
        out = etree.Element("totals")
        for record in records:
            etree.SubElement(out, "total", order=record.number, count=str(sum(each["count"] for each in record.lines)))
        etree.tostring(out)


def load(size, seed):
    return Pipeline(size)
