/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CHANNEL_SESSION_OPTIONS_H
#define DT_HELPERS_CHANNEL_SESSION_OPTIONS_H

#include "core/option/config.h"
#include "core/plan/plan.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stddef.h>

/* All are borrowed until session_close(). */
struct session_options {
	struct loop *loop;
	const struct plan *plan;
	const struct config *config;
	bool needs_go; /* the step can't start before everybody is ready */
	/* A message of the arbiter. MSG_LEAVE is the last. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	/* Lines for the user, each with its newline. */
	void (*say)(void *arg, const char *lines);
	void *arg;
};

#endif
