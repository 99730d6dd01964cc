/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern slurm_conf_t slurm_conf;
extern char **environ;

/* What sbatch and salloc leave for srun. */
#define INHERITED "SLURM_SPANK__SLURM_SPANK_OPTION_dist_train_dist_train"

struct stage stage;

struct plugin {
	void *handle;
	spank_f *init, *post_opt, *local, *privileged, *task, *exit;
	char **args;
	int nargs;
};

static void put_pair(const char *pair)
{
	char *name = strdup(pair), *eq = strchr(name, '=');

	if (!eq)
		errx(1, "env: %s isn't NAME=VALUE", pair);
	*eq = '\0';
	env_put(&stage.env, name, eq + 1);
	free(name);
}

static void put_number(const char *name, unsigned n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	env_put(&stage.env, name, text);
}

static void put_lines(struct range r, const char *word)
{
	const char *text;

	for (unsigned at = 0; (text = range_next(r, word, &at));)
		put_pair(text);
}

/* --- for the judge --- */

static void keep(struct words *ret, char **from)
{
	struct result *r = stage.result;

	for (ret->n = 0; from && *from && ret->n < WORDS_MAX; from++) {
		size_t size = strlen(*from) + 1;

		if (r->used + size > sizeof(r->data))
			abort();
		ret->word[ret->n++] = memcpy(r->data + r->used, *from, size);
		r->used += size;
	}
}

/* --- the plugin --- */

static spank_f *symbol(void *handle, const char *name)
{
	return (spank_f *)dlsym(handle, name);
}

static char **split(const char *text, int *ret_n)
{
	char **words = calloc(64, sizeof(*words));
	char *copy = strdup(text), *save = NULL;
	int n = 0;

	for (char *w = strtok_r(copy, " ", &save); w && n < 63;
	     w = strtok_r(NULL, " ", &save))
		words[n++] = strdup(w);
	free(copy);
	*ret_n = n;
	return words;
}

static void load(const char *file, struct plugin *p)
{
	const char *args = range_get(stage.head, "args");

	p->handle = dlopen(file, RTLD_NOW);
	if (!p->handle)
		errx(1, "%s", dlerror());
	if (!dlsym(p->handle, "plugin_name") ||
	    !dlsym(p->handle, "plugin_type") ||
	    !dlsym(p->handle, "plugin_version"))
		errx(1, "%s is no plugin", file);
	p->init = symbol(p->handle, "slurm_spank_init");
	p->post_opt = symbol(p->handle, "slurm_spank_init_post_opt");
	p->local = symbol(p->handle, "slurm_spank_local_user_init");
	p->privileged = symbol(p->handle, "slurm_spank_task_init_privileged");
	p->task = symbol(p->handle, "slurm_spank_task_init");
	p->exit = symbol(p->handle, "slurm_spank_exit");
	p->args = split(args ? args : "", &p->nargs);
}

static void call(struct plugin *p, spank_f *f, enum hook hook)
{
	stage.hook = hook;
	if (f && f((spank_t)&stage, p->nargs, p->args) != 0)
		forbidden("a hook that returns an error");
	stage.hook = HOOK_NONE;
}

static void unload(struct plugin *p)
{
	call(p, p->exit, HOOK_EXIT);
	dlclose(p->handle);
	env_free(p->args);
	env_free(stage.env);
	env_free(stage.argv);
}

static void give_option(const char *text, bool remote)
{
	char *copy = strdup(text);
	int rc = stage.callback ? stage.callback(0, copy, remote) : -1;

	free(copy); /* as Slurm does: the plugin needs its own */
	if (rc != 0 && !remote)
		errx(255, "Invalid --%s argument: %s", stage.result->option,
		     text);
}

/* All sources in their order. A client ends when the callback refuses, a
 * daemon only writes it into its log. */
static void give_options(struct range r, bool remote)
{
	const char *text = range_get(r, "inherited");

	/* From its variable Slurm passes what getenv() returns */
	if (text && (remote || getenv(INHERITED)))
		stage.callback(0, remote ? text : getenv(INHERITED), remote);

	for (unsigned at = 0; (text = range_next(r, "option", &at));)
		give_option(text, remote);
}

/* Each component of a heterogeneous step with its own option, or "-". Returns
 * how many there are. */
static int give_components(struct plugin *p, struct range section)
{
	const char *text;
	int n = 0;

	for (unsigned at = 0; (text = range_next(section, "component", &at));
	     n++) {
		if (strcmp(text, "-") != 0)
			give_option(text, false);
		call(p, p->post_opt, HOOK_POST_OPT);
	}
	return n;
}

static bool is_idle(struct range section)
{
	const char *own = range_get(section, "option");
	const char *given = own ? own : range_get(section, "component");

	given = given ? given : range_get(stage.head, "option");
	given = given ? given : range_get(stage.head, "inherited");
	return !given || !strcmp(given, "none") ||
	       stage.step.step_id >= SLURM_INTERACTIVE_STEP;
}

