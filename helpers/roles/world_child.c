/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world's launcher, before it is one: in a fork of the agent, which has read
 * the step's facts and knows all nodes. It makes the environment that a task
 * of a step would have which is this world alone, reads its facts from there as
 * any task does, checks the plan, and executes dist-train-launch.
 *
 * It has its secret by a pipe, and asks nobody: neither MUNGE nor Slurm.
 */
#include "core/base/envset.h"
#include "core/base/runlength.h"
#include "core/facts/handover.h"
#include "core/option/profile.h"
#include "core/plan/framework.h"
#include "core/plan/resolve.h"
#include "helpers/roles/agent.h"
#include "registry/registry.h"
#include "sys/child.h"
#include "sys/helper_path.h"
#include "sys/interfaces.h"
#include "sys/text_file.h"
#include "task/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAUNCHER     "dist-train-launch"
#define LEASE_MORE_S 5

/* --- the environment --- */

static int put(struct err *err, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int put(struct err *err, const char *name, const char *fmt, ...)
{
	cleanup_free char *value = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&value, fmt, ap);
	va_end(ap);
	if (n < 0) {
		value = NULL;
		return err_memory(err);
	}
	if (strlen(name) + (size_t)n + 2 > ENV_STRING_MAX)
		return err_printf(err,
				  "%s has %d bytes, but the kernel allows %zu",
				  name, n, ENV_STRING_MAX - 2 - strlen(name));
	return setenv(name, value, 1) < 0 ? err_memory(err) : 0;
}

static int env_put(void *unused, const char *name, const char *value,
		   struct err *err)
{
	(void)unused;
	if (value)
		return put(err, name, "%s", value);
	return unsetenv(name) < 0 ? err_memory(err) : 0;
}

/* What is the same in each world. */
static bool stays(const char *pair)
{
	static const char *const names[] = {
		CONFIG_OWN_DEFAULTS, HANDOVER_OWN,     HANDOVER_PROFILE,
		HANDOVER_PROLOG,     HANDOVER_EXEC,    HANDOVER_PRELOAD,
		HANDOVER_END,	     HANDOVER_RELEASE, HANDOVER_SUBMITTED,
		"DIST_TRAIN_STAGED",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]);

		if (!strncmp(pair, names[i], n) && pair[n] == '=')
			return true;
	}
	return false;
}

/* What is another step's: that of all roles. Its PMI only one process could
 * use. */
static void forget_step(void)
{
	static const char *const prefixes[] = {
		HANDOVER_PREFIX,
		"DIST_TRAIN_",
		"PMIX_",
		"PMI_",
		"SLURM_PMIX",
		"SLURM_PMI_",
		"SLURM_STEP_RESV_PORTS=",
		"SLURM_DISTRIBUTION=",
	};

	for (char **e = environ; *e;) {
		cleanup_free char *name = NULL;

		for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes);
		     i++)
			if (!strncmp(*e, prefixes[i], strlen(prefixes[i])) &&
			    !stays(*e) && !name)
				name = strndup(*e, strcspn(*e, "="));
		if (!name || unsetenv(name) < 0)
			e++;
	}
}

/* --- where the world is --- */

static const struct role_world *its_world(const struct world_child *c)
{
	return &c->agent->roles.world[c->world];
}

static const struct role_line *line_of(const struct world_child *c)
{
	return &c->agent->file.role[its_world(c)->role];
}

/* What each of its nodes has, with commas. */
static char *list_nodes(const struct world_child *c, bool hosts)
{
	const struct role_world *w = its_world(c);
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (unsigned i = 0; f && i < w->nnodes; i++) {
		const struct agent_node *n = &c->agent->node[w->node + i];

		fprintf(f, "%s%s", i ? "," : "", hosts ? n->host : n->name);
	}
	return f && fclose(f) == 0 ? text : NULL;
}

