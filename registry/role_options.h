/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of roles, whole: its lines (core/roles) with the frameworks that they
 * name, each of which reads its own keys as if the world were a step of its
 * own. Pure; in srun, dist-train exec and explain, and on each node.
 */
#pragma once

#include "core/command/wrapped_command.h"
#include "core/option/config.h"
#include "core/roles/role_file.h"

/* Read the text of a file called `name`; `config` has the administrator's
 * defaults and allowed frameworks. Fails with FILE:LINE:COLUMN; see
 * role_file_parse(). role_file_clear() otherwise. */
int role_file_read(const char *text, const char *name, env_lookup_fn lookup,
		   void *arg, const struct config *config,
		   struct role_file *ret, struct err *err);

/* The same of the words of a step's command: one, which is the file's name and
 * which `read` (sys/text_file.h) reads. *ret_text is what the nodes get
 * (HANDOVER_ROLES), for the caller to free. */
int role_program_read(int argc, char *const argv[], read_script_fn read,
		      env_lookup_fn lookup, void *arg,
		      const struct config *config, char **ret_text,
		      struct role_file *ret, struct err *err);
