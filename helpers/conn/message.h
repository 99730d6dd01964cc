/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the launchers of a step tell each other. Each task's launcher is a
 * member, by its SLURM_PROCID; the step's controller has the arbiter. Numbers
 * are decimal and separated by one blank. A round is one life of the step's
 * processes, or of those of one group: 0, then one more with each restart in
 * place.
 */
#pragma once

#include "core/base/hostlist.h"

#include <stdbool.h>

/* Seconds between SIGTERM and SIGKILL, on every node. */
#define KILL_AFTER_S 5

/* Raised with every change of what follows. */
#define MESSAGE_VERSION 14

#define MEMBER_NONE (~0U) /* in the place of a PROCID */

#define AFTER_MAX_S (1L << 30) /* SECONDS of MSG_STOP and MSG_END */

#define LOOK_MS_MAX 60000 /* MS of MSG_LOOK and MSG_VISIT */

/* What MSG_LOOK asks for, for the controller alone: that the ranks are told the
 * job's end (helpers/ending/ending.h). */
#define SIGHT_ENDING "ending"
#define ENDING_LEAD_MS                                                         \
	300 /* before the moment: all have heard of it by then                 \
	     */

#define VISITORS_MAX 16 /* at a time */

/* Bytes of TEXT of MSG_SEEN and MSG_SHOW: what one launcher tells; with its
 * number and its node's name. */
#define SIGHT_MAX     (256U << 10)
#define STEP_ROWS_MAX (64L << 10) /* and what the controller adds to one */
#define SHOW_MAX      (SIGHT_MAX + STEP_ROWS_MAX + HOSTLIST_NAME_MAX + 64)

/* STATE of MSG_QUIET: of a launcher's ranks. */
enum quiet_state {
	RANKS_GONE,  /* none runs, or they aren't watched yet */
	RANKS_WORK,  /* one of them works */
	RANKS_QUIET, /* none does */
};

enum failed_how {
	FAILED,
	FAILED_BY_SIGNAL, /* to the whole step */
	FAILED_TO_START,  /* the program can't be executed */
};

enum message {
	/* member -> arbiter */
	MSG_HELLO = 'h',  /* VERSION PROCID NODE */
	MSG_GATHER = 'x', /* its piece of the step's one exchange
			     (helpers/gather/gather.h) */
	MSG_SERVES = 'g', /* PORT: it hands on what MSG_SPREAD has told; 0: it
			     can't */
	MSG_ASK = 'y',	  /* it hasn't got what MSG_FETCH was about */
	MSG_STEP = 'm',	  /* of task 0, to a controller beside srun: its facts
			     (registry/registry.h) */
	MSG_LEAD = 'l',	  /* the same: it has MSG_HAVE, and will know no other
			     controller */
	MSG_FACTS = 'a',  /* before the session: what its node knows alone
			     (core/facts/learned.h) */
	MSG_READY = 'r',  /* [ADDRESS]: what comes before the next MSG_GO is
			     done here; from task 0, where only that can know,
			     with the coordinator's address */
	MSG_UP = 'u',	  /* N: so many processes of it run */
	MSG_FAILED = 'f', /* ROUND CODE AGE_MS HOW: its first failure (enum
			     failed_how) */
	MSG_STOP = 's',	  /* CODE SECONDS LINE: end the step after that; the
			     arbiter's node says the line */
	MSG_ORPHAN = 'o', /* its slurmstepd is gone: Slurm won't see its end */
	MSG_TOLD = 't',	  /* TERM INT FIRST N: the whole step was told to end,
			     by a signal; 1: by SIGTERM, SIGINT among others;
			     its component's tasks, or 0 0 */
	MSG_EARLY = 'z',  /* ROUND WHO: the first exit of 0 (early-exit=fail) */
	MSG_IDLE = 'i',	  /* ROUND: none of its processes works, only services
			     run (core/facts/roles.h) */
	MSG_EXEC = 'p',	  /* of task 0: what all are to run
			      (helpers/shim/exec_request.h) */
	MSG_CODE = 'd',	  /* with code=freeze, of the first task: an answer of
			     helpers/code/code.h; "": what is it? */
	MSG_CHECK = 'k',  /* ROUND PLACE TEXT: of the check of nodes
			     (helpers/step/node_check.h) */
	MSG_ENDED = 'e',  /* ROUND N: all have ended, N of them by us */
	MSG_QUIET = 'q',  /* ROUND STATE MS: with the key hang, of its ranks
			     (enum quiet_state); none has worked for MS */
	MSG_SEEN = 'n',	  /* NUMBER TEXT: what MSG_LOOK asked for */
	MSG_NOTE = 'w',	  /* ROUND NODE EVENT MORE: for the step's record
			     (helpers/step/record.c) */
	MSG_STAGE = '1',  /* with the key stage (helpers/step/stage_hosts.h) */
	/* ... in steps that outlive a lost node */
	MSG_CONDEMNED = 'c', /* WHY: its node must have no place; a text for the
				user that begins after the node's name */
	MSG_STATE = 'j', /* ROUND GATHERED BACK: after MSG_HELLO, what it knows
			    of the step; 1 for MSG_GATHERED, and where it was
			    here before */
	MSG_BEAT = 'b',	 /* MS: it lives; the controller answers with the same
			  */

