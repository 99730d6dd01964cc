/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "core/base/runlength.h"
#include "core/facts/handover.h"
#include "core/roles/role_plan.h"
#include "registry/role_options.h"
#include "spank/slurm/cmdline.h"
#include "sys/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A job that this srun asks for would wait in the queue for its refusal. */
static int check_own_job(const struct role_file *file, struct err *err)
{
	struct srun_hint hint;

	if (getenv("SLURM_JOB_ID") || cmdline_has(":"))
		return 0;
	prescan_step(&hint);
	if (!hint.nnodes || hint.more_nodes)
		return 0;
	return role_nodes_check(file, hint.nnodes, err);
}

/* What --export lets through to the nodes, which read the file again. */
struct exported {
	const char *list; /* "ALL,NAME=VALUE"; "" is all */
	char value[4096];
};

/* As Slurm has it: a value of the list's own, a name of it, or all that begins
 * with SLURM. */
static const char *exported_value(void *arg, const char *name)
{
	struct exported *e = arg;
	size_t n = strlen(name), len;
	bool all = !*e->list || !strncmp(name, "SLURM", 5);

	for (const char *at = e->list; *at; at += len + (at[len] == ',')) {
		len = strcspn(at, ",");
		all = all || (len == 3 && !strncasecmp(at, "ALL", 3)) ||
		      (len == n && !strncmp(at, name, n));
		if (len <= n || at[n] != '=' || strncmp(at, name, n) != 0)
			continue;
		snprintf(e->value, sizeof(e->value), "%.*s", (int)(len - n - 1),
			 at + n + 1);
		return e->value;
	}
	return all ? getenv(name) : NULL;
}

/* The components of a step are one world of roles. */
static int check_same(const char *text, struct err *err)
{
	const char *other = getenv(HANDOVER_ROLES);

	if (!other || !strcmp(other, text))
		return 0;
	return err_printf(err, "the components of this srun have different "
			       "files of roles; write one file, whose roles "
			       "have the nodes of all components in turn");
}

int roles_put(int argc, char *const argv[], const struct config *config,
	      struct err *err)
{
	struct exported exported = {.list = cmdline_export()};
	cleanup_free char *text = NULL;
	struct role_file file;
	int rc;

	if (role_program_read(argc, argv, text_file_read, exported_value,
			      &exported, config, &text, &file, err) < 0)
		return -1;
	rc = check_own_job(&file, err);
	role_file_clear(&file);
	if (rc < 0 || check_same(text, err) < 0)
		return -1;
	return setenv(HANDOVER_ROLES, text, 1) < 0 ? err_memory(err) : 0;
}

/* How many devices each node has: `counts` tells it by task, of which each node
 * has one; NULL: they have none. */
static unsigned *devices_by_node(unsigned nnodes, const char *counts)
{
	unsigned *devices = calloc(nnodes, sizeof(*devices));
	unsigned long before;

	for (unsigned i = 0; devices && counts && i < nnodes; i++)
		if (runlength_at(counts, i, &devices[i], &before) < 0)
			devices[i] = 0;
	return devices;
}

int roles_place(const char *name, unsigned nnodes, const char *counts,
		const struct config *config, struct err *err)
{
	cleanup_free unsigned *devices = devices_by_node(nnodes, counts);
	struct exported exported = {.list = cmdline_export()};
	const char *text = getenv(HANDOVER_ROLES);
	struct role_plan plan;
	struct role_file file;
	char remark[ROLE_REMARK_SIZE];
	int rc;

	if (!devices)
		return err_memory(err);
	if (!text)
		return err_printf(err,
				  "srun's command line isn't known here, so "
				  "that the file of roles can't be read; "
				  "dist-train exec roles FILE does");
	if (role_file_read(text, name, exported_value, &exported, config, &file,
			   err) < 0)
		return -1;
	rc = role_plan_make(&file, nnodes, devices, &plan, err);
	for (unsigned n = 0; rc == 0 && role_plan_remark(&plan, n, remark); n++)
		log_line("%s", remark);
	if (rc == 0)
		role_plan_clear(&plan);
	role_file_clear(&file);
	return rc;
}
