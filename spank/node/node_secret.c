/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/node.h"

#include "core/facts/handover.h"
#include "spank/slurm/secret.h"
#include "spank/slurm/step_job.h"

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
	const char *credential;
	uid_t self = geteuid();
	struct step_owner owner;

	if (!job_was_handed_over(sp)) {
		secret_to_be_met();
		return;
	}
	credential = job_getenv(sp, HANDOVER_CREDENTIAL);
	if (credential && secret_is_asked_for(credential)) {
		secret_to_be_asked_for();
		return;
	}
	if (!credential || job_owner(sp, &owner) < 0 || act_as(owner.uid) < 0)
		return;
	secret_unseal(credential, owner.uid);
	act_as(self);
}