static void begin(struct plugin *p, struct range section)
{
	bool remote = stage.context == S_CTX_REMOTE;
	const char *components = range_get(section, "components");

	call(p, p->init, HOOK_INIT);
	give_options(stage.head, remote);
	give_options(section, remote);
	give_abbreviations(section);
	if (!give_components(p, section))
		for (int n = components ? atoi(components) : 1; n > 0; n--)
			call(p, p->post_opt, HOOK_POST_OPT);
	stage.result->killed_on_bad_exit = slurm_conf.kill_on_bad_exit;
}

static char **main_argv;
static int main_argc;

void stage_main(int argc, char **argv)
{
	main_argc = argc;
	main_argv = argv;
}

/* Whether it is an srun --async, which has left when its step exists. Of that,
 * and where the program is a file of roles, the plugin sees what main() was
 * told; getopt() has read it up to the program. */
static bool leaves(struct range section)
{
	const char *words = range_get(section, "cmdline");
	bool async = false;
	char **word;
	int n;

	if (!words || (!strstr(words, " --as") && !strstr(words, ".roles")))
		return false;
	word = split(words, &n);
	if (n > main_argc)
		errx(1, "cmdline has more words than the host itself");
	for (int i = 0; i <= n; i++)
		main_argv[i] = word[i];
	free(word);
	for (optind = 1; optind < n && *main_argv[optind] == '-'; optind++)
		async |= !strncmp(main_argv[optind], "--as", 4);
	return async;
}

static void play_client(struct plugin *p, struct range section)
{
	const char *nodes = range_get(stage.head, "nodes");
	const char *inherited = range_get(stage.head, "inherited");
	const char *argv = range_get(section, "command");
	char *own = step_node_list(&stage.step);

	stage.leaves = leaves(section);
	if (inherited)
		env_put(&stage.env, INHERITED, inherited);
	put_number("SLURM_JOB_ID", stage.step.job_id);
	if (stage.context == S_CTX_LOCAL)
		env_put(&stage.env, "SLURM_NODELIST", nodes ? nodes : own);
	put_lines(stage.head, "env");
	put_lines(section, "env");
	free(own);
	conf_read();
	stage.argv = split(argv ? argv : "./train", &stage.argc);
	clearenv();
	for (char **e = stage.env; e && *e; e++)
		putenv(*e);
	keep(&stage.result->before, environ);
	begin(p, section);
	if (stage.context == S_CTX_LOCAL && !stage.leaves)
		call(p, p->local, HOOK_LOCAL);
	stage.result->killed_on_bad_exit = slurm_conf.kill_on_bad_exit;
	keep(&stage.result->after, environ);
	stage.result->finished = true;
	conf_free();
	clearenv();
	unload(p);
}

/* --- slurmstepd --- */

static bool find_task(unsigned task, unsigned *ret_node, unsigned *ret_local)
{
	for (unsigned i = 0; i < stage.step.nnodes; i++)
		for (unsigned t = 0; t < stage.step.node[i].ntasks; t++)
			if (stage.step.node[i].task[t] == task) {
				*ret_node = i;
				*ret_local = t;
				return true;
			}
	return false;
}

/* What Slurm puts into the environment of the step on one node. */
static void put_step(const struct words *carried, struct range section,
		     unsigned node)
{
	const struct node *n = &stage.step.node[node];
	char *list = step_node_list(&stage.step), gtids[4096] = "";
	char tasks[STEP_TASKS_SIZE];
	bool all = !range_get(stage.head, "export");

	for (unsigned i = 0; carried && i < carried->n; i++)
		if (all || !strncmp(carried->word[i], "SLURM", 5))
			put_pair(carried->word[i]);
	for (unsigned t = 0; t < n->ntasks; t++)
		snprintf(gtids + strlen(gtids), sizeof(gtids) - strlen(gtids),
			 "%s%u", t ? "," : "", n->task[t]);
	put_number("SLURM_JOB_ID", stage.step.job_id);
	put_number("SLURM_STEP_ID", stage.step.step_id);
	put_number("SLURM_STEP_NUM_TASKS", stage.step.ntasks);
	put_number("SLURM_STEP_NUM_NODES", stage.step.nnodes);
	env_put(&stage.env, "SLURM_STEP_NODELIST", list);
	env_put(&stage.env, "SLURM_STEP_TASKS_PER_NODE",
		step_tasks_per_node(&stage.step, tasks));
	env_put(&stage.env, "SLURMD_NODENAME", n->name);
	env_put(&stage.env, "SLURM_GTIDS", gtids);
	if (!carried)
		put_lines(stage.head, "env");
	put_lines(section, "env");
	free(list);
}

