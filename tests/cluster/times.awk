# SPDX-License-Identifier: Apache-2.0
# What each case took, for tests/cluster/run's order and for the queue: the file
# `times' from the lines of a run's output; cases that weren't run keep theirs.
#
#	tests/run > LOG
#	awk -f tests/cluster/times.awk tests/cluster/times LOG |
#		LC_ALL=C sort -o tests/cluster/times
#
# A line: GROUP.NAME@CLUSTER SECONDS PROCESSOR-SECONDS

FILENAME ~ /\/times$/ {
	line[$1] = $0
}

/^ok [a-z_]+\.[a-z0-9_]+@[a-z]+ \([0-9.]+ s, [0-9.]+ of processor/ {
	line[$2] = $2 " " substr($3, 2) " " $5
}

END {
	for (name in line)
		print line[name]
}
