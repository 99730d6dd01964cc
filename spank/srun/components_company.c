/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In srun: what the launchers of a heterogeneous step need to find each other
 * and the step's one controller. What is known when the step exists reaches one
 * component, so that the ports of the controller are bound, and the secret is
 * drawn, as soon as srun reads a second component; both go into its environment
 * then. The controller itself starts later (hand_over.c). The step has no
 * number yet: the secret is sealed for the ports.
 */
#include "config.h"

#include "spank/srun/srun.h"

#include "core/facts/device.h"
#include "core/facts/handover.h"
#include "core/facts/port.h"
#include "core/plan/recovery.h"
#include "spank/slurm/cmdline.h"
#include "spank/slurm/secret.h"
#include "spank/slurm/slurmctld.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	bool begun, has_doors, has_secret;
	struct step_doors doors;
	struct err why; /* there are none */
	struct handover_secret secret;
} company;

/* What all components get. */
static const char *const names[] = {
	HANDOVER_COMPONENTS, HANDOVER_HET,	HANDOVER_STEP_PORTS,
	HANDOVER_CREDENTIAL, HANDOVER_TERMINAL, HANDOVER_PROLOG,
	HANDOVER_OWN,	     HANDOVER_RELEASE,	HANDOVER_LEAVE,
	HANDOVER_NPUS,	     HANDOVER_ROLES,
};

#define NNAMES (sizeof(names) / sizeof(*names))

bool components_have(const char *name)
{
	for (size_t i = 0; components_there() && i < NNAMES; i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strcmp(name, HANDOVER_ROLES);
}

void components_forget(void)
{
	for (size_t i = 0; i < NNAMES; i++)
		unsetenv(names[i]);
}

static unsigned port_to_try(const void *arg, unsigned try)
{
	return port_beside_srun((unsigned)getpid(), arg, try);
}

static int put(const char *name, const char *value, struct err *err)
{
	return value && setenv(name, value, 1) < 0 ? err_memory(err) : 0;
}

/* Without a secret each launcher works alone, as in any step. */
static int put_secret(const char *id, struct err *err)
{
	cleanup_free char *credential = NULL;
	struct err why;

	slurmctld_load_auth();
	secret_find_munge();
	credential = secret_make(id, &company.secret, &why);
	company.has_secret = credential;
	return put(HANDOVER_CREDENTIAL, credential, err);
}

static int put_doors(const struct config *c, char ret[32], struct err *err)
{
	const struct port_range range =
		slurmctld_spare_ports(c->port_min, c->port_max);
	const struct step_ports ports = {.port = port_to_try, .arg = &range};
	const struct step_doors *d = &company.doors;

	company.has_doors =
		step_doors_open(&ports, &company.doors, &company.why) == 0;
	snprintf(ret, 32, "%u %u", company.has_doors ? d->port : 0,
		 company.has_doors ? d->facts_port : 0);
	return company.has_doors ? put(HANDOVER_STEP_PORTS, ret, err) : 0;
}

static int put_all(const struct adapter *a, struct err *err)
{
	bool launcher = resolved_may_launch(&a->request, &a->resolved, 1);
	bool prolog =
		resolve_divides_view(&a->request) &&
		(slurmctld_has_task_prolog() || cmdline_has_task_prolog());
	bool npus = a->resolved.needs & NEEDS_DEVICES && gres_may_be_generic();
	char ports[32] = "0 0", id[64];

	if (launcher && put_doors(&a->config, ports, err) < 0)
		return -1;
	snprintf(id, sizeof(id), "%d:%s", HANDOVER_VERSION, ports);
	if (put(HANDOVER_HET, id, err) < 0 ||
	    put(HANDOVER_RELEASE, PACKAGE_VERSION, err) < 0 ||
	    put(HANDOVER_OWN, a->config.own_defaults, err) < 0 ||
	    put(HANDOVER_NPUS,
		npus ? gres_generic_name(slurmctld_gres_types()) : NULL,
		err) < 0 ||
	    put(HANDOVER_PROLOG, prolog ? "1" : NULL, err) < 0 ||
	    put(HANDOVER_TERMINAL, isatty(STDERR_FILENO) ? "1" : NULL, err) < 0)
		return -1;
	return launcher ? put_secret(id, err) : 0;
}

int components_meet(const struct adapter *a, struct err *err)
{
	char what[RECOVERY_ASKED];

	if (company.begun || !components_there() || components_left_alone())
		return 0;
	if (a->resolved.recovery)
		return err_printf(err,
				  "%s: a lost node can't be replaced in a "
				  "heterogeneous step; use one component",
				  recovery_asked(&a->resolved, what));
	company.begun = true;
	return put_all(a, err);
}

bool components_secret(struct handover_secret *ret)
{
	*ret = company.secret;
	explicit_bzero(&company.secret, sizeof(company.secret));
	return company.has_secret;
}

int components_doors(struct step_doors *ret, struct err *err)
{
	*ret = company.doors;
	if (company.has_doors) {
		company.has_doors = false;
		return 0;
	}
	*err = company.why;
	return -1;
}
