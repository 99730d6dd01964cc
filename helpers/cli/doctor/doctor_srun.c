/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/doctor/doctor_srun.h"

#include "core/base/cleanup.h"
#include "sys/loop.h"
#include "sys/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX   32
#define CONFIG_SIZE (256 << 10)
#define END_MS	    3000

extern char **environ;

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

/* The text behind `name` and blanks or '=' in what scontrol says, up to a
 * blank; empty when it isn't there. */
static void ask_scontrol(const char *const argv[], const char *name, char *buf,
			 size_t size)
{
	cleanup_free char *said = malloc(CONFIG_SIZE);
	const char *p;
	struct err err;

	*buf = '\0';
	if (!said ||
	    probe_exec(argv, 2 * DOCTOR_CALL_MS, said, CONFIG_SIZE, &err) < 0)
		return;
	p = strstr(said, name);
	if (!p)
		return;
	p += strlen(name);
	p += strspn(p, " =");
	snprintf(buf, size, "%.*s", (int)strcspn(p, " \n"), p);
}

/* Slurm's variables would be options of this srun, and the user's --dist-train
 * one of them: only the job and the cluster stay. */
static void clean_environment(void)
{
	static const char *const kept[] = {"SLURM_JOB_ID=", "SLURM_JOBID=",
					   "SLURM_CONF=", "SLURM_CLUSTERS="};

	for (char **e = environ; *e;) {
		bool keep = strncmp(*e, "SLURM_", 6) != 0 &&
			    strncmp(*e, "_SLURM_", 7) != 0;
		char name[256];

		for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
			keep = keep || !strncmp(*e, kept[i], strlen(kept[i]));
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*e, "="), *e);
		if (keep || unsetenv(name) < 0 || getenv(name))
			e++;
		else
			e = environ;
	}
}

static int add_self(struct command *c, struct err *err)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return err_printf(err, "can't read /proc/self/exe: %s",
				  strerror(errno));
	self[n] = '\0';
	add(c, "%s", self);
	add(c, "doctor");
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
	const char *node[] = {"/usr/bin/env", "scontrol", "-o", "show",
			      "node",	      d->node[0], NULL};
	const char *config[] = {"/usr/bin/env", "scontrol", "show", "config",
				NULL};
	char addr[256], dirs[PATH_MAX];

	ask_scontrol(node, "NodeAddr", addr, sizeof(addr));
	ask_scontrol(config, "\nPluginDir", dirs, sizeof(dirs));
	add(c, "--node-report");
	add(c, "--first=%s", d->node[0]);
	add(c, "--first-addr=%s", *addr ? addr : d->node[0]);
	add(c, "--plugin-dir=%s", dirs);
	add(c, "--ports=%u-%u", o->port_min, o->port_max);
	add(c, "--timeout=%u", o->timeout_s);
	if (d->nnodes == 1)
		add(c, "--alone");
	if (o->program)
		add(c, "--program=%s", o->program);
}

static void be_srun(struct command *c, int in, int out)
{
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	clean_environment();
	execv(c->word[0], c->word);
	_exit(127);
}

static int start(struct command *c, struct doctor_srun *ret, struct err *err)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0)
		return err_printf(err, "can't make a pipe: %s",
				  strerror(errno));
	if (pipe2(out, O_CLOEXEC) < 0) {
		close(in[0]);
		close(in[1]);
		return err_printf(err, "can't make a pipe: %s",
				  strerror(errno));
	}
	fflush(stdout);
	ret->pid = fork();
	if (ret->pid == 0)
		be_srun(c, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	ret->in = in[1];
	ret->out = out[0];
	fcntl(ret->in, F_SETFL, O_NONBLOCK);
	if (ret->pid > 0)
		return 0;
	close(ret->in);
	close(ret->out);
	return err_printf(err, "can't start srun: %s", strerror(errno));
}

int doctor_srun_start(const struct doctor_options *o, const char *nodes,
		      const struct doctor *d, struct doctor_srun *ret,
		      struct err *err)
{
	struct command c = {.n = 0};
	int rc;

	add_srun(&c, nodes, d->nnodes);
	rc = add_self(&c, err);
	if (rc == 0) {
		add_report(&c, o, d);
		rc = start(&c, ret, err);
	}
	clear(&c);
	return rc;
}

static bool has_ended(pid_t pid, unsigned limit_ms)
{
	uint64_t until = loop_now_ms() + limit_ms;

	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (loop_now_ms() >= until)
			return false;
		poll(NULL, 0, 10);
	}
	return true;
}

void doctor_srun_end(struct doctor_srun *s)
{
	close(s->in);
	if (!has_ended(s->pid, END_MS)) {
		kill(s->pid, SIGTERM);
		if (!has_ended(s->pid, END_MS)) {
			kill(s->pid, SIGKILL);
			has_ended(s->pid, END_MS);
		}
	}
	close(s->out);
}
