#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Values that must be refused, by srun's command line, its environment or
# #SBATCH: badinput.sh command|environment|script FOLDER KEY...
# One line for each that isn't refused as it should be; the last is the number
# of those tried.
export LC_ALL=C
from=$1 folder=$2
shift 2
name=SLURM_SPANK__SLURM_SPANK_OPTION_dist_train_dist_train
tried=0

run() {
	case $from in
	command) timeout 20 srun -n1 "--dist-train=$1" touch "$folder/started" ;;
	environment)
		timeout 20 env "$name=$1" srun -n1 touch "$folder/started"
		;;
	script)
		printf '#!/bin/sh\n#SBATCH --dist-train=%s\ntouch %s\n' "$1" \
			"$folder/started" > "$folder/script"
		timeout 20 sbatch -o /dev/null "$folder/script"
		;;
	esac < /dev/null > "$folder/bad.out" 2> "$folder/bad.err"
}

# bad WHAT TEXT
bad() {
	local rc=0 why=''

	tried=$((tried + 1))
	rm -f "$folder/started"
	run "$2" || rc=$?
	[ $rc -ne 0 ] || why='status 0'
	[ $rc -ne 124 ] || why='no end'
	[ ! -s "$folder/bad.out" ] || why='output'
	[ "$(wc -l < "$folder/bad.err")" -eq 1 ] || why='not one line'
	grep -q '^dist-train: ' "$folder/bad.err" || why='not our line'
	[ "$(wc -c < "$folder/bad.err")" -le 1537 ] || why='a long line'
	! grep -q '[^ -~]' "$folder/bad.err" || why='unprintable'
	[ ! -e "$folder/started" ] || why='it was started'
	[ -z "$why" ] ||
		echo "$from: $1: $why: $(head -c 300 "$folder/bad.err" | cat -v)"
}

long=$(printf '%4096s' '' | tr ' ' x)
digits=$(printf '%4096s' '' | tr ' ' 9)
control=$'\x01\x1b[31m\x7f\x08'
high=$'\xff\xfe\xc3\x28\x80'
for key; do
	bad "$key=" "ddp,$key="
	bad "$key=4096 x" "ddp,$key=$long"
	bad "$key=control" "ddp,$key=$control"
	# The parser is the same wherever the text comes from
	if [ "$from" = command ]; then
		bad "$key=," "ddp,$key=,"
		bad "$key" "ddp,$key"
		bad "$key=4096 digits" "ddp,$key=$digits"
		bad "$key twice" "ddp,$key=auto,$key=auto"
	fi
	# Names of files all the same
	case $key in log-dir | progress-file | record | timeline) continue ;; esac
	bad "$key=bad" "ddp,$key=?bad?"
	bad "$key=high" "ddp,$key=$high"
	[ "$from" != command ] || bad "$key=-1/" "ddp,$key=-1/"
done
for text in dpd '' ',' 'ddp,' ',ddp' 'ddp,,' none,port=1 DPD 'ddp ' "$long" \
	"$digits" "$control" "$high" "ddp,$long=1" "ddp,$control=$high" \
	"ddp,$high" ddp=1 ddp,=1 ddp,port=1,port=2 ddp,port=99999999999999999999 \
	ddp,port=0x10 ddp,port=+1 ddp,port=1e3 'ddp,port=%s%n%s' ddp,PORT=x \
	caffe 'ddp,nic=a/b' ddp,nic=0123456789abcdef; do
	# An empty #SBATCH value is no value at all, and blanks end one
	[ -n "${text% }" ] && [ "$text" = "${text% }" ] ||
		[ "$from" != script ] || continue
	bad "$(printf '%.40s' "$text" | cat -v)" "$text"
done
if [ "$from" = script ]; then
	huge=$(printf '%204800s' '' | tr ' ' y)
	bad '200 KiB' "$huge"
	bad '200 KiB value' "ddp,nic=$huge"
	bad '200 KiB key' "ddp,$huge=1"
	bad '200 KiB of keys' "ddp$(printf ',nic=eth0%.0s' {1..22000})"
	bad '200 KiB of commas' "ddp$(tr '\0' , < /dev/zero | head -c 204800)"
fi
echo "$tried"
