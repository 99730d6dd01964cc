/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: how the step's controller leads the step, in dist-train-step alone
 * (helpers/step/dist-train-step.c).
 *
 *	lead		the server with its arbiter (helpers/server), and all
 *			that belongs to it: who doesn't come, the progress
 *	lead_srun	what srun is told, and tells, over its line
 *	srun_watch	that line
 *	lead_roster	with recovery: which node has which launchers
 *
 * It prints nothing; what it has to say goes through the callbacks of its
 * options.
 */
#ifndef DT_HELPERS_LEAD_LEAD_H
#define DT_HELPERS_LEAD_LEAD_H

#include "core/base/err.h"
#include "helpers/lead/lead_options.h"

struct lead;
struct server;

/* NULL on failure. */
struct lead *lead_open(const struct lead_options *options, struct err *err);

struct server *lead_server(const struct lead *lead);

/* The whole step was told to end: launchers that haven't connected yet, and may
 * never have been started, aren't waited for once the others are gone. */
void lead_told_to_end(struct lead *lead);

void lead_close(struct lead *lead);

#endif
