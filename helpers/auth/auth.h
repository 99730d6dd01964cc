/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: how two processes of a user on two hosts know that they are of
 * the same user, by what Slurm itself uses for that. Two issuers vouch for
 * users, and which of them is the cluster's is never a peer's choice:
 *
 *	MUNGE		munge.h: a credential that only the user can open, so
 *			that a secret can be in it
 *	auth/slurm	a token that the socket of Slurm's daemon on the host
 *			makes and verifies (sack.h, sack_words.h). It is signed,
 *			not sealed, so two tokens with keys in them are dealt
 *			(deal.h): asker.h is the side that asks for a step's
 *			secret, giver.h the one that has it.
 *
 * What goes over the network between them is helpers/conn/question.h's.
 */
#ifndef DT_HELPERS_AUTH_AUTH_H
#define DT_HELPERS_AUTH_AUTH_H

#include "core/facts/handover.h"

#include <stdbool.h>
#include <sys/types.h>

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

/* Whose tokens ours are. */
uid_t auth_user(const struct auth *auth);

/* HANDOVER_BY_SLURM UID CLUSTER [SOCKET_FD USER], as srun hands it over, and
 * slurmstepd: whether the text is that. */
bool auth_read(const char *text, struct auth *ret);

/* The same text, but for the socket. */
void auth_write(const struct auth *auth, char ret[AUTH_WORD_MAX]);

/* Of what `scontrol show config` has printed. */
void auth_of_config(const char *config, struct auth *ret);

#endif
