# SPDX-License-Identifier: Apache-2.0
# awk -v kind=KIND -v built=0|1 -v missing='NAME...' -f circles.awk CIRCLES ARROWS:
# circles among arrows "FROM TO WHY" that the list doesn't have of this kind, and
# with `built` those of the list that aren't there. What is missing isn't built.
function complain(what) { print "rooms: " what; bad = 1 }
function visit(v,  n, t, i, w) {
	number[v] = low[v] = ++nnumbers
	stack[++depth] = v
	n = split(to[v], t, " ")
	for (i = 1; i <= n; i++) {
		w = t[i]
		if (!(w in number))
			visit(w)
		if (!(w in circle_of) && low[w] < low[v])
			low[v] = low[w]
	}
	if (low[v] == number[v])
		leave(v)
}
# All on the stack down to v are one circle.
function leave(v,  w) {
	ncircles++
	do {
		w = stack[depth--]
		circle_of[w] = ncircles
		size[ncircles]++
	} while (w != v)
}
# The names of a circle in order, by insertion
function names(circle,  w, n, i, a, text) {
	for (w in circle_of)
		if (circle_of[w] == circle) {
			for (i = ++n; i > 1 && a[i - 1] > w; i--)
				a[i] = a[i - 1]
			a[i] = w
		}
	for (i = 1; i <= n; i++)
		text = text " " a[i]
	return text
}
function show_arrows(circle,  i, shown) {
	for (i = 1; i <= narrows; i++)
		if (circle_of[from[i]] == circle &&
		    circle_of[target[i]] == circle && shown++ < 20)
			print "  " from[i] " -> " target[i] " (" why[i] ")"
}
# Circle c is what is left of one in the list: all of it is in that.
function is_rest(c,  w, line) {
	for (w in circle_of) {
		if (circle_of[w] != c)
			continue
		if (!(w in line_of) || (line && line_of[w] != line))
			return 0
		line = line_of[w]
	}
	return 1
}
function check_listed(line,  n, w, i, c, whole) {
	n = split(listed[line], w, " ")
	c = circle_of[w[1]]
	whole = built
	for (i = 1; i <= n; i++) {
		line_of[w[i]] = line
		if (index(missing " ", " " w[i] " "))
			whole = 0
		if (circle_of[w[i]] != c)
			c = 0
	}
	if (c && size[c] == n)
		known[c] = 1
	else if (!c && whole)
		complain("no circle any more, delete it in" \
			" tests/rooms.d/circles:\n  " kind listed[line])
}
FNR == 1 { file++ }
file == 1 && /^[a-z]/ {
	ours = $1 == kind
	nlisted += ours
	$1 = ""
}
file == 1 && ours && !/^(#|$)/ {
	sub(/^[ \t]+/, "")
	listed[nlisted] = listed[nlisted] " " $0
}
file == 2 {
	if (seen[$1, $2]++)
		next
	from[++narrows] = $1
	target[narrows] = $2
	why[narrows] = substr($0, length($1 $2) + 3)
	to[$1] = to[$1] " " $2
}
END {
	for (i = 1; i <= narrows; i++)
		if (!(from[i] in number))
			visit(from[i])
	for (i = 1; i <= nlisted; i++)
		check_listed(i)
	for (c = 1; c <= ncircles; c++)
		if (size[c] > 1 && !(c in known)) {
			complain((is_rest(c) ? "what is left of a circle of " \
				: "a new circle of ") kind ":" names(c))
			show_arrows(c)
		}
	exit bad
}
