/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of the worlds of a step with several roles: when each starts,
 * what follows when one ends, in which order they end, and with which code the
 * step does. Pure: no clock, no process, no connection; who calls it tells what
 * happens and does what it asks for. director_table.def has the states.
 */
#pragma once

#include "core/roles/role_plan.h"

#include <stdbool.h>

/* Of a world. */
enum world_state {
	WORLD_WAITS,  /* for others to be ready, or to be gone */
	WORLD_STARTS, /* its processes start; it isn't ready */
	WORLD_READY,
	WORLD_DOWN,   /* they have ended, and what follows isn't decided yet */
	WORLD_LEAVES, /* they are being ended */
	WORLD_OVER,   /* and it doesn't start again */
	WORLD_NSTATES,
};

/* As DIST_TRAIN_ROLES_FILE and `dist-train wait` know it. */
const char *world_state_name(enum world_state state);

enum world_event {
	WORLD_IS_READY,
	WORLD_IS_LATE, /* it hasn't become ready in time */
	WORLD_IS_GONE, /* all of its launchers have ended */
	WORLD_NEVENTS,
};

struct director_world {
	enum world_state state;
	unsigned round;	   /* how often it has begun anew */
	unsigned restarts; /* for failures of its own */
	bool again;	   /* it leaves to begin a new round */
	bool paused;	   /* it waits a while before that */
	bool failed;	   /* it is over, and not by an exit of 0 */
	bool late;	   /* it wasn't ready in time */
	int code;	   /* of WORLD_DOWN */
};

enum director_phase {
	DIRECTOR_RUNS,
	DIRECTOR_SAVES, /* the roles that are `done` save, the others go on */
	DIRECTOR_ENDS,	/* world after world, the step's code is known */
	DIRECTOR_OVER,
};

/* What the director asks for. None of them may call it back. */
struct director_calls {
	void (*start)(void *arg, unsigned world, unsigned round);
	void (*end)(void *arg, unsigned world);	 /* SIGTERM, later SIGKILL */
	void (*save)(void *arg, unsigned world); /* its signal, as key
						    end-signal has it */
	void (*save_time)(void *arg);	 /* call director_saved() in its time */
	void (*compare_time)(void *arg); /* director_compare() in a moment:
					    who fails by another's failure may
					    be heard of first */
	/* Call director_paused() after a pause: longer from failure to failure,
	 * unless a round has lived. */
	void (*pause)(void *arg, unsigned world);
	void (*changed)(void *arg, unsigned world); /* its state */
	/* Its failure, and what follows; without "dist-train: ". */
	void (*say)(void *arg, unsigned world, const char *line);
	void (*leave)(void *arg, int code); /* all worlds are over */
};

struct director {
	const struct role_plan *plan;
	const struct director_calls *calls;
	void *arg;
	/* its own */
	struct director_world *world;
	enum director_phase phase;
	int code;
	bool told; /* the whole step was told to end by a signal */
};

/* With plan, calls and arg set, the rest 0. Returns 0 or -1. Nothing is started
 * before director_begin(). */
int director_open(struct director *director, struct err *err);
void director_begin(struct director *director);
void director_close(struct director *director);

/* Something has happened to a world. `code`, of WORLD_IS_GONE, is its exit
 * code; events of a round that is over are the caller's to drop. */
void director_event(struct director *director, unsigned world,
		    enum world_event event, int code);

/* These times are over. */
void director_saved(struct director *director);
void director_compare(struct director *director);
void director_paused(struct director *director, unsigned world);

/* The whole step was told to end by a signal; its processes have it, too.
 * `code` is what the step then ends with. */
void director_told(struct director *director, int code);

/* End the step with this code, in order. */
void director_end(struct director *director, int code);

/* A role that waits for this world to be ready, or ROLE_NONE. */
int director_waits_for(const struct director *director, unsigned world);
