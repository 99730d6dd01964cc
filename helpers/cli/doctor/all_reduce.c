/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/doctor/all_reduce.h"

#include "core/base/cleanup.h"
#include "helpers/cli/doctor/doctor.h"
#include "sys/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_SIZE (4 << 20)
#define END_S	    15 /* for srun to end, once it was told to */

int all_reduce_run(const struct doctor_options *o, const char *nodes,
		   const struct doctor *doctor, struct all_reduce *ret,
		   struct err *err)
{
	cleanup_free char *said = malloc(OUTPUT_SIZE);
	uint64_t began_ms = loop_now_ms();
	struct err late;

	*ret = (struct all_reduce){.npairs = 0};
	if (!said)
		return err_memory(err);
	if (doctor_srun_all_reduce(o, nodes, doctor,
				   (int)(o->all_reduce_s + END_S) * 1000, said,
				   OUTPUT_SIZE, &late) < 0 &&
	    !*said)
		snprintf(said, OUTPUT_SIZE, "%s", late.text);
	if (loop_now_ms() - began_ms >= o->all_reduce_s * 1000ULL &&
	    !strstr(said, ALL_REDUCE_MARK " {"))
		snprintf(said, OUTPUT_SIZE, "no result within %u s",
			 o->all_reduce_s);
	return all_reduce_read(said, doctor, ret, err);
}
