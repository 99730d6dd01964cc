/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines, one word on each line: of horovodrun, of ssh, and srun's own;
 * and the pattern of a file's name.
 */
#include "core/option/file_pattern.h"
#include "core/plan/srun_hint.h"
#include "helpers/rsh/rsh.h"
#include "helpers/shim/horovodrun_options.h"

#include "tests/fuzz/fuzz.h"

#include <getopt.h>

#define WORDS_MAX 40

static int set(const char *name, const char *value)
{
	RULE(*name && !strchr(name, '=') && value);
	return 0;
}

static void try_horovodrun(int argc, char **argv)
{
	struct horovodrun_options o;
	struct err err = {""};

	if (horovodrun_options_read(argc, argv, &o, &err) < 0) {
		fuzz_check_error(err.text);
		return;
	}
	RULE(*o.program && strlen(o.asked) < sizeof(o.asked));
	horovodrun_exports(o.mpi_args, set, &err);
}

static void try_rsh(int argc, char **argv)
{
	struct rsh_options o;
	struct err err = {""};

	optind = 0; /* begin anew */
	if (rsh_options_read(argc, argv, &o, &err) < 0)
		return;
	RULE(o.host && !strchr(o.host, '@'));
	free(o.command);
}

static void try_srun(int argc, char **argv)
{
	struct srun_hint hint = {0};

	for (int i = 0; i < argc; i++) {
		srun_hint_word(&hint, argv[i], argv[i + 1]);
		srun_hint_variable(&hint, "SLURM_NNODES", argv[i]);
		srun_hint_variable(&hint, "SLURM_GPUS_PER_NODE", argv[i]);
	}
}

static void try_pattern(const char *pattern)
{
	struct file_pattern_field field;
	struct err err = {""};

	if (file_pattern_check("log-dir", FILE_PATTERN_OF_RANK, pattern, &err) <
	    0)
		return;
	for (; (pattern = strchr(pattern, '%'));) {
		pattern = file_pattern_field(pattern, &field);
		RULE(field.letter && field.width <= 10);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	char *argv[WORDS_MAX + 2] = {(char *)"program"}, *copy[WORDS_MAX + 2];
	int argc = 1;

	while (rest && argc <= WORDS_MAX)
		argv[argc++] = strsep(&rest, "\n");
	argv[argc] = NULL;
	for (int i = 1; i < argc; i++)
		try_pattern(argv[i]);
	try_srun(argc, argv);
	memcpy(copy, argv, sizeof(copy)); /* getopt() changes their order */
	try_rsh(argc, copy);
	try_horovodrun(argc, argv);
	free(text);
	return 0;
}
