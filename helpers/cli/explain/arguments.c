/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/explain_show.h"

#include "core/base/parse.h"

#include <string.h>

/* Where the words of srun or sbatch begin; argc: nowhere. */
static int find_other(int argc, char *argv[])
{
	int i = 1;

	while (i < argc && strcmp(argv[i], "srun") != 0 &&
	       strcmp(argv[i], "sbatch") != 0) {
		if (!strcmp(argv[i], "--"))
			return argc;
		i++;
	}
	return i;
}

static int read_own(struct arguments *ret, struct err *err)
{
	const struct given *g = &ret->given;
	char shown[SHOW_SIZE];

	for (int i = 0; i < ASK_COUNT; i++)
		ret->ask.value[i] = option(g, ask_names[i]);
	if (ret->argc)
		return !g->n ? 0
			     : err_printf(err,
					  "explain: %s before %s: write "
					  "explain's options, then %s's line",
					  show(shown, g->word[0]), ret->argv[0],
					  ret->argv[0]);
	if (!g->n)
		return err_printf(err, "explain: which framework? write "
				       "explain FRAMEWORK[,KEY=VALUE]..., or "
				       "explain srun ... --dist-train=...");
	ret->request = g->word[0];
	if (g->n > 1 && !strcmp(g->word[-1], "--"))
		ret->command = g->word + 1;
	else if (g->n > 1)
		return err_printf(err, "explain: unexpected argument %s",
				  show(shown, g->word[1]));
	return 0;
}

int arguments_read(const struct command *explain, int argc, char *argv[],
		   struct arguments *ret, struct err *err)
{
	int own = find_other(argc, argv), rc;

	ret->argc = argc - own;
	ret->argv = argv + own;
	rc = command_read(explain, own, argv, &ret->given, err);
	if (rc)
		return rc;
	return read_own(ret, err) < 0 ? EXIT_USAGE : 0;
}

int arguments_number(const struct arguments *a, const char *name, long initial,
		     long max, long *ret, struct err *err)
{
	const char *text = option(&a->given, name);
	char shown[SHOW_SIZE];

	*ret = initial;
	if (!text || parse_number(text, 0, max, ret) == 0)
		return 0;
	return err_printf(err, "--%s=%s: must be a number up to %ld", name,
			  show(shown, text), max);
}
