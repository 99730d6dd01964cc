/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train-rsh: what mpirun, horovodrun, deepspeed and pdsh take for ssh. It
 * starts the command through Slurm, in the allocation that it is in.
 *
 *	dist-train-rsh [OPTION]... [USER@]HOST COMMAND [ARG]...
 *	dist-train-rsh --watched ADDRESS PORT COMMAND	the far end
 *
 * It becomes srun, which inherits a listening socket: when that srun ends in
 * whatever way, the far end sees it.
 */
#include "core/base/argset.h"
#include "core/base/parse.h"
#include "helpers/rsh/rsh.h"
#include "sys/helper_path.h"
#include "sys/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME   "dist-train-rsh"
#define FAILED 255 /* as ssh */

/* Unset the options of the outer step: they must not apply to the inner one. */
static void forget_options(void)
{
	static const char *const prefixes[] = {
		"SLURM_CPU_BIND",
		"SLURM_CPUS_PER_",
		"SLURM_DISTRIBUTION",
		"SLURM_EXACT",
		"SLURM_EXCLUSIVE",
		"SLURM_GPU_BIND",
		"SLURM_GPUS",
		"SLURM_HOSTFILE",
		"SLURM_KILL_BAD_EXIT",
		"SLURM_LABELIO",
		"SLURM_MEM_",
		"SLURM_MPI_TYPE",
		"SLURM_NNODES",
		"SLURM_NPROCS",
		"SLURM_NTASKS",
		"SLURM_STDERRMODE",
		"SLURM_STDINMODE",
		"SLURM_STDOUTMODE",
		"SLURM_THREAD",
		"SLURM_TRES_",
		"SLURM_EXPORT_ENV",
		"SLURM_RESV_PORTS",
		"SLURM_SPANK_",
		"SLURM_WAIT",
		"SLURM_CORE_SPEC",
		"SLURM_MULTI_PROG",
		"SLURM_RELATIVE",
		"SLURM_HET_SIZE",
		"SLURM_TIMELIMIT",
		"PMIX_",
		"PMI_",
	};
	extern char **environ;
	char name[256];

	for (char **e = environ; *e;) {
		size_t i, n = sizeof(prefixes) / sizeof(*prefixes);

		for (i = 0; i < n; i++)
			if (!strncmp(*e, prefixes[i], strlen(prefixes[i])))
				break;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*e, "="), *e);
		if (i == n || unsetenv(name) < 0)
			e++;
	}
}

/* A socket at this node's address that srun keeps open as long as it lives.
 * Returns its port, or 0. */
static unsigned listen_for_far_end(const char *own)
{
	int fd = socket_listen(own, 0, SOMAXCONN);

	return fd < 0 || fcntl(fd, F_SETFD, 0) < 0 ? 0 : socket_port(fd);
}

/* One task on the node, beside those that are there. It inherits our
 * environment, but neither binding nor MPI nor --dist-train. */
static int add_srun_options(struct argset *args, const struct rsh_options *o,
			    const char *node, struct err *err)
{
	const char *job = getenv("SLURM_JOB_ID"), *off;
	const char *bound = getenv("SLURM_CPU_BIND_TYPE");

	if (!job)
		return err_printf(err, "SLURM_JOB_ID isn't set: this works "
				       "inside a Slurm step only");
	off = getenv("DIST_TRAIN_OFF");
	if (argset_add(args, err, "--overlap") < 0 ||
	    argset_add(args, err, "--nodes=1") < 0 ||
	    argset_add(args, err, "--ntasks=1") < 0 ||
	    argset_add(args, err, "--nodelist=%s", node) < 0 ||
	    argset_add(args, err, "--jobid=%s", job) < 0 ||
	    argset_add(args, err, "--export=ALL") < 0 ||
	    argset_add(args, err, "--mpi=none") < 0 ||
	    argset_add(args, err, "--quit-on-interrupt") < 0 ||
	    argset_add(args, err, "--quiet") < 0)
		return -1;
	/* Where Slurm binds nothing, srun has a message about this option */
	if (bound && argset_add(args, err, "--cpu-bind=none") < 0)
		return -1;
	if (argset_add(args, err, "--input") < 0 ||
	    argset_add(args, err, o->no_input ? "none" : "all") < 0)
		return -1;
	if (off && !*off)
		return 0; /* this srun doesn't have the option */
	return argset_add(args, err, "%s", off ? off : "--dist-train=none");
}

/* This program again, on the other node: far_end() reads these. */
static int add_far_end(struct argset *args, const char *own, unsigned port,
		       const char *command, struct err *err)
{
	char self[PATH_MAX], path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return err_printf(err, "/proc/self/exe: %s", strerror(errno));
	self[n] = '\0';
	if (argset_add(args, err, "%s", self) < 0 ||
	    (helper_path(NAME, path) &&
	     argset_add(args, err, "--as=" NAME) < 0) ||
	    argset_add(args, err, "--watched") < 0 ||
	    argset_add(args, err, "%s", own) < 0 ||
	    argset_add(args, err, "%u", port) < 0)
		return -1;
	return argset_add(args, err, "%s", command);
}

static int become_srun(const struct argset *args, struct err *err)
{
	static char srun[] = "srun";
	char *const program[] = {srun, NULL};
	char **argv = argset_behind(args, program);

	if (!argv)
		return err_memory(err);
	forget_options();
	execvp(srun, argv);
	free(argv);
	return err_printf(err, "srun: %s", strerror(errno));
}

static int near_end(int argc, char *argv[], struct err *err)
{
	char node[HOSTLIST_NAME_MAX], own[NI_MAXHOST];
	struct argset args = {0};
	struct rsh_options o;
	unsigned port;
	int rc;

	if (rsh_options_read(argc, argv, &o, err) < 0 ||
	    rsh_host_find(o.host, node, err) < 0 ||
	    rsh_host_own(own, sizeof(own), err) < 0)
		return -1;
	port = listen_for_far_end(own);
	if (!port)
		return err_printf(err, "can't listen on any port: %s",
				  strerror(errno));
	rc = add_srun_options(&args, &o, node, err);
	if (rc == 0)
		rc = add_far_end(&args, own, port, o.command, err);
	if (rc == 0)
		rc = become_srun(&args, err);
	argset_clear(&args);
	return rc;
}

static int far_end(int argc, char *argv[], struct err *err)
{
	long port;

	if (argc != 5 || parse_number(argv[3], 1, 65535, &port) < 0)
		return err_printf(err, "--watched ADDRESS PORT COMMAND");
	return rsh_watch(argv[2], (unsigned)port, argv[4], err);
}

int main(int argc, char *argv[])
{
	struct err err;
	int rc;

	rc = argc > 1 && !strcmp(argv[1], "--watched")
		     ? far_end(argc, argv, &err)
		     : near_end(argc, argv, &err);
	if (rc >= 0)
		return rc;
	fprintf(stderr, NAME ": %s\n", err.text);
	return FAILED;
}
