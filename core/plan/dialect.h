/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dialect is what another platform hands to the scripts that were written
 * for it: the same data and functions as a framework has, one form for each
 * framework that the platform knows. A new one is one file in dialects/, one
 * line in dialects.def, one in the Makefile, golden tests and a page.
 */
#pragma once

#include "core/base/argset.h"
#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/plan/framework.h"

#include <stdbool.h>

struct plan;
struct process;

struct dialect_form {
	const char *framework; /* its name; NULL: the end of the forms */
	const char *platform;  /* how the platform calls it */
	unsigned needs;	       /* enum framework_needs, besides its own */
	bool launches;	 /* the program starts the workers: one per node */
	bool first_node; /* run-on=first, unless the user gives it */
	int procs;	 /* of the key, unless the user gives it */
	const char *tf_environment; /* in TF_CONFIG; NULL: none */
	const char *ray_resource;   /* Ray's custom resource on each node, whose
				       number is appended; NULL: none */
	/* The program is a script that runs once, in task 0, and calls this
	 * command to start what all processes are to run. NULL: it is what
	 * they run. */
	const char *start_command;
	/* What the script sets for that and only the step can know, and the
	 * one of these with which it asks for table=none, where it doesn't have
	 * the other one. */
	const char *const *steps_own;
	const char *without_table, *with_table;
	/* The file in the current folder that it wants to be there, for so many
	 * processes on its node, and how many it has where nobody edits it. How
	 * the name of each such file begins, which ends with .json. */
	void (*wants)(unsigned nprocs, char *buf, unsigned size);
	unsigned nprocs;
	const char *wanted;
	/* Variables besides the framework's, or instead of them: a name that
	 * both set is the dialect's. May be NULL. */
	int (*env)(const struct plan *plan, const struct process *process,
		   struct envset *set, struct err *err);
	/* Arguments after the program's own. May be NULL. */
	int (*args)(const struct plan *plan, const struct process *process,
		    struct argset *args, struct err *err);
};

struct dialect {
	const char *name;
	const char *summary;	  /* one line for help and tables */
	const char *start_script; /* the platform's own, which starts a job's
				     ranks and works nowhere else; NULL: none */
	const struct dialect_form *form; /* after the last: no framework */
};

/* The dialect's form of that framework; NULL with those that it has in *err.
 */
const struct dialect_form *dialect_form(const struct dialect *dialect,
					const char *framework, struct err *err);
