/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/auth/deal.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

_Static_assert(DEAL_KEY == crypto_scalarmult_BYTES, "X25519");
_Static_assert(DEAL_SEALED == SECRET_SIZE + crypto_secretbox_MACBYTES, "a box");

/* No other payload of this user begins with it: Slurm's own are hashes, and
 * another version of ours is another text. */
#define MAGIC "slurm-dist-train 1: "

#define KEY_HEX (2 * DEAL_KEY + 1)

int deal_begin(struct deal *d, const char *id, uid_t uid, uid_t slurm_user,
	       struct err *err)
{
	*d = (struct deal){.id = id, .uid = uid};
	if (uid == 0 || uid == slurm_user)
		return err_printf(
			err, "root and SlurmUser have no step of several "
			     "launchers where Slurm has AuthType=auth/slurm: "
			     "its daemons would take a token of theirs for "
			     "an order; run the step as a user");
	if (sodium_init() < 0)
		return err_printf(err, "no random bytes");
	randombytes_buf(d->own_key, sizeof(d->own_key));
	crypto_scalarmult_base(d->public_key, d->own_key);
	return 0;
}

/* MAGIC DIRECTION secret of step ID */
static int begin_payload(const struct deal *d, enum deal_side side,
			 char ret[SACK_PAYLOAD_MAX])
{
	return snprintf(ret, SACK_PAYLOAD_MAX, MAGIC "%s secret of step %s ",
			side == DEAL_ASKS ? "ask" : "give", d->id);
}

void deal_payload(const struct deal *d, enum deal_side side,
		  char ret[SACK_PAYLOAD_MAX])
{
	char key[KEY_HEX];
	int n = begin_payload(d, side, ret);

	sodium_bin2hex(key, sizeof(key), d->public_key, DEAL_KEY);
	snprintf(ret + n, SACK_PAYLOAD_MAX - (size_t)n, "%s", key);
}

/* KEY, and nothing behind it */
static int take_key(struct deal *d, const char *text)
{
	size_t n;

	return sodium_hex2bin(d->peer_key, DEAL_KEY, text, strlen(text), NULL,
			      &n, NULL) < 0 ||
			       n != DEAL_KEY
		       ? -1
		       : 0;
}

int deal_take(struct deal *d, enum deal_side side, const char *token,
	      struct err *err)
{
	char expected[SACK_PAYLOAD_MAX];
	size_t n = (size_t)begin_payload(d, side, expected);
	struct sack_claims claims;

	if (sack_words_read(token, &claims, err) < 0)
		return -1;
	if (claims.uid != d->uid || claims.reader != d->uid)
		return err_printf(err,
				  "its token is user %u's, for user %u: not "
				  "%u's, for himself",
				  (unsigned)claims.uid, (unsigned)claims.reader,
				  (unsigned)d->uid);
	if (strncmp(claims.payload, expected, n) != 0 ||
	    take_key(d, claims.payload + n) != 0)
		return err_printf(err, "its token was made for another step or "
				       "purpose");
	return 0;
}

/* Of the two keys and all that was said. Who asks draws a key for each
 * question, so that it seals one text, and no number is needed beside it. */
static int make_key(const struct deal *d, const char *asked, const char *given,
		    unsigned char ret[crypto_secretbox_KEYBYTES])
{
	unsigned char shared[DEAL_KEY];
	crypto_generichash_state state;
	int rc = crypto_scalarmult(shared, d->own_key, d->peer_key);

	crypto_generichash_init(&state, shared, sizeof(shared),
				crypto_secretbox_KEYBYTES);
	crypto_generichash_update(&state, (const unsigned char *)asked,
				  strlen(asked) + 1);
	crypto_generichash_update(&state, (const unsigned char *)given,
				  strlen(given) + 1);
	crypto_generichash_final(&state, ret, crypto_secretbox_KEYBYTES);
	sodium_memzero(shared, sizeof(shared));
	return rc;
}

static const unsigned char once[crypto_secretbox_NONCEBYTES];

int deal_seal(const struct deal *d, const char *asked, const char *given,
	      const unsigned char secret[SECRET_SIZE], char ret[DEAL_HEX])
{
	unsigned char key[crypto_secretbox_KEYBYTES], box[DEAL_SEALED];
	int rc = make_key(d, asked, given, key);

	if (rc == 0)
		rc = crypto_secretbox_easy(box, secret, SECRET_SIZE, once, key);
	sodium_memzero(key, sizeof(key));
	if (rc == 0)
		sodium_bin2hex(ret, DEAL_HEX, box, sizeof(box));
	return rc;
}

int deal_unseal(const struct deal *d, const char *asked, const char *given,
		const char *sealed, unsigned char ret[SECRET_SIZE])
{
	unsigned char key[crypto_secretbox_KEYBYTES], box[DEAL_SEALED];
	size_t n;
	int rc;

	if (strlen(sealed) != DEAL_HEX - 1 ||
	    sodium_hex2bin(box, sizeof(box), sealed, DEAL_HEX - 1, NULL, &n,
			   NULL) < 0 ||
	    n != sizeof(box) || make_key(d, asked, given, key) != 0)
		return -1;
	rc = crypto_secretbox_open_easy(ret, box, sizeof(box), once, key);
	sodium_memzero(key, sizeof(key));
	return rc;
}
