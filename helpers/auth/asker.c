/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/auth/asker.h"

#include "helpers/auth/deal.h"
#include "helpers/auth/munge.h"
#include "helpers/auth/sack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char asker_question[ASKER_MARK] = "dist-train: a token for it: ...";
const char asker_given[] = "dist-train: by token: ";

struct asker {
	struct asker_options o;
	struct sack *sack; /* NULL: MUNGE */
	char fault[sizeof(((struct err *)0)->text)];
	/* Of the answer that was looked at last */
	bool opened;
	unsigned char secret[SECRET_SIZE];
	struct err wrong;
};

struct asking {
	struct asker *asker;
	struct deal deal;
	struct sack_call *call;
	char asked[SACK_TOKEN_MAX], given[SACK_TOKEN_MAX];
	char sealed[DEAL_HEX];
	void (*made)(void *arg, const char *token);
	void (*looked)(void *arg);
	void *arg;
};

/* --- our token --- */

/* In a user namespace this process has another uid than the kernel's own, which
 * the other side looks for. */
static int check_own(struct asking *a, const char *token, struct err *err)
{
	struct sack_claims claims;

	if (sack_words_read(token, &claims, err) < 0)
		return -1;
	if (claims.uid != a->deal.uid)
		return err_printf(err,
				  "Slurm's authentication knows this process "
				  "as user %u, and here it is %u, as in a "
				  "container with users of its own (a user "
				  "namespace): start it outside of that",
				  (unsigned)claims.uid, (unsigned)a->deal.uid);
	return 0;
}

static void on_made(void *arg, const char *token, const char *why)
{
	struct asking *a = arg;
	struct err err;

	a->call = NULL;
	if (token && check_own(a, token, &err) < 0) {
		token = NULL;
		why = err.text;
	}
	snprintf(a->asker->fault, sizeof(a->asker->fault), "%s",
		 token ? "" : why);
	snprintf(a->asked, sizeof(a->asked), "%s", token ? token : "");
	a->made(a->arg, token ? a->asked : NULL);
}

struct asking *asking_begin(struct asker *asker,
			    void (*made)(void *arg, const char *token),
			    void *arg)
{
	const struct asker_options *o = &asker->o;
	struct asking *a = calloc(1, sizeof(*a));
	char payload[SACK_PAYLOAD_MAX];
	struct err err;

	if (!a)
		return NULL;
	a->asker = asker;
	a->made = made;
	a->arg = arg;
	if (deal_begin(&a->deal, o->id, sack_user(&o->auth), o->auth.slurm_user,
		       &err) < 0) {
		snprintf(asker->fault, sizeof(asker->fault), "%s", err.text);
		asking_close(a);
		return NULL;
	}
	deal_payload(&a->deal, DEAL_ASKS, payload);
	a->call = sack_create(asker->sack, a->deal.uid, payload, on_made, a);
	if (a->call)
		return a;
	asking_close(a);
	return NULL;
}

/* --- the answer --- */

static void take_secret(struct asking *a)
{
	struct asker *asker = a->asker;

	asker->opened = deal_unseal(&a->deal, a->asked, a->given, a->sealed,
				    asker->secret) == 0;
	if (!asker->opened)
		err_printf(&asker->wrong, "it can't be unsealed");
}

static void on_verified(void *arg, const char *token, const char *why)
{
	struct asking *a = arg;

	a->call = NULL;
	if (token)
		take_secret(a);
	else
		err_printf(&a->asker->wrong, "%s", why);
	a->looked(a->arg);
}

/* asker_given TOKEN SEALED\n */
static int read_answer(struct asking *a, const char *answer)
{
	size_t n = strlen(asker_given);
	const char *sealed;

	if (strncmp(answer, asker_given, n) != 0)
		return -1;
	answer += n;
	n = strcspn(answer, " ");
	sealed = answer + n + 1;
	if (n >= sizeof(a->given) || !answer[n] ||
	    strcspn(sealed, "\n") != sizeof(a->sealed) - 1)
		return -1;
	snprintf(a->given, sizeof(a->given), "%.*s", (int)n, answer);
	snprintf(a->sealed, sizeof(a->sealed), "%s", sealed);
	return 0;
}

void asking_look(struct asking *a, const char *answer,
		 void (*looked)(void *arg))
{
	struct asker *asker = a->asker;

	a->looked = looked;
	asker->opened = false;
	if (read_answer(a, answer) < 0)
		err_printf(&asker->wrong, "it is no answer by a token of "
					  "Slurm's authentication");
	else if (deal_take(&a->deal, DEAL_GIVES, a->given, &asker->wrong) == 0)
		a->call = sack_verify(asker->sack, a->given, on_verified, a);
	if (!a->call)
		looked(a->arg);
}

void asking_close(struct asking *a)
{
	if (!a)
		return;
	sack_cancel(a->call);
	explicit_bzero(a, sizeof(*a));
	free(a);
}

/* --- all of them --- */

bool asker_has_tokens(const struct asker *asker)
{
	return asker->sack;
}

const char *asker_fault(const struct asker *asker)
{
	if (*asker->fault)
		return asker->fault;
	return asker->sack ? sack_fault(asker->sack) : NULL;
}

int asker_open_answer(struct asker *asker, const char *answer,
		      unsigned char ret[SECRET_SIZE], struct err *err)
{
	if (!asker->sack)
		return munge_open(answer, asker->o.id, ret, err);
	if (asker->opened)
		memcpy(ret, asker->secret, SECRET_SIZE);
	else
		*err = asker->wrong;
	return asker->opened ? 0 : -1;
}

struct asker *asker_open(const struct asker_options *options, struct err *err)
{
	struct asker *asker = calloc(1, sizeof(*asker));

	if (!asker)
		return err_memory_null(err);
	asker->o = *options;
	if (!options->auth.by_slurm)
		return asker;
	asker->sack = sack_open(options->loop, &options->auth, err);
	if (asker->sack)
		return asker;
	free(asker);
	return NULL;
}

void asker_close(struct asker *asker)
{
	if (!asker)
		return;
	sack_close(asker->sack);
	explicit_bzero(asker, sizeof(*asker));
	free(asker);
}
