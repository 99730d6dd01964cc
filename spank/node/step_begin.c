/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In slurmstepd, before the tasks are: what it finds out once for all of them,
 * the launchers' secret, the step's devices, the way to rank 0's node. Called
 * by begin_step() in spank/plugin.c.
 */
#include "config.h"

#include "spank/node/node.h"

#include "core/base/hostlist.h"
#include "core/base/parse.h"
#include "core/facts/device.h"
#include "spank/slurm/secret.h"
#include "spank/slurm/step_job.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SYS_setresuid32
#define SETRESUID SYS_setresuid32 /* the other one's ids have 16 bits */
#else
#define SETRESUID SYS_setresuid
#endif

/* seteuid() changes all threads of slurmstepd; this one changes the caller
 * alone. Back to root it can't fail: the real and the saved id are root's. */
static int act_as(uid_t user)
{
	return (int)syscall(SETRESUID, -1, user, -1);
}

void node_secret_open(spank_t sp)
{
	const char *credential = job_handed(sp, HANDOVER_CREDENTIAL);
	uid_t self = geteuid();
	struct step_owner owner;

	if (!job_was_handed_over(sp)) {
		secret_to_be_met();
		return;
	}
	if (credential && secret_is_asked_for(credential)) {
		secret_to_be_asked_for();
		return;
	}
	if (!credential || job_owner(sp, &owner) < 0 || act_as(owner.uid) < 0)
		return;
	secret_unseal(credential, owner.uid);
	act_as(self);
}

int step_devices_keep(spank_t sp, struct err *err)
{
	const char *gpus = job_getenv(sp, "SLURM_STEP_GPUS");

	spank_unsetenv(sp, HANDOVER_VISIBLE);
	if (job_setenv(sp, HANDOVER_GPUS, gpus, err) < 0)
		return -1;
	if (!gpus)
		return 0;
	for (int i = 0; device_variables[i]; i++) {
		const char *seen = job_getenv(sp, device_variables[i]);
		cleanup_free char *pair = NULL;

		if (!seen)
			continue;
		if (asprintf(&pair, "%s=%s", device_variables[i], seen) < 0)
			return err_memory(err);
		return job_setenv(sp, HANDOVER_VISIBLE, pair, err);
	}
	return 0;
}

void step_route_find(spank_t sp, const struct resolved *resolved,
		     struct route *ret)
{
	const char *addr = job_handed(sp, HANDOVER_ADDR);

	if (!resolved->find_nic)
		return;
	route_find(addr ? addr : ROUTE_LOOPBACK, ret);
	if (addr && resolved->own_address && *ret->interface)
		route_address_of(ret->interface, ret->own, sizeof(ret->own));
}

void release_blame(spank_t sp, struct err *err)
{
	const char *srun = job_handed(sp, HANDOVER_RELEASE);
	char node[HOSTLIST_NAME_MAX], shown[SHOW_SIZE];
	const struct err why = *err;

	if (!srun || !strcmp(srun, PACKAGE_VERSION) ||
	    job_node_name(sp, node) < 0)
		return;
	err_printf(err,
		   "%s has slurm-dist-train '%s', srun has %.40s (install one "
		   "release on all hosts): %.700s",
		   node, PACKAGE_VERSION, show(shown, srun), why.text);
}
