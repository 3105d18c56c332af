#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Tests of tests/stages/count-ktap."""

import importlib.machinery
import importlib.util
import os
import unittest

PATH = os.path.join(os.path.dirname(__file__), "..", "stages", "count-ktap")
LOADER = importlib.machinery.SourceFileLoader("count_ktap", PATH)
count_ktap = importlib.util.module_from_spec(importlib.util.spec_from_loader("count_ktap", LOADER))
LOADER.exec_module(count_ktap)

LOG = """\
[    1.000000] KTAP version 1
[    1.000001] 1..0
[    2.000000]     KTAP version 1
[    2.000000]     # Subtest: send
[    2.000000]     1..3
[    2.000001]         KTAP version 1
[    2.000002]         # Subtest: table
[    2.000003]         ok 1 a row
[    2.000004] rxe0: something else
[    2.000005]         {row} 2 another row
[    2.000006]     {row} 1 table
[    2.000007]     ok 2 alone
[    2.000008]     ok 3 passed over # SKIP no device
[    2.000009] # Totals: pass:3 fail:0 skip:1 total:4
[    2.000010] {row} 1 send
"""


def results(text):
    return count_ktap.results(text.splitlines(True))


class Ktap(unittest.TestCase):
    def test_rows_and_tests_are_counted_and_groups_are_not(self):
        self.assertEqual(results(LOG.format(row="ok")),
                         ["passed send: a row", "passed send: another row", "passed send: alone",
                          "skipped send: passed over"])

    def test_failure_is_counted_once(self):
        self.assertEqual(results(LOG.format(row="not ok"))[1], "failed send: another row")
        self.assertEqual(sum(line.startswith("failed") for line in results(LOG.format(row="not ok"))), 1)

    def test_kernel_that_stops_in_the_middle(self):
        cut = LOG.format(row="ok").split("[    2.000006]")[0]
        self.assertEqual(results(cut)[2:], ["failed send: did not end", "failed table: did not end"])

    def test_fewer_results_than_planned(self):
        short = LOG.format(row="ok").replace("[    2.000007]     ok 2 alone\n", "")
        self.assertIn("failed send: 2 of 3 results", results(short))

    def test_suite_that_fails_as_a_whole(self):
        whole = LOG.format(row="ok").replace("] ok 1 send", "] not ok 1 send")
        self.assertIn("failed send: as a whole", results(whole))

    def test_suite_that_fails_as_a_whole_after_another_has_failed(self):
        whole = LOG.format(row="ok").replace("] ok 1 send", "] not ok 1 send")
        self.assertIn("failed send: as a whole", results(LOG.format(row="not ok") + whole))

    def test_nothing(self):
        self.assertEqual(results("[    1.0] Linux version\n"), [])


if __name__ == "__main__":
    unittest.main()
