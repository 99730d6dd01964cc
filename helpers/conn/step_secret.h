/* SPDX-License-Identifier: Apache-2.0 */
/* The secret that a step's launchers share, as the plugin hands it over or as
 * they have passed it on themselves (helpers/meet/meet.h). */
#pragma once

#include "core/facts/auth.h"
#include "core/facts/handover.h"

#include <stdbool.h>
#include <stddef.h>

#define SECRET_WHY_SIZE 256

struct met_secret {
	bool there; /* the rest is set */
	unsigned char secret[SECRET_SIZE];
	struct auth auth; /* the cluster's issuer */
	char *credential; /* for who asks task 0's launcher; NULL: nobody does
			     any more */
	char why[SECRET_WHY_SIZE]; /* there is no secret; "" */
};

/* What srun has told to a controller beside it. */
struct handed_secret {
	struct handover_secret secret;
	char credential[CREDENTIAL_SIZE];
};

/* Read it, and the credential in which it came, from their pipe, which is
 * closed. `why` says why there is none, or is left as it is. False: it is to be
 * asked for, by what is in ret_credential (auth_read()). */
bool step_secret_read(struct handover_secret *ret,
		      char ret_credential[CREDENTIAL_SIZE], char *why,
		      size_t size);
