/* SPDX-License-Identifier: Apache-2.0 */
/* A token of Slurm's own authentication, which is anybody's until its signature
 * is known: any JSON between its dots, and any text as a token. */
#include "helpers/auth/deal.h"
#include "helpers/auth/sack_words.h"

#include "tests/fuzz/fuzz.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID "12.3.0"

/* The JSON of the data as a token. */
static void wrap(const uint8_t *data, size_t size, char ret[SACK_TOKEN_MAX])
{
	size_t n = (size_t)snprintf(ret, SACK_TOKEN_MAX, "e30.");

	sodium_bin2base64(ret + n, SACK_TOKEN_MAX - n - 4, data, size,
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	strcat(ret, ".c");
}

static void look(const char *token)
{
	struct deal deal = {.id = ID, .uid = 10001};
	struct sack_claims claims;
	struct err err = {""};

	if (sack_words_read(token, &claims, &err) < 0) {
		fuzz_check_error(err.text);
		return;
	}
	RULE(strlen(claims.payload) < SACK_PAYLOAD_MAX);
	if (deal_take(&deal, DEAL_ASKS, token, &err) < 0)
		fuzz_check_error(err.text);
	else
		RULE(claims.uid == 10001 && claims.reader == 10001 &&
		     strstr(claims.payload, " ask secret of step " ID " "));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char token[SACK_TOKEN_MAX], text[SACK_TOKEN_MAX];

	if (size > 2 * SACK_TOKEN_MAX / 3 - 16)
		return 0;
	wrap(data, size, token);
	look(token);
	memcpy(text, data, size);
	text[size] = '\0';
	look(text);
	return 0;
}
