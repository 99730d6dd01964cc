/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/files/files.h"

#include "core/base/ip.h"
#include "core/plan/framework.h"
#include "core/plan/procmap.h"
#include "helpers/conn/step_cert.h"
#include "sys/helper_path.h"
#include "sys/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "dist-train-rsh"

/* One line for each node: its name, `middle` and its number of slots. */
static int write_list(const struct hostfile *nodes, const char *middle,
		      const char *path, struct err *err)
{
	cleanup_free char *text = hostfile_text(nodes, middle, "\n", err);
	cleanup_free char *lines = NULL;

	if (!text)
		return -1;
	if (asprintf(&lines, "%s\n", text) < 0)
		return err_memory(err);
	return write_file(path, lines, strlen(lines), 0600, err);
}

/* The stand-in finds out by its name what it is, in a bundle. */
static int link_to(const char *rsh, const char *path, struct err *err)
{
	if (symlink(rsh, path) == 0)
		return 0;
	return err_printf(err, "can't make %s: %s", path, strerror(errno));
}

/* A link is on this node alone. */
static int find_rsh(const char *dir, struct host_files *f, struct err *err)
{
	char path[PATH_MAX];
	bool bundle = helper_path(PROGRAM, path);

	if (access(path, X_OK) < 0)
		return err_printf(err,
				  "%s: %s; install slurm-dist-train's helpers",
				  path, strerror(errno));
	snprintf(f->rsh, sizeof(f->rsh), "%s/ssh", dir);
	if (link_to(path, f->rsh, err) < 0)
		return -1;
	snprintf(f->agent, sizeof(f->agent), "%s%s", path,
		 bundle ? " --as=" PROGRAM : "");
	if (!bundle) {
		strcpy(f->rsh, path);
		return 0;
	}
	snprintf(f->rsh, sizeof(f->rsh), "%s/" PROGRAM, dir);
	return link_to(path, f->rsh, err);
}

int host_files_make(const char *dir, const struct plan *plan,
		    struct host_files *ret, struct err *err)
{
	struct host_files f;
	cleanup_hostfile struct hostfile nodes = {0};
	int n, m;

	n = snprintf(f.hosts, sizeof(f.hosts), "%s/hostfile", dir);
	m = snprintf(f.machines, sizeof(f.machines), "%s/machinefile", dir);
	if (n >= (int)sizeof(f.hosts) || m >= (int)sizeof(f.machines))
		return err_printf(err, "rundir=: the name is too long");
	if (hostfile_find(plan, &nodes, err) < 0 ||
	    write_list(&nodes, " slots=", f.hosts, err) < 0 ||
	    write_list(&nodes, ":", f.machines, err) < 0 ||
	    find_rsh(dir, &f, err) < 0)
		return -1;
	*ret = f;
	return 0;
}

void host_files_tell(const struct host_files *files, struct plan *plan)
{
	if (!*files->hosts)
		return;
	plan->files.hosts = files->hosts;
	plan->files.machines = files->machines;
	plan->files.rsh = files->rsh;
	plan->files.agent = files->agent;
}

static int find_address(const struct plan *plan, struct ip *ret,
			struct err *err)
{
	cleanup_hosts char **hosts = procmap_hosts(plan, err);
	const char *own;

	if (!hosts)
		return -1;
	own = hosts[plan->job->nodeid];
	if (ip_parse(own, strlen(own), ret) == 0)
		return 0;
	return err_printf(err, "the step's certificate needs this node's IP "
			       "address, not its name; use addr=ip");
}

int cert_files_make(const char *dir, const char *secret,
		    const struct plan *plan, struct cert_files *ret,
		    struct err *err)
{
	bool named = plan->resolved.needs & NEEDS_PEERS;
	struct step_cert made;
	struct cert_files f;
	struct ip ip;
	int n, m;

	n = snprintf(f.cert, sizeof(f.cert), "%s/cert.pem", dir);
	m = snprintf(f.key, sizeof(f.key), "%s/key.pem", dir);
	if (n >= (int)sizeof(f.cert) || m >= (int)sizeof(f.key))
		return err_printf(err, "rundir=: the name is too long");
	if (named && find_address(plan, &ip, err) < 0)
		return -1;
	if (step_cert_make(secret, named ? &ip : NULL, &made) < 0)
		return err_printf(err, "can't make the step's certificate");
	if (write_file(f.cert, made.cert, strlen(made.cert), 0600, err) < 0 ||
	    write_file(f.key, made.key, strlen(made.key), 0600, err) < 0)
		return -1;
	*ret = f;
	return 0;
}

void cert_files_tell(const struct cert_files *files, struct plan *plan)
{
	if (!*files->cert)
		return;
	plan->files.cert = files->cert;
	plan->files.key = files->key;
}
