# SPDX-License-Identifier: Apache-2.0
"""Steps as users write them, at random: the lines that chaos and soak run."""

GRACE, LEASE, TIMEOUT = 2, 10, 20

# Name, srun's arguments, the option's framework and keys, does its training
# need all ranks (clients/ring.c, else sleep), processes per node. Of horovod a
# service has the coordinator's port.
KINDS = (
    ("ddp tasks", "--ntasks-per-node=2", "ddp", True, 2),
    ("ddp devices", "--ntasks-per-node=1 --gres=gpu:2", "ddp", True, 2),
    ("ddp procs", "--ntasks-per-node=1", "ddp,procs=3", True, 3),
    ("ddp gpus per task", "--ntasks-per-node=2 --gres=gpu:2", "ddp", True, 2),
    ("ascend devices", "--ntasks-per-node=1 --gres=npu:2", "ascend", True, 2),
    ("ascend tasks", "--ntasks-per-node=2 --gres=npu:2", "ascend", True, 2),
    ("env", "--ntasks-per-node=2", "env", True, 2),
    ("jax", "--ntasks-per-node=1", "jax,procs=2", True, 2),
    ("tf", "--ntasks-per-node=2", "tf", True, 2),
    ("tf-ps", "--ntasks-per-node=2", "tf-ps,ps=1", False, 2),
    ("horovod", "--ntasks-per-node=1", "horovod,procs=2", False, 2),
    ("mpi", "--ntasks-per-node=2 --mpi=pmi2", "mpi", True, 2),
    ("deepspeed", "--ntasks-per-node=1", "deepspeed,procs=2", True, 2),
    ("paddle", "--ntasks-per-node=1", "paddle,procs=2", True, 2),
    ("torchrun", "--ntasks-per-node=1", "torchrun", False, 1),
    ("ti-one", "--ntasks-per-node=1 --gres=gpu:2", "ddp,dialect=ti-one",
     False, 1),
    ("modelarts", "--ntasks-per-node=1 --gres=npu:2",
     "ascend,dialect=modelarts", True, 2),
    ("spares devices", "--ntasks-per-node=1 --gres=gpu:2", "ddp,spares=1",
     True, 2),
    ("spares tasks", "--ntasks-per-node=2", "ddp,spares=1", True, 2),
    ("no option", "--ntasks-per-node=2", None, False, 2),
)
NO_RESTARTS = ("horovod", "mpi")
KEYS = ("label=yes", "supervise=yes", "restarts=1",
        "restarts=2,restart-on=any", "bind=off",
        "log-dir={out}/%j.%s/", "timeline={out}/timeline.%j.%s")


class Step:
    """One line of srun. `seconds`: how long its training may last."""

    def __init__(self, rng, work, out, seconds=(0, 0.5, 2, 3, 4), kind=""):
        self.kind, args, option, whole, per_node = rng.choice(
            [k for k in KINDS if k[0].startswith(kind)])
        self.nnodes = rng.choice((1, 2, 2, 3, 4, 4))
        if self.spares:
            self.nnodes = max(self.nnodes, 2)
        self.seconds = rng.choice(seconds)
        self.world = (self.nnodes - self.spares) * per_node
        self.keys = []
        if option:
            self.choose_keys(rng, option, out)
        self.args = [f"-N{self.nnodes}", *args.split()]
        if option:
            self.args.append("--dist-train=" + ",".join(self.keys))
        program = "ring" if whole else "sleep"
        self.tells = whole and not any("log-dir" in k for k in self.keys)
        path = f"{work}/ring" if whole else "/bin/sleep"
        self.program = [path, str(self.seconds)]
        self.comm = program

    def choose_keys(self, rng, option, out):
        chosen = rng.sample(KEYS, rng.choice((0, 0, 1, 1, 2)))
        # restarts= twice is an error
        often = [k for k in chosen if k.startswith("restarts")]
        for key in often[self.kind not in NO_RESTARTS:]:
            chosen.remove(key)
        # Lines in files have no label
        if any(k.startswith("log-dir") for k in chosen):
            chosen = [k for k in chosen if k != "label=yes"]
        self.keys = [option, f"grace={GRACE}", f"lease={LEASE}",
                     f"timeout={TIMEOUT}"]
        self.keys += [k.format(out=out) for k in chosen]

    @property
    def spares(self):
        return int(self.kind.startswith("spares"))

    @property
    def restarts(self):
        return any(k.startswith("restarts") for k in self.keys)

    @property
    def words(self):
        return ["srun", *self.args, *self.program]

    def __str__(self):
        return " ".join(self.words)
