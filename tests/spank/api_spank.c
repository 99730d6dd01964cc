/* SPDX-License-Identifier: Apache-2.0 */
/* SPANK's functions, with what the real ones do and don't do (22.05 to 26.05:
 * src/common/plugstack.c, spank.c). */
#include "config.h"

#include "host.h"

#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* setenvf(): longer strings are dropped in silence. */
#define STRING_MAX (32 * 4096)

#if !HAVE_DECL_SPANK_PREPEND_TASK_ARGV
spank_err_t spank_prepend_task_argv(spank_t sp, int argc, const char *argv[]);
#endif

void forbidden(const char *what)
{
	static const char *const hooks[] = {"no hook", "init", "init_post_opt",
					    "local_user_init", "task_init"};

	fprintf(stderr, "host: %s in %s (context %d)%s\n", what,
		hooks[stage.hook], (int)stage.context,
		stage.idle ? ", in a step without the option" : "");
	abort();
}

spank_context_t spank_context(void)
{
	return stage.context;
}

static void need_remote(const char *what)
{
	if (stage.context != S_CTX_REMOTE || stage.hook == HOOK_NONE)
		forbidden(what);
}

static void need_use(const char *what)
{
	need_remote(what);
	if (stage.idle)
		forbidden(what);
}

/* Only what Slurm takes for its own --distribution, and only in clients. */
static spank_err_t register_abbreviation(const struct spank_option *opt)
{
	struct result *r = stage.result;
	unsigned i = stage.nabbreviations++;

	if (strncmp(opt->name, "distribution", strlen(opt->name)) != 0 ||
	    stage.context == S_CTX_REMOTE || i == ABBREVIATIONS_MAX)
		forbidden("a second spank_option_register()");
	snprintf(stage.abbreviation[i].name, sizeof(stage.abbreviation->name),
		 "%s", opt->name);
	stage.abbreviation[i].val = opt->val;
	stage.abbreviation[i].callback = opt->cb;
	snprintf(r->abbreviations + strlen(r->abbreviations),
		 sizeof(r->abbreviations) - strlen(r->abbreviations), "%s%s",
		 i ? " " : "", opt->name);
	return ESPANK_SUCCESS;
}

/* `abbreviation --NAME=VALUE`, from a script or the command line. */
void give_abbreviations(struct range r)
{
	const char *text;

	for (unsigned at = 0; (text = range_next(r, "abbreviation", &at));) {
		const char *name = text + strspn(text, "-");
		size_t len = strcspn(name, "=");
		unsigned i = 0;

		while (i < stage.nabbreviations &&
		       (strlen(stage.abbreviation[i].name) != len ||
			strncmp(stage.abbreviation[i].name, name, len) != 0))
			i++;
		if (i == stage.nabbreviations || !name[len])
			errx(1, "%s isn't registered", text);
		if (stage.abbreviation[i].callback(stage.abbreviation[i].val,
						   name + len + 1, 0) != 0)
			exit(255);
	}
}

spank_err_t spank_option_register(spank_t sp, struct spank_option *opt)
{
	const char *words = range_get(stage.section, "cmdline");

	(void)sp;
	if (words && !stage.callback)
		program_invocation_short_name =
			strndup(words, strcspn(words, " "));
	if (stage.hook != HOOK_INIT || stage.context == S_CTX_SLURMD ||
	    stage.context == S_CTX_JOB_SCRIPT)
		forbidden("spank_option_register()");
	if (!opt || !opt->name || !opt->usage || strlen(opt->name) > 75)
		return ESPANK_BAD_ARG;
	if (stage.callback)
		return register_abbreviation(opt);
	if (opt->has_arg != 1 || !opt->arginfo)
		forbidden("an option without an argument");
	snprintf(stage.result->option, sizeof(stage.result->option), "%s",
		 opt->name);
	stage.callback = opt->cb;
	return ESPANK_SUCCESS;
}

/* Before the step exists srun has no items; sbatch and slurmd never do. */
static spank_err_t is_available(spank_item_t item)
{
	if (stage.context == S_CTX_REMOTE && stage.hook != HOOK_NONE)
		return ESPANK_SUCCESS;
	if (stage.context != S_CTX_LOCAL || stage.hook != HOOK_LOCAL)
		return ESPANK_NOT_AVAIL;
	switch (item) {
	case S_JOB_UID:
	case S_JOB_GID:
	case S_JOB_ID:
	case S_JOB_STEPID:
	case S_JOB_ARGV:
	case S_JOB_NNODES:
	case S_JOB_TOTAL_TASK_COUNT:
	case S_JOB_ENV:
		return ESPANK_SUCCESS;
	default:
		return ESPANK_NOT_REMOTE;
	}
}

