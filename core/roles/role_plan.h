/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which worlds a file of roles comes to on the nodes of a step, and where each
 * is. Roles take nodes in the file's order, nodes in the step's, devices in
 * their node's; those with `with` stand beside another world.
 *
 * So a world's nodes follow each other in the step, and its devices do on each
 * node: two numbers tell both. All nodes come to the same plan without asking.
 */
#pragma once

#include "core/roles/role_file.h"

#define ROLE_WORLDS_MAX 4096

/* Ports that follow each other, which each world has: ROLE_PORTS_MAX for its
 * processes, the rest for its launchers. */
#define ROLE_PORT_BLOCK (4 * ROLE_PORTS_MAX)

struct role_world {
	unsigned role;	/* number of its line */
	unsigned index; /* among the role's worlds: DIST_TRAIN_ROLE_INDEX */
	unsigned node, nnodes; /* the step's nodes that it has, by the step's
				  order; 1 at least */
	unsigned device;       /* the first that it has of each node's devices,
				  as a position among these */
	unsigned max_devices;  /* at most so many of each node; with UINT_MAX
				  all from `device` on */
};

struct role_plan {
	const struct role_file *file; /* borrowed */
	unsigned nnodes;	      /* of the step */
	unsigned *devices;	      /* how many each node has */
	struct role_world *world;     /* by role, then index */
	unsigned n;
	unsigned first[ROLES_MAX]; /* of each role's worlds */
	unsigned count[ROLES_MAX];
};

/* Place the roles of a file on so many nodes, in the step's order (those of a
 * heterogeneous step in the order of its components); `devices` has how many
 * each has. `file` must outlive the plan. Fails with FILE:LINE:COLUMN where
 * there are too few nodes or devices, or too many worlds. role_plan_clear()
 * otherwise. */
int role_plan_make(const struct role_file *file, unsigned nnodes,
		   const unsigned *devices, struct role_plan *ret,
		   struct err *err);

/* Refuse a file whose roles have more nodes than so many. */
int role_nodes_check(const struct role_file *file, unsigned nnodes,
		     struct err *err);

void role_plan_clear(struct role_plan *plan);

/* Of the world's i-th node, below nnodes: how many devices and processes it has
 * there. */
unsigned role_world_devices(const struct role_plan *plan,
			    const struct role_world *world, unsigned i);
unsigned role_world_procs(const struct role_plan *plan,
			  const struct role_world *world, unsigned i);

/* "rollout.1", or "trainer" where the role has one world: in messages, labels
 * and names of files. Returns buf. */
#define ROLE_WORLD_NAME_SIZE (ROLE_NAME_SIZE + 11)
const char *role_world_name(const struct role_plan *plan,
			    const struct role_world *world,
			    char buf[ROLE_WORLD_NAME_SIZE]);

/* What `dist-train wait ROLE[:N]` and others call by that name: worlds from
 * *ret_first on, all of the role without N. Returns how many; 0 with the error
 * set: there are none of that name. */
unsigned role_worlds_find(const struct role_plan *plan, const char *name,
			  unsigned *ret_first, struct err *err);

/* The n-th line, from 0, of what a person should know although it works: nodes
 * that no role has. False: no more. */
#define ROLE_REMARK_SIZE 256
bool role_plan_remark(const struct role_plan *plan, unsigned n,
		      char buf[ROLE_REMARK_SIZE]);
