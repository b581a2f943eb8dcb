# not with a sanitizer: of the build `ouro list` alone
"""In one figure no two subjects have the same colour, marker and dashes: all engines under all count policies, and as
many peers."""
import unittest

import drawing  # noqa: F401  (finds plots)
from engines import engines
from plots.drawing import style


class LooksTest(unittest.TestCase):
    def test_no_two_subjects_look_alike(self):
        ours = [f"ouro-{engine}+{policy}" for engine in engines() for policy in ("gil", "biased", "atomic")]
        self.assertGreater(len(ours), 20)
        peers = [f"peer {number}" for number in range(len(ours))]
        looks = style.looks(ours + peers).values()
        self.assertEqual(len({(look.colour, look.marker, str(look.dash)) for look in looks}), 2 * len(ours))


if __name__ == "__main__":
    unittest.main()
