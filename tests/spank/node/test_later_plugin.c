/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries are loaded is asked while another thread changes that. A
 * build with sanitizers sees it when what has been unloaded is read. */
#include "spank/node/node.h"

#include "spank/node/container.h"
#include "spank/slurm/step_job.h"
#include "tests/fixtures/unit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#define TIMES 2000

/* --- what stands in for the rest of the plugin -----------------------------
 */

int container_launcher(const char *argv0, char ret[LAUNCHER_INSIDE_SIZE],
		       struct err *err)
{
	(void)argv0;
	(void)ret;
	return err_printf(err, "no container");
}

bool container_is_steps(const struct env_entry *e)
{
	return e != NULL;
}

int prepend_program(spank_t sp, const char *program, struct err *err)
{
	(void)sp;
	(void)program;
	(void)err;
	return 0;
}

char **job_env(spank_t sp)
{
	(void)sp;
	return NULL;
}

const char *job_getenv(void *sp, const char *name)
{
	(void)sp;
	(void)name;
	return NULL;
}

/* ---------------------------------------------------------------------------
 */

static atomic_bool stop;
static atomic_uint loads;

static void *load_and_unload(void *arg)
{
	(void)arg;
	while (!stop) {
		void *a = dlopen("libmunge.so.2", RTLD_LAZY);
		void *b = dlopen("libutil.so.1", RTLD_LAZY);

		if (a)
			dlclose(a);
		if (b)
			dlclose(b);
		loads++;
	}
	return NULL;
}

static void while_others_load(void **state)
{
	pthread_t thread;
	unsigned n = 0;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, load_and_unload, NULL),
			 0);
	while (n++ < TIMES || loads < TIMES)
		assert_false(later_plugin_find());
	stop = true;
	pthread_join(thread, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(while_others_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
