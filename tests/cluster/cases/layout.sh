# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Who is which rank, and where all look for rank 0, in every way to lay out a
# step. Without torch: show.sh prints what a process got.
# clusters: plain odd selfloop
# long on odd selfloop: who is which rank is the same there; the cases that
# look at names run on all
# shellcheck disable=SC2034,SC2046,SC2154 # shared with lib.sh

# alice's home is on the login node alone
test_two_per_node() {
	dir=/home/alice step 8 -N4 --ntasks-per-node=2
	says ' user=alice '
}

# long on plain: layout.five_tasks_on_four_nodes@odd, selfloop, exec
test_five_tasks_on_four_nodes() {
	step 5 -N4 -n5
}

# long: tests/spank/scenarios/single-node; tests/frameworks/ddp/one-process
test_one_task() {
	step 1 -n1
}

# long: as one_task; tests/spank/scenarios/single-node
test_one_node() {
	step 3 -N1 -n3
}

test_cyclic() {
	step 8 -N4 -n8 -m cyclic
	step 7 -N4 -n7 -m cyclic
}

# long: tests/core/plan/test_plan_layout: plane=2; as cyclic
test_plane() {
	step 8 -N4 -n8 -m plane=2
	step 7 -N3 -n7 -m plane=2
}

# long: tests/core/plan/test_plan_layout: block
test_block_of_part() {
	step 6 -N3 -n6 -m block
}

# Rank 0 on the third node, ranks of one node apart
# long on plain selfloop: layout.arbitrary@odd
test_arbitrary() {
	set -- $(nodes)
	printf '%s\n' "$3" "$1" "$3" "$2" > "$d/hosts"
	step 4 -n4 -m arbitrary -w "$d/hosts"
	succeed env SLURM_HOSTFILE="$d/hosts" \
		srun -n4 -m arbitrary --dist-train=ddp "$show"
	layout 4
	says "show node=$3 .* RANK=0 "
}

# long: as subset; tests/spank/scenarios/layout-subset
test_relative() {
	succeed salloc -Q -N4 srun -r1 -N3 -n3 --dist-train=ddp "$show"
	layout 3
	says_not "show node=$(nodes | cut -d ' ' -f 1) "
}

# long on plain selfloop: layout.subset@odd
test_subset() {
	set -- $(nodes)
	step 4 -N2 -n4 -w "$2,$4"
	says "show node=$4 "
	succeed salloc -Q -N4 srun -w "$3,$4" -N2 -n2 --dist-train=ddp "$show"
	layout 2
	succeed srun -x "$1" -N2 -n2 --dist-train=ddp "$show"
	layout 2
	says_not "show node=$1 "
}

# long on plain: layout.heterogeneous@odd, selfloop
test_heterogeneous() {
	succeed srun -n1 --dist-train=ddp "$show" : -n2 "$show"
	layout 3
	succeed srun -n1 --dist-train=ddp "$show" : -n2 --dist-train=ddp "$show"
	layout 3
	succeed srun -N2 -n3 --dist-train=ddp "$show" : -N2 -n2 "$show"
	layout 5
}

# long: tests/spank/scenarios/het, own-defaults-component;
# requeue.heterogeneous_step (0,1), supervision.requeue (1)
test_heterogeneous_in_salloc() {
	succeed salloc -Q -N1 -n1 : -N2 -n2 \
		srun --het-group=0,1 --dist-train=ddp "$show"
	layout 3
	succeed salloc -Q -N1 -n1 : -N2 -n2 \
		srun --het-group=1 --dist-train=ddp "$show"
	layout 2
}

# long: tests/spank/scenarios/export-none; torch.task_mode (cyclic),
# devices.device_mode (device mode)
test_export_none() {
	step 8 -N4 -n8 --export=NONE
	step 4 -N2 -n4 --export=NOTHING=x
	step 5 -N4 -n5 -m cyclic --export=NONE
}

test_as_root() {
	user=root step 4 -N2 -n4
	says ' user=root '
}

# srun on a compute node, rank 0 on it or not
# long on plain: layout.from_a_node@odd, selfloop
test_from_a_node() {
	set -- $(nodes)
	node=$1 step 4 -N2 -n4 -w "$1,$2"
	node=$3 step 4 -N2 -n4 -w "$1,$2"
	node=$1 step 4 -N4 -n4
	printf '%s\n' "$2" "$1" > "$d/hosts"
	node=$2 succeed env SLURM_HOSTFILE="$d/hosts" \
		srun -n2 -m arbitrary --dist-train=ddp "$show"
	layout 2
}

test_from_a_batch_script() {
	batch -N2 -n4 --dist-train=ddp <<-END
	srun $show
	END
	layout 4
	batch -N4 -n4 <<-END
	srun --dist-train=ddp -N3 -n3 -r1 $show
	END
	layout 3
}
