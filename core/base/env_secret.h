/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which values of an environment are secrets, and what is shown in their place:
 * output of a job is often readable for others. For whatever prints a value of
 * an envset.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/parse.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the entry's `value` (ours, the user's or NULL) is a secret: the entry
 * was marked (envset_hide()), or its name is one of those that secrets have, as
 * HF_TOKEN and WANDB_API_KEY. "", ENV_LATER and ENV_ON_NODE are
 * none. */
bool env_is_secret(const struct env_entry *entry, const char *value);

/* A program and its arguments (argv ends with NULL, or is NULL) with blanks
 * between them, as far as there is room in buf; the value of an option whose
 * name is that of a secret becomes "...". */
void env_secret_command(char *const *argv, char *buf, size_t size);

/* "(a secret, 32 characters)". Returns buf. */
const char *env_secret(const char *value, char buf[SHOW_SIZE]);

/* That, or the value as show() has it. Returns buf. */
const char *env_show(const struct env_entry *entry, const char *value,
		     char buf[SHOW_SIZE]);

/* "your NAME=VALUE is kept, but the step has OURS". Returns buf. */
#define ENV_KEPT_SIZE 1024
const char *env_kept(const struct env_entry *entry, const char *ours,
		     char buf[ENV_KEPT_SIZE]);

/* "your NAME=VALUE, but the step has OURS": with another rank or size a process
 * would train in another world, or wait for ever for one. Returns -1. */
int env_refuse(const struct env_entry *entry, const char *ours,
	       struct err *err);
