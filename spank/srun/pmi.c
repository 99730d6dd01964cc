/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In srun: choose PMIx for a framework or an exchange that needs it
 * (pmi_choose, before srun reads its options), and refuse a step that has no
 * PMI although its framework needs one (pmi_check).
 */
#include "config.h"

#include "spank/srun/srun.h"

#include "spank/slurm/option_once.h"
#include "spank/slurm/slurmctld.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MPI_TYPE "SLURM_MPI_TYPE" /* srun's default of --mpi */

/* Why PMIx isn't there, for pmi_check(). */
static char why_not[512] =
	"neither srun's command line nor its environment asks for it";

enum asks { ASKS_NOTHING, ASKS_OTHER, ASKS_PMI };

/* What the option's text asks for. One that is wrong is refused later. */
static enum asks judge(const char *text, const struct config *config)
{
	struct err ignored;
	const struct request *r = option_once(text, config, &ignored);
	struct resolved w;

	if (!r || !r->framework)
		return r ? ASKS_OTHER : ASKS_NOTHING;
	resolve(r, NULL, &w);
	return r->framework->needs & NEEDS_PMI ||
			       w.exchange == EXCHANGE_MAY_PMIX
		       ? ASKS_PMI
		       : ASKS_OTHER;
}

struct found {
	const struct config *config;
	enum asks asks; /* the strongest request found so far */
};

/* A text that isn't our option (it may be an argument of the program) at worst
 * starts a PMIx server that nobody uses. */
static void judge_text(void *arg, const char *text)
{
	struct found *f = arg;
	enum asks asks = judge(text, f->config);

	if (asks > f->asks)
		f->asks = asks;
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
			 "%s, which %.300s needs, can't be loaded on this host",
			 library, plugin);
		return -1;
	}
	dlclose(handle);
	return 0;
}

/* Whether mpi_pmix.so and libpmix can be loaded here: if not, srun would end
 * with an error of its own. */
static bool is_usable(void)
{
	const char *dirs = slurmctld_plugin_dirs();
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

/* What the user has set, or asked of the step that this srun is called in: each
 * step has the variable, and "none" in it may be nobody's wish, as in salloc's
 * shell. */
static bool is_chosen(void)
{
	const char *type = getenv(MPI_TYPE);

	return type && (strcmp(type, "none") != 0 || !getenv("SLURM_STEP_ID"));
}

void pmi_choose(const struct config *config)
{
	const char *sites = slurmctld_mpi_default();
	struct found f = {config, ASKS_NOTHING};

	if (is_chosen() || (sites && strcmp(sites, "none") != 0))
		return;
	prescan_option(config, judge_text, &f);
	if (f.asks != ASKS_PMI)
		return;
	if (!config->choose_pmix)
		snprintf(why_not, sizeof(why_not),
			 "the administrator has turned it off (mpi=off)");
	else if (is_usable() && setenv(MPI_TYPE, "pmix", 1) == 0)
		snprintf(why_not, sizeof(why_not), "srun has --mpi=none");
}

int pmi_check_exchange(struct err *err)
{
	const char *type = getenv(MPI_TYPE);

	if (type && !strncmp(type, "pmix", 4))
		return 0;
	if (type && *type && strcmp(type, "none") != 0)
		return err_printf(
			err,
			"exchange=pmix: this step has --mpi=%.40s, but a step "
			"has only one kind of PMI; use --mpi=pmix",
			type);
	return err_printf(
		err,
		"exchange=pmix: this step has no PMIx: %s; use srun --mpi=pmix "
		"if srun --mpi=list shows it; exchange=tcp, or the "
		"administrator's inventory=, needs no PMIx",
		why_not);
}

int pmi_check(const char *framework, struct err *err)
{
	const char *type = getenv(MPI_TYPE);

	if (type && *type && strcmp(type, "none") != 0)
		return 0;
	return err_printf(err,
			  "%s finds its ranks through PMI, which this step "
			  "doesn't have: %s; use srun --mpi=pmix or "
			  "--mpi=pmi2; srun --mpi=list shows which exist",
			  framework, why_not);
}
