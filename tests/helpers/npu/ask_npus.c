/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launcher does about a step's NPUs: Slurm's indices to physical ids,
 * and their facts, which are printed.
 *
 *	ask_npus INDICES [TIMEOUT [HCCN_CONF]]
 */
#include "core/ascend/npu.h"
#include "core/ascend/npu_ids.h"
#include "helpers/npu/devinfo.h"

#include "tests/fixtures/npu_text.h"

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

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
	struct npu npu[IDLIST_MAX];
	char line[1024];
	struct err why;

	if (argc < 2 || idlist_parse(argv[1], &gres) < 0)
		errx(2, "usage: ask_npus INDICES [TIMEOUT [HCCN_CONF]]");
	if (devinfo_nodes(o.root, &nodes, &why) < 0 ||
	    npu_ids_of_gres(&gres, &nodes, o.node, &ids, &why) < 0 ||
	    devinfo_read(&o, &ids, npu, &why) < 0)
		errx(1, "%s", why.text);
	for (unsigned i = 0; i < ids.n; i++)
		puts(npu_text(&npu[i], line));
	return 0;
}
