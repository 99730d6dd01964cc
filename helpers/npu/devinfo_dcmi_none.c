/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces devinfo_dcmi.c in the static launcher for containers, which can't
 * open the driver's library. */
#include "helpers/npu/devinfo.h"

#define NO_LIBRARY "the static launcher can't open the driver's library"

void devinfo_health(const struct idlist *ids,
		    void (*tell)(void *arg, unsigned id, unsigned health),
		    void *arg)
{
	(void)ids;
	(void)tell;
	(void)arg;
}

int devinfo_library_start(const struct devinfo_options *options,
			  const struct idlist *ids, struct subprocess *ret,
			  struct err *err)
{
	(void)options;
	(void)ids;
	(void)ret;
	return err_printf(err, NO_LIBRARY);
}

int devinfo_dcmi(struct devinfo_query *q, int *ret_absent)
{
	*ret_absent = -1;
	return err_printf(&q->note, NO_LIBRARY);
}
