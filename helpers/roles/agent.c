/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/roles/agent.h"

#include "helpers/conn/client.h"
#include "helpers/conn/loss_lines.h"
#include "helpers/conn/message.h"
#include "registry/registry.h"
#include "sys/left_signals.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define ALONE_MS   60000 /* nobody has ended us */
#define GIVE_UP_MS 3000	 /* from SIGTERM to SIGKILL, when the step is lost */
#define LEAVE_MS   2000	 /* for the other nodes to hear of the end */
#define SAVE_S	   60	 /* for a role without end-signal= to save */

static void tell(struct agent *a, const char *text)
{
	if (a->server)
		roles_server_told(a->server, text);
	else
		client_send(a->client, AGENT_MESSAGE, text, strlen(text));
}

/* --- the end --- */

static bool any_runs(const struct agent *a)
{
	for (unsigned w = 0; w < a->roles.n; w++)
		if (a->here[w].runs || a->here[w].ended)
			return true;
	return false;
}

static void kill_all(void *arg)
{
	struct agent *a = arg;

	for (unsigned w = 0; w < a->roles.n; w++)
		here_kill(&a->here[w]);
	if (!any_runs(a))
		loop_stop(&a->loop);
}

static void give_up(struct agent *a)
{
	if (a->gives_up)
		return;
	a->gives_up = a->leaves = true;
	a->exit_code = a->told_code ? a->told_code : EXIT_FAILURE;
	if (a->server)
		roles_server_gives_up(a->server);
	for (unsigned w = 0; w < a->roles.n && !a->told_code; w++)
		here_signal(&a->here[w], SIGTERM);
	loop_arm(&a->loop, &a->last, any_runs(a) ? GIVE_UP_MS : 0);
}

static void ended(struct agent *a)
{
	if (a->gives_up && !any_runs(a))
		loop_stop(&a->loop);
}

/* The first node's leaves last. */
static void leave(struct agent *a, const char *text)
{
	a->leaves = true;
	a->exit_code = atoi(text);
	if (!a->server || a->job.ntasks == 1)
		loop_stop(&a->loop);
	else
		loop_arm(&a->loop, &a->last, LEAVE_MS);
}

/* --- the plan --- */

/* What ends a role, where its line has these keys. */
static int read_keys(struct here *h, struct err *err)
{
	const struct agent *a = h->agent;
	const struct role_line *line =
		&a->file.role[a->roles.world[h->world].role];
	struct request r = {.framework = NULL};

	if (request_parse(line->option, a->config.defaults, NULL, &r, err) < 0)
		return -1;
	if (request_given(&r, KEY_GRACE))
		h->grace_s = request_seconds(&r, KEY_GRACE);
	end_signal_of(&r, &h->save);
	h->own_signal = h->save.number;
	if (!h->own_signal)
		h->save = (struct end_signal){SIGUSR1, SAVE_S};
	request_clear(&r);
	return 0;
}

static int make_room(struct agent *a, struct err *err)
{
	unsigned n = a->roles.n;

	a->port = calloc((size_t)n * ROLE_PORTS_MAX, sizeof(*a->port));
	a->block = calloc(n, sizeof(*a->block));
	a->address = calloc(n, sizeof(*a->address));
	a->here = calloc(n, sizeof(*a->here));
	a->state = calloc(n, sizeof(*a->state));
	if (!a->port || !a->block || !a->address || !a->here || !a->state)
		return err_memory(err);
	for (unsigned w = 0; w < n; w++) {
		here_init(&a->here[w], a, w);
		if (read_keys(&a->here[w], err) < 0)
			return -1;
	}
	return 0;
}

static int place(struct agent *a, struct err *err)
{
	cleanup_free unsigned *devices =
		calloc(a->job.ntasks, sizeof(*devices));

	if (!devices)
		return err_memory(err);
	for (unsigned i = 0; i < a->job.ntasks; i++)
		devices[i] = a->node[i].devices;
	if (role_plan_make(&a->file, a->job.ntasks, devices, &a->roles, err) <
	    0)
		return -1;
	return make_room(a, err);
}

/* Before anything is started. */
static int check_cpus(const struct agent *a, struct err *err)
{
	cpu_set_t unused;
	unsigned index;

	for (unsigned w = 0; w < a->roles.n; w++)
		if (here_has(a, w, &index) && cpu_part(a, w, &unused, err) < 0)
			return -1;
	return 0;
}

/* Elsewhere srun has said them. */
static void say_remarks(const struct agent *a)
{
	char line[ROLE_REMARK_SIZE];

	for (unsigned i = 0; a->server && getenv(HANDOVER_EXEC) &&
			     role_plan_remark(&a->roles, i, line);
	     i++)
		agent_say(line);
}

