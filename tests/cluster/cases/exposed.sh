# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What others find on the nodes while a step of each framework runs: files that they
# may write to, folders that they may enter, ports, secrets in arguments. What may
# listen, and where, is the table in SECURITY.md.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # shared with lib.sh

limit=170
clients=$top/tests/clients
stays="$PYTHON $clients/stays.py"
never='dist-train-launch all' # where there are other launchers

# prepare: folders for the steps; temporary files are where anybody has his
prepare() {
	sed -n 's/^| `\([a-z-]*\)` | \(node\|loopback\|all\) |.*/\1 \2/p' \
		"$top/SECURITY.md" | sort -u > "$d/documented"
	[ -s "$d/documented" ] || fail "SECURITY.md has no table"
	mkdir -m 1777 "$d/tmp"
	at mkdir -m 700 "$d/hers" "$d/hers/tf"
}

# with_standins: of what comes with us each starts one
with_standins() {
	environment="PYTHONPATH=$clients/service_standins:$clients/ray_standin:$clients/tf_standin
		RAY_STANDIN=$d/hers TF_STANDIN=$d/hers/tf"
}

# keys_of FRAMEWORK: the keys by which most of ours is there, and how many of its
# processes run the program
keys_of() {
	keys=$1,supervise=yes programs=2
	case $1 in
	ddp)
		keys+=,metrics=on,check=full,hang=600
		keys+=,log-dir=$d/tmp/logs,timeline=$d/tmp/times.jsonl
		keys+=,record=$d/tmp/records
		;;
	tf-ps) keys+=,server=stock,chief=1,ps=1,workers=1 programs=1 ;;
	tf | paddle) keys+=,metrics=on ;;
	torchft) keys+=,replicas=2 ;;
	horovod) keys+=,controller=gloo ;;
	mpi | deepspeed) keys=$1,run-on=first programs=1 ;;
	jax) keys=jax ;;
	mindspore) programs=3 ;;
	ray | dask | monarch) programs=1 ;;
	esac
}

# are_up: so many, at least; what they say may be in log files
are_up() {
	[ "$(cat "$d/bg.out" "$d"/tmp/logs/*.out 2> /dev/null |
		grep -c '^up$')" -ge "$programs" ]
}

up_or_over() {
	are_up || ! kill -0 "$bg" 2> /dev/null
}

# look KEYS SRUN-ARGUMENT...: at a step, while it runs. Nobody's umask helps.
look() {
	rm -f "$d/go"
	: > "$d/since"
	background env TMPDIR="$d/tmp" $environment \
		sh -c 'umask "$0"; exec "$@"' "${umask:-0}" \
		srun -c1 --dist-train="$1" "${@:2}" $stays ${with_go-"$d/go"}
	until_true 60 up_or_over
	are_up || fail "$1: not up: $(< "$d/bg.out")"
	exposes_nothing "$1"
	: > "$d/go"
	wait "$bg" || fail "$1: status $?: $(< "$d/bg.out")"
	rm -rf "$d/tmp/logs"
}

# exposes_nothing STEP: the one that runs
exposes_nothing() {
	local node

	for node in login node1 node2; do
		root $node "$PYTHON" "$clients/exposed.py" alice "$d/since" \
			"$d" "$work" > "$d/exposed.$node" ||
			fail "$1: can't look at $node"
		sed "s/^/${1%%,*} on $node: /" "$d/exposed.$node"
		! grep -q '^problem ' "$d/exposed.$node" ||
			fail "$1 on $node: $(grep -m 1 '^problem ' \
				"$d/exposed.$node")"
		sed -n 's/^listens //p' "$d/exposed.$node" >> "$d/seen"
	done
	sed -n 's/^looked //p' "$d"/exposed.node[12] >> "$d/looked"
	sed -n 's/^listens //p' "$d"/exposed.* | sort -u |
		comm -23 - <(grep -vx "$never" "$d/documented") > "$d/more"
	[ ! -s "$d/more" ] ||
		fail "${1%%,*}: listens, and isn't in SECURITY.md: $(xargs < "$d/more")"
}

test_stand_ins() {
	local name

	prepare
	with_standins
	for name in $(sed -n 's/^FRAMEWORK(\(.*\))$/\1/p' \
		"$top/frameworks/frameworks.def" | tr _ -); do
		keys_of "$name"
		case $name in
		ascend) continue ;; # npus
		roles)
			echo "all env nodes=2 procs=1 -- $stays $d/go" > "$d/all.roles"
			stays=$d/all.roles with_go='' look roles -w node1,node2 -N2
			;;
		# What the user names is made as his umask says
		ddp) umask=022 look "$keys" -w node1,node2 -N2 -n2 ;;
		*) look "$keys" -w node1,node2 -N2 -n2 ;;
		esac
	done
	programs=1 never=''
	look ddp,supervise=yes -w node1 -N1 -n1
	awk '{ files += $1; processes += $2; words += $3 }
		END { exit files < 20 || processes < 40 || words < 3 }' \
		"$d/looked" || fail "too little was there: $(< "$d/looked")"
	# What Ray has at which address only Ray shows
	comm -13 <(sort -u "$d/seen") <(grep -v '^dist-train-ray ' \
		"$d/documented") > "$d/more"
	[ ! -s "$d/more" ] ||
		fail "SECURITY.md lists what doesn't listen: $(xargs < "$d/more")"
}

# clusters: npu
test_npus() {
	prepare
	environment=''
	for keys in ascend ascend,table=none; do
		programs=4
		look "$keys,check=full" -w node1,node2 -N2 --gres=npu:2
	done
}

# long: stand_ins has all that is ours; here is what Ray, Dask and the others start
# themselves
# takes: 1
test_real() {
	local name n=0

	[ -z "${CLUSTER_ROOT:-}" ] || skip "the environments are for this Debian"
	prepare
	environment=''
	for name in ray dask monarch xgboost torchft tf:tf-ps horovod mindspore; do
		venv=$("$top/contrib/venv" --quick "${name%:*}") || continue
		stays="$venv -W ignore $clients/stays.py"
		keys_of "${name#*:}"
		look "$keys" -w node1,node2 -N2 -n2
		n=$((n + 1))
	done
	[ $n -gt 0 ] || skip "no environment: $(tail -n 1 "$d/log")"
}
