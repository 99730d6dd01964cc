/* SPDX-License-Identifier: Apache-2.0 */
/* The secret that a step's launchers share, as the plugin hands it over. */
#ifndef DT_HELPERS_CHANNEL_STEP_SECRET_H
#define DT_HELPERS_CHANNEL_STEP_SECRET_H

#include "core/facts/handover.h"

#include <stddef.h>

/* Read it from its pipe, which is closed. `why` says why there is none, or is
 * left as it is. */
void step_secret_read(struct handover_secret *ret, char *why, size_t size);

#endif
