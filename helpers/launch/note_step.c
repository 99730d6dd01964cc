/* SPDX-License-Identifier: Apache-2.0 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "helpers/launch/note.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/facts/handover.h"
#include "helpers/launch/launch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

#define KEYS_MAX  1000
#define NODES_MAX 4000

static void put_text(FILE *f, const char *name, const char *text, size_t max)
{
	char *cut = text && *text ? strndup(text, max) : NULL;
	char *quoted = cut ? malloc(JSON_QUOTE_SIZE(strlen(cut))) : NULL;

	if (quoted)
		fprintf(f, ",\"%s\":%s", name,
			json_quote(cut, quoted, JSON_QUOTE_SIZE(strlen(cut))));
	free(quoted);
	free(cut);
}

/* A number that Slurm has given. */
static void put_number(FILE *f, const char *name, const char *variable)
{
	const char *text = getenv(variable);
	long number;

	if (text && parse_number(text, 0, LONG_MAX, &number) == 0)
		fprintf(f, ",\"%s\":%ld", name, number);
}

static void put_all(FILE *f, const struct launch *l)
{
	put_text(f, "keys", getenv(HANDOVER_REQUEST), KEYS_MAX);
	put_text(f, "nodes", l->view.step->nodes, NODES_MAX);
	put_text(f, "log_dir", request_text(&l->request, KEY_LOG_DIR),
		 KEYS_MAX);
	put_text(f, "version", PACKAGE_VERSION, 32);
	put_text(f, "cluster", getenv("SLURM_CLUSTER_NAME"), 64);
	fprintf(f, ",\"spares\":%u,\"requeue\":%u", l->plan.resolved.spares,
		l->view.step->restart);
	put_number(f, "job_start", "SLURM_JOB_START_TIME");
	put_number(f, "job_end", "SLURM_JOB_END_TIME");
	put_number(f, "submitted", HANDOVER_SUBMITTED);
	put_number(f, "array_job", "SLURM_ARRAY_JOB_ID");
	put_number(f, "array_task", "SLURM_ARRAY_TASK_ID");
}

char *note_step_more(const struct launch *l)
{
	char *more = NULL;
	size_t size;
	FILE *f = open_memstream(&more, &size);

	if (!f)
		return NULL;
	put_all(f, l);
	if (fclose(f) == 0)
		return more;
	free(more);
	return NULL;
}

char *note_step_line(const struct launch *l)
{
	const char *slash = strrchr(l->program, '/');
	cleanup_free char *more = note_step_more(l);

	return more ? record_step_line(&l->plan, slash ? slash + 1 : l->program,
				       more)
		    : NULL;
}
