/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who measures with whom (check=full), and which nodes are slow: pure. As
 * DLRover does it, in two rounds: neighbours, then the slowest with the
 * fastest, so that a good node that had a bad partner has a good one once. With
 * an odd number each round has a second stage, in which the node that was left
 * measures with one that is done.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define PAIR_STAGES    5
#define PAIR_LESS_THAN 4  /* the limit is the usual rate by that */
#define PAIR_AGAIN     50 /* of 1,000; and four times what is usual */

/* What a node says of one measurement. */
struct pair_figure {
	double rate;	/* bytes per second that came in */
	unsigned again; /* of 1,000 packets that it sent: sent again */
};

struct pair {
	unsigned a, b; /* b connects to a */
};

struct pair_meeting {
	unsigned other;
	bool told;
	struct pair_figure figure;
};

struct pair_node {
	struct pair_meeting met[PAIR_STAGES];
	unsigned nmet;
};

struct pairs {
	unsigned nnodes, stage;
	struct pair_node *node;
	double *sorted; /* room for a figure of each node */
};

/* Of three nodes or more, where pairs_usual() is 0: no node's fault. */
#define PAIRS_NONE                                                             \
	"no pair of nodes can exchange data: between the nodes TCP must be "   \
	"open on the ports of net.ipv4.ip_local_port_range"

/* For nodes 0 to nnodes - 1. Returns 0, or -1 when out of memory. */
int pairs_open(struct pairs *ret, unsigned nnodes);
void pairs_close(struct pairs *pairs);

/* The pairs of the next stage, into ret[nnodes / 2 + 1]; their number, 0 when
 * there is no further stage. */
unsigned pairs_next(struct pairs *pairs, struct pair *ret);

/* A node's figure of the stage that is on; who tells none got nothing. */
void pairs_note(struct pairs *pairs, unsigned node,
		const struct pair_figure *figure);

/* Whether a node takes part in the stage that is on. */
bool pairs_has(const struct pairs *pairs, unsigned node);

/* The rate of the node's pair in one of its measurements. */
double pairs_rate(const struct pairs *pairs, unsigned node, unsigned at);

/* The rate of the node's pair in its best measurement: the smaller one of both
 * directions. */
double pairs_best(const struct pairs *pairs, unsigned node);

/* That of the node in the middle of those that have exchanged anything: what is
 * usual here. 0: none has. */
double pairs_usual(const struct pairs *pairs);

enum pair_verdict {
	PAIR_WELL,
	PAIR_REMARK, /* less than half of what is usual */
	PAIR_SLOW,   /* less than a PAIR_LESS_THAN-th in each measurement */
	PAIR_LOSSY, /* in each one PAIR_AGAIN packets or more were sent again */
	PAIR_BROKEN, /* nothing came through in any measurement, or there was
			none */
};

/* A node without a figure is broken, never well. Of two nodes none can be told
 * from the other: both are broken or well. The text says why, with the names of
 * the nodes; untouched for PAIR_WELL. */
enum pair_verdict pairs_judge(const struct pairs *pairs, unsigned node,
			      const char *const name[], char *ret_text,
			      size_t size);

#define PAIR_WORD_SIZE 64

/*
 * What the facts of a step's nodes mean, by the rules of helpers/judge: what
 * `dist-train doctor` calls a failure condemns a node, a warning is a remark.
 * Pure.
 */

/* Judge `nnodes` nodes, with their names. facts[i] has the lines "KEY TEXT" of
 * a node (helpers/check/node_facts.h), NULL: it has told none. `condemned` is
 * called with each reason for which a job would fail on a node, then `remark`
 * with whatever else isn't as it should be, and the names of the nodes it is
 * true of ("node1,node2+7"). Fails when out of memory. */
int verdict_make(const char *const name[], const char *const facts[],
		 unsigned nnodes,
		 void (*condemned)(void *arg, unsigned node, const char *text),
		 void (*remark)(void *arg, const char *nodes, const char *text),
		 void *arg, struct err *err);