static void take_nodes(struct agent *a, char *text)
{
	char *save = NULL;

	for (unsigned i = 0; i < a->job.ntasks; i++) {
		const char *devices = strtok_r(i ? NULL : text, " ", &save);
		const char *host = strtok_r(NULL, " ", &save);
		const char *name = strtok_r(NULL, " ", &save);

		if (!name)
			return give_up(a);
		a->node[i].devices = (unsigned)strtoul(devices, NULL, 10);
		if (a->server)
			continue; /* it has written this */
		snprintf(a->node[i].host, HOSTLIST_NAME_MAX, "%s", host);
		snprintf(a->node[i].name, HOSTLIST_NAME_MAX, "%s", name);
	}
}

/* DEVICES ADDRESS NAME of all: now the worlds are known. */
static void know_nodes(struct agent *a, char *text)
{
	struct err err;

	take_nodes(a, text);
	if (a->leaves)
		return;
	if (place(a, &err) < 0 || check_cpus(a, &err) < 0)
		return agent_fault(a, "%s", err.text);
	say_remarks(a);
	for (unsigned w = 0; w < a->roles.n; w++) {
		unsigned port;

		if (a->roles.world[w].node != a->job.procid)
			continue;
		port = port_block_take(a, w, a->roles.n, &err);
		if (!port)
			return agent_fault(a, "%s", err.text);
		agent_tell(a, AGENT_PORTS " %u %u", w, port);
	}
}

static void know_ports(struct agent *a, char *text)
{
	struct err err;

	for (unsigned w = 0; w < a->roles.n; w++) {
		unsigned *port = &a->port[w * ROLE_PORTS_MAX];

		a->block[w] = (unsigned)strtoul(text, &text, 10);
		for (unsigned i = 0; i < ROLE_PORTS_MAX; i++)
			port[i] = a->block[w] + i;
		a->address[w] = (struct role_address){
			.host = a->node[a->roles.world[w].node].host,
			.port = port,
		};
	}
	if (roles_file_open(a, &err) < 0)
		agent_fault(a, "%s", err.text);
}

/* --- messages --- */

static void on_start(struct agent *a, unsigned world, unsigned round)
{
	if (!a->leaves)
		here_start(&a->here[world], round);
}

static void on_end(struct agent *a, unsigned world, unsigned unused)
{
	(void)unused;
	here_end(&a->here[world]);
}

static void on_save(struct agent *a, unsigned world, unsigned unused)
{
	(void)unused;
	here_save(&a->here[world]);
}

static void on_state(struct agent *a, unsigned world, unsigned state)
{
	if (state >= WORLD_NSTATES || !*a->roles_file)
		return;
	a->state[world] = (enum world_state)state;
	roles_file_change(a);
}

static bool is(const char *text, const char *word, char **ret_rest)
{
	size_t n = strlen(word);

	*ret_rest = (char *)text + n + 1;
	return !strncmp(text, word, n) && text[n] == ' ';
}

static void message(struct agent *a, char *text)
{
	static const struct {
		const char *word;
		void (*act)(struct agent *a, unsigned world, unsigned n);
	} acts[] = {
		{AGENT_START, on_start},
		{AGENT_END, on_end},
		{AGENT_SAVE, on_save},
		{AGENT_STATE, on_state},
	};
	unsigned world, n;
	char *rest;

	if (is(text, AGENT_NODES, &rest))
		return know_nodes(a, rest);
	if (is(text, AGENT_ALL_PORTS, &rest))
		return know_ports(a, rest);
	if (is(text, AGENT_LEAVE, &rest))
		return leave(a, rest);
	if (is(text, AGENT_LOST, &rest))
		return give_up(a);
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (is(text, acts[i].word, &rest) &&
		    sscanf(rest, "%u %u", &world, &n) == 2 &&
		    world < a->roles.n)
			return acts[i].act(a, world, n);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	cleanup_free char *text = type == AGENT_MESSAGE ? strdup(data) : NULL;

	(void)n;
	if (text)
		message(arg, text);
}

/* --- a lost agent, or the lost director --- */

/* Silent: the step's controller hears less of that node, too, says so and ends
 * the step; an exit code of ours would be its first. */
static void lose(struct agent *a, int why)
{
	if (a->leaves)
		return;
	if (lost_by_silence(why))
		loop_arm(&a->loop, &a->alone, ALONE_MS);
	else
		give_up(a); /* its launcher tells why */
}

static void on_lost(void *arg, int why)
{
	lose(arg, why);
}

static void on_alone(void *arg)
{
	struct agent *a = arg;

	if (!a->leaves)
		give_up(a);
}

