"""A repository of Mercurial's in one process, as its command server has it: `size` changes of fifty files.

An operation is a commit, then the log of a file, its annotated lines and a difference with an older change.
"""
import os
import random
import shutil
import tempfile

SIZE = 300
OPERATIONS = 150
PACKAGE = "mercurial"


class Repository:
    def __init__(self, size, seed):
        os.environ["HGRCPATH"] = ""
        from mercurial import commands, extensions, hg, ui
        self.commands, self.chance = commands, random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="mercurial-history-")
        self.ui = ui.ui.load()
        for section, name, value in ((b"ui", b"username", b"nobody"), (b"ui", b"quiet", b"true")):
            self.ui.setconfig(section, name, value)
        extensions.loadall(self.ui)
        path = os.fsencode(self.folder)
        commands.init(self.ui, path)
        self.repository = hg.repository(self.ui, path)
        for _ in range(size):
            self.commit()

    def __del__(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def commit(self):
        name = os.path.join(self.folder, f"file{self.chance.randrange(50)}")
        lines = [f"{self.chance.random()}\n" for _ in range(5)]
        if os.path.exists(name):
            with open(name, encoding="ascii") as file:
                lines = file.readlines()[-200:] + lines
        with open(name, "w", encoding="ascii") as file:
            file.writelines(lines)
        self.commands.commit(self.ui, self.repository, message=b"change", addremove=True, date=b"0 0")
        return os.fsencode(name)

    def __call__(self, number):
        name = self.commit()
        self.ui.pushbuffer()
        self.commands.log(self.ui, self.repository, name)
        self.commands.annotate(self.ui, self.repository, name, rev=b"tip", number=True)
        self.commands.diff(self.ui, self.repository, rev=[b"tip", b"-%d" % (2 + number % 100)])
        self.ui.popbuffer()


def load(size, seed):
    return Repository(size, seed)
