/* SPDX-License-Identifier: Apache-2.0 */
/* Frameworks and keys as text: what is in it, and its width. */
#include "registry/registry.h"

#include "tests/fixtures/unit.h"

/* What help_asked() writes; NULL where it writes nothing and says false. */
static char *asked(const char *text, const char *allow)
{
	char *written = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&written, &size);
	bool yes = help_asked(f, text, allow);

	fclose(f);
	assert_case(text, yes == (size > 0));
	if (yes)
		return written;
	free(written);
	return NULL;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' isn't in '%s'", part, text);
}

/* At most so many lines, none wider than a terminal. */
static void fits(const char *text, int lines)
{
	for (int n = 0; *text; n++) {
		size_t len = strcspn(text, "\n");

		assert_in_range(len, 0, 79);
		assert_in_range(n, 0, lines - 1);
		assert_int_equal(text[len], '\n');
		text += len + 1;
	}
}

static void frameworks(void **state)
{
	static const char *const words[] = {"help", "list", "HELP", "List"};

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		char *text = asked(words[i], NULL);

		has(text, "\n  ddp    ");
		has(text, "\n  sglang ");
		has(text, "--dist-train=FRAMEWORK,help");
		fits(text, 60);
		free(text);
	}
}

static void allowed_frameworks(void **state)
{
	char *text = asked("help", "env,tf-ps");

	(void)state;
	has(text, "\n  tf-ps ");
	has(text, "\n  env ");
	assert_null(strstr(text, "\n  ddp "));
	assert_null(strstr(text, "\n  tf "));
	free(text);
}

static void keys_of_one(void **state)
{
	char *text = asked("TF-PS,help", NULL);

	(void)state;
	has(text, "tf-ps:");
	has(text, "Keys of tf-ps:\n  ps=auto|N\n");
	has(text, "\n  chief=N (0)\n");
	has(text, "\nEveryday keys:\n  procs=auto|task|device|N\n");
	has(text, "\nExpert keys: supervise ");
	assert_null(strstr(text, "  replicas="));
	assert_null(strstr(text, "  supervise="));
	free(text);
	text = asked("lightning,list", NULL);
	has(text, "ddp: ");
	has(text, "Also called: pytorch, ");
	free(text);
	for (size_t i = 0; framework_nth(i); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s,help", framework_nth(i)->name);
		text = asked(name, NULL);
		fits(text, 80);
		free(text);
	}
}

static void not_asked(void **state)
{
	char longer[200] = {0};

	(void)state;
	memset(longer, 'd', sizeof(longer) - 6);
	strcat(longer, ",help");
	assert_null(asked("", NULL));
	assert_null(asked("ddp", NULL));
	assert_null(asked("ddp,", NULL));
	assert_null(asked("helpme", NULL));
	assert_null(asked("help,ddp", NULL));
	assert_null(asked("dpd,help", NULL));
	assert_null(asked("ddp,label=yes,help", NULL));
	assert_null(asked(",help", NULL));
	assert_null(asked(longer, NULL));
}

/* Each key is in one group, and has a text of its own. */
static void keys(void **state)
{
	const struct option_key *key;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	help_keys(f);
	fclose(f);
	fits(text, 400);
	for (size_t i = 0; (key = key_nth(i)); i++) {
		char line[64];
		const char *first;

		snprintf(line, sizeof(line), "\n  %s=", key->name);
		first = strstr(text, line);
		assert_case(line, first && !strstr(first + 1, line));
	}
	has(text, "\n  grace=SECONDS (30)\n");
	has(text, "\n  ps=auto|N [tf-ps]\n");
	free(text);
}

static void one_key(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	help_key(f, &option_keys[KEY_GRACE]);
	help_key(f, key_find("controller", strlen("controller")));
	fclose(f);
	has(text, "A time from 0 to 86400 seconds: 90, 90s, 5m, 1h.");
	has(text, "Only with: horovod\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frameworks),
		cmocka_unit_test(allowed_frameworks),
		cmocka_unit_test(keys_of_one),
		cmocka_unit_test(not_asked),
		cmocka_unit_test(keys),
		cmocka_unit_test(one_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
