# SPDX-License-Identifier: Apache-2.0
# complete.zsh FILE LINE: what an interactive zsh with this completion file
# shows for the Tab key behind LINE, then <line>the line after it</line>.
zmodload zsh/zpty
zpty -b shell "TERM=dumb zsh -f -i"
zpty -w shell "PS1=; PS2=; stty -echo columns 200; unsetopt prompt_cr
fpath=(${1:h} \$fpath); autoload -U compinit; compinit -D -u
setopt no_beep auto_list; LISTMAX=0
show() { print -r -- \"<line>\$BUFFER</line>\"; BUFFER=; zle accept-line }
zle -N show; bindkey '^T' show; print -r -- re\"\"ady"
deadline=$((SECONDS + 15))
read_until() {
	local out
	all=
	while ((SECONDS < deadline)); do
		if zpty -rt shell out; then
			all+=$out
		else
			sleep 0.02
		fi
		[[ $all != *$1* ]] || return 0
	done
	return 1
}
read_until ready || exit 1
zpty -n -w shell "$2"$'\t\x14'
read_until '</line>'
print -r -- "$all"
zpty -d shell
