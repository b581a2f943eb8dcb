"""What `ouro check` prints of a finding: rule, type, file and line, what to do; as text, JSON and SARIF; and its exit
status. It is silent about the tutorial's types."""
import json
import unittest

from zoo import ROOT, ZOO, ZooTest, ouro


class FindingTest(ZooTest):
    def test_a_finding_is_told_in_full(self):
        module = self.compiled(ZOO / "forgets_a_field.c", "zoo", "-DWRONG")
        done = ouro("check", module)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("[traverse.forgets]", done.stdout)
        self.assertIn("zoo.Holder: of the attribute 'other' the instance owned 1 references", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^\S*(holder\.h:\d+|zoo\.so: \w+|zoo\.so\+0x\w+): tp_traverse")
        self.assertIn("to do: ", done.stdout)
        self.assertRegex(done.stdout, r"zoo\.so: 1 types, 1 of them with instances, seed 1; 1 found\n$")

    def test_what_is_right_is_not_named(self):
        done = ouro("check", self.compiled(ZOO / "forgets_a_field.c"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^\S*zoo\.so: 1 types, 1 of them with instances, seed 1; 0 found\n$")

    def test_what_is_probable_counts_with_strict_alone(self):
        module = self.compiled(ZOO / "holds_and_is_no_container.c", "zoo", "-DWRONG")
        done = ouro("check", module)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("0 found, 1 more probable (--strict)", done.stdout)
        done = ouro("check", module, "--strict")
        self.assertEqual(done.returncode, 1)
        self.assertIn("probably: ", done.stdout)

    def test_tools_can_read_it(self):
        module = self.compiled(ZOO / "frees_while_tracked.c", "zoo", "-DWRONG")
        status, found = self.findings(module)
        self.assertEqual((status, [each["rule"] for each in found]), (1, ["objects.freed-tracked"]))
        self.assertEqual((found[0]["type"], found[0]["certain"]), ("zoo.Holder", True))
        place = self.directory / "findings.sarif"
        self.assertEqual(ouro("check", module, "--sarif", place).returncode, 1)
        document = json.loads(place.read_text())
        self.assertEqual(document["version"], "2.1.0")
        run = document["runs"][0]
        result = run["results"][0]
        self.assertEqual((result["ruleId"], result["level"]), ("objects.freed-tracked", "error"))
        self.assertIn(result["ruleId"], [rule["id"] for rule in run["tool"]["driver"]["rules"]])

    def test_tools_can_read_it_though_a_name_is_no_text(self):
        module = self.compiled(ZOO / "frees_while_tracked.c", "zoo", "-DWRONG")
        module.write_bytes(module.read_bytes().replace(b"zoo.Holder\0", b"z\x89o.Holder\0"))
        status, found = self.findings(module)
        self.assertEqual((status, [each["rule"] for each in found]), (1, ["objects.freed-tracked"]))
        self.assertEqual(found[0]["type"], "z\N{REPLACEMENT CHARACTER}o.Holder")

    def test_what_is_no_module_is_refused(self):
        missing = self.directory / "missing.so"
        done = ouro("check", missing)
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"ouro: check {missing}: ImportError: {missing}: cannot open shared object file: "
                             "No such file or directory\n"))
        done = ouro("check")
        self.assertEqual(done.returncode, 2)
        self.assertIn("module", done.stderr)

    def test_the_tutorial_breaks_no_rule(self):
        for name in ("custom", "custom2", "custom3", "custom4", "sublist", "custom4_multi"):
            module = self.compiled(ROOT / "tests" / "same" / "modules" / f"{name}.c", name)
            with self.subTest(name):
                status, found = self.findings(module)
                self.assertEqual((status, [each for each in found if each["certain"]]), (0, []))

    def test_the_rules_are_those_of_the_readme(self):
        table = ouro("check", "--rules").stdout
        self.assertGreater(table.count("\n"), 30)
        self.assertIn(table, (ROOT / "core" / "verify" / "rules" / "README.md").read_text())


if __name__ == "__main__":
    unittest.main()
