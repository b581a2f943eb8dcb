"""Django's suite with its results as JUnit's XML: what Django runs it with, named by a settings module (suites.py)."""

import os
import unittest
from xml.etree import ElementTree

from django.test.runner import DiscoverRunner

RANK = ("passed", "skipped", "failed")  # a test with subtests comes to the worst of them


class Result(unittest.TextTestResult):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.outcomes = {}

    def note(self, test, outcome):
        name = test.id()
        self.outcomes[name] = max(self.outcomes.get(name, outcome), outcome, key=RANK.index)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note(test, "passed")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.note(test, "passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skipped")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(test, "failed")

    def addError(self, test, err):
        super().addError(test, err)
        self.note(test, "failed")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note(test, "failed")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        self.note(test, "passed" if err is None else "failed")


class Runner(DiscoverRunner):
    begun = False

    def get_resultclass(self):
        return super().get_resultclass() or Result

    def run_suite(self, suite, **kwargs):
        nested, Runner.begun = Runner.begun, True  # in a test of Django's runner
        result = super().run_suite(suite, **kwargs)
        if nested:
            return result
        root = ElementTree.Element("testsuite")
        for name, outcome in result.outcomes.items():
            case = ElementTree.SubElement(root, "testcase", name=name)
            if outcome != "passed":
                ElementTree.SubElement(case, {"failed": "failure"}.get(outcome, outcome))
        ElementTree.ElementTree(root).write(os.environ["OURO_SUITE_RESULTS"])
        return result
