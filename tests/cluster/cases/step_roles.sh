# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Steps with several roles: worlds that start when others are ready, what follows
# when one ends, and that nothing is left of any of them.
# clusters: six
# takes: 0.5
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh; of the file's words

# shellcheck source-path=SCRIPTDIR source=../training.sh
. "$here/training.sh"
# shellcheck source-path=SCRIPTDIR source=../terminal.sh
. "$here/terminal.sh"

limit=60
server="$PYTHON $top/tests/clients/role_server.py"
ask="$PYTHON $top/tests/clients/ask_roles.py"

# roles NAME: $file with the lines of standard input
roles() {
	file=$d/$1.roles
	cat > "$file"
}

# says REGEX: on the terminal, ours or a role's
says() {
	grep -Eq -- "$1" "$d/out" "$d/err" || fail "nobody says: $1"
}

# said_before REGEX REGEX: both on standard output, in this order
said_before() {
	awk -v a="$1" -v b="$2" '$0 ~ a && !na { na = NR }
		$0 ~ b && !nb { nb = NR } END { exit !(na && na < nb) }' \
		"$d/out" || fail "not in this order: $1, $2"
}

# ends_with CODE ARGUMENT...: srun with the file, and nothing is left
ends_with() {
	try srun "${@:2}" "$file"
	[ "$rc" -eq "$1" ] || fail "status $rc, not $1"
	nothing_left
}

# The issue's example: a trainer, servers, a router beside the trainer, judges
# takes: 1
test_example() {
	need_torch
	roles example <<- END
		trainer ddp nodes=2 needs=router -- $reduce 2
		rollout env nodes=2 each=1node ready=http:/health -- $server \$PORT 0.5
		router env with=trainer:0 needs=rollout ready=tcp -- sh -c '$ask \$@; exec $server \$0' \$PORT \$ROLLOUT_URLS
		judge env nodes=1 procs=2 on-failure=ignore -- sh -c 'echo judge \$DIST_TRAIN_RANK of \$DIST_TRAIN_WORLD_SIZE; exec sleep 100'
	END
	ends_with 0 -N5 --dist-train=roles
	[ -z "$(ours)" ] || fail "a line of ours: $(ours)"
	ranks_trained 2
	said_before '^server rollout 1 0' '^rank - .* says rollout 0 0'
	said_before '^server router 0 0' '^trained '
	says '^judge 1 of 2$'
}

# All ways to be ready; a world that isn't holds back who needs it
test_ready() {
	roles ready <<- END
		last env nodes=1 needs=line+file+tcp -- echo last
		line env nodes=1 ready="line:all set" -- sh -c 'echo begins; sleep 0.3; echo we are all set now; exec sleep 100'
		file env nodes=1 ready=file:$d/up -- sh -c 'sleep 0.3; echo file; : > $d/up; exec sleep 100'
		tcp env with=line:0 ready=tcp ports=2 -- sh -c 'echo ports \$1 \$PORT1; exec $server \$0 0.3' \$PORT \$PORT1
	END
	chmod 777 "$d"
	ends_with 0 -N3 --dist-train=roles
	said_before '^we are all set now$' '^last$'
	said_before '^file$' '^last$'
	said_before '^server tcp' '^last$'
	grep -Eqx 'ports ([0-9]+) \1' "$d/out" || fail "not PORT1"
}

test_never_ready() {
	roles late <<- END
		a env nodes=1 needs=b -- echo a
		b env nodes=1 ready=http:/ ready-timeout=1 -- sleep 100
	END
	ends_with 1 -N2 --dist-train=roles
	says '^dist-train: b wasn.t ready within 1 s \(ready-timeout\): the step ends'
	! grep -qx a "$d/out" || fail "a has run"
}

# A server whose health has another path than the file says
test_wrong_path() {
	roles path <<- END
		a env nodes=1 needs=b -- echo a
		b env nodes=1 ready=http:/helth ready-timeout=3 -- $PYTHON -m http.server \$PORT
	END
	ends_with 1 -N2 --dist-train=roles
	says '^dist-train: b at [0-9.]+:[0-9]+ answers GET /helth with 404, which isn.t 200: is ready=http:/helth right\? It is asked for 3 s'
	[ "$(grep -c 'answers GET' "$d/err")" -eq 1 ] || fail "not said once"
}

# A program that isn't there, or can't be executed, isn't started again, also where
# one node of its world alone lacks it: the line names it, its place in the file and
# what helps
test_no_start() {
	printf '#!/bin/sh\n[ \$SLURMD_NODENAME = node2 ] || exec sleep 100\n' > "$d/half"
	no_start 127 "$d/none" "isn't there: name it in full, or add its folder by path=DIR"
	no_start 127 none "isn't there: "
	no_start 126 "$d/half" "can't be executed: see its permissions \(chmod \+x\)"
	no_start 127 "sh -c 'exec $d/none'" "isn't there: "
}

