/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_EXEC_EXEC_PROFILE_H
#define DT_HELPERS_CLI_EXEC_EXEC_PROFILE_H

#include "core/base/err.h"
#include "core/option/option.h"

/* Put the text of the key profile= into HANDOVER_PROFILE: from the user's own
 * folder (XDG_CONFIG_HOME, else ~/.config, dist-train/profiles) where it is
 * there, else from that of the bundle, else from the installed one. Fails as
 * profile_dir_read() does. */
int exec_profile_put(const struct request *request, struct err *err);

#endif
