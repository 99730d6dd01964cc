# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# README's line for Ascend NPUs, as it is written there.
# clusters: npu
# shellcheck disable=SC2154 # shared with lib.sh

# shellcheck source-path=SCRIPTDIR source=../pages.sh
. "$here/pages.sh"

test_readme() {
	open_page README.md
	run_block readme-ascend
	found ascend 32
}
