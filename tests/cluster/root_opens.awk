# SPDX-License-Identifier: Apache-2.0
# What root does in our code: reads the files of `strace -ff -k` (one for each
# thread, with the stack of each call) and prints the calls that have
# dist_train.so on their stack and are made as root, one line each, without
# numbers of descriptors. A thread counts as root's until it says otherwise.
# -v prefix=DIR: what is below it is below PREFIX on the lines.

FNR == 1 { euid = 0 }

/^set[a-z]*uid\(/ {
	call = ""
	if (!/ = 0$/)
		next
	split($0, arg, /[(), ]+/)
	now = /^setuid/ ? arg[2] : arg[3]
	if (now != -1)
		euid = now
	next
}

/^[a-z0-9_]+\(/ { call = $0; next }

/^ > .*\/dist_train\.so\(/ && call != "" {
	if (euid == 0)
		print tidy(call)
	call = ""
}

# OPERATION WHAT FLAGS
function tidy(line,    name, i)
{
	name = line
	sub(/\(.*/, "", name)
	if (name ~ /^(clone3?|v?fork)$/)
		return "fork"
	sub(/\) += .*/, "", line)
	sub(/^[a-z0-9_]+\((AT_FDCWD, )?/, "", line)
	sub(/^[0-9]+, /, "", line)
	if (prefix != "" && (i = index(line, prefix "/")))
		line = substr(line, 1, i - 1) "PREFIX" \
			substr(line, i + length(prefix))
	return name " " line
}
