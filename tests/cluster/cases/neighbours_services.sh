# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Services of a step against other users: connections, secrets, and what ends
# early.
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

# 1,100 connections of bob's from another host, each with a header that goes on
# and on: the ranks' requests are answered meanwhile
test_slow_requests() {
	limit=200 background srun -N2 --ntasks-per-node=1 \
		--dist-train=horovod,controller=gloo "$PYTHON" -c '
import os, time, urllib.error, urllib.request
print("at", os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"], flush=True)
while not os.path.exists("'"$d/flooded"'"):
    time.sleep(0.1)
for i in range(5):
    try:
        urllib.request.urlopen("http://"
            + os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"] + "/a/b", timeout=20)
    except urllib.error.HTTPError as e:
        print("status", e.code, flush=True)'
	until_true 60 at_least 2 '^at '
	at=$(sed -n 's/^at //p' "$d/bg.out" | head -n 1)
	port=${at#*:}
	user=bob limit=100 at "$PYTHON" -c '
import os, resource, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE,
                   (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
held = []
for i in range(1100):
    s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 20)
    s.sendall(b"GET /x")
    held.append(s)
open(sys.argv[3], "w").close()
print("flooded", flush=True)
while not os.path.exists(sys.argv[4]):
    for s in held:
        try:
            s.send(b"x")
        except OSError:
            pass
    time.sleep(1)' "${at%%:*}" "${port%%/*}" "$d/flooded" "$d/over" > "$d/bob" &
	bob=$!
	wait "$bg" || fail "status $?: $(cat "$d/bg.out")"
	: > "$d/over"
	wait $bob
	grep -q flooded "$d/bob" || fail "nobody was disturbed"
	at_least 10 '^status 404$' || fail "not answered: $(cat "$d/bg.out")"
}

at_least() {
	[ "$(grep -c "$2" "$d/bg.out")" -ge "$1" ]
}

# Secrets of the step and of the user aren't in the output
test_secrets_in_explain() {
	try env HF_TOKEN=hush RAY_AUTH_TOKEN=hush2 srun -N2 \
		--dist-train=ray,explain=only true
	[ "$rc" -eq 0 ] || fail "status $rc"
	says '^  RAY_AUTH_TOKEN  *= \(a secret, 5 characters\)'
	says_not hush
	try srun -N2 --dist-train=horovod,controller=gloo,explain=yes \
		sh -c 'echo "at $HOROVOD_GLOO_RENDEZVOUS_ADDR"'
	[ "$rc" -eq 0 ] || fail "status $rc"
	secret=$(sed -n 's/^at .*\///p' "$d/out" | head -n 1)
	[[ $secret =~ ^[0-9a-f]{32}$ ]] || fail "no secret: $out"
	! grep -q "$secret" "$d/err" || fail "explain shows it"
	[ "$(grep -c 'GLOO_RENDEZVOUS_ADDR *= (a secret, ' "$d/err")" -eq 2 ] ||
		fail "not shown as a secret for two ranks"
}

# The scheduler is the program, too: nobody waits for its port when it has ended
# long: tests/helpers/launch/test_services (ends_at_once: the line)
test_scheduler_ends_at_once() {
	limit=150 refuse 'service scheduler on node1, pid [0-9]+, ended with exit code 0 before it answered at port [0-9]+; a service has to run until the training is done' \
		srun -N1 -n3 --dist-train=mindspore,timeout=300 true
	within 100
}

# A program that fails at once isn't started a hundred times a second, and
# scancel ends the step in a pause
# takes: 0.25
test_restarts_pause() {
	limit=250 background srun -N2 --ntasks-per-node=1 \
		--dist-train=ddp,restarts=1000,restart-on=any,grace=0 false
	until_true 200 at_least 1 'restart 8 of 1000 of the step.s processes, in 10.0 s$' ||
		fail "no pause: $(grep -c ' restart ' "$d/bg.out") restarts"
	at_least 1 ', in 1.6 s$' || fail "the pauses don't double"
	job=$(at squeue -h -o %A)
	at scancel "$job" || fail "scancel fails"
	! wait "$bg" || fail "status 0"
	! at_least 1 'restart 9 of ' || fail "it went on: $(cat "$d/bg.out")"
}
