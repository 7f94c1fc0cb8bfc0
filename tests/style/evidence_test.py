#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""evidence_test.py: figures and claims that evidence.py must refuse, and their neighbours."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import evidence  # noqa: E402

claims = evidence.claims_of(Path(__file__).resolve().parents[2])
DOCUMENT = {"question": "How quick?", "claims": {
    "mean": ["mean", "geomean a.ratio"], "least": ["least", "min a.ratio n>=3"],
    "large": ["large", "a.us n=2"], "over": ["over", "a.us n=2 / a.us n=8"]},
    "runs": {"a": {"columns": ["n", "us", "ratio"],
                   "rows": [[2, 1234.5, 1.0], [3, 3.0, 4.0], [8, 2.0, 2.0], [9, None, None]]}}}


class Claims(unittest.TestCase):
    def test_are_worth_what_rows_have(self):
        for key, value in (("mean", 2.0), ("least", 2.0), ("large", 1234.5), ("over", 617.25)):
            with self.subTest(key):
                found = claims.value_of(DOCUMENT, DOCUMENT["claims"][key][1])
                self.assertAlmostEqual(found, value)
        for expression in ("a.us", "a.us n=9", "a.us m=2", "b.us n=2", "a.none n=2"):
            with self.subTest(expression), self.assertRaises((ValueError, KeyError)):
                claims.value_of(DOCUMENT, expression)

    def test_are_quoted_rounded(self):
        for key, text in (("mean", "2.00"), ("mean", "2 times"), ("large", "1,234"),
                          ("over", "617.2"), ("over", "617")):
            with self.subTest(text):
                self.assertIsNone(claims.fault_of(DOCUMENT, key, text))
        for key, text in (("mean", "2.01"), ("mean", "3"), ("large", "1,235.0"),
                          ("over", "618"), ("mean", "1 to 2"), ("mean", "two"), ("none", "2")):
            with self.subTest(text):
                self.assertIsNotNone(claims.fault_of(DOCUMENT, key, text))

    def test_lie_in_a_page_that_names_each(self):
        page = claims.page_of("how", DOCUMENT)
        for key in DOCUMENT["claims"]:
            self.assertIn(f'<a id="{key}"></a>', page)


class Figures(unittest.TestCase):
    def test_of_devices_have_a_source(self):
        self.assertEqual(list(evidence.unsourced("On an H200 it takes 3 us.\n\nNothing.\n")), [1])
        self.assertEqual(list(evidence.unsourced("Text\n\nTwo EPYC,\n3.5 times.")), [3])
        for text in ("On an H200 it takes [3](../bench/evidence/axes.md#c2c-mean) us.",
                     "It takes 3 us.",
                     "On an H200 with 132 multiprocessors.", "An H200.\n\nIt takes 3 us."):
            with self.subTest(text):
                self.assertEqual(list(evidence.unsourced(text)), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
