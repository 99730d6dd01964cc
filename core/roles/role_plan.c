/* SPDX-License-Identifier: Apache-2.0 */
#include "core/roles/role_plan.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A plan that is being made. */
struct placing {
	struct role_plan *plan;
	unsigned *taken; /* by node: devices from the first on */
	unsigned node;	 /* the next that no role has */
};

void role_plan_clear(struct role_plan *plan)
{
	free(plan->devices);
	free(plan->world);
	*plan = (struct role_plan){0};
}

/* --- how many worlds --- */

/* Of a role with worlds of some devices on this node. */
static unsigned worlds_of_node(const struct role_plan *plan,
			       const struct role_line *line, unsigned node)
{
	return plan->devices[node] / line->each_n;
}

static int count_worlds(struct placing *p, unsigned role, struct err *err)
{
	struct role_plan *plan = p->plan;
	const struct role_line *line = &plan->file->role[role];
	unsigned long n = 0;

	if (line->each == EACH_NONE)
		n = 1;
	else if (line->each == EACH_NODE)
		n = line->nodes / line->each_n;
	for (unsigned i = 0; line->each == EACH_DEVICE && i < line->nodes; i++)
		n += worlds_of_node(plan, line, p->node + i);
	if (plan->n + n > ROLE_WORLDS_MAX)
		return role_fault(plan->file, line->at, err,
				  "with role '%s' there would be %lu worlds; a "
				  "step has %d at most",
				  line->name, plan->n + n, ROLE_WORLDS_MAX);
	if (!n)
		return role_fault(plan->file, line->key_at[LINE_EACH], err,
				  "each=%ugpu has no room on the role's %u "
				  "node%s, where %u is the most devices of "
				  "one; ask srun for more: --gpus-per-node=%u",
				  line->each_n, line->nodes,
				  line->nodes == 1 ? "" : "s",
				  plan->devices[p->node], line->each_n);
	plan->first[role] = plan->n;
	plan->count[role] = (unsigned)n;
	plan->n += (unsigned)n;
	p->node += line->nodes;
	return 0;
}

int role_nodes_check(const struct role_file *file, unsigned nnodes,
		     struct err *err)
{
	unsigned long wanted = 0;

	for (unsigned i = 0; i < file->n; i++) {
		const struct role_line *line = &file->role[i];

		wanted += line->nodes;
		if (wanted > nnodes)
			return role_fault(
				file, line->key_at[LINE_NODES], err,
				"up to role '%s' the roles have %lu nodes, and "
				"the step %u; ask srun for more (-N), or write "
				"with=ROLE:N for a role that shares a node",
				line->name, wanted, nnodes);
	}
	return 0;
}

static int count_all(struct placing *p, struct err *err)
{
	struct role_plan *plan = p->plan;

	if (role_nodes_check(plan->file, plan->nnodes, err) < 0)
		return -1;
	for (unsigned i = 0; i < plan->file->n; i++)
		if (count_worlds(p, i, err) < 0)
			return -1;
	plan->world = calloc(plan->n, sizeof(*plan->world));
	return plan->world ? 0 : err_memory(err);
}

/* --- where they are --- */

static void place_by_devices(struct placing *p, struct role_world *world,
			     const struct role_line *line, unsigned role)
{
	for (unsigned i = 0, n = 0; i < line->nodes; i++) {
		unsigned node = p->node + i;

		for (unsigned k = 0; k < worlds_of_node(p->plan, line, node);
		     k++, n++)
			world[n] = (struct role_world){
				.role = role,
				.index = n,
				.node = node,
				.nnodes = 1,
				.device = k * line->each_n,
				.max_devices = line->each_n,
			};
		p->taken[node] =
			worlds_of_node(p->plan, line, node) * line->each_n;
	}
}

/* Worlds of whole nodes, or of `devices` of each. */
static int place_by_nodes(struct placing *p, struct role_world *world,
			  const struct role_line *line, unsigned role,
			  struct err *err)
{
	unsigned each = line->each == EACH_NODE ? line->each_n : line->nodes;
	unsigned n = p->plan->count[role];

	for (unsigned i = 0; i < n; i++)
		world[i] = (struct role_world){
			.role = role,
			.index = i,
			.node = p->node + i * each,
			.nnodes = each,
			.max_devices = line->devices < 0
					       ? UINT_MAX
					       : (unsigned)line->devices,
		};
	for (unsigned i = 0; i < n * each; i++) {
		unsigned node = p->node + i, has = p->plan->devices[node];

		if (line->devices > (int)has)
			return role_fault(p->plan->file,
					  line->key_at[LINE_DEVICES], err,
					  "devices=%d, but node %u of the step "
					  "has %u",
					  line->devices, node, has);
		p->taken[node] =
			line->devices < 0 ? has : (unsigned)line->devices;
	}
	return 0;
}

static int place_own(struct placing *p, unsigned role, struct err *err)
{
	const struct role_line *line = &p->plan->file->role[role];
	struct role_world *world = p->plan->world + p->plan->first[role];
	int rc = 0;

	if (line->each == EACH_DEVICE)
		place_by_devices(p, world, line, role);
	else
		rc = place_by_nodes(p, world, line, role, err);
	p->node += line->nodes;
	return rc;
}

