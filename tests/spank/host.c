/* SPDX-License-Identifier: Apache-2.0 */
/* host PLUGIN SCENARIO...: 0 when the plugin does what all of them want. */
#include "host.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int new_file(void)
{
	int fd = memfd_create("stream", MFD_CLOEXEC);

	if (fd < 0)
		err(1, "memfd_create");
	return fd;
}

/* srun's environment stays for the tasks that follow. */
static bool play_section(const char *plugin, const struct scenario *s,
			 struct range section, struct result *srun,
			 const struct words **carried)
{
	bool is_srun = !strcmp(section.line[section.from].word, "srun");
	struct result *result = is_srun ? srun : srun + 1;
	int out = new_file(), errors = new_file(), status;
	bool ok;

	memset(result, 0, offsetof(struct result, data));
	stage.result = result;
	status = stage_play(plugin, section, *carried, out, errors);
	ok = judge(s, section, result, status, out, errors);
	if (is_srun && result->finished)
		*carried = &result->after;
	close(out);
	close(errors);
	return ok;
}

static bool play_file(const char *plugin, const char *file,
		      struct result *results)
{
	const struct words *carried = NULL;
	struct scenario s;
	struct range section;
	bool ok = true;

	scenario_read(file, &s);
	stage = (struct stage){.scenario = &s, .head = scenario_head(&s)};
	step_read(stage.head, &stage.step);
	for (unsigned at = 0; scenario_section(&s, &at, &section);)
		ok &= play_section(plugin, &s, section, results, &carried);
	stage = (struct stage){0};
	scenario_free(&s);
	return ok;
}

int main(int argc, char **argv)
{
	struct result *results;
	int nfailed = 0;

	if (argc < 3)
		errx(2, "usage: host PLUGIN SCENARIO...");
	stage_main(argc, argv);
	results = mmap(NULL, 2 * sizeof(*results), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		err(1, "mmap");
	for (int i = 2; i < argc; i++)
		nfailed += !play_file(argv[1], argv[i], results);
	printf("host: %d of %d scenarios failed\n", nfailed, argc - 2);
	return nfailed ? EXIT_FAILURE : EXIT_SUCCESS;
}
