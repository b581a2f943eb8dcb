"""The heap file of FORMAT.md: write_heap, read_heap and summary. Knows nothing of how a graph is
taken. Standard library only, CPython 3.8+."""

import _weakref
import json
import os
import platform
import sys
import sysconfig
from array import array
from struct import pack, unpack
from zlib import crc32

MAGIC = b"OUROHEAP"
VERSION = 1
LIMIT = 0xFFFFFFFF

SECTIONS = ("metadata", "types", "kinds", "flags", "type_of", "sizes", "external", "degrees",
            "references")  # in the order of the file; identifiers count from 1
KINDS = ("leaf", "list", "dict", "tuple", "set", "frozenset", "instance")
TRACKED, IMMORTAL, DEFERRED = 1, 2, 4

EXACT_KINDS = {cls: KINDS.index(cls.__name__) for cls in (list, dict, tuple, set, frozenset)}
WEAK_REFERENCES = (_weakref.ReferenceType, _weakref.ProxyType, _weakref.CallableProxyType)
HAVE_GC, HEAP_TYPE = 1 << 14, 1 << 9  # Py_TPFLAGS_*


class HeapFileError(ValueError):
    """Not what FORMAT.md says: "FILE: offset N: what was found, what is expected"."""


def type_name(cls):
    """module.qualname in printable ASCII, asked of `type` itself: a metaclass may do anything."""
    module = type.__dict__["__module__"].__get__(cls)
    name = type.__dict__["__qualname__"].__get__(cls)
    if type(module) is str and module != "builtins":
        name = module + "." + name
    return name.encode("unicode_escape")[:65535]


def kind_of(obj, cls):
    kind = EXACT_KINDS.get(cls) if type(cls) is type else None
    if kind is not None:
        return kind
    flags_of = type.__dict__["__flags__"].__get__
    static_type = issubclass(cls, type) and not flags_of(obj) & HEAP_TYPE
    return KINDS.index("instance" if flags_of(cls) & HAVE_GC and not static_type else "leaf")


def size_of(obj):
    try:
        return min(sys.getsizeof(obj), LIMIT)
    except Exception:  # a __sizeof__ written in Python may do anything
        return object.__sizeof__(obj)


def not_recorded(objects):
    """How many objects do what no reference in the file says."""
    mro_of = type.__dict__["__mro__"].__get__
    weak, final = 0, 0
    known = {}  # a type's address -> is it a weak reference, does it have a finalizer
    for obj in objects:
        cls = type(obj)
        about = known.get(id(cls))
        if about is None:
            mro = mro_of(cls)
            about = known[id(cls)] = (
                any(base in WEAK_REFERENCES for base in mro),
                any("__del__" in type.__dict__["__dict__"].__get__(base) for base in mro))
        weak += about[0]
        final += about[1]
    return {"weak_references": weak, "finalizers": final}


def environment():
    """What FORMAT.md calls python and platform, of this interpreter."""
    return {
        "python": {"version": platform.python_version(), "build": sys.version,
                   "implementation": platform.python_implementation(),
                   "executable": sys.executable,
                   "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
                   "gc_head_bytes": sys.getsizeof(()) - tuple.__basicsize__},
        "platform": {"system": platform.platform(), "machine": platform.machine(),
                     "pointer_bits": sys.maxsize.bit_length() + 1, "cpus": os.cpu_count()},
    }


def little_endian(numbers):
    """The bytes of an array("I"), or the array of such bytes."""
    if isinstance(numbers, array):
        if sys.byteorder == "big":
            numbers = array("I", numbers)
            numbers.byteswap()
        return numbers.tobytes()
    numbers = array("I", numbers)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def contents(graph):
    """The sections after the metadata, as bytes, the objects in the order of their addresses."""
    objects, starts = graph.objects, graph.starts
    order = sorted(range(len(objects)), key=list(map(id, objects)).__getitem__)
    place = array("I", bytes(4 * len(objects)))
    for new, old in enumerate(order):
        place[old] = new

    types, names, kinds, type_of, sizes = {}, [], bytearray(), array("I"), array("I")
    flags, external, degrees = bytearray(), array("I"), array("I")
    placed = array("I", map(place.__getitem__, graph.refs))
    references = array("I")
    for old in order:
        obj, start, end = objects[old], starts[old], starts[old + 1]
        cls = type(obj)
        number = types.get(id(cls))
        if number is None:
            number = types[id(cls)] = len(names)
            names.append(type_name(cls))
        type_of.append(number)
        kinds.append(kind_of(obj, cls))
        sizes.append(size_of(obj))
        flags.append((TRACKED if old < graph.tracked else 0)
                     | (IMMORTAL if graph.immortal[old] else 0)
                     | (DEFERRED if graph.deferred[old] else 0))
        external.append(graph.external[old])
        degrees.append(end - start)
        if start != end:
            references += placed[start:end]
    table = b"".join(len(name).to_bytes(2, "little") + name for name in names)
    return [table, kinds, flags] + [little_endian(numbers) for numbers in
                                    (type_of, sizes, external, degrees, references)]


