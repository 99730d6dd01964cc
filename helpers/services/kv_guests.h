/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections that haven't shown the secret yet: whoever reaches the port can
 * open as many as he likes. Each has a time to send its headers, and only so
 * many are kept: a further one ends the oldest. A rank sends its headers at
 * once, so what is ended is a stranger's.
 * For http_serve.c alone.
 */
#ifndef DT_HELPERS_SERVICES_KV_GUESTS_H
#define DT_HELPERS_SERVICES_KV_GUESTS_H

#include <netinet/in.h>
#include <stdint.h>

#define KV_GUEST_MS	    5000 /* from accept to the whole headers */
#define KV_GUESTS_MAX	    1024 /* in all */
#define KV_GUESTS_AT_A_TIME 128	 /* from one address */

struct kv_guest {
	struct kv_guest *next;
	struct in6_addr addr; /* an IPv4 address is in its first 4 bytes */
	uint64_t at_ms;	      /* when it came */
	int fd;		      /* borrowed; -1: it was ended */
};

/* All zero: nobody is here. */
struct kv_guests {
	struct kv_guest *first; /* the oldest */
	struct kv_guest **end;	/* NULL: nobody has ever come */
};

/* A connection has come from `from`; where it is one too many, the oldest is
 * ended. To end means shutdown(): closing the descriptor is the owner's, who
 * sees the connection's end as if the peer had closed it. Returns NULL when out
 * of memory; the connection is ended then, too. */
struct kv_guest *kv_guests_add(struct kv_guests *guests, int fd,
			       const struct sockaddr *from);

/* It has shown the secret, and is bounded no more. */
void kv_guests_welcome(struct kv_guests *guests, struct kv_guest *guest);

/* It is closed, and is freed. No-op for NULL. */
void kv_guests_remove(struct kv_guests *guests, struct kv_guest *guest);

/* End those whose time is over. Returns the milliseconds until the next one's
 * is, or -1 when nobody is here. */
int kv_guests_sweep(struct kv_guests *guests);

#endif
