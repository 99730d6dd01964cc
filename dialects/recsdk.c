/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rec SDK (mxRec) of Ascend, whose run.sh trains on one server: it exports one
 * of the two families of HCCL's variables, with or without a rank table, and
 * ends with horovodrun. The script runs once; its horovodrun starts the step's
 * processes.
 */
#include "core/plan/dialect.h"

#include <stdio.h>

static const char *const steps_own[] = {
	"RANK_TABLE_FILE", "RANK_SIZE",	     "RANK_ID",
	"CM_CHIEF_IP",	   "CM_CHIEF_PORT",  "CM_CHIEF_DEVICE",
	"CM_WORKER_IP",	   "CM_WORKER_SIZE", NULL,
};

static void wants(unsigned nprocs, char *buf, unsigned size)
{
	snprintf(buf, size, "hccl_json_%up.json", nprocs);
}

static const struct dialect_form forms[] = {
	{.framework = "ascend",
	 .platform = "Rec SDK's run.sh",
	 .start_command = "horovodrun",
	 .steps_own = steps_own,
	 .without_table = "CM_CHIEF_IP",
	 .with_table = "RANK_TABLE_FILE",
	 .wants = wants,
	 .nprocs = 8,
	 .wanted = "hccl_json"},
	{0},
};

const struct dialect dialect_recsdk = {
	.name = "recsdk",
	.summary = "Ascend's Rec SDK: run.sh with horovodrun",
	.form = forms,
};
