# SPDX-License-Identifier: Apache-2.0
# awk -f arrows.awk SYMBOLS: FROM TO SYMBOL for each that FROM needs and TO has.
# Complains of one that two have: it leads nowhere certain. NAME_none.c is what
# another file is in a program without its library.
$2 == "has" {
	owner[$3] = owner[$3] " " $1
	if ($1 !~ /_none\.c$/ && first[$3]++)
		twice[$3] = 1
}
$2 == "needs" { from[++n] = $1; what[n] = $3 }
END {
	for (i = 1; i <= n; i++) {
		m = split(owner[what[i]], to, " ")
		for (k = 1; k <= m; k++)
			if (to[k] != from[i])
				print from[i], to[k], what[i]
	}
	for (name in twice) {
		print "rooms: two files have " name ":" owner[name] > "/dev/stderr"
		bad = 1
	}
	exit bad
}
