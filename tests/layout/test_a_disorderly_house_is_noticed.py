"""Every rule of layout.py can fail: each is fed a tree that breaks it in one place."""
# not with a sanitizer: runs nothing of the build

import json
import os
import tempfile
import unittest

import layout

KEPT = "inv" + ".count.kept"  # in two pieces: this file is no citation


def good_tree():
    """A small tree that keeps every rule: {path: text}."""
    tree = {name: "" for name in ("CMakeLists.txt", "LICENSE", "README.md", ".gitignore")}
    for room in ("core", "core/heap", "core/include", "concurrency", "concurrency/refcount",
                 "experiments", "experiments/runner", "tests", "tests/layout", "tests/unit", "plots",
                 "plots/data", "plots/page", "paper"):
        tree[f"{room}/README.md"] = f"# {room}\n"
    tree["concurrency/refcount/count.hpp"] = f"// {KEPT}\n"
    tree["concurrency/refcount/PROTOCOL.md"] = f"- **{KEPT}** Counts are kept.\n"
    tree["tests/layout/rooms.toml"] = ('[may_include]\n"core/heap" = ["concurrency/refcount", "core/include"]\n'
                                       '"core/include" = []\n"concurrency/refcount" = []\n'
                                       '[may_import]\n"plots" = ["plots/page"]\n"plots/data" = []\n'
                                       '"plots/page" = ["plots/data"]\n')
    tree["plots/data/rows.py"] = "import json\n"
    tree["plots/page/report.py"] = "from plots.data import rows\n"
    tree["plots/report.py"] = "from plots.page.report import main\n"
    tree["core/include/Python.h"] = "#include <stddef.h>\n"
    tree["core/heap/heap.cpp"] = '#include "concurrency/refcount/count.hpp"\n#include <Python.h>\n'
    tree["experiments/runner/main.cpp"] = "#include <Python.h>\n#include <vector>\n"
    tree["tests/unit/counts_are_kept.cpp"] = f'#include "core/heap/heap.hpp"\n// {KEPT}\n'
    return tree