def write_heap(path, graph, metadata):
    """Writes the file under another name and renames it: it is whole, or it is not there. graph:
    see Graph in heapgraph.py."""
    metadata = dict(metadata, not_recorded=not_recorded(graph.objects[:graph.tracked]))
    sections = [json.dumps(metadata, indent=1).encode("ascii")] + contents(graph)
    length = 28 + sum(16 + len(payload) for payload in sections)
    header = MAGIC + pack("<IIQ", VERSION, len(sections), length)
    with open(path + ".partial", "wb") as file:
        file.write(header + pack("<I", crc32(header)))
        for identifier, payload in enumerate(sections, 1):
            head = pack("<IQ", identifier, len(payload))
            file.write(head + pack("<I", crc32(payload, crc32(head))))
            file.write(payload)
    os.replace(path + ".partial", path)


def read_heap(path):
    """-> {section: content}; metadata: the JSON object, types: names, kinds and flags: bytes, the
    others array("I"). Raises HeapFileError, OSError."""
    with open(path, "rb") as file:
        data = memoryview(file.read())

    def refuse(offset, what):
        raise HeapFileError("%s: offset %d: %s" % (path, offset, what))

    if len(data) < 28 or data[:8] != MAGIC:
        refuse(0, "found %d bytes that begin with %r, expected at least 28 that begin with %r"
               % (len(data), bytes(data[:8]), MAGIC))
    version, count, length = unpack("<IIQ", data[8:24])
    if crc32(data[:24]) != unpack("<I", data[24:28])[0]:
        refuse(24, "found a CRC-32 that is not the header's")
    if (version, count, length) != (VERSION, len(SECTIONS), len(data)):
        refuse(8, "found version %d, %d sections, %d bytes, expected %d, %d, %d"
               % (version, count, length, VERSION, len(SECTIONS), len(data)))
    heap, offset, at = {}, 28, {}
    for number, name in enumerate(SECTIONS, 1):
        left = len(data) - offset - 16
        if left < 0:
            refuse(offset, "found the end of the file, expected section %s" % name)
        identifier, length, crc = unpack("<IQI", data[offset:offset + 16])
        if identifier != number or length > left:
            refuse(offset, "found section %d of %d bytes, expected %d (%s) of at most %d"
                   % (identifier, length, number, name, left))
        payload = data[offset + 16:offset + 16 + length]
        if crc32(payload, crc32(data[offset:offset + 12])) != crc:
            refuse(offset + 12, "found a CRC-32 that is not that of section %s" % name)
        heap[name], at[name] = payload.tobytes(), offset
        offset += 16 + length
    if offset != len(data):
        refuse(offset, "found %d more bytes, expected the end" % (len(data) - offset))

    try:
        heap["metadata"] = json.loads(heap["metadata"].decode("utf-8"))
    except ValueError as error:
        refuse(at["metadata"] + 16, "found no JSON: %s" % error)
    names, raw, place = [], heap["types"], 0
    while place < len(raw):
        end = place + 2 + int.from_bytes(raw[place:place + 2], "little")
        if end > len(raw):
            refuse(at["types"] + 16 + place, "found a type's name that ends after its section")
        names.append(raw[place + 2:end].decode("ascii", "backslashreplace"))
        place = end
    heap["types"] = names
    objects = len(heap["kinds"])
    for name in SECTIONS[3:]:
        width = 1 if name == "flags" else 4
        length = len(heap[name])
        if length % width or name != "references" and length != width * objects:
            refuse(at[name] + 4, "found %d bytes of section %s, expected %d objects of %d"
                   % (length, name, objects, width))
        if width == 4:
            heap[name] = little_endian(heap[name])
    for name, limit in (("kinds", len(KINDS)), ("flags", 8), ("type_of", len(names)),
                        ("references", objects)):
        if max(heap[name], default=-1) >= limit:
            refuse(at[name] + 16, "found %d in section %s, expected less than %d"
                   % (max(heap[name]), name, limit))
    if sum(heap["degrees"]) != len(heap["references"]):
        refuse(at["references"] + 4, "found %d references, expected %d"
               % (len(heap["references"]), sum(heap["degrees"])))
    leaf, dictionary = KINDS.index("leaf"), KINDS.index("dict")
    for obj, (kind, flags, degree) in enumerate(zip(heap["kinds"], heap["flags"],
                                                    heap["degrees"])):
        if kind == leaf and (degree or flags & TRACKED) or kind == dictionary and degree % 2:
            refuse(at["degrees"] + 16 + 4 * obj, "found object %d, %s with flags %d and %d "
                   "references, expected an untracked leaf without or a dict with pairs"
                   % (obj, KINDS[kind], flags, degree))
    tracked = sum(1 for flags in heap["flags"] if flags & TRACKED)
    if tracked != heap["metadata"].get("tracked_objects"):
        refuse(at["flags"] + 16, "found %d tracked objects, expected %s as the metadata say"
               % (tracked, heap["metadata"].get("tracked_objects")))
    return heap