# no_start CODE COMMAND WHAT
no_start() {
	roles start <<- END
		a env nodes=1 -- sleep 100
		b env nodes=2 on-failure=restart restart=3 -- $2
	END
	ends_with "$1" -N3 --dist-train=roles
	says "^dist-train: b can't be started \(exit code $1\): $file:2:47: ${2%% *}, or what it runs, $3.*; no restart, the step ends\$"
	[ "$took" -lt $((10000 * slow)) ] || fail "$took ms"
}

# Between a world's restarts are pauses: the first one takes nothing, and they grow
test_pauses() {
	roles pauses <<- END
		a env nodes=1 -- sleep 100
		b env nodes=1 restart=4 -- sh -c 'date +%s%3N >> $d/begun; exit 3'
	END
	chmod 777 "$d"
	ends_with 3 -N2 --dist-train=roles
	awk '{ gap[NR - 1] = $1 - last; last = $1 }
		END { print "pauses", gap[1], gap[2], gap[3], gap[4]
			exit !(NR == 5 && gap[4] >= 800 && gap[1] < '$((1500 * slow))') }' \
		"$d/begun" || fail "not these pauses"
}

# What isn't ready for long is spoken of once: its node, what is awaited of it, who
# waits. It takes half a minute.
# takes: 0.2
test_slow() {
	roles slow <<- END
		a env nodes=1 needs=b -- echo a
		b env nodes=2 each=1node ready=tcp ready-timeout=33 -- sleep 100
	END
	ends_with 1 -N3 --dist-train=roles
	says "^dist-train: b.0 on node2 isn't ready after 3[0-2] s \(ready=tcp at [0-9.]*:[0-9]*\), nor 1 more: a waits for it; see what it writes, and \`dist-train status [0-9]*\`\$"
	[ "$(grep -c "isn't ready after" "$d/err")" -eq 1 ] || fail "not once"
}

# on-failure=end: the culprit by its role, the step's code, the others ended
test_end() {
	roles end <<- END
		a env nodes=1 needs=b -- sh -c 'echo a; exec sleep 100'
		b env nodes=2 each=1node -- sh -c 'sleep 0.3; [ \$DIST_TRAIN_ROLE_INDEX = 0 ] || exit 3; exec sleep 100'
	END
	ends_with 3 -N3 --dist-train=roles
	says '^dist-train: b.1: rank 0 \(worker\) on node3, pid [0-9]+: exit code 3 after'
	says '^dist-train: b.1 has ended with exit code 3: the step ends \(on-failure=end\)$'
	[ "$(ours | wc -l)" -eq 2 ] || fail "more than these lines: $(ours)"
}

# The same world at the same port, whoever was killed: the server, its launcher
test_restart() {
	local wait="$prefix/bin/dist-train wait"

	roles restart <<- END
		a env nodes=1 needs=b -- sh -c '$ask \$0/kill; sleep 0.5; $wait b --timeout 20; $ask \$0' \$B_URLS
		b env nodes=1 ready=tcp on-failure=restart restart=2 -- $server \$PORT
	END
	ends_with 0 -N2 --dist-train=roles
	says '^dist-train: b has ended with exit code 137: it starts again \(1 of 2\)$'
	says '^rank - http://[0-9.]+:[0-9]+ says b 0 1$'
	roles launcher <<- END
		a env nodes=1 -- sh -c 'sleep 1; echo a'
		b env nodes=1 on-failure=restart restart=1 -- sh -c 'echo b \$DIST_TRAIN_RESTART; [ \$DIST_TRAIN_RESTART = 1 ] || kill -9 \$PPID; exec sleep 100'
	END
	ends_with 0 -N2 --dist-train=roles
	says '^b 1$'
}

# Others of a failed world that hang: they are ended at once where the world is to
# begin anew, else after `grace`, here that of the step's option
test_hung() {
	roles hung <<- END
		a env nodes=1 -- sh -c 'until [ -e $d/again ]; do sleep 0.1; done'
		b env nodes=1 procs=2 on-failure=restart restart=1 -- sh -c 'case \$DIST_TRAIN_RANK\$DIST_TRAIN_RESTART in 00) exit 3 ;; 01) : > $d/again ;; esac; exec sleep 100'
	END
	chmod 777 "$d"
	ends_with 0 -N2 --dist-train=roles
	within 12
	sed -i 's/on-failure.*=1 /on-failure=end /' "$file"
	rm "$d/again"
	ends_with 3 -N2 --dist-train=roles,grace=1
	within 12
}

# Both roles begin anew, the trainer that has lost its server is no failure of its
# own
test_together() {
	roles together <<- END
		a env nodes=1 needs=b -- sh -c 'echo a \$DIST_TRAIN_RESTART; [ \$DIST_TRAIN_RESTART = 1 ] || { $ask \$0/end/7; exit 1; }' \$B_URLS
		b env nodes=2 each=1node ready=tcp on-failure=together=a restart=1 -- $server \$PORT
	END
	ends_with 0 -N3 --dist-train=roles
	says '^dist-train: b.[01] has ended with exit code 7: it starts again together with a \(1 of 1\)$'
	says '^a 1$'
	[ "$(grep -c '^server b [01] 1 ' "$d/out")" -eq 2 ] ||
		fail "not both servers are new"
}

# The trainer saves in its time, and the step has the code of what has failed
test_save() {
	roles save <<- END
		a env nodes=1 -- sh -c 'trap "echo saved; exit 0" USR1; : > $d/a; while :; do sleep 0.1; done'
		b env nodes=1 on-failure=save -- sh -c 'until [ -e $d/a ]; do sleep 0.1; done; exit 9'
	END
	chmod 777 "$d"
	ends_with 9 -N2 --dist-train=roles
	says '^saved$'
}

# An agent that is killed ends the step, as a rank does
test_killed_agent() {
	roles agent <<- END
		a env nodes=2 -- sleep 100
		b env nodes=1 needs=a -- sh -c 'read -r x x x agent x < /proc/\$PPID/stat; kill -9 \$agent; sleep 100'
	END
	ends_with 137 -N3 --dist-train=roles
	says '^dist-train: rank 2 \(launcher\) on node3, pid [0-9]+: signal 9'
	roles director <<- END
		a env nodes=1 -- sh -c 'read -r x x x agent x < /proc/\$PPID/stat; sleep 0.2; kill -9 \$agent; sleep 100'
		b env nodes=2 -- sleep 100
	END
	ends_with 137 -N3 --dist-train=roles
	[ "$took" -lt $((10000 * slow)) ] || fail "$took ms"
}

# The director, or its launcher, is lost as soon as it has started a world that is on
# another node, too: one line, of the step, names it; no world blames another node
test_lost_early() {
	local who

	for who in agent launcher; do
		rm -f "$d/run."*
		roles "early_$who" <<- END
			a env nodes=2 -- sh -c ': > $d/run.\$DIST_TRAIN_RANK; [ \$DIST_TRAIN_RANK = 1 ] && exec sleep 100; until [ -e $d/run.1 ]; do sleep 0.05; done; read -r x x x agent x < /proc/\$PPID/stat; read -r x x x launcher x < /proc/\$agent/stat; kill -9 \$$who; sleep 100'
			b env nodes=1 -- sh -c 'trap "" TERM; sleep 100'
		END
		chmod 777 "$d"
		try srun -N3 "--dist-train=roles,grace=$grace" "$file"
		nothing_left
		[ "$(ours | grep -c 'first failure')" -eq 1 ] ||
			fail "not one line: $(ours)"
		ours | grep -Eq 'node1' || fail "not node1: $(ours)"
		[ "$took" -lt $(((5 + grace) * 1000 * slow)) ] || fail "$took ms"
	done
}

# scancel reaches all once, nothing starts again
test_scancel() {
	roles scancel <<- END
		a env nodes=1 needs=b -- sh -c 'trap "echo term; exit 5" TERM; scancel --signal=TERM \$SLURM_JOB_ID.\$SLURM_STEP_ID; while :; do sleep 0.1; done'
		b env nodes=1 on-failure=restart restart=5 -- sh -c 'echo b \$DIST_TRAIN_RESTART; exec sleep 100'
	END
	try srun -N2 --dist-train=roles "$file"
	[ "$rc" -ne 0 ] || fail "status 0"
	nothing_left
	[ "$(grep -c '^term$' "$d/out")" -eq 1 ] || fail "not one signal"
	! grep -q '^b 1$' "$d/out" || fail "b has started again"
}

# dist-train wait: 0 when all are ready, 1 after the time, 2 for no role, 3 when one
# can't come any more
test_wait() {
	local wait="$prefix/bin/dist-train wait"

	roles wait <<- END
		a env nodes=1 -- sh -c '$wait b c:0 --timeout 20; echo b \$?; $wait d --timeout 1; echo d \$?; $wait x; echo x \$?; $wait e; echo e \$?; cat \$DIST_TRAIN_ROLES_FILE'
		b env nodes=2 each=1node ready=tcp -- $server \$PORT 0.3
		c env with=a:0 -- sleep 100
		d env with=a:0 ready=file:$d/never -- sleep 100
		e env with=a:0 ready=file:$d/never on-failure=ignore -- sh -c 'sleep 2; exit 4'
	END
	ends_with 0 -N3 --dist-train=roles
	for line in 'b 0' 'd 1' 'x 2' 'e 3'; do
		says "^$line\$"
	done
	said_before '^server b 1' '^b 0$'
	grep -q '{"role": "b", "world": 1, "url": "http://[0-9.:]*", "state": "ready"}' \
		"$d/out" || fail "no file"
}

# status has a line of the roles, each world's address for programs, and the
# ranks of all worlds by their names; stack groups them so, why shows both
test_status() {
	roles status <<- END
		a env nodes=1 needs=b -- sh -c 'until [ -e $d/go ]; do sleep 0.1; done'
		b env nodes=2 each=1node ready=tcp -- $server \$PORT
		c env with=a:0 procs=2 ready=file:$d/never -- sleep 100
	END
	chmod 777 "$d"
	background srun -J "roles$$" -N3 --dist-train=roles "$file"
	until_true 20 roles_say 'roles: a ready; b 2 ready; c starting' ||
		fail "status says: $(< "$d/out")"
	says '^ *a:0 +node1 +S '
	says '^ *b\.1:0 +node3 +S '
	says '^step [0-9]*\.0: 5 ranks on 3 nodes$'
	succeed "$prefix/bin/dist-train" status --json "$job"
	says '"roles":.*{"role":"b","world":1,"state":"ready","url":"http://[0-9.:]*","text":"b.1"}'
	says '{"world":"b.1","rank":0,"node":"node3",'
	succeed "$prefix/bin/dist-train" status --prometheus "$job"
	says '^dist_train_rank_running{job="[0-9]*",step="0",world="c",rank="0",node="node1"} 1$'
	succeed "$prefix/bin/dist-train" stack "$job"
	says '^1 rank \(b\.1:0, node3\): '
	says '^2 ranks \(c:0-1\): '
	! grep -q suspect "$d/out" || fail "worlds are compared: $(< "$d/out")"
	touch "$d/go"
	wait "$bg" || fail "the step ended with $?"
	nothing_left
}

# top has the same on its screen, and stays with the step to its end
test_top() {
	need_program tmux
	roles top <<- END
		a env nodes=1 needs=b -- sh -c 'until [ -e $d/go ]; do sleep 0.1; done'
		b env nodes=2 each=1node ready=tcp -- $server \$PORT
	END
	chmod 777 "$d"
	background srun -J "roles$$" -N3 --dist-train=roles "$file"
	until_true 20 roles_say 'roles: a ready; b 2 ready' ||
		fail "status says: $(< "$d/out")"
	in_terminal "'$prefix/bin/dist-train' top $job -d 0.2; echo \"the end: \$?\"; exec sleep 60"
	terminal_shows '^roles: a ready; b 2 ready'
	terminal_shows '^ *b\.1:0 +node3 +[RSD] '
	at tmux -S "$d/tmux" send-keys g
	terminal_shows '^ *(a:0,)?b\.0:0,b\.1:0 +node\[[12]-3\] +[RSD]+ '
	touch "$d/go"
	wait "$bg" || fail "the step ended with $?"
	terminal_shows '^the end: 1'
	terminal_shows "^dist-train: step $job.0 (has ended|doesn't run now)"
	nothing_left
}

# stack --dump compares the ranks of a world with each other, and calls them by it
# takes: 1
test_dump() {
	need_plain_torch
	limit=120
	mkdir -m 777 "$d/state"
	roles dump <<- END
		a ddp nodes=2 procs=2 hang=3600 -- $torch $top/tests/clients/flight_recorder.py late
		b env nodes=1 -- sleep 600
	END
	background env XDG_STATE_HOME="$d/state" srun -J "roles$$" -N3 \
		--dist-train=roles "$file"
	until_true 60 all_hang || fail "no hang: $(< "$d/bg.out")"
	job=$(at squeue -h -n "roles$$" -o %A)
	succeed "$prefix/bin/dist-train" stack --dump "$job"
	says '^a: rank 3 never entered collective 6 \(all_reduce '
	node=node2 at pkill -STOP -f '^[^ ]*python[^ ]* .*flight_recorder.py late'
	succeed "$prefix/bin/dist-train" stack --dump "$job"
	says '^a:3 on node2: (old|no|unreadable) dump of torch'
	says '^b on node3: the step has no recorders: start it with hang='
	succeed "$prefix/bin/dist-train" stack --dump --json "$job"
	says '"missing":\[.*{"world":"a","node":"node2","rank":3,"library":"torch"'
	python3 "$top/tests/helpers/cli/json_page.py" "$top/doc/json.md" \
		'stack --dump' < "$d/out" || fail "doc/json.md says something else"
	at scancel --name "roles$$"
	wait "$bg" || :
	nothing_left
}

all_hang() {
	[ "$(grep -c '^hung ' "$d/bg.out")" -eq 4 ]
}

# roles_say LINE: in the status of $job, once it runs
roles_say() {
	job=$(at squeue -h -n "roles$$" -o %A)
	[ -n "$job" ] && states_are "$1"
}

states_are() {
	at "$prefix/bin/dist-train" status "$job" > "$d/out" 2>&1 &&
		grep -qx "$1" "$d/out"
}

# make_room N: $meets is a program that ends when N processes have written into $said
make_room() {
	said=$d/said meets="sh $d/meets.sh"
	mkdir -m 777 "$said"
	echo "until [ \$(ls $said | wc -l) -ge $1 ]; do sleep 0.1; done" > "$d/meets.sh"
}

# Labels and log files have the role; one line for each world
test_labels() {
	make_room 5
	mkdir -m 777 "$d/logs"
	roles labels <<- END
		a env nodes=1 -- sh -c 'echo from a; $meets'
		b env nodes=2 each=1node procs=2 -- sh -c 'echo from b; mktemp -p $said; exec sleep 100'
		c env with=a:0 log-dir=$d/logs -- sh -c 'echo from c; mktemp -p $said >&2; exec sleep 100'
	END
	ends_with 0 -N3 --dist-train=roles,label=yes
	says '^a:0: from a$'
	says '^b.1:1: from b$'
	grep -qx 'from c' "$d/logs/c.rank-0.out" || fail "no log file of c"
}

# Keys of the step hold for all worlds, or are refused with what to write
test_keys() {
	local key

	roles keys <<- END
		a env nodes=2 needs=b -- sh -c 'tr "\\0" "\\n" < /proc/\$PPID/environ | sed -n "s/^SLURM_DIST_TRAIN_REQUEST=/asked /p"'
		b env with=a:0 lease=21 nic=off ready=line:asked -- sh -c 'env | sed -n "s/^[A-Z]*_SOCKET_IFNAME=/network /p"; tr "\\0" "\\n" < /proc/\$PPID/environ | sed -n "s/^SLURM_DIST_TRAIN_REQUEST=/asked /p"; exec sleep 100'
	END
	ends_with 0 -N2 --dist-train=roles,timeout=77,lease=33
	says '^asked env,.*timeout=77,lease=38'
	says '^asked env,lease=21,.*timeout=77'
	! grep '^network' "$d/out" || fail "nic=off of b's line doesn't hold"
	ends_with 0 -N2 --dist-train=roles,addr=nic:eth0
	try env SLURM_DIST_TRAIN_DEFAULTS=requeue=node-loss,addr=name \
		srun -N2 --dist-train=roles "$file"
	[ "$rc" -eq 0 ] || fail "defaults of whole steps: status $rc"
	for key in visible=one bind=off metrics=on early-exit=fail explain=only \
		end-signal=60 overwrite=yes nic=off port=2000 addr=name \
		dialect=kubeflow log-dir=/x,log-tee=0; do
		refuse '^dist-train: roles has no [a-z=-]+: .*(line|dist-train explain)' \
			srun -N2 --dist-train=roles,$key "$file"
	done
	refuse "^dist-train: roles has no key 'local-rank'; .* have it, in the line of a role" \
		srun -N2 --dist-train=roles,local-rank=device "$file"
	printf '#!/bin/sh\n[ "$(hostname)" != node2 ]\n' > "$d/check.sh"
	chmod 755 "$d/check.sh" "$d"
	try srun -w 'node[1-2]' -N2 \
		--dist-train=roles,check=fast,check-program="$d/check.sh" "$file"
	[ "$rc" -ne 0 ] || fail "status 0 on a node that is unfit"
	! grep -q '^asked' "$d/out" || fail "it has run"
	ours | grep -q node2 || fail "node2 isn't named: $(ours)"
}

# stage= of the step is for all roles, that of a line for its worlds
test_staged() {
	mkdir "$d/staged"
	echo 'echo "staged $DIST_TRAIN_STAGED"' > "$d/staged/show.sh"
	roles of_all <<< "a env nodes=1 -- sh $d/staged/show.sh"
	ends_with 0 -N1 "--dist-train=roles,stage=$d/staged"
	says '^staged (userns|path)$'
	roles of_one <<< "a env nodes=1 stage=$d/staged -- sh $d/staged/show.sh"
	ends_with 0 -N1 --dist-train=roles
	says '^staged (userns|path)$'
}

# A world that is ended while its launcher still copies starts nothing any more
test_held() {
	mkdir "$d/big"
	head -c 400M /dev/zero > "$d/big/zeros"
	roles held <<- END
		a env nodes=1 -- sh -c 'until ls -d /tmp/dist-train-stage.*/*.part; do sleep 0.02; done; exit 3'
		b env with=a:0 stage=$d/big -- sleep 100
	END
	try srun -w node1 -N1 --dist-train=roles "$file"
	[ "$rc" -eq 3 ] || fail "status $rc"
	rm -r "$d/big"
	as_root node1 "find /tmp/dist-train-stage.* -mindepth 1 -newer $file -delete"
	nothing_left
	[ "$took" -lt $((12000 * slow)) ] || fail "b has run: $took ms"
}

# cpus= are a world's own, and no more than there are
test_cpus() {
	make_room 1
	roles cpus <<- END
		a env nodes=1 -- sh -c '$meets; sed -n "s/^Cpus_allowed_list:/a/p" /proc/self/status'
		b env with=a:0 cpus=1 -- sh -c 'sed -n "s/^Cpus_allowed_list:/b/p" /proc/self/status; mktemp -p $said; exec sleep 100'
	END
	ends_with 0 -N1 --dist-train=roles
	[ "$(awk '$1 == "b" { print $2 }' "$d/out")" != \
		"$(awk '$1 == "a" { print $2 }' "$d/out")" ] || fail "they share"
	roles many <<- END
		a env nodes=1 cpus=4000 -- true
	END
	refuse "many.roles:1:15: cpus=4000: on node node1 the step has [0-9]+ CPUs, which" \
		srun -N1 --dist-train=roles "$file"
}

# A component for the trainer, another one for the servers
test_components() {
	roles het <<- END
		a env nodes=2 needs=b -- sh -c '$ask \$0' \$B_URLS
		b env nodes=1 ready=http:/ -- $server \$PORT
	END
	try srun -N2 --dist-train=roles "$file" : -N1 "$file"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c 'says b 0 0$' "$d/out")" -eq 2 ] || fail "not two"
	nothing_left
}

