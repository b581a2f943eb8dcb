"""Names for people: of subjects, sizes, orders, machines and runs."""


def label(subject):
    """A subject's name for people."""
    return "Ouroboros " + subject[len("ouro-"):] if subject.startswith("ouro-") else short_label(subject)


def short_label(subject):
    """The same where the reader knows which are ours."""
    if subject.startswith("cpython-"):
        return "CPython " + subject[len("cpython-"):].replace("-", ", ", 1)  # "3.11.2, bridge"
    return _numbered.get(subject, subject.removeprefix("ouro-"))


MOST = 30       # letters of a name that figures have room for
_numbered = {}  # {subject: what figures call it instead}, the same as long as the process runs


def number_long(subjects):
    """From here on figures call those of ours with more settings than there is room for by engine and number."""
    for subject in subjects:
        engine, *settings = subject.removeprefix("ouro-").split("+")
        if subject.startswith("ouro-") and settings and len(subject) > len("ouro-") + MOST:
            of_engine = sum(each.rpartition(" ")[0] == engine for each in _numbered.values())
            _numbered.setdefault(subject, f"{engine} {of_engine + 1}")


def numbers_line(subjects):
    """What those numbers stand for, to follow other words; "" where there are none."""
    return "".join(f"; {_numbered[each]}: {', '.join(each.split('+')[1:])}" for each in subjects if each in _numbered)


def round_size(objects):
    """10000 -> '10 k', 3000000 -> '3 M'."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if objects >= unit:
            return f"{objects / unit:.3g} {letter}"
    return str(objects)


def order_of(shuffled):
    return "shuffled" if shuffled else "in order"


def machine_line(meta):
    """The machine in a few words; where shards were merged, each of them once."""
    return "; ".join(dict.fromkeys(words_of_machine(each.get("machine", {}))
                                   for each in meta.get("machines") or [meta]))


def words_of_machine(machine):
    parts = [machine.get("cpu"), f"{machine['cores']} cores" if machine.get("cores") else None,
             "virtual" if machine.get("hypervisor") else None,
             f"Linux {machine['kernel'].split('-')[0]}" if machine.get("kernel") else None]
    return ", ".join(filter(None, parts)) or "machine not recorded"


def run_line(results, invocations=()):
    """What kind of run it was, so that a figure says what it is worth. `invocations`: how many
    there are of each thing shown; if not given, of everything."""
    meta = results.meta
    counts = sorted(set(invocations) - {0}) or sorted(
        set(results.invocations_of(*{row["workload"] for row in results.rows})) - {0})
    span = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    text = f"{meta.get('title', 'unnamed')} run, {span} invocation{'s' * (span != '1')}"
    if results.common:
        text += f", all of ours with {', '.join(results.common)}"
    if meta.get("complete") is False:
        text += ", interrupted"
    if meta.get("same_build") is False:
        text += ", the command was rebuilt meanwhile"
    if results.lost:
        text += f", {len(results.lost)} run{'s' * (len(results.lost) != 1)} without a result"
    if results.aside:
        text += f", {results.aside} runs with other parameters not shown"
    load = meta.get("machine", {}).get("load_before")
    if load is not None and load >= 0.5:
        text += f", machine not idle (load {load:g} before)"
    return text
