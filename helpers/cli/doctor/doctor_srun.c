/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/doctor/all_reduce.h"

#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/option/config.h"
#include "helpers/visit/step_find.h"
#include "sys/helper_path.h"
#include "sys/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX   32
#define HELP_SIZE   (256 << 10)
#define END_MS	    3000
#define OUTPUT_SIZE (4 << 20)
#define END_S	    15 /* for srun to end, once it was told to */

#define SRUN_ERROR "srun: error: "
#define FAILED_ON  " failed on node " /* "Task launch for StepId=7.0" */

#define ALL_REDUCE_STEP "ddp,grace=5"

/* The words of a command, made one by one. */
struct command {
	char *word[WORDS_MAX + 1];
	unsigned n;
};

static void __attribute__((format(printf, 2, 3)))
add(struct command *c, const char *fmt, ...)
{
	va_list ap;

	if (c->n == WORDS_MAX)
		return;
	va_start(ap, fmt);
	if (vasprintf(&c->word[c->n], fmt, ap) > 0)
		c->n++;
	va_end(ap);
	c->word[c->n] = NULL;
}

static void clear(struct command *c)
{
	while (c->n)
		free(c->word[--c->n]);
}

/* Slurm's variables would be options of this srun, and the user's --dist-train
 * one of them: only the job and the cluster stay. */
static bool is_kept(const char *variable)
{
	static const char *const kept[] = {
		"SLURM_JOB_ID=", "SLURM_JOBID=", "SLURM_CONF=",
		"SLURM_CLUSTERS=", CONFIG_OWN_DEFAULTS "="};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (!strncmp(variable, kept[i], strlen(kept[i])))
			return true;
	return strncmp(variable, "SLURM_", 6) != 0 &&
	       strncmp(variable, "_SLURM_", 7) != 0;
}

/* The array is the caller's to free, its texts are ours. */
static char **srun_env(void)
{
	size_t n = 0, kept = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 1, sizeof(*env));
	for (size_t i = 0; env && i < n; i++)
		if (is_kept(environ[i]))
			env[kept++] = environ[i];
	return env;
}

static int add_self(struct command *c, const char *command, struct err *err)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return err_printf(err, "can't read /proc/self/exe: %s",
				  strerror(errno));
	self[n] = '\0';
	add(c, "%s", self);
	add(c, "%s", command);
	return 0;
}

static void add_srun(struct command *c, const char *nodes, unsigned n)
{
	add(c, "/usr/bin/env");
	add(c, "srun");
	add(c, "--jobid=%s", getenv("SLURM_JOB_ID"));
	add(c, "--overlap");
	add(c, "--nodes=%u", n);
	add(c, "--ntasks=%u", n);
	add(c, "--ntasks-per-node=1");
	add(c, "--nodelist=%s", nodes);
	add(c, "--mpi=none");
	add(c, "--kill-on-bad-exit=0");
}

/* What the nodes need to know. */
static void add_report(struct command *c, const struct doctor_options *o,
		       const struct doctor *d)
{
	struct err unused;
	cleanup_free char *node = scontrol_show("node", d->node[0], &unused);
	cleanup_free char *config = scontrol_show("config", NULL, &unused);
	char addr[HOSTLIST_NAME_MAX] = "", dirs[PATH_MAX] = "";

	text_value(node ? node : "", "NodeAddr", addr, sizeof(addr));
	text_setting(config ? config : "", "PluginDir", dirs, sizeof(dirs));
	add(c, "--node-report");
	add(c, "--first=%s", d->node[0]);
	add(c, "--first-addr=%s", *addr ? addr : d->node[0]);
	add(c, "--plugin-dir=%s", dirs);
	add(c, "--ports=%u-%u", o->port_min, o->port_max);
	add(c, "--timeout=%u", o->timeout_s);
	if (d->nnodes == 1)
		add(c, "--alone");
	if (o->plugin && (*o->plugin == '/' || *dirs)) {
		add(c, "--plugin=%s%s%s", *o->plugin == '/' ? "" : dirs,
		    *o->plugin == '/' ? "" : "/", o->plugin);
		add(c, "--plugstack=%s", o->plugstack);
	}
	if (o->program)
		add(c, "--program=%s", o->program);
}

static int start(const struct command *c, struct subprocess *ret,
		 struct err *err)
{
	cleanup_free char **env = srun_env();
	const struct subprocess_spec spec = {
		.argv = (const char *const *)c->word,
		.env = env,
		.flags = SUBPROCESS_IN | SUBPROCESS_OUT | SUBPROCESS_ERR,
	};

	if (!env)
		return err_memory(err);
	if (subprocess_start(&spec, ret, err) < 0)
		return -1;
	fcntl(ret->in, F_SETFL, O_NONBLOCK);
	return 0;
}

/* --- who has ended --- */

struct gone {
	struct doctor *doctor;
	const char *key, *text;
	unsigned n;
};

static int note_gone(void *arg, const char *name)
{
	struct gone *g = arg;
	struct doctor *d = g->doctor;
	char fact[128];

	snprintf(fact, sizeof(fact), "%s %.100s", g->key, g->text);
	for (unsigned i = 0; i < d->nnodes; i++)
		if (!strcmp(d->node[i], name) && !doctor_fact(d, i, "ready") &&
		    !doctor_fact(d, i, g->key))
			g->n += doctor_add_fact(d, i, fact);
	return 0;
}

