#!/bin/sh
# Make ./configure from configure.ac. Needed after a fresh clone.
set -e
cd "$(dirname "$0")"
exec autoreconf --install --force --warnings=all
