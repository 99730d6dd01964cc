/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/serving.h"

#include "core/base/parse.h"
#include "core/base/runlength.h"
#include "core/plan/framework.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

bool serving_api(const struct plan *plan, const char *host, unsigned port,
		 struct api *ret)
{
	char *const *command = plan->job->command;
	const char *own_host = argv_option(command, "host", NULL);
	const char *own_port = argv_option(command, "port", NULL);
	long number = port;

	if (argv_option(command, "uds", NULL) ||
	    argv_option(command, "ssl-certfile", NULL) ||
	    (own_port && parse_number(own_port, 1, UINT16_MAX, &number) < 0))
		return false;
	*ret = (struct api){.host = own_host ? own_host : host,
			    .port = (unsigned)number};
	return true;
}

/* Each node starts the same number of workers. */
static int check_devices(const struct plan *plan, struct err *err)
{
	const char *devices = plan->job->procs;
	struct runlength counts;

	if (!devices || runlength_read(devices, &counts) < 0 || counts.uniform)
		return 0;
	return err_printf(
		err,
		"%s starts the same number of workers on each node, but the "
		"step has %s devices per node; ask for equal nodes with "
		"--gpus-per-node=N",
		plan->request->framework->name, devices);
}

int serving_check(const struct plan *plan, struct err *err)
{
	char *const *command = plan->job->command;
	const char *nnodes = argv_option(command, "nnodes", NULL);
	const char *rank = argv_option(command, "node-rank", NULL);
	char shown[SHOW_SIZE];
	long n;

	if (nnodes && ladder_has(&plan->resolved.ladder, LADDER_SHRINK))
		return err_printf(err,
				  "your --nnodes %s stays the same when the "
				  "world shrinks (on-node-loss); leave it out: "
				  "the plugin adds each round's",
				  show(shown, nnodes));
	if (plan->nnodes == 1)
		return 0;
	if (nnodes && (parse_number(nnodes, 0, INT_MAX, &n) < 0 ||
		       n != (long)plan->nnodes))
		return err_printf(err,
				  "your --nnodes %s contradicts the step, "
				  "which has %u nodes; leave it out: the "
				  "plugin adds it",
				  show(shown, nnodes), plan->nnodes);
	if (rank)
		return err_printf(err,
				  "your --node-rank %s is the same on all %u "
				  "nodes of the step; leave it out: the plugin "
				  "adds each node's own",
				  show(shown, rank), plan->nnodes);
	return check_devices(plan, err);
}

int serving_own_address(const struct plan *plan, const char *name,
			struct envset *set, struct err *err)
{
	const char *own = plan->job->own_addr;

	if (!own)
		return 0;
	return envset_add(set, ENV_FACT, "routes to rank 0", err, name, "%s",
			  own);
}

int serving_option(const struct plan *plan, const char *name,
		   const char *letters, struct argset *args, struct err *err,
		   const char *fmt, ...)
{
	char value[512];
	va_list ap;

	if (argv_option(plan->job->command, name, letters))
		return 0;
	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	if (argset_add(args, err, "--%s", name) < 0)
		return -1;
	return argset_add(args, err, "%s", value);
}
