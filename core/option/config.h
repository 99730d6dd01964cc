/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the administrator's arguments in plugstack.conf come to; read and freed
 * by registry/config.c.
 */
#pragma once

#include <stdbool.h>

/* The name of the option where none is given. */
#define CONFIG_OPTION_NAME "dist-train"

struct config {
	char option[64];	     /* name of the command-line option */
	char *allow;		     /* comma-separated frameworks, by their
					own names, or NULL */
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
	char *stagedir;	  /* where the key stage keeps copies, or NULL */
	int stage;	  /* CONFIG_STAGE_... */
	long stagekeep;	  /* bytes of a user's copies; -1: all of them */
};

/* How processes may see a copy of the key stage: the words of stage=. */
enum { CONFIG_STAGE_USERNS, CONFIG_STAGE_PATH, CONFIG_STAGE_OFF };

/* The variable with a user's own defaults. */
#define CONFIG_OWN_DEFAULTS "SLURM_DIST_TRAIN_DEFAULTS"
