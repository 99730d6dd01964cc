/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the key stage have in common: the launcher's phase
 * (stage.c) calls who finds out what there is (stage_found.c), who brings one
 * thing after the other (stage_fetch.c) and who lets processes see it
 * (stage_seen.c), in this order; all use stage_calls.c.
 */
#pragma once

#include "helpers/copies/cache.h"
#include "helpers/copies/stage_plan.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/launch_view.h"
#include "helpers/stage/copy_give.h"
#include "helpers/stage/copy_take.h"
#include "helpers/stage/path_view.h"
#include "helpers/stage/view.h"
#include "sys/subprocess.h"

#define WHY_SIZE     400
#define STAGED_SIZE  1024
#define ASK_AGAIN_MS 10000 /* where no answer comes */
#define TICK_MS	     1000  /* how much has come */

/* One of what is staged. */
struct part_of {
	struct stage_thing thing;
	char here[TREE_SUM_SIZE]; /* its name among this node's copies */
	const struct cache *cache;
	int copy; /* its folder, in use; -1: not here */
	char at[PATH_MAX + TREE_SUM_SIZE]; /* where that is */
	bool filled;		/* by this launcher, or it is at it */
	struct growing growing; /* how far; kept for who gets it then */
	char why[WHY_SIZE];	/* it isn't here; "" */
};

struct stage {
	struct launch *l;
	enum {
		STAGE_BEGINS,
		STAGE_LOOKS,   /* this launcher finds the plan */
		STAGE_CHOOSES, /* a place, by a child, and waits for its lock */
		STAGE_ASKS,    /* the controller, where it comes from */
		STAGE_READS,
		STAGE_TAKES,
		STAGE_CHECKS, /* what has come */
		STAGE_IS_DONE,
	} state;
	bool waits; /* the launcher's walk is at this phase */
	struct cache cache[CACHE_BASES];
	unsigned ncaches, nparts, at;
	struct part_of *part;
	struct subprocess_text child;
	int lock, half; /* of what is being filled; or -1 */
	struct copy_give *give;
	struct copy_take *take;
	char said[WHY_SIZE]; /* why what comes can't be written; "" */
	struct loop_timer again, done, tick;
	struct view view;
	struct path_pair *pairs; /* NULL: there is a view, or nothing */
	unsigned npairs;
	uint64_t began_ms;
	char remark[WHY_SIZE]; /* why there is nothing; "" */
	bool nothing;	       /* and that is no fault */
	char staged[STAGED_SIZE];
};

static inline struct part_of *stage_now(struct stage *s)
{
	return &s->part[s->at];
}

/* --- stage_calls.c --- */

/* One launcher of a node speaks for it. */
bool stage_speaks(const struct stage *s);
bool stage_is_alone(const struct stage *s);
bool stage_is_strict(const struct stage *s);

/* To the controller, of the thing of now; a line to the user. */
void stage_tell(struct stage *s, const char *word, const char *more);
void stage_say(struct stage *s, const char *text);

/* What may block, in a fork: it writes a text, which `then` gets. */
void stage_run(struct stage *s, int (*what)(const int fd[2], const void *arg),
	       void (*then)(void *arg, char *text, bool late));

/* That text: a word, and more; what stands behind the word, or NULL: it is
 * another one. */
int stage_answer(const int fd[2], const char *word, const char *more);
const char *stage_behind(const char *text, const char *word);

/* --- stage_found.c --- */

/* Find out what there is, once. */
void stage_look(struct stage *s);

/* That is it (stage_plan.h); `own`: it was found here. */
void stage_begin(struct stage *s, const char *text, bool own);

/* With explain=only. */
int stage_show(struct launch *l, struct err *err);

/* --- stage_fetch.c --- */

/* The next thing, or the end. */
void stage_next(struct stage *s);
void stage_give_up(struct stage *s, const char *why);

/* As the controller says: from the shared path; from "PORT IP". */
void stage_read(struct stage *s);
void stage_take(struct stage *s, const char *text);

/* It takes long; it goes on. */
void stage_say_reads(struct stage *s);
void stage_tell_bytes(struct stage *s);

/* Let go of what is half. */
void stage_close_part(struct stage *s);

/* --- stage_seen.c --- */

/* All is here that will be. */
void stage_finish(struct stage *s);

/* Print how it would be seen. */
void stage_show_view(const struct launch *l);