static uint32_t component_tasks(void)
{
	const char *text = range_get(stage.head, "ntasks");

	return text ? (uint32_t)strtoul(text, NULL, 10) : stage.step.ntasks;
}

/* The nodes that its tasks are on. */
static uint32_t component_nodes(void)
{
	const char *text = range_get(stage.head, "first");
	unsigned first = text ? (unsigned)atoi(text) : 0, n = 0;

	for (unsigned i = 0; i < stage.step.nnodes; i++) {
		unsigned task = stage.step.node[i].task[0];

		n += task >= first && task - first < component_tasks();
	}
	return text ? n : stage.step.nnodes;
}

/* Of its component's tasks, where Slurm's variable is the whole step's. */
static uint32_t component_task(void)
{
	const char *first = range_get(stage.head, "first");
	const char *task = env_get(stage.env, "SLURM_PROCID");

	if (!task)
		forbidden("the number of a task where there is none");
	return (uint32_t)(atoi(task) - (first ? atoi(first) : 0));
}

spank_err_t spank_get_item(spank_t sp, spank_item_t item, ...)
{
	spank_err_t rc = is_available(item);
	va_list ap;

	(void)sp;
	if (rc != ESPANK_SUCCESS)
		return rc;
	va_start(ap, item);
	switch (item) {
	case S_JOB_ID:
		*va_arg(ap, uint32_t *) = stage.step.job_id;
		break;
	case S_JOB_STEPID:
		*va_arg(ap, uint32_t *) = stage.step.step_id;
		break;
	case S_JOB_NNODES:
		*va_arg(ap, uint32_t *) = component_nodes();
		break;
	case S_JOB_NODEID:
		*va_arg(ap, uint32_t *) = stage.node;
		break;
	case S_JOB_TOTAL_TASK_COUNT:
		*va_arg(ap, uint32_t *) = component_tasks();
		break;
	case S_TASK_GLOBAL_ID:
		*va_arg(ap, uint32_t *) = component_task();
		break;
	case S_JOB_UID:
		*va_arg(ap, uid_t *) = JOB_UID;
		break;
	case S_JOB_GID:
		*va_arg(ap, gid_t *) = getgid();
		break;
	case S_JOB_LOCAL_TASK_COUNT:
		*va_arg(ap, uint32_t *) = stage.step.ntasks;
		break;
	case S_JOB_ARGV:
		*va_arg(ap, int *) = stage.argc;
		*va_arg(ap, char ***) = stage.argv;
		break;
	case S_JOB_ENV:
		*va_arg(ap, char ***) = stage.env;
		break;
	default:
		forbidden("an item that the scenarios don't know");
	}
	va_end(ap);
	return ESPANK_SUCCESS;
}

spank_err_t spank_setenv(spank_t sp, const char *name, const char *value,
			 int overwrite)
{
	(void)sp;
	need_use("spank_setenv()");
	stage.result->nsetenvs++;
	if (!name || !value)
		return ESPANK_BAD_ARG;
	if (!overwrite && env_get(stage.env, name))
		return ESPANK_ENV_EXISTS;
	if (strlen(name) + strlen(value) + 2 < STRING_MAX)
		env_put(&stage.env, name, value);
	return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t sp, const char *name)
{
	(void)sp;
	/* the job's option is hidden from the tasks of each srun */
	if (strstr(name, "SLURM_SPANK_OPTION_dist_train_"))
		need_remote("spank_unsetenv()");
	else
		need_use("spank_unsetenv()");
	env_remove(stage.env, name);
	return ESPANK_SUCCESS;
}

spank_err_t spank_prepend_task_argv(spank_t sp, int argc, const char *argv[])
{
	char **all = calloc((size_t)(argc + stage.argc) + 1, sizeof(*all));

	(void)sp;
	if (stage.hook != HOOK_TASK)
		forbidden("spank_prepend_task_argv()");
	for (int i = 0; i < argc; i++)
		all[i] = strdup(argv[i]);
	for (int i = 0; i < stage.argc; i++)
		all[argc + i] = stage.argv[i];
	free(stage.argv);
	stage.argv = all;
	stage.argc += argc;
	return ESPANK_SUCCESS;
}