/* The program inherits what isn't close-on-exec, and nobody can change it. */
static void keep_handed(void)
{
	const char *number = env_get(stage.env, "SLURM_DIST_TRAIN_HCCN");
	char *text = stage.result->handed;
	int fd = number ? atoi(number) : -1;

	*text = '\0';
	if (!number)
		return;
	if (fcntl(fd, F_GETFD) != 0 || !(fcntl(fd, F_GET_SEALS) & F_SEAL_WRITE))
		forbidden("a descriptor that isn't sealed and inherited");
	text[pread(fd, text, sizeof(stage.result->handed) - 1, 0)] = '\0';
}

/* Slurm has freed large buffers before, so that malloc() keeps what it has. In
 * a task of ours all but the first come from the kernel, which has cleared
 * them.
 */
#define BUFFER (256 * 1024)

static unsigned buffer_is_mapped(size_t size)
{
	size_t before = mallinfo2().hblks;
	void *volatile buffer = malloc(size);
	unsigned mapped = mallinfo2().hblks > before;

	free(buffer);
	return mapped;
}

static void take_buffers(void)
{
	unsigned n = buffer_is_mapped(BUFFER);

	n += buffer_is_mapped(BUFFER);
	if (n && stage.idle)
		forbidden("mallopt()");
	stage.result->nmapped = n;
}

static void init_task(struct plugin *p, struct range section, unsigned local)
{
	put_number("SLURM_PROCID", stage.step.node[stage.node].task[local]);
	put_number("SLURM_LOCALID", local);
	put_number("SLURM_NODEID", stage.node);
	buffer_is_mapped(2 * BUFFER);
	call(p, p->privileged, HOOK_PRIVILEGED);
	take_buffers();
	put_lines(section, "taskenv");
	stage.inside = range_get(section, "enters");
	call(p, p->task, HOOK_TASK);
}

/* The node's other tasks: of the same slurmstepd, at the same time. */
static void fork_company(struct plugin *p, struct range section, unsigned local)
{
	const struct node *n = &stage.step.node[stage.node];

	for (unsigned t = 0; t < n->ntasks; t++)
		if (t != local && fork() == 0) {
			init_task(p, section, t);
			if (!t && range_get(section, "told"))
				tell_keeper(range_get(section, "told"));
			exit(0);
		}
}

static void task(struct plugin *p, struct range section, unsigned local)
{
	init_task(p, section, local);
	if (alarm(0))
		forbidden("a time limit that is left to the program");
	keep_handed();
	keep(&stage.result->after, stage.env);
	keep(&stage.result->argv, stage.argv);
	stage.result->finished = true;
	/* A keeper's child has its memory */
	if (range_get(section, "told"))
		_exit(0);
	exit(0);
}

static void play_stepd(struct plugin *p, struct range section,
		       const struct words *carried)
{
	const char *argv = range_get(stage.head, "argv");
	unsigned local = 0, procid;
	pid_t pid;

	procid = (unsigned)strtoul(section.line[section.from].text, NULL, 10);
	if (!find_task(procid, &stage.node, &local))
		errx(1, "task %u isn't in the layout", procid);
	put_step(carried, section, stage.node);
	conf_read();
	stage.argv = split(argv ? argv : "python train.py", &stage.argc);
	stage.program = stage.argv[0];
	keep(&stage.result->before, stage.env);
	begin(p, section);
	fflush(NULL);
	if (range_get(section, "company"))
		fork_company(p, section, local);
	pid = fork();
	if (pid == 0)
		task(p, section, local);
	waitpid(pid, &stage.result->task_status, 0);
	while (wait(NULL) > 0)
		;
	unload(p);
}

static enum spank_context context_of(const char *word)
{
	return !strcmp(word, "srun")	 ? S_CTX_LOCAL
	       : !strcmp(word, "task")	 ? S_CTX_REMOTE
	       : !strcmp(word, "slurmd") ? S_CTX_SLURMD
	       : !strcmp(word, "script") ? S_CTX_JOB_SCRIPT
					 : S_CTX_ALLOCATOR;
}

static void play(const char *file, struct range section,
		 const struct words *carried)
{
	struct plugin p = {0};

	stage.section = section;
	stage.context = context_of(section.line[section.from].word);
	stage.idle = is_idle(section);
	load(file, &p);
	switch (stage.context) {
	case S_CTX_REMOTE:
		play_stepd(&p, section, carried);
		break;
	case S_CTX_SLURMD:
	case S_CTX_JOB_SCRIPT:
		call(&p, p.init, HOOK_INIT);
		stage.result->finished = true;
		unload(&p);
		break;
	default:
		play_client(&p, section);
	}
	exit(0);
}

int stage_play(const char *plugin, struct range section,
	       const struct words *carried, int out, int err)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		play(plugin, section, carried);
	}
	waitpid(pid, &status, 0);
	return status;
}
