/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SYS_BECOME_USER_H
#define DT_SYS_BECOME_USER_H

#include "core/base/err.h"

#include <sys/types.h>

/* Root becomes this user, for good, with all of his groups and his home. A
 * program that is executed from now on is his as well: he may stop it and look
 * into it. So nothing of root's goes there: of the environment the few
 * variables are left that find programs, Slurm's files and the language;
 * of the open files the standard streams; no key of root's session keyring.
 * (The terminal is given up in subprocess.h.) Returns 0, or -1: the caller has
 * to end, as what it is then. */
int become_user(uid_t uid, gid_t gid, struct err *err);

#endif
