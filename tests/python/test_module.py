#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The module dist_train, from the source: what each function says, in a step of
ours, under torchrun, and alone. tests/wheel runs it with each Python that is here."""
import importlib.machinery
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import types
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "python"))
import dist_train  # noqa: E402

STEP = {
    "DIST_TRAIN_ROLE": "worker", "DIST_TRAIN_RANK": "5", "DIST_TRAIN_WORLD_SIZE": "8",
    "DIST_TRAIN_LOCAL_RANK": "1", "DIST_TRAIN_LOCAL_WORLD_SIZE": "4",
    "DIST_TRAIN_NODE_RANK": "1", "DIST_TRAIN_NNODES": "2", "DIST_TRAIN_DEVICES": "2,3",
    "DIST_TRAIN_RESTART": "3", "DIST_TRAIN_STEP": "7.2.0",
}
# Another world's, which a dialect or the user's script may have set
OTHERS = {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}


def world(**variables):
    """Nothing else in the environment."""
    return mock.patch.dict(os.environ, variables, clear=True)


def ranks():
    """All numbers of a process."""
    return (dist_train.rank(), dist_train.world_size(), dist_train.local_rank(),
            dist_train.local_world_size(), dist_train.node_rank(), dist_train.nnodes())


class Where(unittest.TestCase):
    """Who this process is."""

    def test_alone(self):
        with world():
            self.assertEqual(ranks(), (0, 1, 0, 1, 0, 1))
            self.assertEqual(dist_train.devices(), [])
            self.assertIsNone(dist_train.step_id())
            self.assertEqual(dist_train.restarts(), 0)

    def test_in_a_step(self):
        with world(**STEP, **OTHERS):
            self.assertEqual(ranks(), (5, 8, 1, 4, 1, 2))
            self.assertEqual(dist_train.devices(), [2, 3])
            self.assertEqual(dist_train.step_id(), "7.2.0")
            self.assertEqual(dist_train.restarts(), 3)

    def test_without_devices(self):
        with world(**dict(STEP, DIST_TRAIN_DEVICES="")):
            self.assertEqual(dist_train.devices(), [])

    def test_torchruns_worker(self):
        """It has our variables of the torchrun that has started it."""
        launcher = dict(STEP, DIST_TRAIN_ROLE="launcher", DIST_TRAIN_RANK="1",
                        DIST_TRAIN_WORLD_SIZE="2")
        with world(**launcher, RANK="6", WORLD_SIZE="8", LOCAL_RANK="2", LOCAL_WORLD_SIZE="4"):
            self.assertEqual(ranks(), (6, 8, 2, 4, 1, 2))
        with world(**launcher):  # torchrun itself
            self.assertEqual(ranks()[:2], (1, 2))

    def test_another_launcher(self):
        with world(RANK="3", WORLD_SIZE="4", LOCAL_RANK="1", LOCAL_WORLD_SIZE="2",
                   GROUP_RANK="1", GROUP_WORLD_SIZE="2"):
            self.assertEqual(ranks(), (3, 4, 1, 2, 1, 2))


class End(unittest.TestCase):
    """When it has to end."""

    def test_stop_requested(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stop")
            with world(DIST_TRAIN_STOP_FILE=path):
                self.assertFalse(dist_train.stop_requested())
                open(path, "w").close()
                self.assertTrue(dist_train.stop_requested())
        with world():
            self.assertFalse(dist_train.stop_requested())

    def test_end_time(self):
        with world():
            self.assertIsNone(dist_train.end_time())
            self.assertIsNone(dist_train.time_left())
        end = time.time() + 100
        with world(DIST_TRAIN_END_TIME=str(int(end)), SLURM_JOB_END_TIME="5"):
            self.assertEqual(dist_train.end_time(), int(end))
            self.assertTrue(0 < dist_train.time_left() <= 100)
        with world(SLURM_JOB_END_TIME="5"):
            self.assertEqual(dist_train.end_time(), 5)
            self.assertTrue(dist_train.time_left() < 0)


class Progress(unittest.TestCase):
    """What the launcher reads."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "progress")
        patch = world(DIST_TRAIN_PROGRESS_FILE=str(self.path))
        patch.start()
        self.addCleanup(patch.stop)
        dist_train._began = (0.0, 101.0)

    def said(self):
        """The words of the only line."""
        line, = self.path.read_text().splitlines()
        return dict(word.split("=") for word in line.split())

    def test_line(self):
        dist_train.progress(37.5, step=2 ** 53, loss=0.1)
        self.assertEqual(self.said(), {"percent": "37.5", "step": "9007199254740992.0", "loss": "0.1"})
        dist_train.progress(loss=float("nan"))
        self.assertEqual(self.said(), {"loss": "nan"})
        dist_train.progress(**{"val/loss": 2})
        self.assertEqual(self.said(), {"val/loss": "2.0"})

    def test_remaining(self):
        with mock.patch("time.monotonic", side_effect=[10, 20, 30, 40, 50]):
            dist_train.progress(40)  # goes on from a checkpoint
            self.assertNotIn("remaining", self.said())
            dist_train.progress(50)
            self.assertEqual(float(self.said()["remaining"]), 50)
            dist_train.progress(60, remaining=7)
            self.assertEqual(self.said()["remaining"], "7.0")
            dist_train.progress(10)  # another training
            self.assertNotIn("remaining", self.said())
            dist_train.progress(20)
            self.assertEqual(float(self.said()["remaining"]), 80)

    def test_percent_is_one(self):
        for given, percent in ((100.00000001, "100.0"), (-1, "0.0")):
            dist_train.progress(given)
            self.assertEqual(self.said()["percent"], percent)

    def test_what_float_takes(self):
        class Tensor:
            def __float__(self):
                return 0.25
        dist_train.progress(Tensor(), loss=Tensor())
        self.assertEqual(self.said(), {"percent": "0.25", "loss": "0.25"})

    def test_never_fails_for_want_of_it(self):
        with world():
            dist_train.progress(50)
        with world(DIST_TRAIN_PROGRESS_FILE="/nonexistent/folder/file"):
            dist_train.progress(50)


