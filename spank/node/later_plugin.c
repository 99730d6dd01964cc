/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/node.h"

#include "core/base/argset.h"
#include "spank/node/container.h"
#include "spank/slurm/step_job.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

/* The libraries that were loaded after ours. */
struct later {
	const void *own; /* where ours begins */
	bool after_own;
	struct argset names;
};

static int collect(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct later *later = arg;
	struct err unused;

	(void)size;
	if (later->after_own &&
	    argset_add(&later->names, &unused, "%s", info->dlpi_name) < 0)
		return -1;
	if ((const void *)info->dlpi_addr == later->own)
		later->after_own = true;
	return 0;
}

static bool has_task_init(const char *name)
{
	void *lib = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	bool has = lib && dlsym(lib, "slurm_spank_task_init");

	if (lib)
		dlclose(lib);
	return has;
}

/* Slurm loads plugins in the order of their lines, so those after ours in the
 * list of loaded libraries are later. The list is the loader's, and another
 * thread may load a library: it is walked under the loader's lock, and what
 * takes another lock of it comes afterwards. */
bool later_plugin_find(void)
{
	static const char own[] = "";
	struct later later = {0};
	bool found = false;
	Dl_info info;

	if (!dladdr(own, &info))
		return false;
	later.own = info.dli_fbase;
	dl_iterate_phdr(collect, &later);
	for (size_t i = 0; i < later.names.n && !found; i++)
		found = has_task_init(later.names.arg[i]);
	argset_clear(&later.names);
	return found;
}

static void put(FILE *f, char kind, const char *text)
{
	fprintf(f, "%c%s%c", kind, text, '\0');
}

/* Write the variables as they are now: in task mode our values, with the
 * launcher the user's. */
static void put_decided(FILE *f, spank_t sp, const struct envset *set)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct env_entry *e = &set->entry[i];
		const char *value;

		if (!container_is_steps(e))
			continue;
		value = job_getenv(sp, e->name);
		if (value)
			fprintf(f, "%c%s=%s%c", HANDOVER_ENV_SET, e->name,
				value, '\0');
		else
			put(f, HANDOVER_ENV_UNSET, e->name);
	}
}

static void put_handover(FILE *f, spank_t sp)
{
	for (char **env = job_env(sp); env && *env; env++)
		if (!strncmp(*env, HANDOVER_PREFIX, strlen(HANDOVER_PREFIX)))
			put(f, HANDOVER_ENV_SET, *env);
}

static void put_root(FILE *f)
{
	struct stat root;

	if (stat("/", &root) == 0)
		fprintf(f, "%c%ju:%ju%c", HANDOVER_ENV_ROOT,
			(uintmax_t)root.st_dev, (uintmax_t)root.st_ino, '\0');
}

int later_plugin_hand_over(spank_t sp, const struct job *job,
			   const struct envset *set, bool launcher,
			   struct err *err)
{
	char name[LAUNCHER_INSIDE_SIZE];
	FILE *f;
	int fd;

	if (container_launcher("", name, err) < 0)
		return -1;
	if (prepend_program(sp, name, err) < 0)
		return -1;
	fd = memfd_create(HANDOVER_ENV_NAME, MFD_ALLOW_SEALING);
	f = fd < 0 ? NULL : fdopen(dup(fd), "w");
	if (!f)
		return err_printf(
			err, "can't pass the environment to the launcher: %s",
			strerror(errno));
	put_root(f);
	put_decided(f, sp, set);
	put_handover(f, sp);
	if (launcher)
		put(f, HANDOVER_ENV_LAUNCHER, "");
	if (job->nnodes > 1)
		put(f, HANDOVER_ENV_NODE, job->node_name);
	if (fclose(f) != 0 || fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return err_printf(
			err, "can't pass the environment to the launcher: %s",
			strerror(errno));
	return 0; /* the launcher has the descriptor */
}