static void on_late(void *arg, int why)
{
	struct agent *a = arg;

	fprintf(stderr,
		"dist-train: node %s can't reach the director of the step's "
		"roles at %s port %u: %s\n",
		a->job.node_name, a->plan.coordinator.addr,
		a->plan.coordinator.port, strerror(why));
	give_up(a);
}

static unsigned port_of(const void *arg, unsigned try)
{
	const struct agent *a = arg;

	return try ? 0 : a->plan.coordinator.port;
}

static int open_client(struct agent *a, struct err *err)
{
	const struct client_options options = {
		.step = &a->step,
		.ip = a->plan.coordinator.addr,
		.hello = a->hello,
		.timeout_s = request_seconds(&a->request, KEY_TIMEOUT),
		.ncrowd = a->job.ntasks,
		.port = port_of,
		.port_arg = a,
		.message = on_message,
		.late = on_late,
		.lost = on_lost,
		.arg = a,
	};

	message_hello(a->hello, a->job.procid, a->job.node_name);
	a->client = client_open(&options, err);
	return a->client ? 0 : -1;
}

/* --- signals --- */

/* Sent by our launcher it is meant for us alone, and the step ends elsewhere;
 * else Slurm has sent it to all processes of the step. */
static void on_told(void *arg, uint32_t events)
{
	struct agent *a = arg;
	struct signalfd_siginfo info;

	(void)events;
	if (read(a->told.fd, &info, sizeof(info)) != sizeof(info))
		return;
	if ((pid_t)info.ssi_pid == getppid())
		return give_up(a);
	if (a->told_code)
		return;
	a->told_code = 128 + (int)info.ssi_signo;
	if (a->server)
		roles_server_signalled(a->server, a->told_code);
}

static void on_child(void *arg, uint32_t events)
{
	struct agent *a = arg;
	struct signalfd_siginfo info;

	(void)events;
	while (read(a->children.fd, &info, sizeof(info)) > 0)
		;
	here_reap(a);
}

static void on_rest(void *arg)
{
	here_reap(arg);
}

static int watch_signals(struct agent *a, struct loop_watch *watch,
			 const int *signals, unsigned n,
			 void (*ready)(void *arg, uint32_t events),
			 struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < n; i++)
		sigaddset(&set, signals[i]);
	*watch = (struct loop_watch){
		.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
		.ready = ready,
		.arg = a,
	};
	if (watch->fd < 0)
		return err_printf(err, "signalfd: %m");
	return loop_watch(&a->loop, watch, EPOLLIN, err);
}

/* --- all --- */

static int open_all(struct agent *a, struct err *err)
{
	static const int told[] = {SIGTERM, SIGINT, SIGHUP};
	static const int child[] = {SIGCHLD};

	a->alone = (struct loop_timer){.expired = on_alone, .arg = a};
	a->last = (struct loop_timer){.expired = kill_all, .arg = a};
	a->rest = (struct loop_timer){.expired = on_rest, .arg = a};
	if (loop_open(&a->loop, err) < 0 ||
	    watch_signals(a, &a->told, told, 3, on_told, err) < 0 ||
	    watch_signals(a, &a->children, child, 1, on_child, err) < 0 ||
	    records_open(a, err) < 0)
		return -1;
	a->step = (struct secure_conn_step){
		.loop = &a->loop,
		.secret = a->secret,
		.id = "roles",
		.lease_s = request_seconds(&a->request, KEY_LEASE),
	};
	if (a->job.procid)
		return open_client(a, err);
	a->server = roles_server_open(a, err);
	return a->server ? 0 : -1;
}

static const struct agent_calls calls = {
	.tell = tell,
	.message = message,
	.ended = ended,
	.give_up = give_up,
	.lose = lose,
};

int agent_run(struct agent *a, struct err *err)
{
	a->calls = &calls;
	a->node = calloc(a->job.ntasks, sizeof(*a->node));
	if (!a->node)
		return err_memory(err);
	if (open_all(a, err) < 0)
		return -1;
	agent_tell(a, AGENT_NODE " %u %s", device_count(&a->job.devices),
		   a->job.node_name);
	return loop_run(&a->loop, err) < 0 ? -1 : a->exit_code;
}

void agent_close(struct agent *a)
{
	for (unsigned w = 0; w < a->roles.n; w++)
		here_close(&a->here[w]);
	roles_server_close(a->server);
	client_close(a->client);
	if (a->told.fd > 0)
		close(a->told.fd);
	if (a->children.fd > 0)
		close(a->children.fd);
	if (a->records.fd > 0)
		close(a->records.fd);
	if (a->notes_fd > 0)
		close(a->notes_fd);
	loop_close(&a->loop);
	free(a->node);
	free(a->port);
	free(a->block);
	free(a->address);
	free(a->here);
	free(a->state);
	role_plan_clear(&a->roles);
}
