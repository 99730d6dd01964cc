#!/bin/sh
# Make ./configure from configure.ac, and sources.mk from the folders. Needed
# after a fresh clone. With --sources, sources.mk on standard output alone.
set -e
cd "$(dirname "$0")"
export LC_ALL=C

# IN_FOLDER, for those that Makefile.am uses, are the .c files in and below it that
# Makefile.am doesn't name itself. A test has the libraries of its folder, if
# tests/Makefile.inc doesn't give it others. MAN1 are the manual pages of commands.
sources() {
	{
		find core frameworks dialects registry sys task spank helpers tests \
			-type f ! -name '.*' \( -name '*.[ch]' -o -name '*.def' \)
		find contrib/examples -type f
	} | sort | awk '
	function folder(file) { return sub(/\/[^\/]*$/, "", file) ? file : "" }
	function name_of(text) { gsub(/[^A-Za-z0-9_]/, "_", text); return text }
	function add(list, file) {
		if (!(list in words))
			order[++n] = list
		words[list] = words[list] " \\\n\t" file
	}
	function add_source(file,  dir, list) {
		for (dir = folder(file); dir; dir = folder(dir)) {
			list = "IN_" name_of(dir)
			if (list in used)
				add(list, file)
			if (list in used)
				return
		}
		print "autogen.sh: no place for " file " in Makefile.am" > "/dev/stderr"
		bad = 1
	}
	function add_rule(test, what, value) {
		if (!((test what) in by_hand))
			rules = rules test what " = " value "\n"
	}
	function add_test(file, test, name) {
		if (test ~ /^tests\/fuzz\//) {
			add("ALL_FUZZ_TESTS", test)
			add_rule(name, "_SOURCES", file " $(FUZZ_DRIVER)")
		} else {
			add("ALL_UNIT_TESTS", test)
		}
		if (test ~ /^tests\/(helpers|fuzz)\//)
			add_rule(name, "_LDADD", "$(HELPER_LDADD)")
		if (test ~ /^tests\/(sys|spank)\//)
			add_rule(name, "_LDADD", "$(SYS_LDADD)")
	}
	FILENAME == "Makefile.am" {
		for (i = 1; i <= NF; i++) {
			named[$i] = 1
			if ($i ~ /^\$\(IN_.*\)$/)
				used[substr($i, 3, length($i) - 3)] = 1
		}
		next
	}
	FILENAME == "tests/Makefile.inc" { by_hand[$1] = 1; next }
	{
		for (dir = folder($0); dir && !(dir in seen); dir = folder(dir)) {
			seen[dir] = 1
			add("FOLDERS", "$(srcdir)/" dir)
		}
	}
	/^contrib/ { add("EXAMPLES", $0); next }
	/^tests\/(.*\/test_|fuzz\/fuzz_)[^\/]*\.c$/ {
		test = $0
		sub(/\.c$/, "", test)
		add_test($0, test, name_of(test))
	}
	/^tests/ { next }
	/\.c$/ && !($0 in named) { add_source($0) }
	!/\.c$/ { add("HEADER_FILES", $0) }
	END {
		print "# Made by autogen.sh"
		for (i = 1; i <= n; i++)
			print order[i] " =" words[order[i]]
		printf "%s", rules
		exit bad
	}' Makefile.am tests/Makefile.inc -
	echo "MAN1 = $(find doc -name '*.1.in' | sort | sed 's/\.in$//' | tr '\n' ' ')"
}

if [ "$1" = --sources ]; then
	sources
	exit
fi
sources > sources.mk
exec autoreconf --install --force --warnings=all
