#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""links_test.py: links that links.py must refuse, and their neighbours that it must not."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import links  # noqa: E402

OTHER = "# One\n## Gains and `?delays`: all\n## One\n```\n# Code\n```\n<a id=\"hand\"></a>\n"


class Links(unittest.TestCase):
    def faults(self, text):
        """Returns the targets on page docs/page.md that are refused."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve() / "tree"
            (root / "docs").mkdir(parents=True)
            (root.parent / "outside.md").write_text("# Outside\n")
            (root / "other.md").write_text(OTHER)
            page = root / "docs/page.md"
            page.write_text("# Page\n" + text)
            return [target for _, target in links.targets(page.read_text())
                    if links.fault_of(root, page, target)]

    def test_lead_to_files_and_folders_of_the_tree(self):
        self.assertEqual(self.faults("[a](../other.md) ![b](page.md) [`c`](../docs \"title\")\n"
                                     "[d](https://example.org/x) [e](mailto:a@b) [f]: page.md\n"),
                         [])
        for target in ("other.md", "../none.png", "../../outside.md", "/etc"):
            for text in (f"[a]({target})", f"![a]({target})", f"[a]: {target}\n",
                         f"<img src=\"{target}\">"):
                with self.subTest(text):
                    self.assertEqual(self.faults(text), [target])

    def test_name_anchors_of_headings(self):
        self.assertEqual(self.faults("[a](#page) [b](../other.md#one) [c](../other.md#one-1) "
                                     "[d](../other.md#gains-and-delays-all) "
                                     "[e](../other.md#hand)"), [])
        for target in ("#one", "../other.md#one-2", "../other.md#code", "../docs#one"):
            with self.subTest(target):
                self.assertEqual(self.faults(f"[a]({target})"), [target])

    def test_of_sources_name_pages_of_bench(self):
        cited = ["bench/lessons/memory.md#the-last-wave", "bench/evidence/axes.md"]
        text = f"// {cited[0]}, {cited[1]}. Not bench/none.md.\n"
        self.assertEqual(list(links.cited(text)), [(1, target) for target in cited])

    def test_are_not_read_in_code(self):
        self.assertEqual(self.faults("`[a](none)`\n```cpp\n[&](none)\n```\n"), [])
        self.assertEqual(self.faults("```\n[&](none)\n```\n[a](none)\n"), ["none"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
