"""What a text asks for by name: a function of this name, in any module of a room, with the room's mark:

    table = Named(__name__)        # in the room's __init__.py

    @table
    def pauses(find): ...          # in a module of it

So whatever is new is a function in a module, and nothing lists it.
"""
import pkgutil
from importlib import import_module


class Named:
    def __init__(self, room):
        self.room, self.made = room, {}

    def __call__(self, make):
        self.made[make.__name__] = make
        return make

    def all(self):
        """{name: function} of all modules of the room."""
        for module in pkgutil.iter_modules(import_module(self.room).__path__):
            import_module(f"{self.room}.{module.name}")
        return self.made
