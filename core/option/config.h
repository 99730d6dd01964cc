/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The administrator's arguments, from the plugin's line in plugstack.conf,
 * and the table that they come from.
 */
#ifndef DT_CORE_OPTION_CONFIG_H
#define DT_CORE_OPTION_CONFIG_H

#include "core/base/err.h"

#include <stdbool.h>

enum config_id {
	CONFIG_OPTION,
	CONFIG_ALLOW,
	CONFIG_DEFAULT,
	CONFIG_PORTS,
	CONFIG_ADDR,
	CONFIG_NIC,
	CONFIG_GRACE,
	CONFIG_RUNDIR,
	CONFIG_PROFILEDIR,
	CONFIG_PROFILE,
	CONFIG_INVENTORY,
	CONFIG_MPI,
	CONFIG_COUNT,
};

struct config_arg {
	const char *name;
	const char *value;   /* as the help shows it */
	const char *initial; /* as the help shows it */
	const char *meaning;
};

extern const struct config_arg config_args[CONFIG_COUNT];

/* The name of the option until config_parse() has read another. */
#define CONFIG_OPTION_NAME "dist-train"

struct config {
	char option[64];	     /* name of the command-line option */
	char *allow;		     /* comma-separated frameworks, or NULL */
	char *defaults;		     /* a line of KEY=VALUE[,...], or two: the
					administrator's (may be empty) and the
					user's own, which are stronger; NULL:
					neither */
	char *own_defaults;	     /* the user's alone, or NULL */
	unsigned port_min, port_max; /* for derived coordinator ports */
	char *rundir;		     /* for files of a step, or NULL */
	char *inventory;	     /* file of device addresses, or NULL */
	char *profiledir; /* folder of profiles; NULL: the installed one */
	char *profiles;	  /* "NAME[@PLACE] ...", or NULL */
	bool choose_pmix; /* for steps that need PMI */
};

/* The variable with a user's own defaults. */
#define CONFIG_OWN_DEFAULTS "SLURM_DIST_TRAIN_DEFAULTS"

/* Read ARG=VALUE words. On failure *ret holds the arguments read so far (the
 * option's name among them, so that the option stays known) and the error
 * names the argument. Free with config_clear() in both cases. */
int config_parse(int argc, char *const argv[], struct config *ret,
		 struct err *err);

/* Add the user's own defaults, KEY=VALUE[,...], as the text of the variable
 * has them; NULL or "" for none. Called once, after config_parse(). On failure
 * the config is untouched, and the error begins with the variable's name. */
int config_own_defaults(const char *text, struct config *config,
			struct err *err);

/* The error of an argument's value that only others can judge: "NAME='VALUE':
 * WHY". Returns -1. */
int config_bad_arg(const char *name, const char *value, const struct err *why,
		   struct err *err);

void config_clear(struct config *config);

#endif
