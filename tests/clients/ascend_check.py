# SPDX-License-Identifier: Apache-2.0
"""A process on an Ascend NPU: reads its variables and the rank table as HCCL
and the frameworks' adapters do, holds every rule of theirs that a process can
check, opens its own device, and prints one line of facts.

ascend_check.py DIST-TRAIN [CHIP] [-- COMMAND [ARGUMENT]...]

DIST-TRAIN ranktable check reads the table too. COMMAND replaces the process
when all is well.
"""
import errno
import hashlib
import ipaddress
import json
import os
import re
import stat
import subprocess
import sys

TABLE = ("RANK_TABLE_FILE", "RANK_ID", "RANK_SIZE")
CHIEF = ("CM_CHIEF_IP", "CM_CHIEF_PORT", "CM_CHIEF_DEVICE", "CM_WORKER_IP",
         "CM_WORKER_SIZE")
MAX_DEVICE = {"910A": 7, "910B": 15, "910C": 15}
STANDIN = "/etc/npu-standin/devices"


def want(good, why):
    if not good:
        sys.exit(f"rank {os.environ.get('RANK_ID')}: {why}")


def number(name):
    text = os.environ.get(name, "")
    want(re.fullmatch("[0-9]{1,127}", text), f"{name}='{text}': no number")
    return int(text)


def can_open(device):
    try:
        os.close(os.open(f"/dev/davinci{device}", os.O_RDWR))
    except OSError as e:  # a stand-in has no driver behind it
        return e.errno in (errno.ENXIO, errno.ENODEV)
    return True


def own_device():
    """The physical id of the device that ASCEND_DEVICE_ID stands for."""
    text = os.environ.get("ASCEND_RT_VISIBLE_DEVICES")
    want(text is not None and re.fullmatch("[0-9]+(,[0-9]+)*", text)
         and len(text) < 128, f"ASCEND_RT_VISIBLE_DEVICES={text}")
    visible = [int(i) for i in text.split(",")]
    want(visible == sorted(set(visible)), f"{text}: not strictly ascending")
    # The runtime counts the devices that /dev shows
    shown = sorted(int(name[len("davinci"):]) for name in os.listdir("/dev")
                   if re.fullmatch("davinci[0-9]+", name))
    want(visible[-1] < len(shown), f"{text}: /dev shows {shown}")
    index = number("ASCEND_DEVICE_ID")
    want(index < len(visible), f"ASCEND_DEVICE_ID={index} of {text}")
    device = shown[visible[index]]
    want(can_open(device), f"/dev/davinci{device} can't be opened")
    return device


def read_table():
    path = os.environ["RANK_TABLE_FILE"]
    want(0 < len(path) < 4096, "the table's path is too long")
    real = os.path.realpath(path, strict=True)
    want(real.endswith(".json") and real.index(".json") == len(real) - 5,
         f"{real}: '.json' isn't its end, or stands twice")
    status = os.lstat(path)  # torch_npu: no link, readable for its owner
    want(stat.S_ISREG(status.st_mode) and status.st_mode & stat.S_IRUSR
         and status.st_uid == os.getuid(), f"{path}: not as torch_npu wants it")
    with open(path, "rb") as f:
        data = f.read()
    want(len(data) <= 40 << 20, "the table is too long")
    return path, data


def text_of(where, key, values):
    want(isinstance(values.get(key), str) and values[key],
         f"{where}: no string {key}")
    return values[key]


def entries_of(table):
    """(server, device) of each rank, in the order of ranks."""
    servers = table["server_list"]
    want(servers and table["server_count"] == str(len(servers)), "server_count")
    names = [text_of("server", "server_id", s) for s in servers]
    want(len(set(names)) == len(names), "a server_id twice")
    want(all(len(n) <= 64 for n in names), "a server_id is too long")
    want(os.environ["DIST_TRAIN_FRAMEWORK"] != "mindspore"
         or names == sorted(names), "server names aren't sorted, as MindSpore's")
    for name, server in zip(names, servers):
        address = server.get("container_ip")
        want(not address or name.endswith(str(ipaddress.ip_address(address))),
             f"{name} has the container_ip {address}")
    all_of = []
    for name, server in zip(names, servers):
        want(server["device"], f"{name} has no device")
        ids = [text_of(name, "device_id", d) for d in server["device"]]
        want(len(set(ids)) == len(ids), f"{name}: a device twice")
        all_of += [(name, d) for d in server["device"]]
    ranks = [int(text_of("device", "rank_id", d)) for _, d in all_of]
    want(ranks == list(range(len(ranks))), f"ranks {ranks}")
    return all_of


def check_addresses(entries, nservers):
    found = [d.get("device_ip") for _, d in entries]
    if nservers == 1 and None in found:
        return
    want(all(found), "a device without an address")
    lists = [[ipaddress.ip_address(i) for i in text.split(",")]
             for text in found]
    flat = [i for one in lists for i in one]
    want(len(set(flat)) == len(flat), "an address twice")
    want(len({i.version for i in flat}) == 1, "two families of addresses")
    want(len({len(one) for one in lists}) == 1, "unequal numbers of addresses")