static int put_step(const struct world_child *c, struct err *err)
{
	const unsigned n = its_world(c)->nnodes;
	cleanup_free char *nodes = list_nodes(c, false);
	static const char *const counts[] = {
		"SLURM_STEP_NUM_NODES", "SLURM_STEP_NUM_TASKS", "SLURM_NNODES",
		"SLURM_NTASKS",		"SLURM_NPROCS",
	};
	static const char *const numbers[] = {"SLURM_PROCID", "SLURM_NODEID",
					      "SLURM_GTIDS"};

	if (!nodes || put(err, "SLURM_STEP_NODELIST", "%s", nodes) < 0 ||
	    put(err, "SLURM_LOCALID", "0") < 0 ||
	    put(err, "SLURM_STEP_TASKS_PER_NODE", "1(x%u)", n) < 0 ||
	    put(err, "SLURM_TASKS_PER_NODE", "1(x%u)", n) < 0)
		return nodes ? -1 : err_memory(err);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (put(err, counts[i], "%u", n) < 0)
			return -1;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (put(err, numbers[i], "%u", c->index) < 0)
			return -1;
	return 0;
}

/* --- its devices --- */

/* The n-th of a list with commas, so many from `first` on. */
static char *part_of(const char *list, unsigned first, unsigned n)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	unsigned at = 0;

	while (f && list && *list) {
		size_t len = strcspn(list, ",");

		if (at >= first && at - first < n)
			fprintf(f, "%s%.*s", at > first ? "," : "", (int)len,
				list);
		at++;
		list += len + (list[len] == ',');
	}
	return f && fclose(f) == 0 ? text : NULL;
}

/* Slurm's indices, and the variable by which it limits what is seen. */
static int put_gpus(const struct world_child *c, unsigned n, struct err *err)
{
	const struct device_facts *d = &c->agent->job.devices;
	const unsigned first = its_world(c)->device;
	cleanup_free char *visible = part_of(d->step_visible, first, n);
	char all[IDLIST_MAX * 6];
	cleanup_free char *own = NULL;

	if (idlist_format(&d->step, all, sizeof(all)) < 0)
		return err_printf(err, "too many devices");
	own = part_of(all, first, n);
	if (!visible || !own)
		return err_memory(err);
	if (d->variable && put(err, d->variable, "%s", visible) < 0)
		return -1;
	if (!n) {
		unsetenv("SLURM_STEP_GPUS");
		unsetenv("SLURM_GPUS_ON_NODE");
		return 0;
	}
	if (put(err, "SLURM_GPUS_ON_NODE", "%u", n) < 0 ||
	    (*own && (put(err, "SLURM_STEP_GPUS", "%s", own) < 0 ||
		      put(err, HANDOVER_GPUS, "%s", own) < 0)))
		return -1;
	return d->variable ? put(err, HANDOVER_VISIBLE, "%s=%s", d->variable,
				 visible)
			   : 0;
}

/* NPUs have no variable of Slurm's: it tells their indices by node. */
static int put_npus(const struct world_child *c, unsigned n, struct err *err)
{
	const struct job *job = &c->agent->job;
	const unsigned first = its_world(c)->device;
	char all[IDLIST_MAX * 6];
	cleanup_free char *own = NULL, *seen = NULL;

	if (idlist_format(&job->devices.step, all, sizeof(all)) < 0)
		return err_printf(err, "too many devices");
	own = part_of(all, first, n);
	seen = part_of(job->devices.npus_visible, first, n);
	if (!own || !seen)
		return err_memory(err);
	if ((job->devices.npus_visible || !n) &&
	    put(err, DEVICE_VARIABLE_ASCEND, "%s", seen) < 0)
		return -1;
	return n ? put(err, HANDOVER_GRES, "%s:%s", job->node_name, own) : 0;
}

static int put_devices(const struct world_child *c, struct err *err)
{
	const struct role_plan *plan = &c->agent->roles;
	unsigned n = role_world_devices(plan, its_world(c), c->index);

	return c->agent->job.devices.npu ? put_npus(c, n, err)
					 : put_gpus(c, n, err);
}

/* As srun would tell: counts of devices by task. */
static int put_counts(const struct world_child *c, struct err *err)
{
	const struct role_plan *plan = &c->agent->roles;
	unsigned n = its_world(c)->nnodes;
	cleanup_free unsigned *count = calloc(n, sizeof(*count));
	cleanup_free char *text = NULL;
	unsigned any = 0;

	for (unsigned i = 0; count && i < n; i++)
		any |= count[i] = role_world_devices(plan, its_world(c), i);
	if (count && !any)
		return 0;
	text = count ? runlength_text(count, n) : NULL;
	return text ? put(err, HANDOVER_PROCS, "%s", text) : err_memory(err);
}

