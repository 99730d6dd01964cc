/* SPDX-License-Identifier: Apache-2.0 */
/* The room inside. */
#ifndef DT_HELPERS_LOOK_LOOK_STATE_H
#define DT_HELPERS_LOOK_LOOK_STATE_H

#include "helpers/channel/visits.h"
#include "helpers/launch/launch_view.h"
#include "helpers/look/look.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

struct pace;

/* The credential for visitors, of look_answer.c; {0}: nobody has asked. */
struct look_answer {
	struct loop *loop;
	const char *id;
	const unsigned char *secret;
	struct subprocess maker;
	bool making;
	size_t n;
	uint64_t refused_ms; /* when MUNGE refused; 0: it hasn't */
	char text[4096];     /* "": none */
};

/* The credential; why there is none, as question_refusal() has it; NULL: it is
 * being made. */
const char *look_answer(struct look_answer *answer, struct loop *loop,
			const char *id, const unsigned char *secret);
void look_answer_end(struct look_answer *answer);

struct look {
	struct launch_view *v;
	struct visits visits;
	struct look_answer answer;
	struct sight *sights;	  /* that have begun */
	struct looking *lookings; /* the same, of all launchers */
	unsigned number;	  /* of the last one */
	struct visitor *visitors;
	struct pace *pace; /* NULL: no metrics */
};

/* of look_centre.c: MSG_SEEN, with the launcher; and those of struct visits */
void look_seen(void *launch, unsigned member, const char *text);
void look_came(void *look, struct connection *c, const char *text);
void look_left(void *look, struct connection *c);
void look_lost(void *look, unsigned member);
void look_centre_close(struct look *look);

/* Whether the arbiter is here, and has asked. */
static inline bool look_is_centre(const struct look *look)
{
	return look->lookings;
}

/* What can be asked for; ends with {0}. A file of its own, which tests
 * replace. */
extern const struct sight_kind look_kinds[];

/* The one of that name, of n bytes; NULL: none. */
const struct sight_kind *look_find_kind(const char *what, size_t n);

void recorders_begin(struct sight *sight, const char *words);
void recorders_end(struct sight *sight);
void status_begin(struct sight *sight, const char *words);
void status_end(struct sight *sight);
void signs_begin(struct sight *sight, const char *words);
void stack_begin(struct sight *sight, const char *words);
void stack_end(struct sight *sight);
void pace_begin(struct sight *sight, const char *words);

/* Who is slow (look_pace.c). *ret stays as it is where nobody reports. Returns
 * 0 or -1; after the lookings have ended pace_close(), which takes NULL. */
int pace_open(struct launch_view *v, struct pace **ret, struct err *err);
void pace_close(struct pace *pace);

#endif
