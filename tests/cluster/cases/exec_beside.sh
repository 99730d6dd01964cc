# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist-train exec on a cluster that has the plugin.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

# long: exec.never_twice; tests/helpers/cli/exec/test_exec
test_with_the_option() {
	refuse 'exec: this step is a distributed one already' \
		srun -N2 -n2 --dist-train=ddp "$prefix/bin/dist-train" exec \
		ddp -- true
	try srun -N2 -n2 --dist-train=ddp,procs=1,supervise=yes \
		"$prefix/bin/dist-train" exec ddp -- true
	[ "$rc" -ne 0 ] || fail "twice"
	one_of_ours 'exec: this step is a distributed one already'
}

test_without_the_option() {
	succeed srun -N2 --gres=gpu:3 "$prefix/bin/dist-train" exec ddp -- \
		"$show"
	layout 6 device
}
