# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# mindspore on nodes with NPUs: MindSpore itself adds on CPUs, and takes its rank
# and its device from what it would find there.
# clusters: npu
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR/.. source=npus.sh
. "$here/npus.sh"

limit=150
pair+=(--gres=npu:2)
client() {
	need_venv mindspore
	sum=(env GLOG_v=3 "$venv" -W ignore
		"$top/tests/clients/mindspore_sum.py")
}

# The first device of each node is another job's: no device's number is its
# index
take_first() {
	background srun "${pair[@]:0:2}" --gres=npu:1 \
		sh -c 'echo "taken"; exec sleep 140'
	until_true 20 eval '[ "$(grep -c "^taken$" "$d/bg.out")" -eq 2 ]' ||
		fail "the other job doesn't start"
}

# The scheduler is the same program; the check is the ranks' alone
# takes: 1
# long: MindSpore itself trains in mindspore.workers; what the scheduler has is in
# tests/frameworks/mindspore/npus*, and the ranks' tables, also beside another
# job, in mindspore_npu.two_jobs_share_nodes
test_rank_table() {
	client
	take_first
	try srun "${pair[@]}" --dist-train=mindspore sh -c '
		[ $MS_ROLE = MS_SCHED ] || exec "$@"
		[ "$RANK_ID $RANK_SIZE" = "0 4" ] || exit 8
		[ -z "$DEVICE_ID$RANK_TABLE_FILE" ] || exit 9
		while [ "$1" != -- ]; do shift; done
		shift; exec "$@"' sh "${check[@]}" -- "${sum[@]}"
	ranks_trained 4
	tables 4
	says '^trained rank=3 .* node=node2 device=2$'
	until_true 10 no_tables || fail "a table is left"
}

# MindSpore itself says which device it takes
# takes: 1
test_no_rank_table() {
	client
	take_first
	try srun -w node1 --gres=npu:2 --ntasks-per-node=2 \
		--dist-train=mindspore,table=none "${sum[@]}"
	ranks_trained 2
	says '^trained rank=0 .* node=node1 device=1$'
	says '^trained rank=1 .* node=node1 device=2$'
}

# A table of an old job would be read, though none is meant
test_stale_table() {
	try env RANK_TABLE_FILE=/old.json srun -w node1 --gres=npu:2 \
		--ntasks-per-node=2 --dist-train=mindspore,table=none \
		"${stand_in[@]}" sh -c 'echo "table=${RANK_TABLE_FILE-none}"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c '^table=none$' "$d/out")" -eq 2 ] || fail "not removed"
	one_line '^dist-train: your RANK_TABLE_FILE: replaced or removed, '
}

test_batch_and_task_mode() {
	batch -N3 --ntasks-per-node=2 --gres=npu:2 --dist-train=mindspore <<- END
		srun $(printf ' %q' "${stand_in[@]}" "${check[@]}")
	END
	tables 6
	[ -z "$(cat "$d/err")" ] || fail "unexpected: $(cat "$d/err")"
}

# Its devices are others, and so are its port and its table
# long: ascend.two_jobs_share_nodes; mindspore_npu.batch_and_task_mode
test_two_jobs_share_nodes() {
	user=bob background srun "${pair[@]}" --dist-train=mindspore \
		"${stand_in[@]}" "${check[@]}" -- \
		sh -c "until [ -e $d/go ]; do sleep 0.1; done"
	until_true 20 eval '[ "$(grep -c "^ascend " "$d/bg.out")" -eq 4 ]' ||
		fail "the first job doesn't start: $(cat "$d/bg.out")"
	try srun -w 'node[1-2]' --gres=npu:3 --dist-train=mindspore \
		"${stand_in[@]}" "${check[@]}"
	tables 6
	touch "$d/go"
	wait "$bg" || fail "the other job fails: $(cat "$d/bg.out")"
	[ "$(cat "$d/out" "$d/bg.out" | sed -n \
		's/^ascend .* \(node=.* device=[0-9]*\) .*/\1/p' |
		sort -u | wc -l)" -eq 10 ] || fail "two jobs share a device"
}

# long: mindspore.workers (named); keepers.first_failure (no table)
test_failing_rank() {
	try srun "${pair[@]}" --dist-train=mindspore,grace=0 "${stand_in[@]}" \
		sh -c '[ $RANK_ID != 3 ] || exit 5; exec sleep 100'
	[ "$rc" -eq 5 ] || fail "status $rc"
	ours | grep -q 'rank 3 (worker) on node2, .*: exit code 5 ' ||
		fail "no line: $(ours)"
	until_true 10 no_tables || fail "a table is left"
}

# CPUs and GPUs on the same nodes: nothing of NPUs
# long: tests/core/plan/test_plan (npus); tests/core/plan/test_resolve (tables);
# tests/frameworks/mindspore/3-nodes-4-tasks
test_without_npus() {
	local gres

	for gres in gpu:2 none; do
		try srun -w 'node[1-2]' --gres=$gres --dist-train=mindspore \
			"${stand_in[@]}" sh -c 'echo "table=${RANK_TABLE_FILE-none} ${ASCEND_DEVICE_ID-none}"'
		[ "$rc" -eq 0 ] || fail "status $rc"
		says '^table=none none$'
		says_not '^table=/'
	done
}

# long: tests/frameworks/mindspore/table-2.0, addr-name, table-none-visible-one;
# tests/frameworks/ascend/without-devices, more-processes-than-devices
test_refused() {
	local one='visible=one: without a rank table .*remove visible=one'

	refused "$one" "${pair[@]}" --dist-train=mindspore,table=none,visible=one
	refused 'table=2.0: .*table=none' "${pair[@]}" \
		--dist-train=mindspore,table=2.0
	refused 'addr=name: mindspore needs the IP address' "${pair[@]}" \
		--dist-train=mindspore,addr=name
	refused 'rank 0 on node node1 has 0 NPUs' -w 'node[1-2]' \
		--dist-train=mindspore,table=1.0
	refused 'has 1 NPUs for 2 processes' -w 'node[1-2]' \
		--ntasks-per-node=2 --gres=npu:1 --dist-train=mindspore
}
