# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Files of roles in contrib/examples. Those that start others' programs start small
# ones in their place, which say what they were told and ask each address that they
# got; the routers are vLLM's and SGLang's own.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../examples.sh
. "$here/examples.sh"

# servers NAME...: programs in whose place serves.py is
servers() {
	local name

	for name; do
		stand_in "$name" <<< "exec python3 $top/tests/clients/serves.py $name \"\$@\""
	done
}

# trainer FILE: in the place of that one
trainer() {
	[ -e "$d/clean" ] || examples_folder
	mkdir -p "$d/clean/$(dirname "$1")"
	cp "$top/tests/clients/asks.py" "$d/clean/$1"
	chmod -R a+rX "$d/clean"
}

# well FILE: it runs, and ends with 0
well() {
	example "$1"
	[ "$rc" -eq 0 ] || fail "status $rc"
	nothing_left
}

test_serve() {
	bin=$(dirname "$PYTHON")
	well serve.roles
	says '^several: aelr by prefill.0 on node2, decode.0 on node3$'
	says '^programs: agmo by prefill.0 on node2, decode.1 on node4$'
}

# takes: 1
test_evaluation() {
	debian_torch
	well eval.roles
	together 4
	says '^evaluation after step 100: loss 0\.0'
}

test_trl() {
	bin=$(dirname "$PYTHON")
	stand_in trl <<- END
		case \$1 in
		vllm-serve) exec python3 $top/tests/clients/serves.py trl "\$@" ;;
		grpo) exec python3 $top/tests/clients/asks.py "\$@" ;;
		esac
	END
	well trl.roles
	says '^rank 3 of 4 has grpo .* --vllm_server_base_url http://[^ ]* --vllm_group_port [0-9]+$'
	says '^rank 0 of 4 hears server.0.0 trl vllm-serve --model Qwen/Qwen2.5-7B '
}

# takes: 1
test_verl() {
	venv ray
	servers vllm
	trainer verl/trainer/main_ppo.py
	well verl.roles
	says '^rank none of none has algorithm.adv_estimator=grpo .* trainer.nnodes=2 '
	says ' hears judge.0.0 vllm serve Qwen/.*, by Ray from 2 nodes$'
}

# long: Ray and a server are verl's, too
# takes: 1
test_openrlhf() {
	venv ray
	trainer openrlhf/cli/train_ppo_ray.py
	cp "$top/tests/clients/serves.py" "$d/clean/openrlhf/cli/serve_rm.py"
	well openrlhf.roles
	says ' hears reward.0.0 --reward_pretrain .*, by Ray from 2 nodes$'
}

# Two components; what the trainer hears comes from the balancers, since it has begun
# after both
# takes: 1
test_nemo_rl() {
	venv ray
	servers vllm vllm-router
	trainer examples/nemo_gym/run_grpo_nemo_gym.py
	well nemo_rl.roles
	says ' hears genrm_lb.0.0 vllm-router --worker-urls http://[^ ]* http://[^ ]* --host .*, by Ray from 2 nodes$'
	says ' hears nl2bash_lb.0.0 vllm-router --worker-urls http://[^ ]* --host '
}

# `uv run' starts what stands behind it: torchrun's stand-in, or one of ours
test_prime_rl() {
	bin=$(dirname "$PYTHON")
	servers vllm-router
	stand_in uv <<- END
		shift
		case \$1 in
		inference) exec python3 $top/tests/clients/serves.py "\$@" ;;
		orchestrator) python3 $top/tests/clients/asks.py "\$@" &&
			touch heard ;;
		torchrun) # not before the orchestrator has heard all
			until [ -e heard ]; do sleep 0.1; done
			echo "torchrun \$PET_NODE_RANK of \$PET_NNODES: \$*" ;;
		esac
	END
	well prime_rl.roles
	says '^torchrun 1 of 2: torchrun -m prime_rl.trainer.rl.train @ trainer.toml$'
	says ' has orchestrator @ orchestrator.toml --student.client.base-url http://[^ ]*/v1 --student.client.admin-base-url http://[^ ]*/v1 http://[^ ]*/v1$'
	says ' hears router.0.0 vllm-router --policy consistent_hash --worker-urls http'
	says ' hears inference.1.0 inference @ inference.toml --server.host 0.0.0.0 '
}

# router_is PROGRAM: in vllm-router's place in router.roles, with a client beside it
router_is() {
	venv routers
	servers vllm
	sed -i "s/vllm-router/$1/" "$d/clean/router.roles"
	echo "client env with=router:0 needs=router done=yes -- python3 $top/tests/clients/ask_router.py \$ROUTER_URLS \$SERVER_URLS" \
		>> "$d/clean/router.roles"
	well router.roles
	says '^answered: server.0.0 server.1.0$'
	says '^answered: server.0.1 server.1.0$'
	one_of_ours '^dist-train: server.0 has ended .*: it starts again'
}

# takes: 1
test_vllm_router() {
	router_is vllm-router
}

# takes: 1
test_sglang_router() {
	router_is 'sglang-router launch'
}
