/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the launchers of a step tell each other. Each task's launcher is a
 * member, by its SLURM_PROCID; the one of task 0 keeps the arbiter. Numbers
 * are decimal and separated by one blank. A round is one life of the step's
 * processes: 0, then one more with each restart in place.
 */
#ifndef DT_HELPERS_CHANNEL_MESSAGE_H
#define DT_HELPERS_CHANNEL_MESSAGE_H

/* Seconds between SIGTERM and SIGKILL, on every node. */
#define KILL_AFTER_S 5

/* Raised with every change of what follows. */
#define MESSAGE_VERSION 4

#define AFTER_MAX_S (1L << 30) /* SECONDS of MSG_STOP and MSG_END */

enum message {
	/* member -> arbiter */
	MSG_HELLO = 'h',  /* VERSION PROCID NODE */
	MSG_GATHER = 'x', /* its piece of the step's one exchange
			     (helpers/channel/gather.h) */
	MSG_READY = 'r',  /* [ADDRESS]: what comes before the next MSG_GO is
			     done here; from task 0, where only that can know,
			     with the coordinator's address */
	MSG_UP = 'u',	  /* N: so many processes of it run */
	MSG_FAILED = 'f', /* ROUND CODE AGE_MS QUIET: its first failure; QUIET
			     1: by a signal to the whole step */
	MSG_STOP = 's',	  /* CODE SECONDS LINE: end the step after that; the
			     arbiter's node says the line */
	MSG_ORPHAN = 'o', /* its slurmstepd is gone: Slurm won't see its end */
	MSG_TOLD = 't',	  /* the whole step was told to end, by a signal */
	MSG_EARLY = 'z',  /* ROUND WHO: the first exit of 0 (early-exit=fail) */
	MSG_IDLE = 'i',	  /* ROUND: none of its processes works, only services
			     run (core/facts/roles.h) */
	MSG_EXEC = 'p',	  /* of task 0: what all are to run
			      (helpers/shim/exec_request.h) */
	MSG_ENDED = 'e',  /* ROUND N: all have ended, N of them by us */

	/* arbiter -> member */
	MSG_WELCOME = 'W',  /* its MSG_HELLO is accepted; comes first */
	MSG_GATHERED = 'X', /* everybody's pieces as one */
	MSG_GO = 'G',	    /* ROUND [ADDRESS]: all are ready: go on */
	MSG_EXEC_ALL = 'P', /* the same for all */
	MSG_REPORT = 'R',   /* yours was the first failure: say so */
	MSG_DONE = 'D',	    /* all workers have ended: end the services */
	MSG_END = 'E',	    /* SECONDS: end all processes after that */
	MSG_LEAVE = 'L',    /* CODE: exit with that */
};

/* Read a number of a message, in [min, max], and move *text past it and the
 * blank that follows. Returns 0, or -1 with both untouched. */
int message_number(const char **text, long min, long max, long *ret);

#endif
