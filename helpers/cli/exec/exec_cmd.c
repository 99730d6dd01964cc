/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/exec/exec_cmd.h"

#include "core/command/step_command_check.h"
#include "core/command/wrapped_command.h"
#include "core/facts/handover.h"
#include "core/plan/resolve.h"
#include "helpers/cli/command.h"
#include "helpers/cli/exec/exec.h"
#include "registry/registry.h"
#include "registry/words_help.h"
#include "sys/host_address.h"
#include "sys/interfaces.h"
#include "sys/log.h"
#include "sys/own_env.h"
#include "sys/text_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The controller's NodeAddr, where no name server knows the node. */
static int ask_node(const char *node, struct sockaddr_storage *ret)
{
	char text[4096], *addr;

	if (exec_scontrol("node", node, text, sizeof(text)) < 0)
		return -1;
	addr = strstr(text, " NodeAddr=");
	if (!addr)
		return -1;
	addr += strlen(" NodeAddr=");
	addr[strcspn(addr, " \n")] = '\0';
	return host_address(addr, ret);
}

/* The words after the request: "--" may stand between. */
static char **program_of(int argc, char *argv[], struct err *err)
{
	int first = argc > 2 && !strcmp(argv[2], "--") ? 3 : 2;

	if (argc > first)
		return argv + first;
	err_printf(err,
		   "exec: no program after %s; write: dist-train exec "
		   "FRAMEWORK[,KEY=VALUE]... -- PROGRAM [ARG]...",
		   argc > 1 ? argv[1] : "it");
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
	struct exec_learn learn;
};

static int words(char **argv)
{
	int n = 0;

	while (argv[n])
		n++;
	return n;
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
	wrapped_command_read(words(argv), argv, text_file_read, room, &command);
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

int exec_cmd(int argc, char *argv[], struct err *err)
{
	struct prepared p = {.config.port_min = 0};
	struct task task = {
		.env = {own_env, exec_env_set, NULL},
		.option_text = argv[1],
		.config = &p.config,
		.request = &p.request,
		.resolved = &p.resolved,
		.interfaces = &p.interfaces,
		.ask_node = ask_node,
	};
	struct exec_fault fault = {.status = EXIT_FAILURE};
	char **program;

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return SHOW_HELP;
	if (argc > 1 && show_words(argv[1]))
		return EXIT_DONE;
	program = program_of(argc, argv, err);
	if (!program)
		return EXIT_USAGE;
	if (prepare(argv[1], program, &p, err) < 0)
		return fail(EXIT_FAILURE, true, err);
	if (p.resolved.interfaces)
		interfaces_find(&p.interfaces);
	if (!p.request.framework)
		exec_program(program, &fault.status, err);
	else
		exec_start(&task, &p.job, &p.learn, program, &fault, err);
	return fail(fault.status, fault.common, err);
}
