/* SPDX-License-Identifier: Apache-2.0 */
/* In the place of devinfo_dcmi.c in the launcher for containers: a static
 * program can't open the driver's library. */
#include "helpers/npu/devinfo_sources.h"

int devinfo_dcmi(struct devinfo_query *q, int *ret_absent)
{
	*ret_absent = -1;
	return err_printf(
		&q->note,
		"the static launcher can't open the driver's library");
}
