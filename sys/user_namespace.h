/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user and a mount namespace in which this user may mount, with no right but
 * his own: where the kernel and the administrator allow it.
 */
#pragma once

#include "core/base/err.h"

/* Move this process, which has one thread, into new ones: the user and his
 * group stay who they are, all others are nobody. Returns 0, or -1, also when
 * no mount is allowed in them: `err` says which setting may forbid it. */
int user_namespace_enter(struct err *err);

/* Whether that works here, tried in a fork. */
int user_namespace_check(struct err *err);
