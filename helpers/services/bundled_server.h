/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servers that we bring, started in the place of the user's program.
 */
#pragma once

#include "core/base/err.h"

#include <limits.h>

/* A command; argv points into the struct. */
struct bundled_server {
	char python[PATH_MAX], server[PATH_MAX];
	char *argv[5];
};

/* Start `server`, a Python program in our folder of helpers, with the
 * interpreter of the user's `command`: its first word that is the name of a
 * Python ("env A=1 /venv/bin/python train.py"), else the python3 of `path`. Its
 * arguments are `addr` and `port`, borrowed, or none (NULL). Fails when one of
 * the programs isn't there. */
int bundled_server_command(const char *server, char *const command[],
			   const char *path, const char *addr, const char *port,
			   struct bundled_server *ret, struct err *err);
