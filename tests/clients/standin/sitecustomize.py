# SPDX-License-Identifier: Apache-2.0
"""In PYTHONPATH: `llamafactory-cli train` and `swift sft` start their workers as
ever, and each worker trains tests/clients/train.py instead of a language model,
whose packages and weights the tests haven't.
"""
import os
import runpy
import sys
import types


def train():
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.argv = ["train.py"]
    runpy.run_path(os.path.join(folder, "train.py"), run_name="__main__")


def stand_in(name, **functions):
    module = types.ModuleType(name)
    module.__dict__.update(functions)
    sys.modules[name] = module


if "LOCAL_RANK" in os.environ:
    stand_in("llamafactory.train")
    stand_in("llamafactory.train.tuner", run_exp=train)
    stand_in("swift.ray_utils", try_init_ray=lambda: None)
    stand_in("swift.pipelines", sft_main=train)
