/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/rsh/rsh.h"

#include "core/base/text.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* All options of OpenSSH 9's ssh(1); '+': stop at the first other word. */
#define OPTIONS                                                                \
	"+1246AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:"         \
	"Q:R:S:W:w:"
#define REFUSED "DEGLMNOQRSVWw" /* tunnels, and queries to ssh itself */

/* Since 23.11 Slurm makes Hydra append this srun option to the launcher's name
 * (HYDRA_LAUNCHER_EXTRA_ARGS), whatever the launcher is. */
#define EXTERNAL 256
static const struct option of_srun[] = {
	{"external-launcher", no_argument, NULL, EXTERNAL},
	{NULL, 0, NULL, 0},
};

/* Read options up to the next word that isn't one. */
static int read_options(int argc, char *argv[], struct rsh_options *o,
			struct err *err)
{
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, OPTIONS, of_srun, NULL)) != -1) {
		if (c == EXTERNAL)
			continue;
		if (c == '?' && !optopt)
			return err_printf(err, "unknown option %.60s",
					  argv[optind - 1]);
		if (c == '?')
			return err_printf(err, "unknown option -%c", optopt);
		if (strchr(REFUSED, c))
			return err_printf(
				err,
				"option -%c: this stand-in for ssh only starts "
				"a command on a node of the step",
				c);
		o->no_input |= c == 'n';
	}
	return 0;
}

static char *join_words(char *const word[], struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	for (int i = 0; f && word[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", word[i]);
	return text_stream_end(&stream, 0, err);
}

int rsh_options_read(int argc, char *argv[], struct rsh_options *ret,
		     struct err *err)
{
	struct rsh_options o = {0};
	const char *at;

	if (read_options(argc, argv, &o, err) < 0)
		return -1;
	if (optind >= argc)
		return err_printf(err, "no host; as ssh: [OPTION]... "
				       "[USER@]HOST COMMAND [ARG]...");
	at = strrchr(argv[optind], '@');
	o.host = at ? at + 1 : argv[optind];
	optind++;
	if (read_options(argc, argv, &o, err) < 0)
		return -1;
	if (optind >= argc)
		return err_printf(err,
				  "no command for %s: this stand-in for ssh "
				  "has no interactive shell",
				  o.host);
	o.command = join_words(argv + optind, err);
	if (!o.command)
		return -1;
	*ret = o;
	return 0;
}
