# SPDX-License-Identifier: Apache-2.0
# What root does in our code: reads the files of `strace -ff -k` (one for each
# thread, with the stack of each call) and prints the calls that have
# dist_train.so on their stack and are made by root's processes, one line each,
# without numbers of descriptors. Root's is who has the real user id 0, until it
# takes another; where it acts with another effective id, or one for files, "as-user " is in front.
# -v prefix=DIR, own=DIR: what is below is below PREFIX or OWN on the lines.

FNR == 1 { ruid = euid = 0 }

/^set[a-z]*uid(32)?\(/ {
	call = ""
	if (!/ = 0$/)
		next
	split($0, arg, /[(), ]+/)
	if (/^setuid/)
		ruid = euid = arg[2]
	else if (/^setfsuid/)
		euid = arg[2]
	else {
		if (arg[2] != -1)
			ruid = arg[2]
		if (arg[3] != -1)
			euid = arg[3]
	}
	next
}

/^[a-z0-9_]+\(/ { call = $0; next }

/^ > .*\/dist_train\.so\(/ && call != "" {
	if (ruid == 0)
		print (euid == 0 ? "" : "as-user ") tidy(call)
	call = ""
}

# DIR/... in the line as NAME/...
function named(line, dir, name,    i)
{
	if (dir == "" || !(i = index(line, dir "/")))
		return line
	return substr(line, 1, i - 1) name substr(line, i + length(dir))
}

# OPERATION WHAT FLAGS
function tidy(line,    name)
{
	name = line
	sub(/\(.*/, "", name)
	if (name ~ /^(clone3?|v?fork)$/)
		return "fork"
	sub(/\) += .*/, "", line)
	sub(/^[a-z0-9_]+\((AT_FDCWD, )?/, "", line)
	sub(/^[0-9]+, /, "", line)
	sub(/\[[0-9]+, [0-9]+\]$/, "", line) # of a pair
	sub(/, $/, "", line)
	return name " " named(named(line, prefix, "PREFIX"), own, "OWN")
}
