/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roles: several programs in one step, as a file of lines says it.
 *
 *	# ROLE   FRAMEWORK  KEY=VALUE...                      -- COMMAND
 *	trainer  ddp        nodes=4                           -- train.py
 *	rollout  vllm       nodes=2 each=2gpu ready=tcp       -- vllm serve m
 *
 * A line is a role: one world, or several equal ones (`each`). A world has its
 * own ranks, its own ports and its framework's variables.
 *
 * core/roles holds what follows from the file alone, and from the step's nodes:
 * role_file.h	a text to its lines; role_text.c splits a line into words,
 *		role_keys.c reads the keys, role_check.c what doesn't fit
 * role_plan.h	lines and nodes to worlds: who is where, with which devices
 * role_names.h	what $NAME stands for, a world's command and its variables
 * Frameworks are known to the registry alone: registry/role_options.h reads a
 * file whole, and is what programs call.
 *
 * Pure, as all of core/ is. It runs in srun (to refuse early), in dist-train
 * exec and explain, and on each node, where the text arrives as a variable
 * (HANDOVER_ROLES) and is read again with the same result.
 */
#ifndef DT_CORE_ROLES_ROLE_FILE_H
#define DT_CORE_ROLES_ROLE_FILE_H

#include "core/base/envset.h"
#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define ROLE_FILE_MAX  65536 /* bytes of the text */
#define ROLES_MAX      64    /* lines */
#define ROLE_NAME_SIZE 33    /* with its NUL */
#define ROLE_PORTS_MAX 16    /* of a world */
#define ROLE_NONE      (-1)  /* no line */

/* Where a word of the file stands, from 1 on; columns are characters. */
struct role_place {
	unsigned line, column;
};

/* A word as it is written, with its quotes: a slice of the file's text, which
 * role_names.h reads. */
struct role_word {
	const char *text;
	size_t len;
	struct role_place at;
};

enum role_each {
	EACH_NONE,   /* the role is one world */
	EACH_NODE,   /* worlds of each_n nodes */
	EACH_DEVICE, /* worlds of each_n devices of one node */
};

enum role_ready {
	READY_STARTED, /* its processes have been started */
	READY_TCP,     /* its first port takes a connection */
	READY_HTTP,    /* GET of ready_value at its first port says 200 */
	READY_LINE,    /* a line of its standard output contains ready_value */
	READY_FILE,    /* the file ready_value is there, seen from cwd */
};

enum role_failure {
	FAILURE_END,	  /* the step ends */
	FAILURE_RESTART,  /* the world starts again, `restart` times */
	FAILURE_IGNORE,	  /* nothing; it counts as ended */
	FAILURE_TOGETHER, /* all worlds of this role and of `together` start
			     again, `restart` times */
	FAILURE_SAVE,	  /* the roles that are `done` get their end-signal and
			     its time, then the step ends */
};

/* A line of the file. Texts are owned. */
struct role_line {
	char name[ROLE_NAME_SIZE];
	struct role_place at, framework_at;
	char *framework; /* as it is written: a name or an alias */
	char *option;	 /* what --dist-train= would have for one of its worlds,
			    "ddp,backend=gloo,grace=5": without procs */
	struct role_word *pair; /* of these keys: what the framework has to
				   know */
	size_t npairs;
	struct role_word *word; /* of the command, program first */
	size_t nwords;		/* 1 at least */

	unsigned nodes; /* 0: it has `with` */
	enum role_each each;
	unsigned each_n;
	int with; /* the role beside whose world it is, or ROLE_NONE */
	unsigned with_world;
	unsigned procs;	  /* of a world on each of its nodes; 0: not given */
	unsigned cpus;	  /* of a world on each of its nodes; 0: not given */
	int devices;	  /* of a world on each of its nodes; -1: not given */
	unsigned ports;	  /* 1 to ROLE_PORTS_MAX */
	char *env_file;	  /* NAME=VALUE lines (core/option/profile.h), read on
			     the node as the user; NULL: none */
	char *cwd, *path; /* NULL: the step's, none */

	unsigned char needs[ROLES_MAX]; /* numbers of roles */
	unsigned nneeds;
	enum role_ready ready;
	char *ready_value;	  /* NULL where it has none */
	unsigned ready_timeout_s; /* 600 */
	enum role_failure failure;
	unsigned restart; /* how often, each world */
	int together;	  /* a role, or ROLE_NONE */
	bool done;	  /* the step ends when all such roles have ended; the
			     first where no line says it */

	/* What registry/role_options.h adds */
	bool per_device; /* a process for each device, where procs is silent */
};

struct role_file {
	char *name; /* for messages: as the user has written it */
	char *text; /* all words point into it */
	struct role_line *role;
	unsigned n; /* 1 at least */
};

/* Read the text of a file called `name`, at most ROLE_FILE_MAX bytes. `lookup`
 * finds the submitter's variables, which $NAME in a key's value stands for;
 * names in commands are read later. Everything is checked that doesn't need the
 * frameworks or the nodes: names, numbers, which roles are named by others, a
 * circle of needs, the quotes of commands and their $NAMEs (those of roles, and
 * of variables that `lookup` has).
 * Fails with "FILE:LINE:COLUMN: ..." of the first word that is wrong.
 * role_file_clear() otherwise. */
int role_file_parse(const char *text, const char *name, env_lookup_fn lookup,
		    void *arg, struct role_file *ret, struct err *err);

void role_file_clear(struct role_file *file);

/* The role of that name, in any case of letters; ROLE_NONE: there is none. */
int role_find(const struct role_file *file, const char *name, size_t len);

/* The numbers of all roles in an order in which they can start: each behind
 * those that it needs, else as in the file. The end is the reverse. */
void role_order(const struct role_file *file, unsigned char ret[ROLES_MAX]);

/* "FILE:LINE:COLUMN: ..." (printf-like). Returns -1. */
int role_fault(const struct role_file *file, struct role_place at,
	       struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
