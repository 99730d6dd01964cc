/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_EXEC_EXEC_SCONTROL_H
#define DT_HELPERS_CLI_EXEC_EXEC_SCONTROL_H

#include <stddef.h>

/* What `scontrol -d show WHAT NAME` prints, in full with a NUL. Waits for
 * Slurm's controller, 20 s at most. Returns 0, or -1 when there is no scontrol,
 * no answer, or no room for it. */
int exec_scontrol(const char *what, const char *name, char *buf, size_t size);

#endif
