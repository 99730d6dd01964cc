# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A terminal (tmux) on the login node. Sourced by cases.
# shellcheck disable=SC2154 # shared with lib.sh

# in_terminal COMMAND: a shell's; the terminal ends with the case
in_terminal() {
	afterwards "at tmux -S '$d/tmux' kill-server"
	at tmux -S "$d/tmux" -f /dev/null new-session -d -x 90 -y 24 "$1" ||
		fail "no terminal"
}

# terminal_shows REGEX: soon. What it shows is in $d/screen.
terminal_shows() {
	until_true 30 is_on_screen "$1" ||
		fail "the terminal doesn't show '$1': $(< "$d/screen")"
}

is_on_screen() {
	at tmux -S "$d/tmux" capture-pane -p > "$d/screen"
	grep -Eq -- "$1" "$d/screen"
}
