/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles. The first line is the administrator's defaults, the second one the
 * features that srun, or the user, has handed over; the rest is a profile.
 */
#include "core/option/profile.h"

#include "tests/fuzz/fuzz.h"

static int count(void *arg, const char *feature)
{
	RULE(!strchr(feature, ' '));
	++*(unsigned *)arg;
	return 0;
}

/* Each name is one of the defaults, and occurs once. */
static void check_defaults(const char *defaults, const char *features)
{
	struct profile_place where = {
		.partition = "gpu", .node = "node1", .features = features};
	char *names = profile_defaults(defaults, &where);
	unsigned n = 0;

	RULE(names && strlen(names) <= strlen(defaults));
	RULE(!strchr(names, ' ') && !strchr(names, '@'));
	RULE(profile_features(defaults, "gpu", count, &n) == 0);
	RULE(n <= strlen(defaults));
	free(names);
}

static void check_lines(const struct profile *p)
{
	for (size_t i = 0; i < p->n; i++) {
		RULE(*p->line[i].name && !strchr(p->line[i].name, '='));
		RULE(strncmp(p->line[i].name, "SLURM", 5) != 0);
		RULE(!strpbrk(p->line[i].value, "$\"'\n"));
		RULE(!p->line[i].folder || p->line[i].value[0] == '/');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	char *defaults = strsep(&rest, "\n"), *features = strsep(&rest, "\n");
	struct profile profile = {0};
	struct err err = {""};

	check_defaults(defaults, features);
	if (rest && profile_parse("F.conf", rest, &profile, &err) < 0)
		fuzz_check_error(err.text);
	check_lines(&profile);
	profile_clear(&profile);
	free(text);
	return 0;
}
