/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's public API about its topology, whose signatures differ. */
#include "config.h"

#include "host.h"

#include <stdio.h>
#include <stdlib.h>

/* `topology LINE` lines, as slurmctld's text. The message's own members differ
 * between releases. */
#if TOPO_LOAD_ARGS == 2
int slurm_load_topo(topo_info_response_msg_t **ret, char *name)
#else
int slurm_load_topo(topo_info_response_msg_t **ret)
#endif
{
#if TOPO_LOAD_ARGS == 2
	(void)name;
#endif
	if (!rpc("topology"))
		return SLURM_ERROR;
	*ret = calloc(1, sizeof(**ret));
#if TOPO_PRINT_ARGS == 3
	(*ret)->record_count = range_get(stage.head, "topology") ? 1 : 0;
#endif
	return SLURM_SUCCESS;
}

static void print_lines(FILE *out)
{
	const char *text;

	for (unsigned at = 0; (text = range_next(stage.head, "topology", &at));)
		fprintf(out, "%s\n", text);
}

#if TOPO_PRINT_ARGS == 5
void slurm_print_topo_info_msg(FILE *out, topo_info_response_msg_t *msg,
			       char *nodes, char *unit, int one_liner)
{
	(void)nodes;
	(void)unit;
#elif TOPO_PRINT_ARGS == 4
void slurm_print_topo_info_msg(FILE *out, topo_info_response_msg_t *msg,
			       char *nodes, int one_liner)
{
	(void)nodes;
#else
void slurm_print_topo_info_msg(FILE *out, topo_info_response_msg_t *msg,
			       int one_liner)
{
#endif
	(void)msg;
	(void)one_liner;
	print_lines(out);
}

void slurm_free_topo_info_msg(topo_info_response_msg_t *msg)
{
	free(msg);
}
