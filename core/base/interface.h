/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The network interfaces of a node, as far as one can see from that node: names
 * and what they are like, and which of them can't lead to another node. Lists,
 * no arithmetic on addresses. sys/interfaces.h fills it in slurmstepd; it goes
 * to the launcher as text, and core/plan/coordinator.h decides with it.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>

#define INTERFACE_NAME_SIZE 16 /* the kernel's IFNAMSIZ */
#define INTERFACES_MAX	    64 /* those after it are left out */

enum interface_flag {
	INTERFACE_RUNNING = 1 << 0,  /* up and attached, not only up */
	INTERFACE_ROUTABLE = 1 << 1, /* has an address that isn't link-local */
	INTERFACE_LINK_LOCAL = 1 << 2, /* 169.254.0.0/16 or fe80::/10 */
	INTERFACE_LOOPBACK = 1 << 3,
	INTERFACE_BRIDGE = 1 << 4, /* of this host: docker's, libvirt's, ... */
};

/* One that is up and has an address. An alias ("eth0:1") is one, too. */
struct interface {
	char name[INTERFACE_NAME_SIZE];
	unsigned flags;
};

struct interfaces {
	unsigned n;
	struct interface at[INTERFACES_MAX];
};

/* The entry of that name, which is made if there is none; NULL when the list is
 * full or the name is one that no list can hold (commas, '='). */
struct interface *interfaces_add(struct interfaces *list, const char *name);

/* "lo=rl,eth0=ra"; the caller frees it. NULL when out of memory. */
char *interfaces_text(const struct interfaces *list);

/* Read such a text. Returns 0, or -1 when it isn't one; *ret is then empty. */
int interfaces_parse(const char *text, struct interfaces *ret);

/* Whether other nodes may be reached by it. `route` is the interface that is
 * known to lead to them. */
bool interface_leads(const struct interface *i, const char *route);

/* Whether all but loopback do. */
bool interfaces_all_lead(const struct interfaces *list, const char *route);

/* Refuse comma-separated names of which the list has none: the error tells what
 * it has. A list that is empty or full may lack some, and refuses none. */
int interfaces_check(const char *names, const struct interfaces *list,
		     const char *node, struct err *err);

/* The first of the comma-separated names that the list has, or just the first
 * of them: `list` may be NULL (unknown). */
void interfaces_first(const char *names, const struct interfaces *list,
		      char ret[INTERFACE_NAME_SIZE]);
