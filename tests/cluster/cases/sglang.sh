# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# SGLang's own parser of arguments. Its server wants a GPU.
# clusters: plain
# shellcheck disable=SC2034,SC2154 # shared with lib.sh

limit=400

# takes: 1
test_parser() {
	need_venv sglang
	try srun -w node1,node2 -N2 --dist-train=sglang env HOME="$d" "$venv" \
		"$top/tests/clients/sglang_args.py" --model-path M --tp 2
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^parsed 0 2 0 10[0-9.]*:[0-9]+ 2 127.0.0.1 30000$'
	says '^parsed 1 2 1 10[0-9.]*:[0-9]+ 2 127.0.0.1 30000$'
	[ "$(sed -n 's/^parsed . 2 . \([^ ]*\) .*/\1/p' "$d/out" | sort -u |
		wc -l)" -eq 1 ] || fail "they don't meet"
}
