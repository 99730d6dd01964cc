/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/files/files.h"

#include "core/base/ip.h"
#include "core/plan/framework.h"
#include "core/plan/procmap.h"
#include "helpers/conn/step_cert.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <string.h>

static int find_address(const struct plan *plan, struct ip *ret,
			struct err *err)
{
	char **hosts = procmap_hosts(plan, err);
	const char *own;
	int rc = -1;

	if (!hosts)
		return -1;
	own = hosts[plan->job->nodeid];
	if (ip_parse(own, strlen(own), ret) == 0)
		rc = 0;
	else
		err_printf(err, "the step's certificate needs this node's IP "
				"address, not its name; use addr=ip");
	procmap_free_hosts(hosts);
	return rc;
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
