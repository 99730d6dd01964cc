# SPDX-License-Identifier: Apache-2.0
# /etc/rc of the image: enroot starts a container with it. pyxis writes into
# /etc/rc.local what is to be done instead of an image's entry point.
# shellcheck shell=sh disable=SC1091
cd / || exit 1
if [ -s /etc/rc.local ]; then
	. /etc/rc.local
fi
exec "$@"
