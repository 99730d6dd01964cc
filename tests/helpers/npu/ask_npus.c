/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launcher does about a step's NPUs: Slurm's indices to physical ids, a
 * child that asks for their facts, and the lines that it writes into a pipe.
 *
 *	ask_npus INDICES [TIMEOUT [HCCN_CONF]]
 */
#include "core/ascend/npu.h"
#include "core/ascend/npu_ids.h"
#include "helpers/npu/devinfo.h"

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int ask(struct devinfo_options *o, const struct idlist *ids, int out)
{
	struct npu npu[IDLIST_MAX];
	char line[NPU_LINE_SIZE];
	struct err why;

	if (devinfo_read(o, ids, npu, &why) < 0) {
		fprintf(stderr, "dist-train: %s\n", why.text);
		return 1;
	}
	for (unsigned i = 0; i < ids->n; i++)
		dprintf(out, "%s\n", npu_format(&npu[i], line));
	return 0;
}

static int read_lines(int in)
{
	char line[NPU_LINE_SIZE + 1], again[NPU_LINE_SIZE];
	FILE *f = fdopen(in, "r");
	struct npu npu;
	struct err why;

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (npu_parse(line, &npu, &why) < 0)
			errx(3, "%s: %s", line, why.text);
		puts(npu_format(&npu, again));
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct devinfo_options o = {
		.root = devinfo_root(),
		.node = "node1",
		.hccn_conf_fd =
			argc > 3 ? open(argv[3], O_RDONLY | O_CLOEXEC) : -1,
		.timeout_s = argc > 2 ? (unsigned)atoi(argv[2]) : 10,
		.warnings = stderr,
	};
	struct idlist gres, ids;
	struct npu_nodes nodes;
	int ends[2], status;
	struct err why;
	pid_t pid;

	if (argc < 2 || idlist_parse(argv[1], &gres) < 0 || pipe(ends) < 0)
		errx(2, "usage: ask_npus INDICES [TIMEOUT [HCCN_CONF]]");
	if (devinfo_nodes(o.root, &nodes, &why) < 0 ||
	    npu_ids_of_gres(&gres, &nodes, o.node, &ids, &why) < 0) {
		fprintf(stderr, "dist-train: %s\n", why.text);
		return 1;
	}
	pid = fork();
	if (pid == 0)
		_exit(ask(&o, &ids, ends[1]));
	close(ends[1]);
	read_lines(ends[0]);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}
