/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kind of program a step runs, as far as its command line tells: whether
 * it can't be training, and whether it starts processes itself. Pure: nothing
 * is looked up, a wrapper (env, timeout) or a shell with its script is
 * COMMAND_UNKNOWN: core/command/wrapped_command.h looks behind them.
 *
 * Whoever starts rank 0 asks whether it is Python.
 */
#pragma once

#include <stdbool.h>

enum step_command_kind {
	COMMAND_UNKNOWN,
	COMMAND_PAIR, /* label=yes: a key of the option, behind a blank? */
	COMMAND_MPI_DAEMON, /* mpirun starts it on each node, by srun */
	COMMAND_UTILITY,    /* hostname, mkdir, ray start: no training */
	COMMAND_SERVER,	    /* of language models: training with no framework
			       that starts ranks of PyTorch's */
	COMMAND_TORCHRUN,   /* torchrun, or a program with its arguments */
	COMMAND_MPIRUN,	    /* mpirun and its like, horovodrun */
	COMMAND_LAUNCHER,   /* another one that starts processes */
	COMMAND_SCRIPT,	    /* Python runs a file that is none of these */
};

/* A list of hosts that a platform puts into its own nodes. */
struct host_file {
	const char *path;    /* it, or its folder */
	const char *instead; /* what a step has */
};

struct step_command {
	enum step_command_kind kind;
	const char *name; /* base name, of a script of Python its file's;
			     borrowed */
	/* The program's own file, as the command names it: one of its words,
	 * behind interpreters and launchers; or the module of Python's or of a
	 * launcher's -m. NULL: it names none. */
	const char *file, *module;
	bool standalone;  /* torchrun's --standalone */
	unsigned nnodes;  /* torchrun's --nnodes, the larger of MIN:MAX; 0: not
			     given, or no number */
	bool node_rank;	  /* torchrun's --node-rank is a number */
	bool nnodes_open; /* torchrun's --nnodes is a variable in a script */
	bool meets;	  /* torchrun has --rdzv-endpoint or --node-rank */
	const struct host_file *host_file; /* that it names
					      (core/command/wrapped_command.h),
					      or NULL */
};

/* Read the words of a command, program first. Can't fail: what isn't understood
 * is COMMAND_UNKNOWN. ret->name is one of the words, or NULL without any. */
void step_command_read(int argc, char *const argv[], struct step_command *ret);

/* The value of torchrun's --nnodes or of PET_NNODES: the larger number of "2",
 * "1:4"; 0: neither. */
unsigned step_command_nodes(const char *text);

/* Whether that program, a name or a path, is a Python interpreter, or a script
 * that is called as one of Python's (NAME.py). */
bool step_command_is_python(const char *program);
