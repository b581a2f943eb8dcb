"""A thread that a control group holds waits in each of its periods, until it is released; no group is left."""
import os
import subprocess
import sys
import time
import unittest

import quota

PERIODS_S = 3.5 * quota.PERIOD_US / 1e6


class AThreadThatIsHeld(unittest.TestCase):
    def setUp(self):
        self.process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        try:
            self.quota = quota.Quota(f"ouro-test-{os.getpid()}")
        except OSError as error:
            self.skipTest(f"no control group can be made here: {error}")
        self.addCleanup(lambda: self.assertFalse(self.quota.group.exists()))
        self.addCleanup(self.quota.close)

    def comes_true(self, of_waits):
        """Of how often it waited in some periods, within ten seconds."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            before = self.quota.throttled()
            time.sleep(PERIODS_S)
            if of_waits(self.quota.throttled() - before):
                return True
        return False

    def test_waits_until_it_is_released(self):
        self.quota.hold(self.process.pid)
        self.assertTrue(self.comes_true(lambda waits: waits >= 2))
        self.quota.release()
        self.assertTrue(self.comes_true(lambda waits: waits == 0))


if __name__ == "__main__":
    unittest.main()
