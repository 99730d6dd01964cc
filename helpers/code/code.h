/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the key code. With `freeze' the program's own files are kept as
 * the first round of the job had them, and run in every later one
 * (doc/design/helpers-code.md); with `live' somebody says when they have
 * changed.
 *
 *	code_files.h	a list of files
 *	code_list.c	which files those are: git's answer, or a folder
 *	code_copy.c	the copy and its hash
 *	code_keep.c	what a job has, over its lives
 *	code_watch.c	what has changed, without a copy
 *	code_path.py	Python's search path, in the program
 *
 * Files are read in children, which may hang with their file system: the
 * launcher (helpers/launch/code_phase.c) starts them and reads what they say.
 * Everything runs as the user.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"

#include <limits.h>
#include <stdbool.h>

#define CODE_HASH "sha256:"

/* Of whom, and where; all is borrowed. */
struct code_wish {
	char *const *argv;  /* the command, program first */
	const char *folder; /* record=DIR; NULL: the user's state folder */
	const char *job;    /* its number and cluster */
	unsigned life;	    /* requeues */
	long began;	    /* of this life, seconds since the epoch; 0: unknown
			     */
	const char *told; /* struct code's text of the step's first node; NULL:
			     this is it */
};

/* What is kept. */
struct code {
	char *text;	    /* that of code_parse(), where all else lies */
	const char *hash;   /* CODE_HASH and hexadecimal digits */
	const char *commit; /* with + when files differ; "": no git */
	const char *root;   /* the folder whose files were kept */
	const char *kept;   /* that of the copy */
	const char *name;   /* the command's file, absolute; "": a module */
	const char *file;   /* it, in the copy */
	unsigned life;	    /* in which it was made */
	bool shell; /* set by code_command(): a shell's script, which may run
		       other files by their names */
};

enum code_answer {
	CODE_KEPT = 'k',  /* struct code's text */
	CODE_NOT = 'n',	  /* why these files can't be kept: they run as they are
			   */
	CODE_FAULT = 'f', /* why the step must not run */
};

/* A child's main functions: they write an answer and its text, or their text
 * alone, into fd[1]. */

/* Keep the program's files, or find them where this job has them. */
int code_keep(const int fd[2], const void *wish);

/* What would be kept, in one line. */
int code_show(const int fd[2], const void *wish);

/* Lines that change when the program's file, or one of Python's beside it,
 * does. */
int code_stamp(const int fd[2], const void *wish);

/* The first file that differs between two of these; "": none. */
#define CODE_NAME_SIZE 256
const char *code_changed(const char *before, const char *after,
			 char ret[CODE_NAME_SIZE]);

/* What other names than __pycache__ and those that were kept the copy has: the
 * first one and how many, in one line, the first time; else nothing. The wish
 * is a struct code. */
int code_beside(const int fd[2], const void *code);

/* Take the fields out of a text, which is copied. Returns 0 or -1. */
int code_parse(const char *text, struct code *ret);
void code_clear(struct code *code);

/* Add what a process is to know. Returns 0 or -1. */
int code_env(const struct code *code, struct envset *set, struct err *err);

/* The command with the kept file in the place of its own: *ret_argv, to free,
 * NULL where nothing changes; *ret_file is the file where that is the program
 * itself, to free, or NULL. Fails where the command names another file. */
int code_command(struct code *code, char *const argv[], char ***ret_argv,
		 char **ret_file, struct err *err);

/* --- between the files of this room --- */

/* What a command runs. */
struct code_program {
	char file[PATH_MAX];   /* absolute, as it is written; "": a module */
	char folder[PATH_MAX]; /* its, or that in which Python looks for the
				  module first */
	int word;	       /* its number in the command; -1: a module */
	bool shell;	       /* a script of a shell */
};

/* Returns 0, or -1 with why nothing can be kept. */
int code_program_find(char *const argv[], struct code_program *ret,
		      struct err *err);
