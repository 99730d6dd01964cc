# SPDX-License-Identifier: Apache-2.0
"""train.py of README and the tutorials: says which framework's variables it has
found, and ends with an error where they don't fit together. Hundreds of it are
started, so it imports little."""
import os

env = os.environ
framework = env["DIST_TRAIN_FRAMEWORK"]
rank, world = env["DIST_TRAIN_RANK"], env["DIST_TRAIN_WORLD_SIZE"]


def expect(name, value):
    """The variable has this value."""
    if env.get(name) != value:
        raise SystemExit(f"{framework}: {name} is {env.get(name)!r}, not {value!r}")


def native():
    """What this framework's processes read."""
    if framework in ("ddp", "deepspeed", "ascend"):
        expect("RANK", rank)
        expect("WORLD_SIZE", world)
        int(env["LOCAL_RANK"]), env["MASTER_ADDR"], int(env["MASTER_PORT"])
    if framework == "torchrun":
        # In torchrun's worker the numbers are torchrun's
        return env["RANK"], env["WORLD_SIZE"]
    if framework == "ascend":
        import json
        with open(env["RANK_TABLE_FILE"], encoding="utf-8") as file:
            if json.load(file)["status"] != "completed":
                raise SystemExit("the rank table isn't complete")
    if framework == "jax":
        env["JAX_COORDINATOR_ADDRESS"].index(":")
        int(env["JAX_LOCAL_DEVICE_IDS"])
    if framework == "tf":
        import json
        config = json.loads(env["TF_CONFIG"])
        if len(config["cluster"]["worker"]) != int(world):
            raise SystemExit(f"tf: {len(config['cluster']['worker'])} workers in TF_CONFIG")
    if framework == "mpi":
        # Under mpirun the numbers are its own
        return env["OMPI_COMM_WORLD_RANK"], env["OMPI_COMM_WORLD_SIZE"]
    if framework == "ray":
        env["RAY_ADDRESS"].index(":")
    return rank, world


rank, world = native()
# One write: lines of several processes stay whole
os.write(1, f"found rank={rank} world={world} framework={framework}\n".encode())
