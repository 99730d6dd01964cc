# SPDX-License-Identifier: Apache-2.0
"""Each kind of difference is found, and each explanation in vain."""
import unittest

import compare
import contract


def side(*environments, hosts=("node1", "node2")):
    """Ranks 0 and 1, one on each host."""
    return {str(rank): (hosts[rank], env)
            for rank, env in enumerate(environments)}


def told(cells, theirs, ours):
    """The complaints about two sides by rows of these cells."""
    rows = [contract.Row(*row) for row in cells]
    return list(compare.complaints(rows, side(*theirs), side(*ours)))


class Compare(unittest.TestCase):
    """complaints()"""

    def test_same(self):
        """The values of each rank agree."""
        row = [("RANK", "1", "1", "same")]
        both = {"RANK": "0"}, {"RANK": "1"}
        self.assertEqual(told(row, both, both), [])
        self.assertIn("'other', not 'same'", told(
            row, both, ({"RANK": "1"}, {"RANK": "1"}))[0])
        self.assertIn("'2' and '2', not '1'", told(
            row, ({"RANK": "0"}, {"RANK": "2"}),
            ({"RANK": "0"}, {"RANK": "2"}))[0])

    def test_one_rank_without(self):
        """It is missing in one process."""
        found = told([("RANK", "1", "1", "same")],
                     ({"RANK": "0"}, {"RANK": "1"}), ({}, {"RANK": "1"}))
        self.assertIn("'other', not 'same'", found[0])

    def test_form(self):
        """They differ from run to run."""
        row = [("AT", "http://(address):(port)", "http://(address):(port)",
                "same")]
        ours = {"AT": "http://node1:2345"}, {"AT": "http://node1:2345"}
        self.assertEqual(told(row, ({"AT": "http://10.0.0.1:29500"},) * 2,
                              ours), [])
        self.assertIn("not 'same'", told(
            row, ({"AT": "http://10.0.0.1:x"},) * 2, ours)[0])

    def test_unexplained(self):
        """No row."""
        self.assertIn("NEW: unexplained", told([], ({}, {"NEW": "x"}),
                                               ({}, {}))[0])
        self.assertIn("NEW: unexplained", told([], ({}, {}),
                                               ({}, {"NEW": "x"}))[0])

    def test_in_vain(self):
        """Nobody sets it any more, or both do now."""
        row = [("RUN_ID", "none", "-", "not ours: why")]
        none = {}, {}
        run_id = ({"RUN_ID": "none"},) * 2
        self.assertEqual(told(row, run_id, none), [])
        self.assertIn("isn't there any more", told(row, none, none)[0])
        self.assertIn("'same', not 'not ours'", told(row, run_id, run_id)[0])

    def test_many(self):
        """One row for several names."""
        row = [("DIST_TRAIN_*", "-", "(any)", "only ours: why")]
        ours = ({"DIST_TRAIN_RANK": "1", "DIST_TRAIN_STEP": "2"},) * 2
        self.assertEqual(told(row, ({}, {}), ours), [])
        self.assertIn("'same', not 'only ours'", told(row, ours, ours)[0])

    def test_hosts(self):
        """A rank is elsewhere."""
        found = list(compare.complaints([], side({}, {}),
                                        side({}, {}, hosts=("b", "a"))))
        self.assertIn("other hosts", found[0])

    def test_baseline(self):
        """What a bare process of the host has doesn't count."""
        bare = [{"host": "node1", "env": {"HOME": "/a", "SLURM_PROCID": "0"}}]
        dump = {"host": "node1", "arguments": ["--local_rank=1"],
                "env": {"HOME": "/a", "SLURM_PROCID": "3", "SHLVL": "2"}}
        self.assertEqual(compare.own(dump, bare),
                         {"SLURM_PROCID": "3",
                          "(arguments)": "--local_rank=1"})


class Rows(unittest.TestCase):
    """contract.Row"""

    def test_refused(self):
        """A difference has a reason; a verdict fits its values."""
        for cells in (("A", "1", "2", "other"), ("A", "-", "1", "same"),
                      ("A", "1", "1", "not ours: why"),
                      ("A", "1", "1", "alike")):
            with self.assertRaises(ValueError):
                contract.Row(*cells)

    def test_runs(self):
        """Rows for some versions only."""
        row = contract.Row("A [1.13] [2.6]", "1", "1", "same")
        self.assertEqual([row.in_run(run) for run in ("1.13", "2.15")],
                         [True, False])


if __name__ == "__main__":
    unittest.main()
