# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Roles, and where each process says that the others are, without TensorFlow.
# clusters: plain odd
# long on odd: where processes are is the same there; block and arbitrary look
# at names that mean nothing
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

place=$top/tests/clients/tf_place.py

# places N: N processes, each at an address that is its own
places() {
	[ "$(grep -c '^place ' "$d/out")" -eq "$1" ] || fail "not $1 processes"
	[ "$(grep -o ' at=[^ ]*' "$d/out" | sort -u | wc -l)" -eq "$1" ] ||
		fail "two processes have the same address"
	case $cluster in *-odd) return ;; esac
	awk '/^place / {
		for (i = 2; i <= NF; i++) { split($i, a, "="); v[a[1]] = a[2] }
		if (index(v["at"], v["on"] ":") != 1) exit 1
	}' "$d/out" || fail "an address of another node"
}

# Names that mean nothing on a node (odd) become addresses
# long on plain: roles.ps@plain, roles.arbitrary@plain; roles.block@odd
test_block() {
	succeed srun -N4 -n5 --dist-train=tf "$PYTHON" "$place"
	places 5
}

# long: tests/frameworks/tf/cyclic; tests/spank/scenarios/peers
test_cyclic() {
	succeed srun -N3 -n7 -m cyclic --dist-train=tf "$PYTHON" "$place"
	places 7
}

# long: tests/core/facts/test_places; layout.plane
test_plane() {
	succeed srun -N2 -n7 -m plane=2 --dist-train=tf "$PYTHON" "$place"
	places 7
}

# long on odd: roles.block@odd, layout.arbitrary@odd; roles.arbitrary@plain
test_arbitrary() {
	local n=node
	[[ $cluster = *-odd ]] && n=n

	printf '%s\n' ${n}3 ${n}1 ${n}3 ${n}2 > "$d/hosts"
	succeed env SLURM_HOSTFILE="$d/hosts" srun -n4 -m arbitrary \
		--dist-train=tf "$PYTHON" "$place"
	places 4
}

# long: tests/spank/scenarios/layout-subset; layout.subset
test_part_of_the_nodes() {
	local list
	list=$(nodes | cut -d ' ' -f 2,4 | tr ' ' ,)

	succeed srun -w "$list" -n3 --dist-train=tf "$PYTHON" "$place"
	places 3
}

# long: tests/spank/scenarios/export-none; layout.export_none
test_export_none() {
	succeed srun -N2 -n4 -m cyclic --export=NONE --dist-train=tf \
		"$PYTHON" "$place"
	places 4
}

# long: tests/frameworks/tf/device-mode; ports.reserved_for_launchers
test_device_mode() {
	succeed srun -N2 --gres=gpu:4 --dist-train=tf "$PYTHON" "$place"
	places 8
}

# ps have no devices; the workers have their node's. The chief is the last to
# end: its end is that of the others.
test_ps() {
	succeed srun -N3 --gres=gpu:2 --dist-train=tf-ps,chief=1,ps=2 sh -c '
		echo "see $DIST_TRAIN_ROLE $CUDA_VISIBLE_DEVICES"
		while [ $DIST_TRAIN_ROLE = chief ] &&
			[ "$(cat "$2"/placed.* | wc -l)" -lt 5 ]; do sleep .1
		done
		"$0" "$1" && echo > "$2/placed.$DIST_TRAIN_RANK"' \
		"$PYTHON" "$place" "$d"
	places 6
	[ "$(grep -c ' of chief=1 ps=2 worker=3$' "$d/out")" -eq 6 ] ||
		fail "not the same cluster everywhere"
	[ "$(grep -c '^see ps -1$' "$d/out")" -eq 2 ] || fail "a ps sees a GPU"
	[ "$(grep -c '^see worker 0,1$' "$d/out")" -eq 3 ] ||
		fail "a worker sees something else"
	says '^place rank=0 chief=0 '
}

# Workers and ps never end by themselves
serve='case $DIST_TRAIN_ROLE in
	chief) sleep 1; exit $0;;
	*) trap "echo ended" TERM; sleep 1000 & wait;;
	esac'

# long: tests/helpers/launch/test_launch (services); roles.ps
test_end_of_the_services() {
	succeed srun -N3 --dist-train=tf-ps,chief=1 sh -c "$serve" 0
	[ "$(grep -c '^ended' "$d/out")" -eq 6 ] || fail "not six were ended"
}

# long: tests/helpers/launch/test_services: order; end_of_the_services
test_end_of_the_services_in_task_mode() {
	succeed srun -N3 -n7 --dist-train=tf-ps,chief=1,ps=2 sh -c "$serve" 0
	[ "$(grep -c '^ended' "$d/out")" -eq 6 ] || fail "not six were ended"
}

# Without a chief the step lasts as long as its last worker
test_workers_end() {
	succeed srun -N2 --dist-train=tf-ps sh -c '
		case $DIST_TRAIN_ROLE in
		worker) sleep $DIST_TRAIN_RANK; echo "worker $DIST_TRAIN_RANK";;
		*) sleep 1000;;
		esac'
	says '^worker 0$'
	says '^worker 2$'
}

# long: tests/helpers/launch/test_launch (services: a ps, 4); tensorflow.killed
# (the chief)
test_failure() {
	try srun -N3 --dist-train=tf-ps,chief=1,grace=1 sh -c "$serve" 7
	[ "$rc" -eq 7 ] || fail "status $rc"
	ours | grep -Eq '^dist-train: rank 0 \(chief\) on .*: exit code 7 ' ||
		fail "no report"
}

# long: tests/spank/scenarios/peers-het
test_heterogeneous() {
	try srun -n1 --dist-train=tf-ps true : -n1 --dist-train=tf-ps true
	[ "$rc" -ne 0 ] || fail "status 0"
	ours | grep -q "doesn't provide in a heterogeneous step" ||
		fail "no such line: $(ours)"
}

# long: tests/frameworks/tf-ps/sum, too-few-tasks
test_wrong_sum() {
	refuse '3 tasks for 2 processes .*; use -n 2' \
		srun -n3 -N2 --dist-train=tf-ps,ps=1,workers=1 true
}