/* On the first node of another role's world, with devices that are left. */
static int place_beside(struct placing *p, unsigned role, struct err *err)
{
	struct role_plan *plan = p->plan;
	const struct role_line *line = &plan->file->role[role];
	const struct role_line *other = &plan->file->role[line->with];
	unsigned n = plan->count[line->with], node, left, wanted;

	if (line->with_world >= n)
		return role_fault(plan->file, line->key_at[LINE_WITH], err,
				  "with=%s:%u: that role has %u world%s, and "
				  "the first is %s:0",
				  other->name, line->with_world, n,
				  n == 1 ? "" : "s", other->name);
	node = plan->world[plan->first[line->with] + line->with_world].node;
	left = plan->devices[node] - p->taken[node];
	wanted = line->devices < 0 ? 0 : (unsigned)line->devices;
	if (wanted > left)
		return role_fault(
			plan->file, line->key_at[LINE_DEVICES], err,
			"devices=%u, but only %u of the %u devices of "
			"node %u of the step are free; devices=N of "
			"role '%s' leaves some",
			wanted, left, plan->devices[node], node, other->name);
	plan->world[plan->first[role]] = (struct role_world){
		.role = role,
		.node = node,
		.nnodes = 1,
		.device = p->taken[node],
		.max_devices = wanted,
	};
	p->taken[node] += wanted;
	return 0;
}

static int place_all(struct placing *p, struct err *err)
{
	const struct role_file *file = p->plan->file;

	p->node = 0;
	for (unsigned i = 0; i < file->n; i++)
		if (file->role[i].with == ROLE_NONE && place_own(p, i, err) < 0)
			return -1;
	for (unsigned i = 0; i < file->n; i++)
		if (file->role[i].with != ROLE_NONE &&
		    place_beside(p, i, err) < 0)
			return -1;
	return 0;
}

int role_plan_make(const struct role_file *file, unsigned nnodes,
		   const unsigned *devices, struct role_plan *ret,
		   struct err *err)
{
	cleanup_free unsigned *taken = calloc(nnodes + 1UL, sizeof(*taken));
	struct role_plan plan = {.file = file, .nnodes = nnodes};
	struct placing p = {.plan = &plan, .taken = taken};

	plan.devices = malloc((nnodes + 1UL) * sizeof(*devices));
	if (!taken || !plan.devices) {
		role_plan_clear(&plan);
		return err_memory(err);
	}
	memcpy(plan.devices, devices, nnodes * sizeof(*devices));
	if (count_all(&p, err) < 0 || place_all(&p, err) < 0) {
		role_plan_clear(&plan);
		return -1;
	}
	*ret = plan;
	return 0;
}

/* --- what a plan says --- */

unsigned role_world_devices(const struct role_plan *plan,
			    const struct role_world *world, unsigned i)
{
	unsigned has = plan->devices[world->node + i];
	unsigned left = has > world->device ? has - world->device : 0;

	return left < world->max_devices ? left : world->max_devices;
}

unsigned role_world_procs(const struct role_plan *plan,
			  const struct role_world *world, unsigned i)
{
	const struct role_line *line = &plan->file->role[world->role];
	unsigned devices = role_world_devices(plan, world, i);

	if (line->procs)
		return line->procs;
	return line->per_device && devices ? devices : 1;
}

const char *role_world_name(const struct role_plan *plan,
			    const struct role_world *world,
			    char buf[ROLE_WORLD_NAME_SIZE])
{
	const char *name = plan->file->role[world->role].name;

	if (plan->count[world->role] == 1)
		snprintf(buf, ROLE_WORLD_NAME_SIZE, "%s", name);
	else
		snprintf(buf, ROLE_WORLD_NAME_SIZE, "%s.%u", name,
			 world->index);
	return buf;
}

unsigned role_worlds_find(const struct role_plan *plan, const char *name,
			  unsigned *ret_first, struct err *err)
{
	const char *colon = strchrnul(name, ':');
	int role = role_find(plan->file, name, (size_t)(colon - name));
	char shown[SHOW_SIZE];
	long n;

	if (role == ROLE_NONE) {
		err_printf(err, "there is no role %s; there are",
			   show(shown, name));
		for (unsigned i = 0; i < plan->file->n; i++)
			text_add(err->text, sizeof(err->text), " ", "%s",
				 plan->file->role[i].name);
		return 0;
	}
	*ret_first = plan->first[role];
	if (!*colon)
		return plan->count[role];
	if (parse_number(colon + 1, 0, plan->count[role] - 1L, &n) < 0) {
		err_printf(err, "%s: role '%s' has worlds 0 to %u",
			   show(shown, name), plan->file->role[role].name,
			   plan->count[role] - 1);
		return 0;
	}
	*ret_first += (unsigned)n;
	return 1;
}

/* Nodes that a role has and none of its worlds. */
static unsigned left_over(const struct role_plan *plan, unsigned role)
{
	const struct role_line *line = &plan->file->role[role];

	if (line->each == EACH_NODE)
		return line->nodes % line->each_n;
	return 0;
}

bool role_plan_remark(const struct role_plan *plan, unsigned n,
		      char buf[ROLE_REMARK_SIZE])
{
	unsigned nodes = 0;

	for (unsigned i = 0; i < plan->file->n; i++) {
		const struct role_line *line = &plan->file->role[i];
		unsigned left = left_over(plan, i);

		nodes += line->nodes;
		if (!left || n-- > 0)
			continue;
		snprintf(buf, ROLE_REMARK_SIZE,
			 "%u of role '%s's nodes stay%s empty: nodes=%u is no "
			 "multiple of each=%unode",
			 left, line->name, left == 1 ? "s" : "", line->nodes,
			 line->each_n);
		return true;
	}
	nodes = plan->nnodes - nodes;
	if (!nodes || n > 0)
		return false;
	snprintf(buf, ROLE_REMARK_SIZE,
		 "%u of the step's %u nodes stay%s empty: no role has %s",
		 nodes, plan->nnodes, nodes == 1 ? "s" : "",
		 nodes == 1 ? "it" : "them");
	return true;
}
