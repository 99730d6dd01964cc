# SPDX-License-Identifier: Apache-2.0
"""What programs of Huawei's model collections and two readers of rank tables
ask of their environment, as the published ones do, without the training. Each
prints its place: NAME rank=R of=N device=D, the last being the N of
/dev/davinciN. The argument is the program."""
import json
import os
import sys


def device(index):
    """Of the index by which a program opens its device."""
    return os.environ["ASCEND_RT_VISIBLE_DEVICES"].split(",")[int(index)]


def mindspore_models():
    """mindspore-ai/models, official/cv: get_misc.py, set_device()."""
    device_num = int(os.environ.get("DEVICE_NUM", 1))
    if device_num == 1:
        return 0, 1, device(0)
    return (os.environ["RANK_ID"], device_num,
            device(os.environ["ASCEND_DEVICE_ID"]))


def modelzoo_pytorch():
    """ModelZoo-PyTorch, Transformer_ID0105: train_8p.py."""
    calculate_device = int(os.getenv("NPU_CALCULATE_DEVICE", 0))
    return (int(os.getenv("RANK")), int(os.getenv("NPU_WORLD_SIZE")),
            device(calculate_device))


def modelzoo_tensorflow():
    """ModelZoo-TensorFlow: AlexNet_ID0072's data_loader.py and
    Bert-base_ID0060's run_pretraining.py."""
    index, node = int(os.getenv("DEVICE_INDEX")), int(os.getenv("RANK_INDEX"))
    if node != int(os.environ["DIST_TRAIN_NODE_RANK"]):
        sys.exit(f"RANK_INDEX is {node}")
    return (index, int(os.getenv("RANK_SIZE")),
            device(os.environ["ASCEND_DEVICE_ID"]))


def servers():
    """Those of the rank table."""
    with open(os.environ["RANK_TABLE_FILE"], encoding="utf-8") as f:
        return json.load(f)["server_list"]


def find(own):
    """The rank of this process, the number of ranks and its device."""
    entries = [(s, d) for s in servers() for d in s["device"]]
    mine = [d for s, d in entries if own(s)]
    entry = mine[int(os.environ["LOCAL_RANK"])]
    return entry["rank_id"], len(entries), entry["device_id"]


def mindie():
    """MindIE's server: its own entry has the container's address."""
    address = os.environ["OWN_IP"]
    return find(lambda server: server.get("container_ip") == address)


def paddle_ascend():
    """Paddle's fleet/ascend_utils.py: server_id is the node's address."""
    node_ips = [server["server_id"] for server in servers()]
    address = os.environ["OWN_IP"]
    if address not in node_ips:
        sys.exit(f"node_ips {node_ips}: not {address}")
    return find(lambda server: server["server_id"] == address)


PLACE = {f.__name__: f for f in (mindspore_models, modelzoo_pytorch,
                                 modelzoo_tensorflow, mindie, paddle_ascend)}
RANK, SIZE, DEVICE = PLACE[sys.argv[1]]()
print(f"{sys.argv[1]} rank={RANK} of={SIZE}"
      f" device={os.environ['SLURMD_NODENAME']}/{DEVICE}")
