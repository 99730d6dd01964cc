# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A file of roles before its step: srun reads it as the user, and refuses what can't
# be had before it asks for anything.
# clusters: plain
# shellcheck disable=SC2016,SC2154 # of the file's words; shared with lib.sh

nothing_queued() {
	[ -z "$(user=root at squeue -h -s -o %i -u alice)" ] ||
		fail "a job is queued"
}

# roles: $file with the lines of standard input
roles() {
	file=$d/a.roles
	cat > "$file"
}

test_faults() {
	roles <<-'END'
		trainer ddp nodes=1 -- python3 train.py $SERVER_URLS
		server env nodes=1 needs=trainr -- server --port $PORT
	END
	refuse "^dist-train: .*/a\.roles:2:20: needs='trainr': there is no such role; there are trainer server" \
		srun -N2 --dist-train=roles "$file"
	roles <<< 'trainer ddp nodes=1 graze=5 -- python3 train.py'
	refuse "^dist-train: .*/a\.roles:1:21: unknown key 'graze'; did you mean 'grace'" \
		srun -N2 --dist-train=roles "$file"
	refuse '^dist-train: .*/none: No such file or directory' \
		srun -N2 --dist-train=roles "$d/none"
	refuse "^dist-train: roles takes a file of roles and nothing behind it, and there is '--x'" \
		srun -N2 --dist-train=roles "$file" --x
	nothing_queued
}

# More nodes than srun asks for: not even a job; than the job has: no process
test_nodes() {
	roles <<< 'a env nodes=3 -- true'
	refuse "^dist-train: .*/a\.roles:1:7: up to role 'a' the roles have 3 nodes, and the step 2" \
		srun -N2 --dist-train=roles "$file"
	nothing_queued
	refuse "^dist-train: .*/a\.roles:1:7: up to role 'a' the roles have 3 nodes, and the step 2" \
		salloc -Q -N3 srun -N2 --dist-train=roles "$file"
	roles <<< 'a env nodes=2 each=1gpu -- true'
	refuse "^dist-train: .*/a\.roles:1:15: each=1gpu has no room on the role's 2 nodes" \
		srun -N2 --dist-train=roles "$file"
	roles <<< 'a env nodes=2 -- true'
	refuse '^dist-train: roles needs one task per node, but this step has 4 on 2 nodes' \
		srun -N2 -n4 --dist-train=roles "$file"
}

# The script's option is for its file: a utility runs without it
test_job() {
	roles <<< 'a env nodes=9 -- true'
	batch -N2 --dist-train=roles <<-END
		srun hostname
		srun "$file"
	END
	[ "$(grep -c '^n' "$d/out")" -eq 2 ] || fail "no two names of nodes"
	one_line "^dist-train: .*/a\.roles:1:7: up to role 'a' the roles have 9 nodes, and the step 2"
}

# $NAME is what the nodes will find, too
test_exported() {
	roles <<< 'a env nodes=$WANTED -- true'
	refuse '^dist-train: .*/a\.roles:1:13: nothing is known of \$WANTED' \
		env WANTED=3 srun --export=NONE -N2 --dist-train=roles "$file"
	refuse "^dist-train: .*/a\.roles:1:7: up to role 'a' the roles have 3 nodes" \
		env WANTED=2 srun --export=ALL,WANTED=3 -N2 --dist-train=roles "$file"
	refuse "^dist-train: .*/a\.roles:1:7: up to role 'a' the roles have 3 nodes" \
		env WANTED=3 srun -N2 --dist-train=roles "$file"
	nothing_queued
}

# Nodes of all components are the roles', from one file
test_components() {
	roles <<< 'a env nodes=2 -- true'
	cp "$file" "$d/b.roles"
	echo '# another one' >> "$d/b.roles"
	refuse '^dist-train: the components of this srun have different files of roles' \
		srun -N1 --dist-train=roles "$file" : -N1 "$d/b.roles"
	nothing_queued
}
