# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The key hang on four nodes with two ranks each: eight shapes of hang
# (tests/clients/hang_shapes.py), and what starts the ranks. Each names the rank and
# its line, at most 10 s after the time. All are for tests/run --long, but for one in
# a container; on two nodes the shapes are those of `hang'. Those of one case run
# side by side. torchrun starts PyTorch, the others a stand-in, but for loader.
# clusters: plain
# takes: 1
# shellcheck disable=SC2016,SC2034,SC2046,SC2086,SC2154 # words; shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=../hangs.sh
. "$here/hangs.sh"
# shellcheck source-path=SCRIPTDIR/.. source=../container.sh
. "$here/container.sh"

limit=300
seconds=10
culprit=5

# long: each shape is in device mode on two nodes in `hang'
test_device() {
	row device gil stopped order asleep loop loader swallowed fuse
}

# long: each shape is in device mode on two nodes in `hang', task mode hang.order
test_task() {
	row task loop swallowed asleep gil stopped loader order fuse
}

# long: each shape is in device mode on two nodes in `hang', torchrun hang.torchrun
test_torchrun() {
	need_torchrun
	row torchrun asleep loader loop gil stopped swallowed order fuse
}

# The nodes' own files, but another user namespace, mount namespace and root, whose
# own /tmp hides the file that never answers
# long: hang.asleep; container.stack_in_a_container (the launcher looks from
# inside)
# clusters: inside
# takes: 0.25
test_container() {
	enter_nodes_own
	row container asleep -- loop gil stopped loader swallowed order
}

# row MODE SHAPE... -- SHAPE...: those behind the -- only with --long. fuse is the
# last one: its job keeps its processors until the file system is gone.
row() {
	local mode=$1 shape pids=()

	need_stacks py-spy
	mount_hang node3
	for shape in "${@:2}"; do
		[ "$shape" != -- ] || [ -n "${LONG:-}" ] || break
		[ "$shape" != -- ] || continue
		# Slots for three steps of eight ranks at a time
		while [ "$(jobs -pr | wc -l)" -gt 3 ]; do
			wait -n || :
		done
		(one "$mode" "$shape") > "$d/$shape.log" 2>&1 &
		pids+=("$shape:$!")
	done
	for shape in "${pids[@]}"; do
		wait "${shape#*:}" || failed+=" ${shape%%:*}"
		sed "s/^/${shape%%:*}: /" "$d/${shape%%:*}.log"
	done
	[ -z "${failed:-}" ] || fail "in mode $mode:$failed"
}

# words_of MODE: srun's, and what comes before the program
words_of() {
	local keys=grace=1,hang=$seconds

	case $1 in
	task) echo "--ntasks-per-node=2 --dist-train=ddp,supervise=yes,$keys" ;;
	torchrun)
		echo "--ntasks-per-node=1 --dist-train=torchrun,procs=2,$keys" \
			"env PYTHONUNBUFFERED=1 PET_REDIRECTS=1 PET_TEE=1"
		;;
	*) echo "--ntasks-per-node=1 --dist-train=ddp,procs=2,$keys" ;;
	esac
}

# python_of MODE SHAPE
python_of() {
	need_plain_torch
	[ "$2" != loader ] || need_torch
	[ "$1" != torchrun ] || torch=torchrun
	echo "$torch"
}

# one MODE SHAPE: in a subshell, with a folder of its own; a container has
# another /tmp, with no $stacks
one() {
	local python

	python=$(python_of "$1" "$2")
	d=$d/$2
	mkdir -m 777 "$d"
	hang "$culprit" env PATH="$PATH:${venv%/*}" srun -N4 --overlap -O \
		-J "$(hang_name)" $(words_of "$1") $python \
		"$clients/hang_shapes.py" "$2" "$culprit" /tmp/hang/file
	suspect_is "$2"
	end_hang
}
