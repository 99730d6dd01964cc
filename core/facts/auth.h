/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who vouches for users on this cluster: MUNGE, or Slurm's own authentication,
 * by tokens that a socket of its daemons makes (helpers/auth). Which one it is
 * says slurm.conf alone, never a peer. srun reads it there, who has no plugin
 * in what `scontrol show config` prints, and launchers get it handed over as a
 * text: this is all that looks at either.
 */
#pragma once

#include "core/facts/handover.h"

#include <stdbool.h>
#include <unistd.h>

#define AUTH_CLUSTER_SIZE 64

/* All 0 is MUNGE. */
struct auth {
	bool by_slurm;
	uid_t slurm_user; /* whose sockets count, besides root's */
	char cluster[AUTH_CLUSTER_SIZE];
	/* The socket as slurmstepd has opened it, for a container, where no
	 * path leads there; and the user's number outside of it. 0: it hasn't.
	 */
	int socket_fd;
	uid_t user;
};

/* Of slurm.conf's AuthType, SlurmUser and ClusterName; NULL is a text that
 * isn't there. */
void auth_of(const char *type, uid_t slurm_user, const char *cluster,
	     struct auth *ret);

/* Of what `scontrol show config` has printed. */
void auth_of_config(const char *config, struct auth *ret);

/* HANDOVER_BY_SLURM UID CLUSTER [SOCKET_FD USER], as srun hands it over, and
 * slurmstepd: whether the text is that. */
bool auth_read(const char *text, struct auth *ret);

/* The same of what launchers get that no srun has told: HANDOVER_BY_MUNGE, or
 * that text behind HANDOVER_MEET. */
bool auth_read_meet(const char *text, struct auth *ret);

/* Whichever of the two HANDOVER_SECRET is; NULL: it isn't there. What is
 * neither comes from MUNGE. */
void auth_handed(const char *secret, struct auth *ret);

/* That text, but for the socket; "" is MUNGE's. */
void auth_write(const struct auth *auth, char ret[AUTH_WORD_MAX]);
