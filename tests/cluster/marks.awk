# SPDX-License-Identifier: Apache-2.0
# The cases of exec/cases and cases/*.sh, their marks, and what they took in the run
# of the file `times', for tests/cluster/run:
#
#	GROUP.NAME@CLUSTER PROCESSORS SECONDS [long]
#
# A mark is a comment line: in a block right above the function of a case it is
# for this case, in a block at the head of the file for all of it that have none
# of their own.
#
#	# clusters: plain npu	on which clusters it runs, on each of them
#	# takes: 1		how many processors it uses, on average, until `times'
#	#			knows: 0.25 if it waits, 0.5 (the default) for an
#	#			srun, 1 for ranks of a Python framework; and `all'
#	#			if it measures a time
#	# long: REASON		only with --long: what it proves is proven
#	#			elsewhere, and REASON says where
#	# long on odd npu: REASON	on these clusters only with --long;
#	#			`long on none: ...' for a case that is for
#	#			every run in a file whose others aren't
#
# A line of exec/cases is GROUP.NAME [CLUSTER [long]], one of `times' is
# GROUP.NAME@CLUSTER SECONDS PROCESSOR-SECONDS (tests/figures).

FILENAME ~ /\/times$/ {
	seconds[$1] = $2
	used[$1] = $3
	next
}

FILENAME ~ /exec\/cases$/ {
	sub(/#.*/, "")
	if (NF > 0) {
		kind[$1] = NF > 1 ? $2 : "exec"
		long[$1] = $3
	}
	next
}

FNR == 1 {
	group = FILENAME
	gsub(/.*\/|\.sh$/, "", group)
	delete head
	delete mark
	functions = 0
}

/^# (clusters|takes|long|long on [a-z ]*): / {
	name = $2
	sub(/:$/, "", name)
	mark[name] = $0
	sub(name == "long" ? "^# long" : "^# [a-z]*: ", "", mark[name])
	next
}

/^#/ {
	next
}

/^test_[a-z0-9_]*\(\) \{$/ {
	name = group "." substr($1, 6, length($1) - 7)
	n = split(value("clusters"), on, " ")
	for (i = 1; i <= n; i++)
		show(name "@" on[i], is_long(on[i]))
	if (name in kind)
		show(name "@" kind[name], long[name] != "")
	functions++
	delete mark
	next
}

{
	if (functions == 0)
		for (name in mark)
			head[name] = mark[name]
	delete mark
}

function show(name, later)
{
	print name, takes(name), name in seconds ? seconds[name] : 5, later ? "long" : ""
}

# takes(NAME): rounded up to a twentieth of a processor
function takes(name,	mark, twentieths)
{
	mark = value("takes")
	if (mark == "all" || !(name in seconds))
		return mark == "" ? 0.5 : mark
	twentieths = int(20 * used[name] / (seconds[name] + 0.1)) + 1
	return sprintf("%.2f", twentieths / 20)
}

function value(name)
{
	return name in mark ? mark[name] : head[name]
}

# is_long(CLUSTER): by a mark `: REASON', or ` on A B: REASON' if it is A or B
function is_long(cluster,	list)
{
	list = value("long")
	if (list !~ /^ on /)
		return list != ""
	sub(/^ on/, "", list)
	sub(/:.*/, " ", list)
	return index(list, " " cluster " ") > 0
}