class Lightning(unittest.TestCase):
    """What Lightning asks its ClusterEnvironment; with the real one:
    tests/cluster/cases/torch_users.sh."""

    def environment(self):
        """Lightning isn't here: in its place is a class without anything."""
        names = ("lightning", "lightning.fabric", "lightning.fabric.plugins",
                 "lightning.fabric.plugins.environments")
        fakes = {name: types.ModuleType(name) for name in names}
        fakes["lightning"].__spec__ = importlib.machinery.ModuleSpec("lightning", None)
        fakes[names[-1]].ClusterEnvironment = object
        with mock.patch.dict(sys.modules, fakes):
            sys.modules.pop("dist_train.lightning", None)
            from dist_train.lightning import DistTrainEnvironment
        return DistTrainEnvironment()

    def test_in_a_step(self):
        env = self.environment()
        with world(**STEP, **OTHERS, MASTER_ADDR="10.0.0.1", DIST_TRAIN_MASTER_PORT="29500"):
            env.set_world_size(3)
            env.set_global_rank(2)
            self.assertTrue(env.detect() and env.creates_processes_externally)
            self.assertEqual((env.main_address, env.main_port), ("10.0.0.1", 29500))
            self.assertEqual((env.global_rank(), env.world_size(), env.local_rank(),
                              env.node_rank()), (5, 8, 1, 1))
            env.validate_settings(4, 2)
            for wrong in ((8, 2), (4, 1)):
                with self.assertRaisesRegex(ValueError, "devices=4, num_nodes=2"):
                    env.validate_settings(*wrong)

    def test_alone(self):
        env = self.environment()
        with world():
            self.assertFalse(env.detect())
            self.assertEqual((env.global_rank(), env.world_size()), (0, 1))
            env.validate_settings(1, 1)


class Module(unittest.TestCase):
    """The module itself."""

    def test_costs_nothing(self):
        """Python has loaded all that it imports."""
        script = ("import sys, __future__; before = set(sys.modules); import dist_train; "
                  "print(*sorted(set(sys.modules) - before))")
        said = subprocess.run([sys.executable, "-c", script], check=True, text=True,
                              stdout=subprocess.PIPE, env={"PYTHONPATH": str(TOP / "python"),
                                                           "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(said.stdout.split(), ["dist_train"])

    def test_names(self):
        for name in dist_train.__all__:
            function = getattr(dist_train, name)
            self.assertTrue(function.__doc__)
            self.assertIn("return", function.__annotations__)
        page = (TOP / "doc/dist-train-python.7.in").read_text()
        for name in dist_train.__all__:
            self.assertIn(f"\\fB{name}\\fR(", page)
        with self.assertRaises(AttributeError):
            dist_train.nothing  # noqa: B018

    def test_program_is_missing(self):
        said = subprocess.run([sys.executable, "-m", "dist_train"], text=True,
                              stderr=subprocess.PIPE, env={"PYTHONPATH": str(TOP / "python"),
                                                           "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(said.returncode, 1)
        self.assertIn("install the wheel", said.stderr)


if __name__ == "__main__":
    unittest.main()
