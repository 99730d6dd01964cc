/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each launcher knows alone, told to all through the PMIx server that
 * Slurm gives each task: for steps whose launchers can't meet by themselves.
 * PMIx blocks, so a child does it; the launcher's loop goes on.
 *
 *	exchange_pmix_begin()	-> facts(): everybody's
 *	exchange_pmix_ready()	-> go(): everybody is ready, PMIx is left
 */
#pragma once

#include "core/plan/plan.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Open MPI's MPI_Init fails in a task in which another client has been before
 * it, unless both keep the server's data in this way. */
#define PMIX_STORE_VARIABLE "PMIX_MCA_gds"
#define PMIX_STORE	    "hash"

struct exchange_pmix {
	struct loop *loop;
	const struct plan *plan;
	int node_memory_fd; /* helpers/ranktable/ranktable_shared.c; -1: none */
	/* All pieces, in the order of tasks, and a NUL; borrowed. */
	void (*facts)(void *arg, const char *data);
	void (*go)(void *arg);
	/* It is over; nothing else is called. */
	void (*failed)(void *arg, const char *why);
	void *arg;
	/* its own */
	struct subprocess sub;
	FILE *stream; /* what has come of the child's message; or NULL */
	char *message;
	size_t size;
};

/* Whether this task has a PMIx server. */
bool exchange_pmix_is_here(void);

/* Begin, with this task's piece. Returns 0 or -1. */
int exchange_pmix_begin(struct exchange_pmix *x, const char *data, size_t n,
			struct err *err);

/* What the facts were needed for is done. */
void exchange_pmix_ready(struct exchange_pmix *x);

void exchange_pmix_close(struct exchange_pmix *x);

/* --- between the launcher and its child --- */

/* A message is one of these bytes, text and a NUL; PMIX_WORD_READY is alone. */
enum exchange_pmix_word {
	PMIX_WORD_FACTS = 'X', /* with all pieces; the child waits for READY */
	PMIX_WORD_READY = 'r', /* launcher -> child */
	PMIX_WORD_GO = 'G',
	PMIX_WORD_FAULT = '!', /* with the reason; the last one */
};

/* The child's part; it returns when there is no more to do. */
void exchange_pmix_child(const struct exchange_pmix *x, int in, int out,
			 const char *data, size_t n);