unsigned doctor_srun_gone(struct doctor *d, const char *line)
{
	struct gone g = {.doctor = d, .key = "gone"};
	const char *end = NULL, *on;
	char list[256];

	if (strncmp(line, SRUN_ERROR, strlen(SRUN_ERROR)) != 0)
		return 0;
	line += strlen(SRUN_ERROR);
	on = strstr(line, FAILED_ON);
	if (on) {
		g.key = "refused";
		line = on + strlen(FAILED_ON);
		g.text = end = strstr(line, ": ");
	} else {
		end = strstr(line, ": task");
		g.text = end ? strstr(end + 1, ": ") : NULL;
	}
	if (!g.text)
		return 0;
	g.text += 2;
	snprintf(list, sizeof(list), "%.*s", (int)(end - line), line);
	hostlist_each(list, note_gone, &g);
	return g.n;
}

int doctor_srun_start(const struct doctor_options *o, const char *nodes,
		      const struct doctor *d, struct subprocess *ret,
		      struct err *err)
{
	struct command c = {.n = 0};
	int rc;

	add_srun(&c, nodes, d->nnodes);
	rc = add_self(&c, "doctor", err);
	if (rc == 0) {
		add_report(&c, o, d);
		rc = start(&c, ret, err);
	}
	clear(&c);
	return rc;
}

/* Whether this cluster's srun has the option; one of another name isn't found.
 */
static bool has_plugin(void)
{
	static const char *const argv[] = {"/usr/bin/env", "srun", "--help",
					   NULL};
	cleanup_free char *said = malloc(HELP_SIZE);
	struct err err;

	return said &&
	       subprocess_ask_program(argv, 2 * DOCTOR_CALL_MS, said, HELP_SIZE,
				      &err) == 0 &&
	       strstr(said, "--dist-train=");
}

/* One process for each device, as in the user's own steps. */
static int add_all_reduce(struct command *c, const struct doctor_options *o,
			  struct err *err)
{
	bool plugin = has_plugin();
	char program[PATH_MAX];

	add(c, "--cpu-bind=none");
	if (plugin) {
		add(c, "--dist-train=" ALL_REDUCE_STEP);
	} else {
		if (add_self(c, "exec", err) < 0)
			return -1;
		add(c, ALL_REDUCE_STEP);
		add(c, "--");
	}
	add(c, "%s", o->python ? o->python : "python3");
	helper_path("dist-train-all-reduce", program);
	add(c, "%s", program);
	add(c, "%u", o->all_reduce_s / 4);
	return 0;
}

/* By the option --dist-train where this srun has it, else by `dist-train exec`.
 * Into buf goes all that it prints. Returns 0, or -1 when there was no srun or
 * no end of it. */
static int run_step(const struct doctor_options *o, const char *nodes,
		    const struct doctor *d, char *buf, size_t size,
		    struct err *err)
{
	cleanup_free char **env = srun_env();
	struct command c = {.n = 0};
	struct subprocess_spec spec = {
		.argv = (const char *const *)c.word,
		.env = env,
		.flags = SUBPROCESS_OUT | SUBPROCESS_ERR | SUBPROCESS_NULL |
			 SUBPROCESS_GROUP,
	};
	size_t n = 0;
	int rc;

	*buf = '\0';
	if (!env)
		return err_memory(err);
	/* srun ends its step when it is told to end, not when it is killed */
	add(&c, "/usr/bin/env");
	add(&c, "timeout");
	add(&c, "-k5");
	add(&c, "%u", o->all_reduce_s);
	add_srun(&c, nodes, d->nnodes);
	rc = add_all_reduce(&c, o, err);
	if (rc == 0)
		rc = subprocess_run(&spec,
				    (int)(o->all_reduce_s + END_S) * 1000, buf,
				    size - 1, &n, err);
	buf[n] = '\0';
	clear(&c);
	return rc;
}

int all_reduce_run(const struct doctor_options *o, const char *nodes,
		   const struct doctor *doctor, struct all_reduce *ret,
		   struct err *err)
{
	cleanup_free char *said = malloc(OUTPUT_SIZE);
	uint64_t began_ms = loop_now_ms();
	struct err late;

	*ret = (struct all_reduce){.npairs = 0};
	if (!said)
		return err_memory(err);
	if (run_step(o, nodes, doctor, said, OUTPUT_SIZE, &late) < 0 && !*said)
		snprintf(said, OUTPUT_SIZE, "%s", late.text);
	if (loop_now_ms() - began_ms >= o->all_reduce_s * 1000ULL &&
	    !strstr(said, ALL_REDUCE_MARK " {"))
		snprintf(said, OUTPUT_SIZE, "no result within %u s",
			 o->all_reduce_s);
	return all_reduce_read(said, doctor, ret, err);
}

void doctor_srun_end(struct subprocess *srun)
{
	static const int signals[] = {SIGTERM, SIGKILL};

	close(srun->in);
	srun->in = -1;
	for (size_t i = 0; subprocess_wait(srun, END_MS, NULL) < 0 &&
			   i < sizeof(signals) / sizeof(*signals);
	     i++)
		subprocess_kill(srun, signals[i]);
	subprocess_close(srun);
}
