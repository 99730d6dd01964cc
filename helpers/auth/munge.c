/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/auth/munge.h"

#include "core/base/parse.h"
#include "sys/child.h"
#include "sys/subprocess.h"

#include <ctype.h>
#include <limits.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_MS    10000
#define OUTPUT_SIZE 4096
#define HEX_SIZE    (2 * SECRET_SIZE + 1)
#define TEXT_SIZE   256

/* What the credential is for; nothing else of this user begins with it. */
#define PURPOSE "slurm-dist-train: the secret of step "

/* What unmunge's STATUS may be: see munge(3). */
enum { SUCCESS = 0, EXPIRED = 15, REWOUND = 16, REPLAYED = 17 };

/* Run a program with `input` on its standard input; the *ret_n bytes that it
 * prints, and a NUL. */
static int run(const char *const *argv, const char *input,
	       char ret[OUTPUT_SIZE], size_t *ret_n, struct err *err)
{
	char file[PATH_MAX];
	struct subprocess_spec spec = {
		.argv = argv,
		.file = file,
		.input = input,
		.flags = SUBPROCESS_HANGS | SUBPROCESS_IN,
	};

	if (child_find(argv[0], child_path(), file, sizeof(file)) < 0)
		return err_printf(err,
				  "MUNGE isn't on this node: no program %s in "
				  "PATH",
				  argv[0]);
	return subprocess_run(&spec, LIMIT_MS, ret, OUTPUT_SIZE, ret_n, err);
}

/* The first line of what a program of MUNGE complains, without its name. */
static int complain(const char *output, struct err *err)
{
	const char *error = strstr(output, "Error: ");
	char line[128];

	error = error ? error + strlen("Error: ") : output;
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(error, "\n"), error);
	for (char *c = line; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	return err_printf(err, "MUNGE: %s", *line ? line : "no answer");
}

static bool is_credential(const char *text)
{
	return !strncmp(text, "MUNGE:", 6);
}

int munge_answers(struct err *err)
{
	static const char *const argv[] = {"munge", "--no-input", NULL};
	char output[OUTPUT_SIZE];
	size_t n;

	if (run(argv, "", output, &n, err) < 0)
		return -1;
	return is_credential(output) ? 0 : complain(output, err);
}

char *munge_seal(const char *id, const unsigned char secret[SECRET_SIZE],
		 struct err *err)
{
	char hex[HEX_SIZE], text[TEXT_SIZE], output[OUTPUT_SIZE], uid[16];
	const char *const argv[] = {"munge", "--restrict-uid", uid, NULL};
	size_t n;
	int rc;

	snprintf(uid, sizeof(uid), "%u", (unsigned)getuid());
	sodium_bin2hex(hex, sizeof(hex), secret, SECRET_SIZE);
	snprintf(text, sizeof(text), PURPOSE "%s %s\n", id, hex);
	rc = run(argv, text, output, &n, err);
	sodium_memzero(hex, sizeof(hex));
	sodium_memzero(text, sizeof(text));
	if (rc == 0 && !is_credential(output))
		rc = complain(output, err);
	return rc < 0 ? NULL : strdup(output);
}

/* --- what unmunge prints --- */

/* "KEY:   word (NUMBER)" somewhere before the empty line: the number, or -1. */
static long metadata(const char *output, const char *key)
{
	const char *end = strstr(output, "\n\n");
	const char *at = strstr(output, key);
	char line[TEXT_SIZE], *number;
	long n;

	if (!end || !at || at > end || (at > output && at[-1] != '\n'))
		return -1;
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
	number = strrchr(line, '(');
	if (!number)
		return -1;
	number[strcspn(number, ")")] = '\0';
	return parse_number(number + 1, 0, UINT_MAX, &n) == 0 ? n : -1;
}

static bool is_good(long status)
{
	return status == SUCCESS || status == EXPIRED || status == REWOUND ||
	       status == REPLAYED;
}

static int of_another_step(struct err *err)
{
	return err_printf(err, "it was made for another step");
}

/* srun's, which knows no REQUEUE: VERSION:JOB.STEP */
static int take_sealed(const struct handover_sealed *sealed, const char *id,
		       unsigned char ret[SECRET_SIZE], struct err *err)
{
	char expected[sizeof(sealed->id)] = "";
	const char *requeue = strrchr(id, '.');

	snprintf(expected, sizeof(expected), "%d:%.*s", HANDOVER_VERSION,
		 requeue ? (int)(requeue - id) : 0, id);
	if (memcmp(sealed->id, expected, sizeof(expected)) != 0)
		return of_another_step(err);
	memcpy(ret, sealed->secret.secret, SECRET_SIZE);
	return 0;
}

/* PURPOSE ID HEX */
static int take_text(const char *payload, const char *id,
		     unsigned char ret[SECRET_SIZE], struct err *err)
{
	char expected[TEXT_SIZE];
	size_t n =
		(size_t)snprintf(expected, sizeof(expected), PURPOSE "%s ", id);
	const char *hex = payload + n, *end;

	if (strncmp(payload, expected, n) != 0)
		return of_another_step(err);
	if (sodium_hex2bin(ret, SECRET_SIZE, hex, strcspn(hex, "\n"), NULL, &n,
			   &end) < 0 ||
	    n != SECRET_SIZE || *end != '\n')
		return err_printf(err, "it holds no secret");
	return 0;
}

int munge_read(const char *output, size_t n, const char *id,
	       unsigned char ret[SECRET_SIZE], struct err *err)
{
	struct handover_sealed sealed;
	const char *payload;
	int rc;

	if (!is_good(metadata(output, "STATUS:")))
		return complain(output, err);
	if (metadata(output, "UID:") != (long)getuid())
		return err_printf(err, "it was made by another user");
	payload = strstr(output, "\n\n") + 2;
	n -= (size_t)(payload - output);
	if (n != sizeof(sealed)) /* any text is longer */
		return take_text(payload, id, ret, err);
	memcpy(&sealed, payload, n);
	rc = take_sealed(&sealed, id, ret, err);
	sodium_memzero(&sealed, sizeof(sealed));
	return rc;
}

int munge_open(const char *credential, const char *id,
	       unsigned char ret[SECRET_SIZE], struct err *err)
{
	static const char *const argv[] = {"unmunge", "--keys=STATUS,UID",
					   NULL};
	char output[OUTPUT_SIZE];
	size_t n;
	int rc;

	if (!is_credential(credential))
		return err_printf(err, "it is no credential of MUNGE");
	if (run(argv, credential, output, &n, err) < 0)
		return -1;
	rc = munge_read(output, n, id, ret, err);
	sodium_memzero(output, sizeof(output));
	return rc;
}
