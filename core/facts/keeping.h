/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In task mode a node may have one launcher for all of its tasks
 * (resolved.node_launcher). It is in the node's first task. Each other task has
 * a keeper: the task's own process, which Slurm waits for. The keeper starts
 * the program as its child when the launcher says so, and ends when the
 * launcher says so, with the step's exit code.
 *
 * slurmstepd makes a pair of sockets for the node before it starts the tasks.
 * A keeper makes a pair of its own and sends one end of it through that of the
 * node, with its number on the node; from then on both talk there. A message is
 * one packet: one of these bytes, and text.
 *
 *	keeper				launcher
 *	(its number, and a socket)  ->
 *				    <-	KEEPING_GO what only the launcher knows
 *	KEEPING_RUNS pid	    ->
 *	KEEPING_ENDED status	    ->	until KEEPING_LEAVE the process stays a
 *					zombie: its pid is nobody else's
 *	KEEPING_FAILED why	    ->	instead: the program won't start
 *				    <-	KEEPING_LEAVE code
 *
 * When the launcher is gone the keeper's connection ends, and the keeper ends
 * its program; when the keeper is gone the kernel ends the program.
 *
 * task/keeper.c is the keeper, helpers/keepers/ the launcher's part.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/device.h"

#include <limits.h>

#define KEEPING_GO     'G'
#define KEEPING_RUNS   'R'
#define KEEPING_FAILED 'F'
#define KEEPING_ENDED  'E'
#define KEEPING_LEAVE  'L'

#define KEEPING_PATH (PATH_MAX + 32)

/* What only the launcher knows of a task's process. */
struct keeping {
	unsigned launcher;	       /* its pid */
	char table[KEEPING_PATH];      /* the rank table; "": there is none */
	char error_file[KEEPING_PATH]; /* for torch's exceptions; "": none */
	struct npu_task npus;	       /* where devices are NPUs */
};

/* Bytes of a message, with its NUL. */
#define KEEPING_SIZE (2 * KEEPING_PATH + 3 * IDLIST_MAX * 6 + 64)

/* The text of KEEPING_GO, without that byte. Returns 0, or -1 when a path has a
 * newline. */
int keeping_format(const struct keeping *keeping, char buf[KEEPING_SIZE]);

/* Read it. Fails when it isn't one. */
int keeping_parse(const char *text, struct keeping *ret, struct err *err);
