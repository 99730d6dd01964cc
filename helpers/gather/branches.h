/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the server gets one long text to very many members. To few, or when it
 * is short, it sends it to each. Else a few inner members get it first: each
 * has a branch of others, says at which port it hands the text on, and the
 * server sends its branch there, with the text's digest: whatever an inner
 * member hands on, nothing else is taken (helpers/gather/fetch.h). Whoever
 * can't get it from there asks the server, and so does the server itself for
 * the branch of an inner member that is lost, can't listen, or says nothing
 * for BRANCHES_PATIENCE_MS.
 */
#pragma once

#include "core/base/ip.h"
#include "helpers/conn/msgbuf.h"
#include "sys/loop.h"

#include <stdbool.h>

/* So many members, or so many bytes to all of them, are no reason for
 * branches. */
#define BRANCHES_FROM	     64
#define BRANCHES_FROM_BYTES  (32UL << 20)
#define BRANCHES_PATIENCE_MS 5000

struct branches;

struct branches_options {
	struct loop *loop;
	unsigned n; /* members of the step */
	/* Send to a member that is here; and whether it is. */
	void (*send)(void *arg, unsigned member, struct msgbuf *msgbuf);
	bool (*here)(void *arg, unsigned member);
	/* At which address the server sees the member. Returns 0 or -1. */
	int (*address)(void *arg, unsigned member, char ret[IP_TEXT_SIZE]);
	void *arg; /* for these three */
};

/* NULL when out of memory. */
struct branches *branches_new(const struct branches_options *options);

/* Give n members a message of that type. A later call gives others the same
 * text. Returns 0, or -1 when out of memory. */
int branches_give(struct branches *branches, const unsigned *members,
		  unsigned n, char type, const char *text, size_t size);

/* The messages of members about it (helpers/conn/message.h): MSG_SERVES and
 * MSG_ASK. Those that nobody has asked for are ignored. */
void branches_serves(struct branches *branches, unsigned member,
		     const char *data);
void branches_asks(struct branches *branches, unsigned member);

/* The member isn't here any more. */
void branches_lost(struct branches *branches, unsigned member);

void branches_free(struct branches *branches);
