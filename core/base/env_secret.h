/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which values of an environment are secrets, and what is shown in their place:
 * output of a job is often readable for others. For whatever prints a value of
 * an envset.
 */
#ifndef DT_CORE_BASE_ENV_SECRET_H
#define DT_CORE_BASE_ENV_SECRET_H

#include "core/base/envset.h"
#include "core/base/parse.h"

/* Whether the entry's `value` (ours, the user's or NULL) is a secret: the entry
 * was marked (envset_hide()), or its name is one of those that secrets have, as
 * HF_TOKEN and WANDB_API_KEY. "" and ENV_LATER are none. */
bool env_is_secret(const struct env_entry *entry, const char *value);

/* "(a secret, 32 characters)". Returns buf. */
const char *env_secret(const char *value, char buf[SHOW_SIZE]);

/* That, or the value as show() has it. Returns buf. */
const char *env_show(const struct env_entry *entry, const char *value,
		     char buf[SHOW_SIZE]);

#endif
