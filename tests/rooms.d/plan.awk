# SPDX-License-Identifier: Apache-2.0
# awk -v built=0|1 -v missing='ROOM...' -f plan.awk PLAN FILES INCLUDES ARROWS:
# what the plan doesn't allow, and with `built` what it allows in vain, but to
# rooms of which something is missing.
function room(file) { sub(/\/[^\/]*$/, "", file); return file }
function complain(what) { print "rooms: " what; bad = 1 }
function add(key, words) {
	sub(/^[ \t]+/, "", words)
	line[key] = line[key] " " words
}
function is_group(word) { return word ~ /^[A-Z]+$/ }
function allow(key, words,  n, w, i) {
	n = split(words, w, " ")
	for (i = 1; i <= n; i++)
		if (is_group(w[i]))
			allow(key, line[w[i]])
		else
			may[key, w[i]] = 1
}
# `from` uses `to`; say how it does
function hold(from, to, how) {
	if ((from, to) in may) {
		used[from, to] = 1
		return
	}
	used[room(from), room(to)] = 1
	if (!(room(from) in line))
		complain(from ": no room of the plan")
	else if (room(from) != room(to) && !((room(from), room(to)) in may))
		complain(from " " how ": " room(from) " may not use " room(to))
}
FNR == 1 { file++ }
file == 1 && /^(#|$)/ { next }
file == 1 && /^[ \t]/ { add(key, $0); next }
file == 1 {
	key = $1
	sub(/:$/, "", key)
	if (key in line)
		complain("the plan has " key " twice")
	add(key, substr($0, length($1) + 1))
	next
}
file == 2 && FNR == 1 {
	for (key in line)
		if (!is_group(key))
			allow(key, line[key])
}
file == 2 { lives[room($1)] = lives[$1] = 1; next }
file == 3 && $2 == "\"" && $3 !~ /^(config|paths|fr_dump_py|code_path_py|page_html)\.h$/ {
	hold($1, $3, "includes " $3)
}
file == 3 && $2 == "<" {
	library = tolower($3)
	sub(/[\/.].*/, "", library)
	library = "<" library ">"
	if (library in line)
		hold_library($1, library, $3)
}
function hold_library(from, library, header,  n, w, i) {
	n = split(line[library], w, " ")
	for (i = 1; i <= n; i++)
		if (index(from, w[i] "/") == 1) {
			used[library, w[i]] = 1
			return
		}
	complain(from " includes <" header ">: only" line[library] " may")
}
file == 4 { hold($1, $2, "needs " $3 " of " $2) }
END {
	for (key in line) {
		if (key !~ /^</ && !is_group(key) && !(key in lives))
			complain("the plan has " key ", the tree doesn't")
		if (!built || index(missing " ", " " key " "))
			continue
		n = split(line[key], w, " ")
		for (i = 1; i <= n; i++)
			if (!is_group(key) && !is_group(w[i]) &&
			    !((key, w[i]) in used))
				complain("the plan lets " key " use " w[i] \
					", which it doesn't")
	}
	exit bad
}
