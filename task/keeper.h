/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keeper of a task whose node has one launcher for all of its tasks
 * (core/facts/keeping.h). It is the task's own process, a fork of slurmstepd as
 * the job's user, between Slurm's start of it and the program, and stays that:
 * it executes nothing, so that it costs a fork and no start of a program.
 *
 *	keeper_meet()	wait until the program may start
 *	keeper_stay()	go on in a child, which becomes the program
 *	keeper_fail()	instead
 *
 * Nobody can look into a keeper: its memory is a copy of slurmstepd's.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/keeping.h"

#include <signal.h>

struct keeper {
	int fd;		   /* to the launcher */
	unsigned launcher; /* its pid */
	sigset_t before;   /* signals that the program is to have blocked */
};

/* Tell the launcher through the node's socket that task `localid` is here, and
 * wait at most `limit_s` seconds for its word. Signals that Slurm sends to the
 * whole step are blocked from then on. Ends this process with the step's exit
 * code when the step ends before its programs start. Fails when the launcher is
 * gone or says nothing. */
int keeper_meet(int node_socket, unsigned localid, unsigned limit_s,
		struct keeper *ret, struct keeping *ret_keeping,
		struct err *err);

/* The program can't be started: tell the launcher why, which says it and ends
 * the step, and end with the step's exit code. Never returns. */
void keeper_fail(struct keeper *keeper, const struct err *err)
	__attribute__((noreturn));

/* Fork. Returns 0 in the child, which has what the task had before
 * keeper_meet(), and gets SIGKILL when the keeper ends; this process keeps it
 * and never returns. -1: there is no process to be had. */
int keeper_stay(struct keeper *keeper, struct err *err);
