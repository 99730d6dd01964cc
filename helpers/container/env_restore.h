/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the start of the static launcher, which runs where a container may
 * have been entered. The other end of spank/node/later_plugin.c, at the start
 * of the static launcher: the environment is made again what the plugin wanted
 * it to be.
 */
#pragma once

#include "core/base/err.h"

/* Returns 0 where the caller is to go on as the launcher. Where no launcher is
 * wanted, or no container was entered after all, the program or the ordinary
 * launcher takes this process's place. Fails, with the reason, when that
 * program can't be started: *ret_status is what a shell would say then. */
int env_restore(int argc, char **argv, int *ret_status, struct err *err);
