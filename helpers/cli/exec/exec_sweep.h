/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_EXEC_EXEC_SWEEP_H
#define DT_HELPERS_CLI_EXEC_EXEC_SWEEP_H

/* Remove the folders of this user's launchers on this node that were killed
 * (SIGKILL): with the plugin slurmstepd does it, without it the next step. The
 * folder of a launcher that lives is locked (helpers/files/run_dir.h). */
void exec_sweep(void);

#endif
