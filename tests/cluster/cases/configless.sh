# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The nodes have no configuration file of Slurm: slurmctld sends them.
# clusters: configless
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# works_with LINE: of plugstack.conf, which slurmctld sends again
works_with() {
	afterwards "plugstack '$plug_line'; root login scontrol reconfigure"
	plugstack "$1"
	root login scontrol reconfigure
	all_idle 20
	step 4 -N2 -n4
	succeed srun -N2 --dist-train=ddp,procs=2 "$show"
	layout 4 device
}

test_own_line() {
	succeed srun -N2 sh -c 'ls -A -I slurm.key /etc/slurm; echo "conf: $SLURM_CONF"'
	says_not '^[^c]'
	works_with "optional $plugin"
}

# A file that is on each node, as a package's is
# long: as own_line; tests/packages install that file
test_include() {
	works_with "include $prefix/etc/dist-train/plugstack.conf"
}

# Nothing of it is where slurmctld runs: an include with a wildcard is no error
# there, and the nodes find the file. A client there has slurmd's configuration.
test_file_of_the_nodes() {
	local there=/etc/dist-train-nodes host

	afterwards "plugstack '$plug_line'; root login scontrol reconfigure"
	for host in $(nodes); do
		as_root "$host" "mkdir $there &&
			echo optional $plugin > $there/dist-train.conf"
		afterwards "as_root $host 'rm -r $there'"
	done
	plugstack "include $there/*.conf"
	root login scontrol reconfigure
	all_idle 20
	node=node1 succeed env -u SLURM_CONF srun -N2 -n4 --dist-train=ddp \
		"$show"
	layout 4
}
