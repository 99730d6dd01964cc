/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/handover.h"

#define ENTRIES "2000" /* collectives that a rank remembers */

static const char source[] = "key hang";

/* PyTorch looks at the pipe each second only where it may also dump on a
 * timeout. The last two are the names of older releases; newer ones say that
 * these are deprecated, and take the others. */
static const struct name {
	const char *name;
	const char *value; /* NULL: a file of this prefix in the folder */
	const char *prefix;
	const char *leader; /* whose owner speaks for this one too */
} nccls[] =
	{
		{"TORCH_FR_BUFFER_SIZE", ENTRIES, NULL, NULL},
		{"TORCH_FR_DUMP_TEMP_FILE", NULL, RECORDERS_TORCH, NULL},
		{"TORCH_NCCL_DEBUG_INFO_PIPE_FILE", NULL, RECORDERS_TORCH,
		 "TORCH_FR_DUMP_TEMP_FILE"},
		{"TORCH_NCCL_DUMP_ON_TIMEOUT", "1", NULL, NULL},
		{"TORCH_NCCL_TRACE_BUFFER_SIZE", ENTRIES, NULL,
		 "TORCH_FR_BUFFER_SIZE"},
		{"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", NULL, RECORDERS_TORCH,
		 "TORCH_FR_DUMP_TEMP_FILE"},
		{NULL, NULL, NULL, NULL},
},
  hccls[] = {
	  {"TORCH_HCCL_TRACE_BUFFER_SIZE", ENTRIES, NULL, NULL},
	  {"TORCH_HCCL_DEBUG_INFO_TEMP_FILE", NULL, RECORDERS_HCCL, NULL},
	  {"TORCH_HCCL_DEBUG_INFO_PIPE_FILE", NULL, RECORDERS_HCCL,
	   "TORCH_HCCL_DEBUG_INFO_TEMP_FILE"},
	  {"TORCH_HCCL_DUMP_ON_TIMEOUT", "1", NULL, NULL},
	  /* The thread that looks at the pipe; NCCL's is there by default. It
	   * would also end a process whose watchdog stands still: in a day. */
	  {"TORCH_HCCL_ENABLE_MONITORING", "1", NULL, NULL},
	  {"TORCH_HCCL_HEARTBEAT_TIMEOUT_SEC", "86400", NULL,
	   "TORCH_HCCL_ENABLE_MONITORING"},
	  {NULL, NULL, NULL, NULL},
};

static int add(const char *folder, const struct name *n, struct envset *set,
	       struct err *err)
{
	int rc;

	if (n->value)
		rc = envset_add(set, ENV_HINT, source, err, n->name, "%s",
				n->value);
	else if (folder)
		rc = envset_add(set, ENV_HINT, source, err, n->name, "%s/%s",
				folder, n->prefix);
	else
		rc = envset_add(set, ENV_HINT, source, err, n->name, "%s",
				ENV_LATER);
	if (rc == 0 && n->leader)
		envset_follow(set, n->name, n->leader);
	return rc;
}

int recorder_env(const char *folder, bool npu, unsigned ras_port,
		 struct envset *set, struct err *err)
{
	for (const struct name *n = npu ? hccls : nccls; n->name; n++)
		if (add(folder, n, set, err) < 0)
			return -1;
	/* a name could be an IPv6 address for one and not for the other */
	return npu ? 0
		   : envset_add(set, ENV_HINT, source, err, "NCCL_RAS_ADDR",
				"127.0.0.1:%u", ras_port);
}