# Two steps of a job on the same nodes, the same file
test_side_by_side() {
	roles beside <<- END
		a env nodes=1 needs=b -- sh -c '$ask \$@; sleep 0.5' - \$B_URLS
		b env nodes=1 procs=1 ready=http:/ -- $server \$PORT
		c env with=b:0 needs=b ready=tcp -- $server \$PORT
	END
	try salloc -Q -N2 sh -c 'for i in 1 2 3; do
		srun --overlap -N2 --dist-train=roles "$0" & pids="$pids $!"; done
		for pid in $pids; do wait $pid || exit; done' "$file"
	[ "$rc" -eq 0 ] || fail "status $rc"
	[ "$(grep -c 'says b 0 0$' "$d/out")" -eq 3 ] || fail "not three steps"
	[ "$(grep -o '^server [bc] .*' "$d/out" | sort -u | wc -l)" -eq 6 ] ||
		fail "not six ports"
	nothing_left
}

# The record has what became of each world, and the report of its ranks; why names
# the one that failed first and what followed; timeline the ranks of all
test_why() {
	local kept=$d/kept

	mkdir -m 777 "$kept"
	roles why <<- END
		a env nodes=1 needs=b -- sh -c 'until [ -e $kept/again ]; do sleep 0.1; done; exit 3'
		b env nodes=2 each=1node ready=tcp restart=1 -- sh -c '[ \$DIST_TRAIN_ROLE_INDEX\$DIST_TRAIN_RESTART = 10 ] && exit 7; [ \$DIST_TRAIN_RESTART = 0 ] || : > $kept/again; exec $server \$0' \$PORT
	END
	ends_with 3 -N3 --dist-train=roles,record=$kept,timeline=$kept/line
	succeed "$prefix/bin/dist-train" why --record "$kept"
	says '^  a: rank 0 \(worker\) on node1, pid [0-9]*: exit code 3 after '
	says '^  a has ended with exit code 3: the step ends \(on-failure=end\)$'
	says '^  [0-9.]* m?s +b\.1 has ended with exit code 7: it starts again \(1 of 1\)$'
	says '^  [0-9.]* m?s +b\.1 has restarted$'
	says '^  [0-9.]* m?s +b\.0 is ready$'
	said_before ' b\.1: rank 0 ' ' b\.1 has restarted$'
	succeed "$prefix/bin/dist-train" why --json --record "$kept"
	says '"first_failure":{"event":"failure",[^}]*"world":"a",[^}]*"followed":"a has ended'
	succeed "$prefix/bin/dist-train" timeline --json "$kept/line"
	says '"processes":3,'
	says '{"rank":2,"role":"worker","node":"node3","name":"b.1:0","round":1,'
	says '"skipped_lines":0'
	job=$(basename "$kept"/*.0.0*.jsonl)
	succeed "$prefix/bin/dist-train" goodput --record "$kept" "${job%%.*}"
	says '^  a +1 +0 +[0-9.]+ m?s +(-|[0-9.]+ m?s) +[0-9.]+ m?s +- +-$'
	says '^  b +2 +1 +(-|[0-9.]+ m?s) +[0-9.]+ m?s +[0-9.]+ m?s +- +[0-9.]+ m?s$'
}

# Who asks for it gets a signal at a change of the file, which is whole all the time
test_notify() {
	roles notify <<- END
		a env nodes=1 needs=c notify=USR1 -- $PYTHON $top/tests/clients/roles_watcher.py $d/handles b
		b env nodes=1 ready=file:$d/handles -- sleep 100
		c env with=b:0 ready=line:traps -- sh -c 'trap "echo c is told" USR1; echo traps; while :; do sleep 0.1; done'
	END
	chmod 777 "$d"
	ends_with 0 -N2 --dist-train=roles
	says '^signalled: b ready$'
	! grep -q 'c is told' "$d/out" || fail "c hasn't asked for it"
}

# Devices: parts of a node for worlds of it, and what is free for who stands beside
# another world; each finds its own alone
test_devices() {
	devices_of gpu CUDA_VISIBLE_DEVICES
}

# clusters: npu
test_npus() {
	devices_of npu ASCEND_RT_VISIBLE_DEVICES
}

# devices_of GRES VARIABLE
devices_of() {
	roles devices <<- END
		a ddp nodes=1 devices=2 needs=b+c -- sh -c 'echo "a \$RANK of \$WORLD_SIZE sees \$$2"'
		b env nodes=1 each=2$1 ready=line:sees -- sh -c 'echo "b \$DIST_TRAIN_ROLE_INDEX sees \$$2"; exec sleep 100'
		c env with=a:0 devices=1 ready=line:sees -- sh -c 'echo "c sees \$$2"; exec sleep 100'
		d env with=a:0 -- sh -c 'echo "d sees \$$2"; exec sleep 100'
	END
	ends_with 0 -N2 --gres="$1:4" --dist-train=roles
	says '^a 0 of 2 sees 0,1$'
	says '^a 1 of 2 sees 0,1$'
	says '^b 0 sees 0,1$'
	says '^b 1 sees 2,3$'
	says '^c sees 2$'
	says '^d sees (-1)?$'
}

# Variables of a file, a folder in front of PATH, the working directory, ports of
# another role
test_surroundings() {
	mkdir "$d/bin" "$d/work"
	printf '#!/bin/sh\necho "here $PWD $WORD $PATH"\n' > "$d/bin/tell"
	chmod 755 "$d/bin/tell" "$d/bin" "$d/work"
	printf '# a file\nWORD=two words\n' > "$d/words"
	roles surroundings <<- END
		a env nodes=1 env=$d/words path=$d/bin cwd=$d/work needs=b -- tell
		b env nodes=1 env=$d/missing ready=tcp -- sleep 100
	END
	ends_with 1 -N2 --dist-train=roles
	says "^dist-train: b on node2: .*$d/missing: No such file or directory\$"
	sed -i "s|env=$d/missing ready=tcp|ports=2|" "$file"
	sed -i 's|-- tell|-- sh -c "tell; echo at \$B_PORT1 \$B_PORT1S"|' "$file"
	ends_with 0 -N2 --dist-train=roles
	says "^here $d/work two words $d/bin:"
	grep -Eqx 'at ([0-9]+) \1' "$d/out" || fail "not B_PORT1"
}

# The step ends when all roles that are done have; the others get SIGTERM, who
# needs others before these; who doesn't go within the role's grace is killed
test_done() {
	roles "done" <<- END
		a env nodes=1 done=yes needs=c+d -- touch $d/a
		b env nodes=1 done=yes needs=a -- sh -c 'sleep 0.3; touch $d/b'
		c env with=a:0 needs=d ready=line:here -- sh -c 'trap "ls $d/a $d/b; touch $d/c; exit" TERM; echo here; while :; do sleep 0.1; done'
		d env nodes=1 grace=1 ready=line:here -- sh -c 'trap "ls $d/c" TERM; echo here; while :; do sleep 0.1; done'
	END
	sed -i '2s/needs=a/needs=c/' "$file"
	ends_with 0 -N3 --dist-train=roles
	[ -z "$(ours)" ] || fail "a line of ours: $(ours)"
	says "^$d/a$" # before c was told to end
	says "^$d/b$"
	says "^$d/c$" # before d was
	[ "$took" -lt $((10000 * slow)) ] || fail "d wasn't killed: $took ms"
}

# on-failure=save: the signal and the time of the role's own end-signal
test_save_time() {
	roles save <<- END
		a env nodes=1 end-signal=USR2@1 needs=b -- sh -c 'trap "echo saves" USR2; : > $d/a; while :; do sleep 0.1; done'
		b env nodes=1 on-failure=save -- sh -c 'until [ -e $d/a ]; do sleep 0.1; done; exit 9'
	END
	chmod 777 "$d"
	ends_with 9 -N2 --dist-train=roles
	says '^saves$'
	[ "$took" -lt $((30000 * slow)) ] || fail "it had more time: $took ms"
}

# The job's time limit: ranks of a role with end-signal are told in time
test_time_limit() {
	limit=100
	roles limit <<- END
		a env nodes=1 end-signal=50 needs=b -- sh -c 'trap "echo told; exit 0" USR1; while :; do sleep 0.1; done'
		b env nodes=1 -- sleep 100
	END
	ends_with 0 -N2 -t1 --dist-train=roles
	says '^told$'
	says "^dist-train: a: the job's time limit is at [0-9:]{8}: 1 rank got SIGUSR1\$"
}

# Ctrl-C twice ends all roles, with no word of any
test_ctrl_c() {
	roles ctrl_c <<- END
		a env nodes=2 needs=b -- sh -c ': > $d/a.\$DIST_TRAIN_RANK; exec sleep 100'
		b env nodes=1 on-failure=restart restart=3 -- sleep 100
	END
	chmod 777 "$d"
	background srun -N3 --dist-train=roles "$file"
	until_true 20 test -e "$d/a.1" || fail "a doesn't run: $(< "$d/bg.out")"
	user=root at pkill -INT -o -x srun
	until_true 10 grep -q 'one more within 1 s' "$d/bg.out" ||
		fail "srun says nothing: $(< "$d/bg.out")"
	until_true 10 interrupted || fail "srun doesn't end"
	nothing_left
	! grep -q '^dist-train: [ab]' "$d/bg.out" || fail "$(< "$d/bg.out")"
}

interrupted() {
	! kill -0 "$bg" 2> /dev/null || {
		user=root at pkill -INT -o -x srun
		return 1
	}
}

# The first node is lost, with who directs the roles: the step ends, since none of
# them can go on without it; spares and a smaller step are refused before
test_lost_director() {
	roles lost <<- END
		a env nodes=1 needs=b -- sleep 100
		b env nodes=1 on-failure=restart restart=3 -- sleep 100
	END
	for keys in spares=1 on-node-loss=shrink:1; do
		refuse "roles (has no spares: a node that is lost ends the step|can't replace a lost node, or go on without it)" \
			srun -N3 --dist-train=roles,$keys "$file"
	done
	wanted_nodes=node1,node2 allocate
	mode_args="--ntasks-per-node=1 --dist-train=roles,lease=$lease,grace=$grace"
	client=$file
	begin
	until_true 20 states_are 'roles: a ready; b ready' ||
		fail "status says: $(< "$d/out")"
	afterwards "restart_node node1"
	lose_node node1
	ends 137 $((lost + grace + 5))
	blames "no sign of life from node1 for [0-9]+ s: node or network lost"
	! grep -q '^dist-train: [ab] ' "$d/step.err" || fail "$(< "$d/step.err")"
	restart_node node1
	sed -i /restart_node/d "$d/undo"
	node_returns
	at scancel -f "$job"
	until_true 30 job_ended "$job" || fail "the job doesn't end"
	nothing_left
}

# requeue=node-loss: a node of a role is lost, one line of the step names it, and all
# roles begin in the job's next life
test_requeue() {
	local gone

	limit=150
	roles requeue <<- END
		a env nodes=2 needs=b -- sh -c 'echo "life \${SLURM_RESTART_COUNT:-0} rank \$DIST_TRAIN_RANK"; [ -n "\$SLURM_RESTART_COUNT" ] || exec sleep 200'
		b env nodes=1 ready=tcp -- $server \$PORT
	END
	printf '%s\n' '#!/bin/sh' "exec srun --dist-train=roles,requeue=node-loss,lease=$lease,grace=$grace $file" > "$d/job.sh"
	try sbatch --parsable --requeue --open-mode=append -N3 -o "$d/job.out" \
		-e "$d/job.out" "$d/job.sh"
	job=$out
	afterwards "at scancel -f $job; until_true 20 job_ended $job"
	until_true 30 lives 0 || fail "no first life: $(< "$d/job.out")"
	gone=$(at scontrol show hostnames "$(at squeue -h -j "$job" -o %N)" |
		sed -n 2p)
	afterwards "restart_node $gone"
	lose_node "$gone"
	until_true $((lost + grace + 15)) grep -q '^dist-train: job .* is requeued: ' \
		"$d/job.out" || fail "not requeued: $(< "$d/job.out")"
	restart_node "$gone"
	sed -i /restart_node/d "$d/undo"
	node_returns
	until_true 60 queued_again || fail "its first life doesn't end"
	root login scontrol update "jobid=$job" StartTime=now ||
		fail "it can't begin at once"
	until_true 60 lives 1 || fail "no second life: $(< "$d/job.out")"
	until_true 30 job_ended "$job" || fail "the job doesn't end"
	cat "$d/job.out"
	[ "$(grep -c '^dist-train: .*no sign of life' "$d/job.out")" -eq 1 ] ||
		fail "not one line of it"
	grep -Eq "^dist-train: no sign of life from $gone for [0-9]+ s: node or network lost" \
		"$d/job.out" || fail "not the step's"
	! grep '^dist-train: [ab][: ]' "$d/job.out" || fail "a line of a world"
}

# lives N: both ranks of a are in that life
lives() {
	[ "$(cat "$d/job.out" 2> /dev/null | grep -c "^life $1 rank [01]\$")" -eq 2 ]
}

queued_again() {
	root login scontrol -o show job "$job" |
		grep -q 'JobState=PENDING .* Restarts=1 '
}

# A world that hangs says so by its name, with its ranks; the others go on
test_hang() {
	need_torch
	need_stacks py-spy
	limit=150
	roles hang <<- END
		a ddp nodes=2 procs=2 hang=$((6 * slow)) -- $torch $top/tests/clients/hang_shapes.py swallowed 3
		b env nodes=1 -- sleep 600
	END
	background env PATH="$stacks:$PATH" srun -J "hang$$" -N3 \
		--dist-train=roles "$file"
	until_true 90 grep -q 'suspect: ' "$d/bg.out" ||
		fail "nobody says that it hangs: $(< "$d/bg.out")"
	cut -c 1-200 "$d/bg.out"
	grep -Eq '^dist-train: a: hang: ' "$d/bg.out" || fail "not a's hang"
	grep -Eq '^dist-train: a:   suspect: 1 rank \(a:3, node2\): ' "$d/bg.out" ||
		fail "not rank 3 of a is the suspect"
	at scancel --name "hang$$"
	wait "$bg" || :
	succeed "$prefix/bin/dist-train" why
	says '^hang, .* after the begin:$'
	says '^  a: suspect: 1 rank \(a:3, node2\)|suspect: 1 rank \(a:3, node2\)'
	nothing_left
}
