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
 * role_file.h	a text to its lines; role_keys.c reads their keys, role_check.c
 *		refuses what doesn't fit together, role_read.h is between these
 * role_text.h	a line to its words, and quotes and $NAME in these
 * role_plan.h	lines and nodes to worlds: who is where, with which devices
 * role_names.h	what $NAME stands for, a world's command and its variables
 * Frameworks are known to the registry alone: registry/role_options.h reads a
 * file whole, and is what programs call.
 *
 * Pure, as all of core/ is. It runs in srun (to refuse early), in dist-train
 * exec and explain, and on each node, where the text arrives as a variable
 * (HANDOVER_ROLES) and is read again with the same result.
 */
#pragma once

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

/* The file's own keys: all others are the framework's. */
enum role_key {
	LINE_NODES,
	LINE_EACH,
	LINE_WITH,
	LINE_PROCS,
	LINE_CPUS,
	LINE_DEVICES,
	LINE_PORTS,
	LINE_ENV,
	LINE_CWD,
	LINE_PATH,
	LINE_NEEDS,
	LINE_READY,
	LINE_READY_TIMEOUT,
	LINE_ON_FAILURE,
	LINE_RESTART,
	LINE_DONE,
	LINE_NOTIFY,
	LINE_KEYS,
};

/* A key of the framework's, "grace=5". */
struct role_pair {
	char *text; /* owned */
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
	struct role_place key_at[LINE_KEYS]; /* line 0: it isn't given */
	char *framework; /* as it is written: a name or an alias */
	char *option;	 /* what --dist-train= would have for one of its worlds,
			    "ddp,backend=gloo,grace=5": without procs */
	struct role_pair *pair; /* the keys in it */
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

	int notify; /* the signal that its processes get when a world's state
		       has changed; 0: none */

	/* What registry/role_options.h adds */
	bool per_device; /* a process for each device, where procs is silent */
};

struct role_file {
	char *name; /* for messages: as the user has written it */
	char *text; /* all words point into it */
	struct role_line *role;
	unsigned n; /* 1 at least */
};

/* Who is asked while a file is read. */
struct role_reader {
	env_lookup_fn lookup; /* finds the submitter's variables, which $NAME
				 in a key's value stands for */
	void *arg;
	/* What the framework of a line says of its keys. May be NULL. */
	int (*framework)(const struct role_file *file, struct role_line *line,
			 const void *config, struct err *err);
	const void *config;
};

/* Read the text of a file called `name`, at most ROLE_FILE_MAX bytes.
 * Everything is checked that doesn't need the nodes: names, numbers, which
 * roles are named by others, a circle of needs, the quotes of commands and
 * their $NAMEs (those of roles, and of variables that `lookup` has). Fails with
 * "FILE:LINE:COLUMN: ..." of the first word that is wrong. role_file_clear()
 * otherwise. */
int role_file_parse(const char *text, const char *name,
		    const struct role_reader *reader, struct role_file *ret,
		    struct err *err);

void role_file_clear(struct role_file *file);

/* The role of that name, in any case of letters; ROLE_NONE: there is none. */
int role_find(const struct role_file *file, const char *name, size_t len);

/* The numbers of all roles in an order in which they can start: each behind
 * those that it needs, else as in the file. The end is the reverse. */
void role_order(const struct role_file *file, unsigned char ret[ROLES_MAX]);

/* The key ready as it is written, without its value: "http:". */
const char *role_ready_word(const struct role_line *line);

/* The n-th key's name; NULL behind the last. */
const char *role_key_nth(size_t n);

/* "FILE:LINE:COLUMN: ..." (printf-like). Returns -1. */
int role_fault(const struct role_file *file, struct role_place at,
	       struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
