"""Runs somebody's program as `__main__`, as the interpreter would."""
import builtins
import importlib.machinery
import importlib.util
import io
import os
import sys
import types


class Program:
    """What is to be run. kind: `script` (a file, a directory or archive with `__main__.py`), `module` or `code`."""

    def __init__(self, kind, name, arguments):
        self.kind, self.name, self.arguments = kind, name, list(arguments)

    def command(self):
        """The words of a command line that mean it."""
        return [*{"script": (), "module": ("-m",), "code": ("-c",)}[self.kind], self.name, *self.arguments]

    def run(self):
        """Returns or raises as it does. What is `__main__` stays so, for what runs at exit."""
        module = types.ModuleType("__main__")
        module.__builtins__ = builtins
        path, code, argv0 = {"script": _script, "module": _module, "code": _code}[self.kind](self.name, module)
        sys.modules["__main__"] = module
        sys.argv[:] = [argv0, *self.arguments]
        if path is not None and not sys.flags.safe_path:
            sys.path[0] = path
        exec(code, module.__dict__)


class NoProgram(Exception):
    """It cannot be found; the message says what was looked for."""


def split(words, with_value):
    """([options before the program], Program or None). `with_value`: the options that take the next word."""
    at = 0
    while at < len(words):
        word = words[at]
        rest = words[at + 1:]
        if word == "--":
            return words[:at], Program("script", rest[0], rest[1:]) if rest else None
        if word[:2] in ("-m", "-c"):
            kind = "module" if word[1] == "m" else "code"
            name, rest = (word[2:], rest) if word[2:] else (rest[0] if rest else None, rest[1:])
            return words[:at], Program(kind, name, rest) if name is not None else None
        if not word.startswith("-"):
            return words[:at], Program("script", word, rest)
        at += 2 if word in with_value else 1
    return words, None


def _code(text, _module_object):
    return "", compile(text, "<string>", "exec"), "-c"


def _script(name, module):
    try:
        with io.open_code(name) as file:
            text = file.read()
    except OSError as failure:
        if not os.path.isdir(name):
            raise NoProgram(f"can't open file {name!r}: {failure.strerror}") from None
        text = b"PK"
    if text.startswith(b"PK"):
        spec = importlib.machinery.PathFinder.find_spec("__main__", [name])
        if spec is None:
            raise NoProgram(f"can't find '__main__' module in {name!r}")
        return name, _of_spec(spec, module), name
    module.__file__ = os.path.abspath(name)
    module.__loader__ = importlib.machinery.SourceFileLoader("__main__", module.__file__)
    return os.path.dirname(os.path.realpath(name)), compile(text, module.__file__, "exec"), name


def _module(name, module):
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd()
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
    except (ImportError, ValueError) as failure:
        raise NoProgram(f"{name}: {failure}") from None
    if spec is None or spec.loader is None:
        raise NoProgram(f"no module named {name} that can be run")
    return None, _of_spec(spec, module), spec.origin


def _of_spec(spec, module):
    code = spec.loader.get_code(spec.name)
    if code is None:
        raise NoProgram(f"{spec.name}: there is no code for it")
    module.__spec__, module.__loader__, module.__file__ = spec, spec.loader, spec.origin
    module.__package__ = spec.parent
    module.__cached__ = spec.cached
    return code
