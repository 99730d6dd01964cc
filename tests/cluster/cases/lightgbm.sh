# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# LightGBM itself, on CPUs, between the nodes; the lists of addresses that it
# and others need.
# clusters: plain
# takes: 1
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

limit=120

client() {
	need_venv lightgbm
	train="$venv -W ignore $top/tests/clients/lightgbm_train.py"
}

# trained_by WORLD: all ranks, with one model
trained_by() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c "^trained rank=[0-9]* world=$1 good=True " "$d/out")" -eq \
		"$1" ] || fail "not $1 ranks: $(cat "$d/out")"
	[ "$(sed -n 's/^trained .* model=\([^ ]*\) .*/\1/p' "$d/out" |
		sort -u | wc -l)" -eq 1 ] || fail "not one model"
}

# Nodes with different numbers of tasks, in another order
test_task_mode() {
	client
	try srun -w node2,node3 -N2 -n3 -m cyclic --dist-train=lightgbm $train
	trained_by 3
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# long: the variables are in tests/frameworks/lightgbm/device-mode, and
# lightgbm.peers has processes of launchers at these addresses
test_device_mode() {
	client
	batch -N2 --ntasks-per-node=1 --gres=gpu:2 <<-END
	srun --dist-train=lightgbm $train
	END
	trained_by 4
	says '^trained rank=3 .* node=node2$'
}

# long: the variables are in tests/frameworks/lightgbm/one-node; on each node of
# lightgbm.peers several processes meet
test_one_node() {
	client
	try srun -N1 -n2 --dist-train=lightgbm $train
	trained_by 2
}

test_failing_rank() {
	client
	try srun -N2 -n2 --dist-train=lightgbm,grace=2 env FAIL=1 $train
	[ "$rc" -eq 7 ] || fail "status $rc"
	one_of_ours '^dist-train: rank 1 \(worker\) on node2, .*: exit code 7 '
}

# listens: each process of a step listens at its own place in the list, and
# reaches all others there
listens='
import os, socket, time
peers = os.environ["DIST_TRAIN_PEERS"].split(",")
rank, n = (int(os.environ["DIST_TRAIN_" + w]) for w in ("RANK", "WORLD_SIZE"))
hosts = os.environ["DIST_TRAIN_HOST_ADDRS"].split(",")
host, port = peers[rank].rsplit(":", 1)
assert port == os.environ["DIST_TRAIN_PORT"]
assert host == hosts[int(os.environ["DIST_TRAIN_NODE_RANK"])], (host, hosts)
here = socket.create_server((host, int(port)))
for peer in peers:
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(peer.rsplit(":", 1)).close()
            break
        except OSError:
            assert time.monotonic() < end, peer
            time.sleep(0.1)
for _ in peers:
    here.accept()
print("met", rank, len(set(peers)) == n, len(set(hosts)), flush=True)'

# met WORLD NODES
met() {
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c "^met [0-9]* True $2\$" "$d/out")" -eq "$1" ] ||
		fail "not $1 of them: $(cat "$d/out")"
}

# For any program, by env's key: ranks of an arbitrary order, too
# takes: 0.5
test_peers() {
	try srun -N3 -n5 -m cyclic --dist-train=env,peers=yes \
		"$PYTHON" -c "$listens"
	met 5 3
	try srun -w node1,node3 -N2 --gres=gpu:2 --dist-train=env,peers=yes \
		"$PYTHON" -c "$listens"
	met 4 2
	printf 'node4\nnode2\n' > "$d/hosts"
	try env SLURM_HOSTFILE="$d/hosts" srun -m arbitrary -n2 \
		--dist-train=env,procs=2,peers=yes "$PYTHON" -c "$listens"
	met 4 2
}
