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
#include "core/base/parse.h"
#include "helpers/rsh/rsh_host.h"
#include "helpers/rsh/rsh_options.h"
#include "helpers/rsh/rsh_watch.h"
#include "sys/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAILED 255 /* as ssh */

/* What the step around us was asked for isn't for the one inside. */
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

/* A socket that srun keeps open as long as it lives. Returns its port, or 0. */
static unsigned listen_for_far_end(void)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	char port[NI_MAXSERV];
	int fd = net_listen(0);

	if (fd < 0 || fcntl(fd, F_SETFD, 0) < 0 ||
	    getsockname(fd, (struct sockaddr *)&addr, &len) < 0 ||
	    getnameinfo((struct sockaddr *)&addr, len, NULL, 0, port,
			sizeof(port), NI_NUMERICSERV) != 0)
		return 0;
	return (unsigned)strtoul(port, NULL, 10);
}

static int become_srun(const struct rsh_options *o, const char *node,
		       const char *own, unsigned port, struct err *err)
{
	const char *off = getenv("DIST_TRAIN_OFF"),
		   *job = getenv("SLURM_JOB_ID");
	char nodelist[HOSTLIST_NAME_MAX + 16], jobid[64], number[16];
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	/* A second --quiet where there is no binding: srun would say so. */
	const char *bind =
		getenv("SLURM_CPU_BIND_TYPE") ? "--cpu-bind=none" : "--quiet";
	const char *argv[] = {
		"srun",
		"--overlap",
		"--nodes=1",
		"--ntasks=1",
		nodelist,
		jobid,
		"--export=ALL",
		"--mpi=none",
		"--quit-on-interrupt",
		"--quiet",
		bind,
		"--input",
		o->no_input ? "none" : "all",
		off ? off : "--dist-train=none",
		self,
		"--watched",
		own,
		number,
		o->command,
		NULL,
	};

	if (!job || n < 0)
		return err_printf(err, "SLURM_JOB_ID isn't set: this works "
				       "inside a Slurm step only");
	self[n] = '\0';
	snprintf(nodelist, sizeof(nodelist), "--nodelist=%s", node);
	snprintf(jobid, sizeof(jobid), "--jobid=%s", job);
	snprintf(number, sizeof(number), "%u", port);
	forget_options();
	execvp(argv[0], (char *const *)argv);
	return err_printf(err, "srun: %s", strerror(errno));
}

static int near_end(int argc, char *argv[], struct err *err)
{
	char node[HOSTLIST_NAME_MAX], own[NI_MAXHOST];
	struct rsh_options o;
	unsigned port;

	if (rsh_options_read(argc, argv, &o, err) < 0 ||
	    rsh_host_find(o.host, node, err) < 0 ||
	    rsh_host_own(own, sizeof(own), err) < 0)
		return -1;
	port = listen_for_far_end();
	if (!port)
		return err_printf(err, "no port to listen on: %s",
				  strerror(errno));
	return become_srun(&o, node, own, port, err);
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
	fprintf(stderr, "dist-train-rsh: %s\n", err.text);
	return FAILED;
}