	/* arbiter -> member */
	MSG_WELCOME = 'W',   /* its MSG_HELLO is accepted; comes first */
	MSG_GATHERED = 'X',  /* everybody's pieces as one */
	MSG_SPREAD = 'T',    /* another message, type and all, maybe packed: for
				you, and for others to come
				(helpers/gather/branches.h). From member to
				member, too */
	MSG_FETCH = 'F',     /* PORT DIGEST ADDRESS: get it there */
	MSG_ALL_FACTS = 'A', /* the facts of all */
	MSG_GO = 'G',	     /* ROUND [ADDRESS]: all are ready: go on */
	MSG_ROUND = 'N',     /* ROUND [PLACES]: the next round; nothing of the
				one before runs any more. Without places: in
				place. With them (core/facts/places.h), in steps
				that outlive a lost node, MSG_READY and MSG_GO
				follow, as in round 0 */
	MSG_CHECKED = 'Q',   /* ROUND TEXT: what that answers */
	MSG_STAGED = 'U',    /* with the key stage: what to do */
	MSG_EXEC_ALL = 'P',  /* the same for all */
	MSG_CODE_ALL = 'C',  /* what MSG_CODE has told */
	MSG_LOOK = 'O',	     /* NUMBER MS WHAT [WORD...]: look at your
				processes (helpers/part/sight.h) */
	MSG_LIMIT = 'H',     /* SECONDS since the epoch: the job ends then, and
				not when was handed over; 0: never */
	MSG_HAVE = 'V',	     /* the facts of MSG_STEP */
	MSG_SAY = 'Z',	     /* LINES: for the user */
	MSG_REPORT = 'R',    /* yours was the first failure: say so */
	MSG_DONE = 'D',	     /* all workers have ended: end the services */
	MSG_END = 'E',	     /* SECONDS [1]: end all processes after that; 1:
				services that the plan has added go on */
	MSG_LEAVE = 'L',     /* CODE: exit with that */
	/* ... in steps that outlive a lost node */
	MSG_ECHO = 'B', /* MS: the MSG_BEAT that said so has come; "": beat
			   at once */

	/* visitor -> controller, in place of MSG_HELLO: a command of
	   the job's user that asks what a running step does
	   (helpers/visit/visitor.h) */
	MSG_VISIT = 'v', /* VERSION MS WHAT [WORD...]: ask all launchers for
			    that; they have so long */

	/* controller -> visitor */
	MSG_SHOW = 'S',	  /* MEMBER NODE\nTEXT: of one launcher */
	MSG_ABSENT = 'M', /* N: so many launchers of the step aren't here */
	MSG_SILENT = 'I', /* MEMBER NODE: it hasn't answered in time */
	MSG_SHOWN = 'Y',  /* TEXT: that was all; else why there is nothing */

	/* session -> its own launcher */
	MSG_FENCE = 'K', /* this node may have been given up: end all processes
			    at once by SIGKILL, services too, without a word to
			    them before; then MSG_ENDED, as after MSG_END */
};

/* The text of a MSG_HELLO: VERSION PROCID NODE RELEASE. */
#define HELLO_SIZE (HOSTLIST_NAME_MAX + 64)
void message_hello(char ret[HELLO_SIZE], unsigned procid, const char *node);

/* Read it: a task in [min, max], and its node. Returns 0; or -1: that makes no
 * sense, or is of another version. */
int message_hello_read(const char *hello, long min, long max,
		       unsigned *ret_procid, char ret_node[HOSTLIST_NAME_MAX]);

/* Whether that is of a launcher of another release, which speaks another
 * version of all this; ret says so, for a line to the user. */
#define FOREIGN_SIZE (HOSTLIST_NAME_MAX + 256)
bool message_is_foreign(const char *hello, char ret[FOREIGN_SIZE]);

/* The same of one of another release that speaks this version: a whole line. */
bool message_is_mixed(const char *hello, char ret[FOREIGN_SIZE]);

/* Read a number of a message, in [min, max], and move *text past it and the
 * blank that follows. Returns 0, or -1 with both untouched. */
int message_number(const char **text, long min, long max, long *ret);