def summary(heap):
    """The metadata and what a reader wants to know of the graph, as one JSON-able object."""
    kinds = dict.fromkeys(KINDS, 0)
    for kind in heap["kinds"]:
        kinds[KINDS[kind]] += 1
    by_type = [[name, 0, 0] for name in heap["types"]]
    for cls, size, flags in zip(heap["type_of"], heap["sizes"], heap["flags"]):
        if flags & TRACKED:
            by_type[cls][1] += 1
            by_type[cls][2] += size
    by_type.sort(key=lambda entry: (-entry[1], entry[0]))
    flags = heap["flags"]
    containers = [size for kind, size in zip(heap["kinds"], heap["sizes"]) if kind]
    return dict(heap["metadata"], kinds=kinds, bytes=sum(heap["sizes"]),
                containers=len(containers),
                container_bytes=sum(containers) + sum(-size % 16 for size in containers),
                objects=len(flags), references=len(heap["references"]),
                immortal=sum(1 for flag in flags if flag & IMMORTAL),
                deferred=sum(1 for flag in flags if flag & DEFERRED),
                referenced_from_outside=sum(1 for count in heap["external"] if count),
                most_frequent_tracked=[{"type": name, "objects": count, "bytes": size}
                                       for name, count, size in by_type[:12] if count])


def describe(heap, as_json):
    """Prints the summary."""
    about = summary(heap)
    if as_json:
        print(json.dumps(about))
        return
    collect, program, python = about["collect"], about["program"], about["python"]
    print("program  %s" % " ".join([program.get("path") or "-m " + program["module"],
                                    *program["args"]]))
    print("python   %s %s%s on %s" % (
        python["implementation"], python["version"],
        " free-threaded" if python["free_threaded"] else "", about["platform"]["system"]))
    print("objects  %d, of them %d tracked; %d references; %.1f MB" % (
        about["objects"], about["tracked_objects"], about["references"], about["bytes"] / 1e6))
    print("bytes    %.1f a container, of %d, each rounded up to 16" % (
        about["container_bytes"] / max(1, about["containers"]), about["containers"]))
    if "not_recorded" in about:
        print("lost     %d weak references and %d finalizers: what they do is not recorded" % (
            about["not_recorded"]["weak_references"], about["not_recorded"]["finalizers"]))
    print("outside  %d objects referenced from outside (%d of them assumed), %d immortal" % (
        about["referenced_from_outside"], about["assumed_external"], about["immortal"]))
    print("collect  median %.3f ms of %d, first %.3f ms" % (
        collect["median_ns"] / 1e6, len(collect["samples_ns"]), collect["first_ns"] / 1e6))
    print("kinds    " + ", ".join("%d %s" % (count, kind)
                                  for kind, count in about["kinds"].items()))
    for entry in about["most_frequent_tracked"]:
        print("  %9d tracked  %s" % (entry["objects"], entry["type"]))
