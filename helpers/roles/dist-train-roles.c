/* SPDX-License-Identifier: Apache-2.0 */
/* dist-train-roles FILE: helpers/roles/agent.h */
#include "helpers/conn/seal.h"
#include "helpers/roles/agent.h"
#include "registry/registry.h"
#include "registry/role_options.h"
#include "sys/child.h"
#include "sys/helper_path.h"
#include "sys/left_signals.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The launcher has written it before we were started; the worlds read nothing
 * there. */
static int read_secret(struct agent *a, struct err *err)
{
	char word[SEAL_WORD_SIZE];
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(STDIN_FILENO, word, sizeof(word));

	a->notes_fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	_Static_assert(SEAL_WORD_SIZE - 1 == SECRET_SIZE, "one fits the other");
	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		return err_printf(err, "/dev/null: %m");
	close(null);
	if (n != SEAL_WORD_SIZE)
		return err_printf(err, "dist-train-roles is started by srun "
				       "--dist-train=roles");
	memcpy(a->secret, word, SECRET_SIZE);
	return 0;
}

/* With addr=nic the launchers have asked each other for it. */
static int read_address(struct job *job, struct err *err)
{
	const char *addr = getenv("DIST_TRAIN_MASTER_ADDR");

	if (job->nic_addr || !addr)
		return 0;
	job->nic_addr = strdup(addr);
	return job->nic_addr ? 0 : err_memory(err);
}

static int read_facts(struct agent *a, const char *name, struct err *err)
{
	const char *text = getenv(HANDOVER_ROLES);

	a->run_dir = getenv("DIST_TRAIN_RUN_DIR");
	if (!text || !a->run_dir)
		return err_printf(err, "%s: srun has sent no file of roles",
				  name);
	if (handed_read(own_env, NULL, &a->config, &a->request, &a->job, err) <
		    0 ||
	    read_address(&a->job, err) < 0 ||
	    plan_make(&a->request, &a->config, &a->job, &a->plan, err) < 0)
		return -1;
	/* Agents meet at an address, also where processes find a name */
	if (request_word(&a->request, KEY_ADDR) == ADDR_NAME &&
	    a->job.rank0_addr)
		a->plan.coordinator.addr = a->job.rank0_addr;
	return role_file_read(text, name, own_env, NULL, &a->config, &a->file,
			      err);
}

static int run(struct agent *a, const char *name, struct err *err)
{
	if (read_secret(a, err) < 0 || read_facts(a, name, err) < 0)
		return -1;
	return agent_run(a, err);
}

static void clear(struct agent *a)
{
	agent_close(a);
	role_file_clear(&a->file);
	job_clear(&a->job);
	request_clear(&a->request);
	config_clear(&a->config);
}

int main(int argc, char **argv)
{
	struct agent agent = {
		.loop.epoll_fd = -1,
		.told.fd = -1,
		.children.fd = -1,
		.records.fd = -1,
		.notes_fd = -1,
	};
	struct err err;
	int code;

	helper_path_own("", NULL);
	procs_leave_signals();
	code = run(&agent, argc > 1 ? argv[1] : "the file", &err);
	if (code < 0)
		agent_say(err.text);
	clear(&agent);
	return code < 0 ? EXIT_FAILURE : code;
}