/* --- what its processes find --- */

static int put_names(const struct role_names *names, const char *file,
		     struct err *err)
{
	struct envset set = {0};
	int rc = role_env(names, &set, err);

	for (size_t i = 0; rc == 0 && i < set.n; i++)
		rc = env_put(NULL, set.entry[i].name, set.entry[i].value, err);
	if (rc == 0)
		rc = put(err, "DIST_TRAIN_ROLES_FILE", "%s", file);
	envset_clear(&set);
	return rc;
}

static int put_line(const struct profile_line *line, struct err *err)
{
	const char *old = line->folder ? getenv(line->name) : NULL;

	return put(err, line->name, "%s%s%s", line->value,
		   old && *old ? ":" : "", old ? old : "");
}

static int put_file(const char *file, struct err *err)
{
	cleanup_free char *text = text_file_read(file, PROFILE_MAX, err);
	struct profile profile = {0};
	int rc = text ? profile_parse(file, text, &profile, err) : -1;

	for (size_t i = 0; rc == 0 && i < profile.n; i++)
		rc = put_line(&profile.line[i], err);
	profile_clear(&profile);
	return rc;
}

static int put_users(const struct world_child *c, struct err *err)
{
	const struct role_line *line = line_of(c);
	const char *path = getenv("PATH");

	if (line->env_file && put_file(line->env_file, err) < 0)
		return -1;
	if (line->path && put(err, "PATH", "%s%s%s", line->path,
			      path ? ":" : "", path ? path : "") < 0)
		return -1;
	if (line->cwd && chdir(line->cwd) < 0)
		return err_printf(err, "cwd=%s: %s", line->cwd,
				  strerror(errno));
	return 0;
}

/* --- what the launcher makes its plan from --- */

/* The administrator's arguments, but with this world's ports, and its files in
 * our folder. */
static int put_config(const struct world_child *c, const char *lines,
		      struct err *err)
{
	unsigned first = c->agent->block[c->world] + ROLE_PORTS_MAX;
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (; f && lines && *lines; lines += *lines == '\n') {
		size_t n = strcspn(lines, "\n");

		if (strncmp(lines, "ports=", 6) != 0 &&
		    strncmp(lines, "rundir=", 7) != 0)
			fprintf(f, "%.*s\n", (int)n, lines);
		lines += n;
	}
	if (f)
		fprintf(f, "ports=%u-%u\nrundir=%s", first,
			first + ROLE_PORT_BLOCK - ROLE_PORTS_MAX - 1,
			c->agent->run_dir);
	if (!f || fclose(f) != 0)
		return err_memory(err);
	return put(err, HANDOVER_CONFIG, "%s", text);
}

static int put_handover(const struct world_child *c, const char *config,
			struct err *err)
{
	const struct role_plan *plan = &c->agent->roles;
	const struct role_world *w = its_world(c);
	const struct agent_node *first = &c->agent->node[w->node];
	cleanup_free char *hosts = list_nodes(c, true);
	char id[HANDOVER_ID_SIZE], name[ROLE_WORLD_NAME_SIZE];

	task_handover_id(&c->agent->job, id);
	if (!hosts)
		return err_memory(err);
	if (put(err, HANDOVER_ID, "%s", id) < 0 ||
	    put_config(c, config, err) < 0 ||
	    put(err, HANDOVER_NODE, "%s", first->name) < 0 ||
	    put(err, HANDOVER_WORLD, "%u %s", c->round,
		role_world_name(plan, w, name)) < 0)
		return -1;
	if (w->nnodes == 1)
		return 0;
	if (put(err, HANDOVER_ADDR, "%s", first->host) < 0)
		return -1;
	return put(err, HANDOVER_ADDRS, "%s", hosts);
}

/* A comma in it is written twice; the role may have another working folder. */
static void put_path(FILE *f, const char *key, const char *path)
{
	cleanup_free char *folder = *path == '/' ? NULL : getcwd(NULL, 0);

	fprintf(f, ",%s=%s%s", key, folder ? folder : "", folder ? "/" : "");
	for (; *path; path++)
		fprintf(f, *path == ',' ? ",," : "%c", *path);
}

static bool has_own(const struct world_child *c, enum key_id id)
{
	char pair[32];

	snprintf(pair, sizeof(pair), ",%s=", option_keys[id].name);
	return strstr(line_of(c)->option, pair);
}

