/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is made of the facts that nodes tell: pure, lines in, findings out. For
 * `dist-train doctor` and the check before the start
 * (helpers/check).
 *
 * A fact is a line "dist-train-doctor NODE KEY TEXT"; the keys and their texts
 * are those of the tables at the end of judge_net.c, judge_gpu.c, judge_rdma.c,
 * judge_node.c and judge_start.c.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define DOCTOR_MARK	  "dist-train-doctor"
#define DOCTOR_TEXT_SIZE  400
#define DOCTOR_FACT_SIZE  3072 /* of a node with many ports */
#define DOCTOR_NODES_SIZE 256

enum doctor_level { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL };

struct doctor_fact {
	unsigned node;
	size_t at; /* of their coming */
	char *key;
	char *text;
};

struct doctor_finding {
	enum doctor_level level;
	const char *check;	       /* "mtu" */
	char text[DOCTOR_TEXT_SIZE];   /* what was found */
	const char *remedy;	       /* "": none is needed */
	char nodes[DOCTOR_NODES_SIZE]; /* "node1,node2 and 7 more" */
	unsigned nnodes, nshown, last; /* `last`: the node added last */
};

struct doctor {
	unsigned nnodes;
	char **node; /* their names; the first is rank 0's */
	struct doctor_fact *fact;
	size_t nfacts;
	struct doctor_finding *finding;
	size_t nfindings;
	bool no_memory;
	char open_ports[200]; /* a remedy with the range */
	/* Called with each node of each finding as it is made; or NULL. */
	void (*found)(void *arg, enum doctor_level level, unsigned node,
		      const char *text);
	void *arg;
};

/* For the nodes of a host list. Free with doctor_clear(), in any case. */
int doctor_open(struct doctor *doctor, const char *nodes, struct err *err);
int doctor_open_names(struct doctor *doctor, const char *const name[],
		      unsigned n, struct err *err);
void doctor_clear(struct doctor *doctor);

/* Keep the fact of a line; false when it is none, or not of these nodes. */
bool doctor_add_line(struct doctor *doctor, const char *line);

/* Keep a fact "KEY TEXT"; false when it is none. */
bool doctor_add_fact(struct doctor *doctor, unsigned node, const char *fact);

/* The text of a node's first fact of that key, or NULL. */
const char *doctor_fact(const struct doctor *doctor, unsigned node,
			const char *key);

/* What most nodes have told as that fact, and one of these nodes; NULL: no node
 * has told any. */
const char *doctor_usual(const struct doctor *doctor, const char *key,
			 unsigned *ret_node);

/* How many nodes have told such a fact. */
unsigned doctor_count(const struct doctor *doctor, const char *key);

/* Add a finding, or a node to the same one. */
void doctor_find(struct doctor *doctor, enum doctor_level level,
		 const char *check, unsigned node, const char *remedy,
		 const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Make all findings: for each check either what is wrong, or one that all is
 * well. */
int doctor_judge(struct doctor *doctor, struct err *err);

/* The same, but for whether all nodes have answered. */
int doctor_judge_facts(struct doctor *doctor, struct err *err);

/* "ok", "warn", "fail". */
const char *doctor_level_name(enum doctor_level level);

/* The worst of all findings. */
enum doctor_level doctor_worst(const struct doctor *doctor);

/*
 * The checks of doctor.h by table: what a node's fact means for a job.
 */

/* A fact, and the name of the check that looks at it. */
struct told {
	struct doctor *d;
	const char *check;
	unsigned node;
	const char *text;
};

/* Either a function looks at each fact of that key and says what it finds; or
 * each of them is a finding, unless its text begins with `unless`: "$1" in its
 * sentence is the first word of the text, and the last such one all that is
 * left of it. */
struct doctor_check {
	const char *name, *key; /* of a fact; a name's checks are neighbours */
	void (*judge)(const struct told *told);
	enum doctor_level level;
	const char *unless, *finding, *remedy;
	const char *well; /* NULL: the next one of that name says it */
};

/* Each ends with a NULL name: between the nodes, and on each of them. */
extern const struct doctor_check doctor_net_checks[];
extern const struct doctor_check doctor_gpu_checks[];
extern const struct doctor_check doctor_rdma_checks[];
extern const struct doctor_check doctor_node_checks[];
extern const struct doctor_check doctor_start_checks[];

#define FOUND(told, level, ...)                                                \
	doctor_find((told)->d, level, (told)->check, (told)->node, __VA_ARGS__)
#define FAIL(told, ...) FOUND(told, DOCTOR_FAIL, __VA_ARGS__)
#define WARN(told, ...) FOUND(told, DOCTOR_WARN, __VA_ARGS__)
