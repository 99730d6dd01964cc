/* SPDX-License-Identifier: Apache-2.0 */
#include "core/command/step_command_check.h"
#include "core/command/wrapped_command.h"
#include "core/facts/handover.h"
#include "helpers/cli/command.h"
#include "helpers/cli/exec/exec.h"
#include "helpers/visit/step_find.h"
#include "registry/registry.h"
#include "registry/role_options.h"
#include "sys/child.h"
#include "sys/interfaces.h"
#include "sys/log.h"
#include "sys/socket.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The controller's NodeAddr, where no name server knows the node. */
static int ask_node(const char *node, struct sockaddr_storage *ret)
{
	struct err unused;
	cleanup_free char *text = scontrol_show("node", node, &unused);
	char addr[HOSTLIST_NAME_MAX];

	if (!text || !text_value(text, "NodeAddr", addr, sizeof(addr)))
		return -1;
	return host_address(addr, ret);
}

/* The words after the request: "--" may stand between. */
static char **program_of(const struct given *g, struct err *err)
{
	int first = g->n > 1 && !strcmp(g->word[1], "--") ? 2 : 1;

	if (g->n > first)
		return g->word + first;
	err_printf(err,
		   "exec: no program after %s; write: dist-train exec "
		   "FRAMEWORK[,KEY=VALUE]... -- PROGRAM [ARG]...",
		   g->n ? g->word[0] : "it");
	return NULL;
}

/* What every task of the step finds in the same way is said by one of them, and
 * the rest by the first of each node. */
static bool says_it(bool common)
{
	const char *id = getenv(common ? "SLURM_PROCID" : "SLURM_LOCALID");

	return !id || !strcmp(id, "0");
}

/* Show an error, unless another task does, and end. */
static int fail(int status, bool common, const struct err *err)
{
	if (says_it(common))
		log_line("%s", err->text);
	usleep(LAST_WORDS_US);
	_exit(status);
}

struct prepared {
	struct config config;
	struct request request;
	struct resolved resolved;
	struct interfaces interfaces;
	struct job job;
	unsigned learn; /* a set of LEARN_... */
};

/* A file of roles, which each node's task reads. */
static int put_roles(char **argv, const struct prepared *p, struct err *err)
{
	cleanup_free char *text = NULL;
	struct role_file file;

	if (exec_check_request(&p->request, &p->resolved, err) < 0 ||
	    role_program_read(exec_words(argv), argv, text_file_read, own_env,
			      NULL, &p->config, &text, &file, err) < 0)
		return -1;
	role_file_clear(&file);
	return exec_env_set(NULL, HANDOVER_ROLES, text, err);
}

/* What all tasks find in the same way. */
static int prepare(const char *text, char **argv, struct prepared *p,
		   struct err *err)
{
	char room[COMMAND_ROOM];
	struct step_command command;
	char remark[REQUEST_REMARK_SIZE];

	if (exec_check_place(err) < 0 ||
	    config_parse(0, NULL, &p->config, err) < 0 ||
	    config_own_defaults(getenv(CONFIG_OWN_DEFAULTS), &p->config, err) <
		    0 ||
	    request_parse(text, p->config.defaults, NULL, &p->request, err) < 0)
		return -1;
	for (size_t n = 0;
	     says_it(true) && request_remark(&p->request, n, remark); n++)
		log_line("%s", remark);
	if (!p->request.framework)
		return 0;
	if (exec_facts(&p->request, &p->job, &p->learn, err) < 0 ||
	    exec_check_first(&p->job, err) < 0)
		return -1;
	resolve(&p->request, &p->job, &p->resolved);
	if (says_it(true) && p->resolved.by_topology && p->job.nnodes > 1)
		log_line("exec: order=topology has no effect: it needs the "
			 "plugin in srun, which asks slurmctld; the nodes' "
			 "order stays Slurm's");
	if (says_it(true) && p->resolved.groups && p->job.nnodes > 1)
		log_line("exec: groups has no effect: it needs the plugin in "
			 "srun, which asks slurmctld");
	if (p->request.framework->program_is_file)
		return put_roles(argv, p, err);
	wrapped_command_read(exec_words(argv), argv, text_file_read, room,
			     &command);
	if (step_command_check_words(&p->request, &p->resolved, p->job.ntasks,
				     &command, err) < 0)
		return -1;
	return exec_check_request(&p->request, &p->resolved, err);
}

/* As srun --dist-train=help does; one task shows it. */
static bool show_words(const char *text)
{
	FILE *f = says_it(true) ? stdout : fopen("/dev/null", "we");
	bool asked = f && help_asked(f, text, NULL);

	if (f && f != stdout)
		fclose(f);
	return asked;
}

static int run(struct given *g, struct err *err)
{
	const char *text = g->n ? g->word[0] : NULL;
	struct prepared p = {.config.port_min = 0};
	struct task task = {
		.env = {own_env, exec_env_set, NULL},
		.option_text = text,
		.config = &p.config,
		.request = &p.request,
		.resolved = &p.resolved,
		.interfaces = &p.interfaces,
		.ask_node = ask_node,
	};
	struct exec_fault fault = {.status = EXIT_FAILURE};
	char **program;

	if (text && !strcmp(text, "--help"))
		return SHOW_HELP;
	if (text && show_words(text))
		return EXIT_DONE;
	program = program_of(g, err);
	if (!program)
		return EXIT_USAGE;
	if (prepare(text, program, &p, err) < 0)
		return fail(EXIT_FAILURE, true, err);
	if (p.resolved.interfaces)
		interfaces_find(&p.interfaces);
	if (!p.request.framework)
		exec_program(program, &fault.status, err);
	else
		exec_start(&task, &p.job, p.learn, program, &fault, err);
	return fail(fault.status, fault.common, err);
}

const struct command exec_command = {
	.name = "exec",
	.summary = "start training on a cluster without the plugin",
	.usage = "FRAMEWORK[,KEY=VALUE]... [--] PROGRAM [ARG]...",
	.about = "Does under a plain srun what srun --dist-train does "
		 "where the plugin is installed: it becomes PROGRAM "
		 "with the framework's variables, or starts one "
		 "process per device. It needs no root.",
	.example = "srun -N4 --gpus-per-node=8 dist-train exec ddp -- "
		   "python3 main.py",
	.page = "dist-train-exec",
	.reads = true,
	.run = run,
};
