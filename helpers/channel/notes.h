/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the step's record is made of (helpers/launch/note.h), where the arbiter
 * is. What becomes of it is not the channel's business.
 */
#ifndef DT_HELPERS_CHANNEL_NOTES_H
#define DT_HELPERS_CHANNEL_NOTES_H

/* For what comes; with `arg`. */
struct notes {
	/* A member's MSG_NOTE. */
	void (*noted)(void *arg, const char *text);
	/* The first failure of a round, decided; `node` is the member's, `why`
	 * a line for the user, or "": the member reports it. Not one of the
	 * step itself: a signal to all, a hang. */
	void (*failed)(void *arg, const char *node, int code, const char *why);
	/* So many processes more are up. */
	void (*up)(void *arg, unsigned n);
	void *arg;
};

#endif
