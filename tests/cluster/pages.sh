# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The commands of a page, read from the page and run as they are written, by
# alice on the login node. Sourced by cases.
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and with the cases

limit=200
pages=$top/tests/pages
page=		# below the source folder

# open_page PAGE: a home folder with the files that the page has its reader save;
# train.py is else one that checks its variables
open_page() {
	local name

	page=$1
	mkdir -p "$d/home" "$d/bin"
	cp "$top/tests/clients/page_program.py" "$d/home/train.py"
	while read -r name; do
		"$pages" show "$page" "$name" > "$d/home/$name"
	done < <("$pages" files "$page")
	chmod -R a+rwX "$d/home"
	path=$d/bin:$prefix/bin:/usr/bin:/bin
	"$pages" blocks "$page" > "$d/blocks"
	[ -s "$d/blocks" ] || fail "no commands on $page"
}

# run_block NAME [PRELUDE]: with the output and the status that its mark says, and
# with what images of containers set
run_block() {
	local name=$1 commands prints status

	IFS=$'\t' read -r _ prints status < <(grep -P "^$name\t" "$d/blocks") ||
		fail "$page has no block $name"
	commands=$("$pages" show "$page" "$name")
	dir=$d/home try env HOME="$d/home" PATH="$path" PYTHONUNBUFFERED=1 \
		sh -ec "${2:-}$commands"
	case $status in
	0) [ "$rc" -eq 0 ] || fail "$name: status $rc" ;;
	fails) [ "$rc" -ne 0 ] || fail "$name: status 0" ;;
	esac
	[ "$prints" = - ] || grep -qE -- "$prints" "$d/out" "$d/err" ||
		fail "$name: doesn't print '$prints'"
	echo "$name" >> "$d/done"
}

# found FRAMEWORK N: all ranks have found their variables, and we were silent
found() {
	[ "$(grep -o "^found rank=[0-9]* world=$2 framework=$1$" "$d/out" |
		sort -u | wc -l)" -eq "$2" ] ||
		fail "not $2 ranks have found the variables of $1"
	[ -z "$(ours)" ] || fail "unexpected: $(ours)"
}

# all_run [NAME...]: no block of the page is left, but these
all_run() {
	local name

	for name; do
		echo "$name" >> "$d/done"
	done
	name=$(cut -f 1 "$d/blocks" | grep -vxFf "$d/done") || return 0
	fail "$page: not run: $name"
}
