# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What only the real pyxis and enroot have: DIST_TRAIN_PYXIS=FOLDER, made by
# tests/cluster/pyxis_build.
# clusters: inside
# long: needs a folder that tests/cluster/pyxis_build makes by hand; that tasks are
# entered in both orders is asserted by `container'
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh; $reduce
# shellcheck source-path=SCRIPTDIR/.. source=../container.sh
. "$here/container.sh"

# both_modes SRUN-ARGUMENT...: of a step of two nodes
both_modes() {
	inside 4 -N2 -n4 --dist-train=ddp "$@"
	inside 4 -N2 --dist-train=ddp,procs=2 "$@"
}

# in_both_orders [ARGUMENT...]: of pyxis. Other images' ways into a container
in_both_orders() {
	need_pyxis
	enter_behind "$@"
	both_modes
	use_lines "$plug_line" "$other"
	both_modes
}

# pyxis mounts the file itself, where it made a folder of it before
test_squashfuse() {
	at sh -c 'command -v squashfuse' || skip "the nodes have no squashfuse"
	in_both_orders use_squashfuse=yes
}

test_unpacked_folder() {
	local node

	need_pyxis
	enter_behind
	for node in node1 node2; do
		afterwards "node=$node at rm -rf \
			/run/enroot/data-10001/pyxis_unpacked"
	done
	into+=(--container-name=unpacked)
	both_modes -w node1,node2
	into=(--container-name=unpacked)
	both_modes -w node1,node2
}

test_namespaces() {
	in_both_orders
	both_modes --container-unshare=ipc,uts
	into+=(--container-unshare=net)
	inside 2 -n2 --dist-train=ddp
	inside 2 -N1 --dist-train=ddp,procs=2
}

# The home of the node is there, with the launcher's log files in it; nobody is
# root outside
test_home_and_root() {
	need_pyxis
	enter_behind
	afterwards 'for node in node1 node2; do at rm -rf /home/alice/logs; done'
	succeed srun -w node1,node2 "${into[@]}" --container-mount-home \
		--dist-train=ddp,procs=2,log-dir=/home/alice/logs /bin/show
	for node in node1 node2; do
		at sh -c 'cat /home/alice/logs/rank-*.out'
	done > "$d/out"
	layout 4 device
	into+=(--container-remap-root)
	succeed srun -N2 "${into[@]}" --dist-train=ddp,procs=2 /bin/sh -c \
		'echo "rank $RANK is $(id -u), $HOME"'
	[ "$(grep -c '^rank [0-3] is 0, /root$' "$d/out")" -eq 4 ] ||
		fail "not four ranks as root"
}

# --container-env: a choice of the task's is kept, too; the step's values don't
# depend on it
test_container_env() {
	need_pyxis
	enter_behind
	for order in behind before; do
		try env OMP_NUM_THREADS=3 MASTER_PORT=12345 srun "${into[@]}" \
			--container-env=OMP_NUM_THREADS,MASTER_PORT,WORLD_SIZE \
			-n2 --dist-train=ddp /bin/sh -c \
			'echo "$RANK/$WORLD_SIZE $MASTER_PORT $OMP_NUM_THREADS"'
		one_line "^dist-train: your MASTER_PORT='12345' is kept"
		says '^0/2 12345 3$'
		says '^1/2 12345 3$'
		use_lines "$plug_line" "$other"
	done
}

# PyTorch of the machine, mounted into the container, meets by the step's values
test_pytorch() {
	need_pyxis
	need_torch
	enter_behind
	into+=("--container-mounts=/usr:/usr,/usr/lib:/lib,/usr/lib64:/lib64,/etc/alternatives:/etc/alternatives,$top:$top")
	for order in behind before; do
		try srun -N2 "${into[@]}" --dist-train=ddp,procs=2 $reduce
		ranks_trained 4
		try srun -N2 "${into[@]}" --dist-train=ddp,procs=task $reduce
		ranks_trained 2
		use_lines "$plug_line" "$other"
	done
}
