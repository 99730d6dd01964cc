/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/registry.h"

#include "core/base/text.h"
#include "core/facts/handover.h"
#include "core/facts/learned.h"
#include "registry/component_options.h"

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
	return config_parse(argc, argv, config, err);
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

int handed_learned(env_lookup_fn lookup, void *arg, const struct config *config,
		   struct request *request, struct job *job,
		   char remark[COMPONENTS_REMARK_SIZE], struct err *err)
{
	const char *text = lookup(arg, HANDOVER_LEARNED);
	const char *words = lookup(arg, HANDOVER_LEARN);
	const char *options = lookup(arg, HANDOVER_COMPONENTS);
	unsigned what;

	*remark = '\0';
	if (!text || !words)
		return 0;
	if (learned_words(words, &what, err) < 0 ||
	    learned_apply(text, what, job, err) < 0)
		return -1;
	if (!options)
		options = lookup(arg, HANDOVER_REQUEST);
	return components_take(options, config, job, request, remark, err);
}

/* --- for another process --- */

/* What core/facts reads besides Slurm's own names and ours. */
static const char *const other_names[] = {
	"CUDA_VISIBLE_DEVICES",	     "ROCR_VISIBLE_DEVICES",
	"ASCEND_RT_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
	"DIST_TRAIN_STEP",	     NULL};

bool handed_is_fact(const char *entry)
{
	size_t n = strcspn(entry, "=");

	if (!strncmp(entry, "SLURM", 5))
		return true;
	for (const char *const *name = other_names; *name; name++)
		if (!strncmp(entry, *name, n) && !(*name)[n])
			return true;
	return false;
}

char *handed_text(char *const environment[], char *const command[],
		  size_t *ret_n)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	char *text;

	for (; f && *environment; environment++)
		if (handed_is_fact(*environment))
			fprintf(f, "%s%c", *environment, '\0');
	for (; f && command && *command; command++)
		fprintf(f, "=%s%c", *command, '\0');
	text = text_stream_take(&stream);
	*ret_n = text ? stream.size : 0;
	return text;
}

int handed_text_read(char *text, size_t n,
		     int (*set)(void *arg, const char *name, const char *value),
		     int (*word)(void *arg, char *word), void *arg)
{
	char *end = text + n, *value;
	int rc = n && !end[-1] ? 0 : -1;

	for (; rc == 0 && text < end; text += strlen(text) + 1) {
		if (*text == '=') {
			rc = word(arg, text + 1);
			continue;
		}
		value = strchr(text, '=');
		if (!value || !handed_is_fact(text))
			return -1;
		*value = '\0';
		rc = set(arg, text, value + 1);
		*value = '=';
	}
	return rc;
}
