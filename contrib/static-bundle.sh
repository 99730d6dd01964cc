#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dist-train: the program for this machine's processor, which is beside it.
self=$0
[ ! -L "$self" ] || self=$(PATH=${PATH:-}:/usr/bin:/bin readlink -f "$self")
processor=$(PATH=${PATH:-}:/usr/bin:/bin uname -m) || exit 1
program=${self%/*}/$processor/dist-train
[ -x "$program" ] || {
	echo "dist-train: this bundle has no program for $processor" >&2
	exit 1
}
exec "$program" "$@"
