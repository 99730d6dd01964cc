/* SPDX-License-Identifier: Apache-2.0 */
/* What unmunge may print for a credential that a stranger has given. "@UID@" in
 * it is the user's own number. */
#include "helpers/auth/munge.h"

#include "tests/fuzz/fuzz.h"

#include <stdbool.h>
#include <unistd.h>

#define ID	   "12.3.0"
#define MARK	   "@UID@"
#define OUTPUT_MAX 4200

/* As long as it may be, with a NUL after it. */
static size_t fill(char *ret, const uint8_t *data, size_t size)
{
	const uint8_t *mark = memmem(data, size, MARK, strlen(MARK));
	size_t before = mark ? (size_t)(mark - data) : size, n = before;

	memcpy(ret, data, before);
	if (mark) {
		size_t rest = size - before - strlen(MARK);

		n += (size_t)sprintf(ret + n, "%u", (unsigned)getuid());
		memcpy(ret + n, mark + strlen(MARK), rest);
		n += rest;
	}
	ret[n] = '\0';
	return n;
}

static bool holds(const char *text, size_t n, const char *word)
{
	return memmem(text, n, word, strlen(word));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char secret[SECRET_SIZE];
	struct err err = {""};
	char *output = malloc(OUTPUT_MAX), uid[16];
	size_t n;

	RULE(output);
	if (size <= OUTPUT_MAX - 16) {
		n = fill(output, data, size);
		snprintf(uid, sizeof(uid), "(%u)", (unsigned)getuid());
		if (munge_read(output, n, ID, secret, &err) < 0)
			fuzz_check_error(err.text);
		else
			RULE(holds(output, n, "STATUS:") &&
			     holds(output, n, uid) &&
			     (holds(output, n, " " ID " ") ||
			      holds(output, n, ":12.3")));
	}
	free(output);
	return 0;
}
