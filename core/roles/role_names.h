/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the names of a file of roles stand for once all addresses are known: the
 * command of each world, and the variables that its processes find.
 *
 * In words, $NAME and ${NAME} are, the first that fits:
 *
 *	PORT PORT1...		ports of the world itself
 *	ROLE_URLS		http://HOST:PORT of each world of that role
 *	ROLE_ADDRS		HOST:PORT of each
 *	ROLE_PORT ROLE_PORT1	ports of its first world
 *	ROLE_PORTS ROLE_PORT1S	that port of each
 *	NAME			the submitter's exported variable
 *
 * where ROLE is a role's name in capitals. As a shell has it, a value outside
 * of quotes is split at its blanks, one in "" isn't, and a $ in '' or behind \
 * stands for itself. Nothing else is done that a shell does.
 *
 * A process finds the same names behind DIST_TRAIN_, of all roles, values with
 * blanks between; DIST_TRAIN_ROLE, the role's name as it is written, and
 * DIST_TRAIN_ROLE_INDEX, its world; PORT, PORT1...
 */
#pragma once

#include "core/base/envset.h"
#include "core/roles/role_plan.h"

/* Where a world is reached. */
struct role_address {
	const char *host;     /* name or IP address of its first node */
	const unsigned *port; /* as many as its role has `ports` */
};

/* For one world. */
struct role_names {
	const struct role_plan *plan;
	const struct role_address *address; /* by world of the plan */
	unsigned world;			    /* which of them it is for */
	env_lookup_fn lookup;		    /* the submitter's variables */
	void *arg;
};

/* The world's command: argv, ending with NULL. Where `address` is NULL, as in
 * explain, names of roles and ports stay as they are written. Fails with
 * FILE:LINE:COLUMN for an unknown name, for a word that is longer than the
 * kernel takes, and when out of memory. role_command_free() otherwise. */
char **role_command(const struct role_names *names, struct err *err);

void role_command_free(char **argv);

/* Add the variables of the world's processes: those of all roles, its own ports
 * and DIST_TRAIN_ROLE, DIST_TRAIN_ROLE_INDEX. Fails when one is longer than the
 * kernel takes: the error says which, and how long. */
int role_env(const struct role_names *names, struct envset *set,
	     struct err *err);

/* "http://HOST:PORT" of the i-th world's first port. Returns buf. */
#define ROLE_URL_SIZE 288
const char *role_url(const struct role_address *address,
		     char buf[ROLE_URL_SIZE]);