/* A time of the step that its line hasn't. */
static void put_seconds(const struct world_child *c, enum key_id id, FILE *f)
{
	const struct request *step = &c->agent->request;

	if (request_given(step, id) && !has_own(c, id))
		fprintf(f, ",%s=%ld", option_keys[id].name,
			request_seconds(step, id));
}

/* Longer than the step's, which so is the first to hear nothing more of a lost
 * node, and says which it is. */
static void put_lease(const struct world_child *c, FILE *f)
{
	long most = option_keys[KEY_LEASE].max;
	long s = request_seconds(&c->agent->request, KEY_LEASE) + LEASE_MORE_S;

	if (!has_own(c, KEY_LEASE))
		fprintf(f, ",lease=%ld", s < most ? s : most);
}

/* Where something waits for the world's end, its other processes end at once
 * when one has failed, as they do before a restart of a whole step. */
static void put_grace(const struct world_child *c, FILE *f)
{
	if (c->agent->here[c->world].grace_s >= 0)
		return;
	if (line_of(c)->failure == FAILURE_RESTART ||
	    line_of(c)->failure == FAILURE_TOGETHER ||
	    line_of(c)->failure == FAILURE_SAVE)
		fputs(",grace=0", f);
	else
		put_seconds(c, KEY_GRACE, f);
}

/* It starts its workers itself, and knows no key procs. */
static bool runs_once(const struct role_line *line)
{
	struct err unused;
	const struct framework *fw = framework_find(line->framework, &unused);

	return fw && fw->once;
}

/* Where the word procs= is silent, one process of `env` and of servers, also
 * where a node has several devices. */
static char *option_of(const struct world_child *c)
{
	const struct role_line *line = line_of(c);
	const struct request *step = &c->agent->request;
	const char *logs = request_text(step, KEY_LOG_DIR);
	const char *timeline = request_text(step, KEY_TIMELINE);
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs(line->option, f);
	/* Somebody's defaults have them; a line can't */
	fputs(",spares=0,on-node-loss=fail,requeue=none", f);
	if (line->procs)
		fprintf(f, ",procs=%u", line->procs);
	else if (!line->per_device && !runs_once(line))
		fputs(",procs=task", f);
	put_grace(c, f);
	put_seconds(c, KEY_TIMEOUT, f);
	put_lease(c, f);
	if (!has_own(c, KEY_RECORD))
		*c->record ? put_path(f, "record", c->record)
			   : (void)fputs(",record=off", f);
	if (timeline && !has_own(c, KEY_TIMELINE))
		put_path(f, "timeline", timeline);
	if (has_own(c, KEY_LOG_DIR))
		logs = NULL;
	else if (request_yes(step, KEY_LABEL) && !has_own(c, KEY_LABEL))
		fputs(",label=yes", f);
	if (logs)
		put_path(f, "log-dir", logs);
	return fclose(f) == 0 ? text : NULL;
}

/* --- checks, and the launcher --- */

struct facts {
	struct config config;
	struct request request;
	struct resolved resolved;
	struct interfaces interfaces;
	struct job job;
};

/* What needs all of the step. */
static int check_request(const struct facts *w, struct err *err)
{
	const struct framework *fw = w->request.framework;

	if (w->resolved.pmi)
		return err_printf(err,
				  "%s finds its ranks through PMI, which "
				  "belongs to the whole step and not to a role",
				  fw->name);
	return fw->check_user ? fw->check_user(&w->request, own_env, NULL, err)
			      : 0;
}

static int read_world(const struct world_child *c, struct facts *w,
		      const char *option, struct err *err)
{
	if (put(err, HANDOVER_REQUEST, "%s", option) < 0 ||
	    handed_read(own_env, NULL, &w->config, &w->request, &w->job, err) <
		    0)
		return -1;
	resolve(&w->request, &w->job, &w->resolved);
	if (w->resolved.device_counts) {
		job_clear(&w->job);
		if (put_counts(c, err) < 0 ||
		    job_read(own_env, NULL, false, &w->job, err) < 0)
			return -1;
		resolve(&w->request, &w->job, &w->resolved);
	}
	return check_request(w, err);
}

