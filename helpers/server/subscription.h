/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who takes what members tell, where the arbiter is, beside the arbiter itself.
 * What becomes of it is not the channel's business. Several may take the same.
 */
#ifndef DT_HELPERS_SERVER_SUBSCRIPTION_H
#define DT_HELPERS_SERVER_SUBSCRIPTION_H

#include "helpers/conn/message.h"

#include <stdbool.h>

struct subscription {
	enum message type;
	void (*take)(void *arg, unsigned member, const char *text);
	void *arg;
	bool to_the_end; /* also what comes when all have been told to leave */
	bool shares;	 /* the arbiter takes it, too */
	const struct subscription *next; /* NULL: the last one */
};

#endif