def check_pods(table, entries):
    pods = table["super_pod_list"]
    names = [text_of("pod", "super_pod_id", p) for p in pods]
    want(len(set(names)) == len(names), "a super pod twice")
    of = {s["server_id"]: p["super_pod_id"] for p in pods
          for s in p["server_list"]}
    want(set(of) == {server for server, _ in entries},
         "other servers in the super pods")
    sdids = [(of[s], int(text_of(s, "super_device_id", d)))
             for s, d in entries]
    want(len(set(sdids)) == len(sdids), "a super device id twice")


def check_own(entry, physical):
    want(int(entry["device_id"]) == physical,
         f"the table's device_id is {entry['device_id']}, the device's "
         f"{physical}")
    if not os.path.exists(STANDIN):
        return
    with open(STANDIN) as f:
        line = next(l.split() for l in f if l.split()[0] == str(physical))
    want(entry.get("device_ip") in (line[1], line[2]),
         f"the device has {line[1:3]}, the table {entry.get('device_ip')}")
    want(entry.get("super_device_id", "-") == line[3],
         f"super device {line[3]}, in the table "
         f"{entry.get('super_device_id')}")


def own_names():
    """The addresses of this node, and its name where Slurm has none."""
    found = subprocess.run(["ip", "-j", "addr"], stdout=subprocess.PIPE,
                           check=True).stdout
    return [a["local"] for i in json.loads(found) for a in i["addr_info"]
            if a["scope"] == "global"] + [os.environ["SLURMD_NODENAME"]]


def check_table(physical, chip):
    path, data = read_table()
    table = json.loads(data)
    want(table["status"] == "completed", f"status {table['status']}")
    want(table["version"] in ("1.0", "1.2"), f"version {table['version']}")
    entries = entries_of(table)
    rank, size = number("RANK_ID"), number("RANK_SIZE")
    want(size == len(entries) and rank < size, f"rank {rank} of {size}")
    want(all(int(d["device_id"]) <= MAX_DEVICE[chip] for _, d in entries),
         "a device_id is too large")
    check_addresses(entries, len(table["server_list"]))
    if table["version"] == "1.2":
        check_pods(table, entries)
    server, own = entries[rank]
    want(re.sub("^[0-9]{6}-", "", server) in own_names(),
         f"rank {rank} is on {server} in the table")
    check_own(own, physical)
    return (f"rank={rank} size={size} version={table['version']} "
            f"ip={own.get('device_ip', '-')} "
            f"md5={hashlib.md5(data).hexdigest()} table={path}")


def check_others():
    for name in CHIEF:
        want(name not in os.environ, f"{name} is set beside a table")
    want(number("RANK") == number("RANK_ID"), "RANK isn't RANK_ID")
    want(number("WORLD_SIZE") == number("RANK_SIZE"), "WORLD_SIZE, RANK_SIZE")
    want(number("ASCEND_DEVICE_ID") == number("LOCAL_RANK")
         or "," not in os.environ["ASCEND_RT_VISIBLE_DEVICES"],
         "LOCAL_RANK isn't the device's index")
    want(re.fullmatch("[A-Za-z0-9_-]+", os.environ["JOB_ID"]), "JOB_ID")
    want(120 <= number("HCCL_CONNECT_TIMEOUT") <= 7200, "HCCL_CONNECT_TIMEOUT")
    want(1024 <= number("HCCL_IF_BASE_PORT") <= 65520, "HCCL_IF_BASE_PORT")
    want(os.environ["HCCL_SOCKET_IFNAME"].lstrip("=^") in os.listdir(
        "/sys/class/net"), "HCCL_SOCKET_IFNAME")


def main():
    program, rest = sys.argv[1], sys.argv[2:]
    chip = rest.pop(0) if rest and rest[0] in MAX_DEVICE else "910B"
    check_others()
    physical = own_device()
    # MindSpore counts the devices that it sees
    own = (number("ASCEND_DEVICE_ID")
           if os.environ["DIST_TRAIN_FRAMEWORK"] == "mindspore" else physical)
    want(number("DEVICE_ID") == own,
         f"DEVICE_ID={os.environ['DEVICE_ID']}, the device's is {own}")
    facts = check_table(physical, chip)
    judge = subprocess.run(
        [program, "ranktable", "check", "--chip", chip,
         os.environ["RANK_TABLE_FILE"]], capture_output=True, text=True)
    want(judge.returncode == 0, judge.stdout + judge.stderr)
    print(f"ascend {facts} node={os.environ['SLURMD_NODENAME']} "
          f"device={physical} index={os.environ['ASCEND_DEVICE_ID']} "
          f"visible={os.environ['ASCEND_RT_VISIBLE_DEVICES']}", flush=True)
    if rest[:1] == ["--"]:
        os.execvp(rest[1], rest[1:])


main()