static int become_launcher(char **command, struct err *err)
{
	char file[PATH_MAX];
	unsigned n = 0;
	char **argv;

	while (command[n])
		n++;
	argv = calloc(n + 3, sizeof(*argv));
	if (!argv)
		return err_memory(err);
	argv[0] = (char *)LAUNCHER;
	argv[1] = (char *)"--";
	memcpy(argv + 2, command, n * sizeof(*argv));
	helper_path(LAUNCHER, file);
	execv(file, argv);
	return err_printf(err, "%s: %s", file, strerror(errno));
}

static int find_facts(struct facts *w, const char *option, char **command,
		      struct err *err)
{
	struct task task = {
		.env = {own_env, env_put, NULL},
		.option_text = option,
		.config_text = getenv(HANDOVER_CONFIG),
		.config = &w->config,
		.request = &w->request,
		.resolved = &w->resolved,
		.interfaces = &w->interfaces,
	};
	struct plan plan;
	char id[HANDOVER_ID_SIZE];

	if (w->resolved.interfaces)
		interfaces_find(&w->interfaces);
	if (task_facts_complete(&task, &w->job, err) < 0)
		return -1;
	if (plan_make(&w->request, &w->config, &w->job, &plan, err) < 0 ||
	    task_command_check(&task, &plan, command, err) < 0)
		return -1;
	task_handover_id(&w->job, id);
	return task_hand_over(&task, &w->job, id, err);
}

static int bind_to_part(const struct world_child *c, struct err *err)
{
	cpu_set_t part;

	if (cpu_part(c->agent, c->world, &part, err) < 0)
		return -1;
	sched_setaffinity(0, sizeof(part), &part); /* as far as the kernel
						      lets us */
	return 0;
}

/* They route to the step's first node, so that worlds may be one process group;
 * its own line chooses otherwise. */
static void forget_interfaces(void)
{
	static const char *const names[] = {
		"NCCL_SOCKET_IFNAME", "HCCL_SOCKET_IFNAME",
		"GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unsetenv(names[i]);
}

static int put_all(const struct world_child *c, char ***ret_command,
		   struct err *err)
{
	cleanup_free char *config = NULL;
	const struct role_names names = {
		.plan = &c->agent->roles,
		.address = c->agent->address,
		.world = c->world,
		.lookup = own_env,
	};

	if (getenv(HANDOVER_CONFIG))
		config = strdup(getenv(HANDOVER_CONFIG));
	*ret_command = role_command(&names, err);
	if (!*ret_command)
		return -1;
	forget_step();
	if (has_own(c, KEY_NIC))
		forget_interfaces();
	if (put_step(c, err) < 0 || put_devices(c, err) < 0 ||
	    put_users(c, err) < 0 ||
	    put_names(&names, c->agent->roles_file, err) < 0)
		return -1;
	return put_handover(c, config, err);
}

/* Its standard streams, and the pipe with its secret. */
static int open_streams(const struct world_child *c, int secret_fd,
			struct err *err)
{
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    (c->out >= 0 && dup2(c->out, STDOUT_FILENO) < 0) ||
	    fcntl(secret_fd, F_SETFD, 0) < 0)
		return err_printf(err, "can't set its streams: %s",
				  strerror(errno));
	if (null > STDERR_FILENO)
		close(null);
	return put(err, HANDOVER_SECRET, "%d", secret_fd);
}

static int become(const struct world_child *c, int secret_fd, struct err *err)
{
	cleanup_free char *option = option_of(c);
	struct facts w = {.job = {0}};
	char **command;

	if (!option)
		return err_memory(err);
	if (bind_to_part(c, err) < 0 || put_all(c, &command, err) < 0 ||
	    read_world(c, &w, option, err) < 0 ||
	    find_facts(&w, option, command, err) < 0 ||
	    open_streams(c, secret_fd, err) < 0)
		return -1;
	return become_launcher(command, err);
}

int world_child_run(const int fd[2], const void *arg)
{
	const struct world_child *c = arg;
	char name[ROLE_WORLD_NAME_SIZE];
	struct err err;

	if (become(c, fd[0], &err) < 0)
		fprintf(stderr, "dist-train: %s on %s: %s\n",
			role_world_name(&c->agent->roles, its_world(c), name),
			c->agent->job.node_name, err.text);
	return EXIT_FAILURE;
}
