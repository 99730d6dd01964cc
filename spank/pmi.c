/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "spank/pmi.h"

#include "core/cleanup.h"
#include "core/framework.h"
#include "spank/cmdline.h"
#include "spank/controller.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MPI_TYPE "SLURM_MPI_TYPE" /* srun's default of --mpi */
#define OPTION	 "SLURM_SPANK__SLURM_SPANK_OPTION_dist_train_"

/* Why PMIx isn't there, for pmi_check(). */
static char why_not[512] = "nothing in srun's command line or environment "
			   "asked for it";

enum asks { ASKS_NOTHING, ASKS_OTHER, ASKS_PMI };

/* What the option's text asks for, by the framework's name alone: the rest is
 * judged later. */
static enum asks judge(const char *text)
{
	const struct framework *fw;
	char name[64];
	struct err err;

	if (!text || strcspn(text, ",") >= sizeof(name))
		return ASKS_NOTHING;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ","), text);
	if (!strcmp(name, "none"))
		return ASKS_OTHER;
	fw = framework_find(name, &err);
	if (!fw)
		return ASKS_NOTHING;
	return fw->needs & NEEDS_PMI ? ASKS_PMI : ASKS_OTHER;
}

/* The value if `word` is the option, maybe abbreviated; "" if it is the next
 * word; NULL if it is another. */
static const char *option_value(const char *word, const char *option)
{
	size_t len = strcspn(word, "=");

	if (len < 3 || strncmp(word, "--", 2) != 0 ||
	    strncmp(word + 2, option, len - 2) != 0)
		return NULL;
	return word[len] ? word + len + 1 : "";
}

/* Where the program's own arguments begin isn't known here. At worst one of
 * them starts a PMIx server that nobody needs. */
static enum asks judge_cmdline(const char *option)
{
	enum asks found = ASKS_NOTHING, asks;
	char word[128];
	FILE *f = cmdline_may_have(option) ? cmdline_open() : NULL;

	while (f && cmdline_next(f, word, sizeof(word)) &&
	       strcmp(word, "--") != 0) {
		const char *value = option_value(word, option);

		if (!value)
			continue;
		if (!*value && !cmdline_next(f, word, sizeof(word)))
			break;
		asks = judge(*value ? value : word);
		if (asks > found)
			found = asks;
	}
	if (f)
		fclose(f);
	return found;
}

/* What sbatch or salloc has handed on (src/common/plugstack.c). */
static enum asks judge_environment(const char *option)
{
	char name[sizeof(OPTION) + 64];
	size_t prefix = strlen(OPTION);

	snprintf(name, sizeof(name), OPTION "%s", option);
	for (char *p = name + prefix; *p; p++)
		if (strchr("-.", *p))
			*p = '_';
	return judge(getenv(name));
}

/* The library that Slurm's plugin opens, by the name that is in its file: not
 * all releases ask for the same. */
static int check_library(const char *plugin)
{
	static const char new_name[] = "libpmix.so.2";
	const char *library = "libpmix.so";
	cleanup_close int fd = open(plugin, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *text, *handle;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
		return -1;
	text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return -1;
	if (memmem(text, (size_t)st.st_size, new_name, sizeof(new_name)))
		library = new_name;
	munmap(text, (size_t)st.st_size);
	handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	if (!handle) {
		snprintf(why_not, sizeof(why_not),
			 "%s, which %.300s opens, can't be loaded on this host",
			 library, plugin);
		return -1;
	}
	dlclose(handle);
	return 0;
}

/* srun would end with an error of its own if it can't load these two. */
static bool is_usable(void)
{
	const char *dirs = controller_plugin_dirs();
	char plugin[4096];

	for (const char *p = dirs ? dirs : ""; *p; p += *p == ':') {
		size_t len = strcspn(p, ":");

		snprintf(plugin, sizeof(plugin), "%.*s/mpi_pmix.so", (int)len,
			 p);
		if (access(plugin, R_OK) == 0)
			return check_library(plugin) == 0;
		p += len;
	}
	snprintf(why_not, sizeof(why_not),
		 "this Slurm has no mpi_pmix.so (PluginDir is %.400s)",
		 dirs ? dirs : "unknown");
	return false;
}

void pmi_choose(const struct config *config)
{
	const char *sites = controller_mpi_default();
	enum asks asks;

	if (getenv(MPI_TYPE) || (sites && strcmp(sites, "none") != 0))
		return;
	asks = judge_cmdline(config->option);
	if (asks == ASKS_NOTHING)
		asks = judge_environment(config->option);
	if (asks != ASKS_PMI)
		return;
	if (!config->choose_pmix)
		snprintf(why_not, sizeof(why_not),
			 "the administrator has it off (mpi=off)");
	else if (is_usable() && setenv(MPI_TYPE, "pmix", 0) == 0)
		snprintf(why_not, sizeof(why_not), "srun has --mpi=none");
}

int pmi_check(const char *framework, struct err *err)
{
	const char *type = getenv(MPI_TYPE);

	if (type && *type && strcmp(type, "none") != 0)
		return 0;
	return err_printf(err,
			  "%s finds its ranks through PMI, which this step "
			  "doesn't have: %s; srun --mpi=pmix or --mpi=pmi2 "
			  "asks for it, srun --mpi=list shows what there is",
			  framework, why_not);
}