class ADisorderlyHouseIsNoticed(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name
        self.tree = good_tree()

    def findings(self, rule, *arguments):
        for name, text in self.tree.items():
            path = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return rule(self.root, sorted(self.tree), *arguments)

    def assert_noticed(self, rule, culprit):
        found = self.findings(rule)
        self.assertEqual(len(found), 1, found)
        self.assertIn(culprit, found[0])

    def test_the_good_tree_keeps_every_rule(self):
        for rule in layout.RULES:
            self.assertEqual(self.findings(rule), [], rule.__name__)

    def test_a_side_table_that_is_reached_past_a_view(self):
        self.tree["core/heap/heap.cpp"] += "// heap::tables.mark\n"
        self.tree["core/collector/README.md"] = "# collector\n"
        self.tree["core/collector/pass.cpp"] = "// heap::is_old\nint x = heap::tables.mark[0];\n"
        self.assert_noticed(layout.views_of_the_heap, "core/collector/pass.cpp: names heap::tables")

    def test_a_stray_name_at_the_top_level(self):
        self.tree["notes.txt"] = ""
        self.assert_noticed(layout.top_level, "notes.txt")

    def test_a_name_missing_from_the_top_level(self):
        del self.tree["LICENSE"]
        self.assert_noticed(layout.top_level, "LICENSE")

    def test_a_room_includes_what_it_may_not(self):
        self.tree["core/include/Python.h"] += '#include "core/heap/heap.hpp"\n'
        found = self.findings(layout.rooms_of_the_library)
        self.assertTrue(any("core/include may include nothing" in each for each in found), found)
        self.assertTrue(any("no reason is given" in each for each in found), found)

    def test_a_room_is_not_listed(self):
        self.tree["core/event/event.hpp"] = ""
        self.assert_noticed(layout.rooms_of_the_library, "core/event is not listed")

    def test_a_room_may_include_what_it_does_not(self):
        self.tree["core/heap/heap.cpp"] = "#include <Python.h>\n"
        self.assert_noticed(layout.rooms_of_the_library, "core/heap does not include concurrency/refcount")

    def test_a_circle_is_named_that_is_none(self):
        self.tree["tests/layout/rooms.toml"] += '[[together]]\nrooms = ["core/heap", "core/include"]\nwhy = "none"\n'
        self.assert_noticed(layout.rooms_of_the_library, "do not include each other")

    def test_a_room_of_the_plots_imports_what_it_may_not(self):
        self.tree["plots/data/rows.py"] += "from plots.page import (\n    report)\n"
        found = self.findings(layout.rooms_of_the_plots)
        self.assertTrue(any("plots/data may include nothing" in each for each in found), found)
        self.assertTrue(any("no reason is given" in each for each in found), found)

    def test_a_module_of_the_plots_that_is_named_is_imported(self):
        self.tree["plots/data/rows.py"] += 'ROWS = ("plots.page.report", 1)\n'
        self.assertEqual(len(self.findings(layout.rooms_of_the_plots)), 2)

    def test_a_room_of_the_plots_may_import_what_it_does_not(self):
        self.tree["plots/page/report.py"] = ""
        self.assert_noticed(layout.rooms_of_the_plots, "plots/page does not include plots/data")

    def test_concurrency_includes_core(self):
        self.tree["concurrency/refcount/count.hpp"] = '#include "core/heap/heap.hpp"\n'
        self.assert_noticed(layout.include_directions, "concurrency/refcount/count.hpp")

    def test_concurrency_includes_a_public_header(self):
        self.tree["concurrency/refcount/count.hpp"] = "#include <Python.h>\n"
        self.assert_noticed(layout.include_directions, "concurrency/refcount/count.hpp")

    def test_core_includes_experiments(self):
        self.tree["core/heap/heap.cpp"] = '# include "experiments/runner/main.hpp"\n'
        self.assert_noticed(layout.include_directions, "core/heap/heap.cpp")

    def test_an_experiment_includes_what_is_not_public(self):
        self.tree["experiments/runner/main.cpp"] = '#include "core/heap/heap.hpp"\n'
        self.assert_noticed(layout.include_directions, "experiments/runner/main.cpp")

    def test_an_include_by_a_relative_path(self):
        self.tree["core/heap/heap.hpp"] = ""
        self.tree["core/heap/heap.cpp"] = '#include "heap.hpp"\n'
        self.assert_noticed(layout.include_directions, "core/heap/heap.cpp")

    def test_a_room_without_a_readme(self):
        del self.tree["core/heap/README.md"]
        self.assert_noticed(layout.readmes, "core/heap/")

    def test_a_namespace_of_another_room(self):
        self.tree["core/heap/heap.cpp"] = "namespace ouro::object {\nint f();\n}  // namespace ouro::object\n"
        self.assert_noticed(layout.namespaces, "core/heap/heap.cpp")
        self.tree["core/heap/heap.cpp"] = "namespace ouro::object {\nstruct Own;\n}\n"
        self.assertEqual(self.findings(layout.namespaces), [])

    def test_a_term_without_its_file(self):
        self.tree["core/GLOSSARY.md"] = "| block | memory | [heap.cpp](heap/heap.cpp) |\n"
        self.assertEqual(self.findings(layout.glossary), [])
        self.tree["core/GLOSSARY.md"] += "| slot | a place in it | [slot.hpp](heap/slot.hpp) |\n"
        self.assert_noticed(layout.glossary, "slot")

    def test_a_source_that_is_too_long(self):
        self.tree["core/heap/heap.cpp"] = "\n" * 601
        self.assert_noticed(layout.lengths, "core/heap/heap.cpp")

    def test_an_invariant_that_is_defined_nowhere(self):
        self.tree["core/heap/heap.cpp"] = "// " + "inv" + ".heap.unheard-of\n"
        self.assert_noticed(layout.invariants, "unheard-of")

    def test_an_invariant_that_is_defined_twice(self):
        self.tree["core/heap/README.md"] = f"- **{KEPT}** Counts are kept.\n"
        self.assert_noticed(layout.invariants, "already")

    def test_an_invariant_that_no_source_cites(self):
        self.tree["concurrency/refcount/count.hpp"] = ""
        self.assert_noticed(layout.invariants, "no source")

    def test_an_invariant_that_no_test_cites(self):
        self.tree["tests/unit/counts_are_kept.cpp"] = ""
        self.assert_noticed(layout.invariants, "no test")

    def test_a_source_that_is_not_built(self):
        database = os.path.join(self.root, "compile_commands.json")
        sources = [name for name in self.tree if name.endswith(".cpp")]
        for skipped in sources:
            with open(database, "w", encoding="utf-8") as file:
                json.dump([{"directory": self.root, "file": name}
                           for name in sources if name != skipped], file)
            found = self.findings(layout.built, database)
            self.assertEqual(found, [f"{skipped}: is not compiled by any target"])

    def test_a_peers_source_that_its_script_does_not_build(self):
        database = os.path.join(self.root, "compile_commands.json")
        with open(database, "w", encoding="utf-8") as file:
            json.dump([{"directory": self.root, "file": name} for name in self.tree], file)
        peer = "experiments/peers/other"
        self.tree[f"{peer}/work.cpp"] = ""
        for script, noticed in (('g++ "$here/work.cpp"\n', False), ("g++ else.cpp\n", True), (None, True)):
            self.tree.pop(f"{peer}/build", None)
            if script:
                self.tree[f"{peer}/build"] = script
            found = self.findings(layout.built, database)
            self.assertEqual(found, [f"{peer}/work.cpp: is not compiled by any target"] * noticed)


if __name__ == "__main__":
    unittest.main()
