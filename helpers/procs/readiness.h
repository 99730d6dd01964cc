/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait until a service is ready: it says so itself through a pipe, takes a
 * connection at its port, answers a GET there with 200, or writes a file. All
 * who wait for a service do it by this, and hear of it in one of two ways.
 */
#pragma once

#include "sys/loop.h"

#include <netdb.h>

/* A file as it was when one looked. */
struct file_seen {
	bool there;
	uint64_t inode, changed_ns;
};

struct readiness {
	struct loop *loop;
	/* Called once: it answers; or it hasn't in time. */
	void (*ready)(void *arg);
	void (*late)(void *arg);
	/* Optional; called once: it answers, but says by this status that the
	 * question is wrong (4xx). It is asked on. */
	void (*refuses)(void *arg, unsigned status);
	void *arg;
	/* its own */
	struct loop_watch watch;
	struct loop_timer again, limit;
	uint64_t began_ms;
	bool has_refused;
	char ip[NI_MAXHOST];
	unsigned port;
	const char *path; /* to ask for by HTTP; NULL: a connection is enough */
	const char *file;
	struct file_seen before;
	char answer[16]; /* how its answer begins */
	size_t nanswer;
};

/* Wait for the first byte from the pipe `fd`, which is the callee's from now
 * on. When it closes before, nothing is called but `late`. */
int readiness_of_word(struct readiness *w, int fd, long timeout_s,
		      struct err *err);

/* Wait for a connection to the address, whose name is looked up first. */
int readiness_of_port(struct readiness *w, const char *addr, unsigned port,
		      long timeout_s, struct err *err);

/* Wait for the HTTP server at the address to answer a GET of `path`, which is
 * borrowed, with the status 200; timeout_s of 0: without limit. The first
 * attempt is made before this returns. A server that answers otherwise, and may
 * write each question into its log, is asked the less often the longer that
 * takes, at last once a second. */
int readiness_of_http(struct readiness *w, const char *addr, unsigned port,
		      const char *path, long timeout_s, struct err *err);

/* Wait for the file, whose name is borrowed, to be there, and to be another
 * one than `before`: what an earlier program has left isn't the one. */
void readiness_of_file(struct readiness *w, const char *file,
		       struct file_seen before, long timeout_s);
struct file_seen readiness_see_file(const char *file);

bool readiness_is_awaited(const struct readiness *w);

/* Wait no more. No-op when nothing is waited for. */
void readiness_end(struct readiness *w);
