/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/handed.h"

#include "core/base/cleanup.h"
#include "core/facts/handover.h"
#include "registry/registry.h"

#include <stdlib.h>
#include <string.h>

#define LINES_MAX 64

static int read_config(const char *lines, struct config *config,
		       struct err *err)
{
	cleanup_free char *text = lines ? strdup(lines) : NULL;
	char *argv[LINES_MAX], *save = NULL;
	int argc = 0;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL;
	     line && argc < LINES_MAX; line = strtok_r(NULL, "\n", &save))
		argv[argc++] = line;
	return request_config(argc, argv, config, err);
}

int handed_read(env_lookup_fn lookup, void *arg, struct config *config,
		struct request *request, struct job *job, struct err *err)
{
	const char *text = lookup(arg, HANDOVER_REQUEST);

	if (read_config(lookup(arg, HANDOVER_CONFIG), config, err) < 0)
		return -1;
	if (!text)
		return err_printf(err, "%s isn't set", HANDOVER_REQUEST);
	if (config_own_defaults(lookup(arg, HANDOVER_OWN), config, err) < 0 ||
	    request_parse(text, config->defaults, config->allow, request, err) <
		    0)
		return -1;
	return job_read(lookup, arg, false, job, err);
}
