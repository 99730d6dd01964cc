/* SPDX-License-Identifier: Apache-2.0 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/base/text.h"
#include "helpers/output/timeline.h"

#include "core/base/parse.h"
#include "core/facts/handover.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void put_all(FILE *f, const struct plan *plan, const struct job *step)
{
	put_text(f, "keys", getenv(HANDOVER_REQUEST), KEYS_MAX);
	put_text(f, "nodes", step->nodes, NODES_MAX);
	put_text(f, "log_dir", request_text(plan->request, KEY_LOG_DIR),
		 KEYS_MAX);
	put_text(f, "version", PACKAGE_VERSION, 32);
	put_text(f, "cluster", getenv("SLURM_CLUSTER_NAME"), 64);
	fprintf(f, ",\"spares\":%u,\"requeue\":%u", plan->resolved.spares,
		step->restart);
	put_number(f, "job_start", "SLURM_JOB_START_TIME");
	put_number(f, "job_end", "SLURM_JOB_END_TIME");
	put_number(f, "submitted", HANDOVER_SUBMITTED);
	put_number(f, "array_job", "SLURM_ARRAY_JOB_ID");
	put_number(f, "array_task", "SLURM_ARRAY_TASK_ID");
}

char *record_asked(const struct plan *plan, const struct job *step)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	if (!f)
		return NULL;
	put_all(f, plan, step);
	return text_stream_take(&stream);
}

char *record_head(const struct plan *plan, const struct job *step,
		  const char *program)
{
	const char *slash = strrchr(program, '/');
	cleanup_free char *more = record_asked(plan, step);

	return more ? record_step_line(plan, slash ? slash + 1 : program, more)
		    : NULL;
}

char *record_member(const char *name, const char *text)
{
	size_t n = strnlen(text, RECORD_TEXT_MAX);
	cleanup_free char *cut = strndup(text, n);
	cleanup_free char *quoted = malloc(JSON_QUOTE_SIZE(n));
	char *ret;

	if (!cut || !quoted ||
	    asprintf(&ret, ",\"%s\":%s", name,
		     json_quote(cut, quoted, JSON_QUOTE_SIZE(n))) < 0)
		return NULL;
	return ret;
}
