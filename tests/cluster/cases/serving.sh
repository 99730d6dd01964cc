# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Servers of language models, one on each node: what they are told, and what is
# said when their API answers. The servers are stand-ins.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

server="$PYTHON $top/tests/clients/api_server.py"
keys=

answers() {
	grep -Eq "^dist-train: $1" "$d/bg.out"
}

started() {
	[ "$(grep -c '^serves ' "$d/bg.out")" -eq "$1" ]
}

nobody_serves() {
	local node

	for node in node1 node2; do
		! node=$node user=root at pgrep -f api_server[.]py > /dev/null ||
			return 1
	done
}

# serve FRAMEWORK ARGUMENT...: beside the case, on two nodes
serve() {
	background srun -J serving -w node1,node2 -N2 --dist-train="$1$keys" \
		$server "${@:2}"
	until_true 30 started 2 || fail "not two servers: $(< "$d/bg.out")"
}

end_serving() {
	at scancel -n serving
	until_true 30 nobody_serves || fail "a server is still there"
	! grep -a 'first failure' "$d/bg.out" || fail "somebody is blamed"
}

# Whatever stands before the program, its own arguments come first
test_arguments() {
	local ours='--nnodes 2 --node-rank'
	local meet='--master-addr 10[0-9.]* --master-port [0-9]+ --data-parallel-rpc-port [0-9]+'

	printf '#!/bin/sh\necho "$SLURM_PROCID $VLLM_HOST_IP: $*"\n' > "$d/run.sh"
	try srun -w node1,node2 -N2 --dist-train=vllm env X=1 \
		sh "$d/run.sh" serve M --port 9000
	[ "$rc" -eq 0 ] || fail "status $rc"
	says "^0 10[0-9.]*: serve M --port 9000 $ours 0 $meet\$"
	says "^1 10[0-9.]*: serve M --port 9000 $ours 1 $meet --headless\$"
	[ "$(sed 's/.*--master-addr //; s/ --headless//' "$d/out" |
		sort -u | wc -l)" -eq 1 ] || fail "they don't meet"
	[ "$(cut -d: -f1 "$d/out" | cut -d' ' -f2 | sort -u | wc -l)" -eq 2 ] ||
		fail "both nodes have one address"
	try srun -w node1,node2 -N2 --dist-train=sglang sh "$d/run.sh" --tp 2
	says "^1 .*: --tp 2 $ours 1 --dist-init-addr 10[0-9.]*:[0-9]+\$"
	try srun -w node1 -N1 --dist-train=vllm sh "$d/run.sh" serve M
	says '^0 : serve M$'
	# What contradicts the step is refused before the program starts
	refuse "your --nnodes '4' contradicts the step, which has 2 nodes" \
		srun -N2 --dist-train=vllm echo started --nnodes 4
	says_not started
}

# One line and one event, when it answers with 200
test_answers() {
	keys=,timeline=$d/timeline
	serve vllm --port 8123
	until_true 30 answers \
		'vllm answers at http://10[0-9.]*:8123 after [0-9.]+ s$' ||
		fail "nothing is said: $(< "$d/bg.out")"
	end_serving
	[ "$(grep -c ' answers at ' "$d/bg.out")" -eq 1 ] || fail "not one line"
	[ "$(grep -c '"event":"serving"' "$d/timeline")" -eq 1 ] ||
		fail "not one event: $(< "$d/timeline")"
}

# By its own default address
test_sglang_answers() {
	keys=
	serve sglang --port 30000
	until_true 30 answers 'sglang answers at http://127.0.0.1:30000 after' ||
		fail "nothing is said: $(< "$d/bg.out")"
	end_serving
}

# Nothing waits for an answer
# long: serving.port_of_another (a silent server, no such line), serving.answers
# (its end)
test_never_answers() {
	serve vllm --silent
	end_serving
	! grep -a ' answers at ' "$d/bg.out" || fail "an answer of whom?"
}

# Another one's answer isn't taken for the step's
test_port_of_another() {
	node=node1 background env SLURM_PROCID=0 $server --port 8124
	until_true 30 started 1
	mv "$d/bg.out" "$d/other.out"
	serve vllm --silent --port 8124
	until_true 30 answers 'another server listens at port 8124 of node1 already' ||
		fail "nothing is said: $(< "$d/bg.out")"
	at scancel -n serving
	! grep -a ' answers at ' "$d/bg.out" || fail "an answer of whom?"
}
