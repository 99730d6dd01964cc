/* SPDX-License-Identifier: Apache-2.0 */
/* Words and punctuation that aren't ours: the line says what is. */
#include "registry/registry.h"

#include "tests/fixtures/option_fixture.h"

/* Each word is proposed something that exists, and isn't one of ours. */
static void table(void **state)
{
	const struct other_word *w;
	struct err err;

	(void)state;
	for (size_t i = 0; (w = other_word_nth(i)); i++) {
		const char *word = w->words;

		if (w->kind == OTHER_FRAMEWORK)
			assert_case(w->words, framework_find(w->ours, &err));
		else if (w->ours)
			assert_case(w->words,
				    key_find(w->ours, strlen(w->ours)));
		while (*word) {
			size_t len = strcspn(word, " ");
			char one[64];

			snprintf(one, sizeof(one), "%.*s", (int)len, word);
			assert_case(one, w->kind != OTHER_KEY ||
						 !key_find(one, len));
			assert_case(one, w->kind == OTHER_KEY ||
						 !framework_find(one, &err));
			word += len + (word[len] == ' ');
		}
	}
}

static void words(void **state)
{
	(void)state;
	refused("pytorch-lightning", NULL, NULL,
		"unknown framework 'pytorch-lightning'; write lightning");
	refused("MPIrun", NULL, NULL, "or mpi,run-on=first where the program");
	refused("verl,label=yes", NULL, NULL, "'verl'; write ray");
	refused("llama_factory", NULL, NULL, "write torchrun");
	refused("nccl", NULL, NULL, "write ddp");
	refused("hvd", NULL, NULL, "write horovod");
	refused("ddp,max-restarts=3", NULL, NULL,
		"unknown key 'max-restarts'; write restarts=N");
	refused("ddp,--nproc_per_node=4", NULL, NULL, "write procs=N");
	refused("ddp,nnodes=2", NULL, NULL, "it is srun's: srun -N NODES");
	refused("ddp,partition=gpu", NULL, NULL, "an option of srun's own");
	refused("ddp,NCCL_DEBUG=INFO", NULL, NULL,
		"unknown key 'NCCL_DEBUG'; set it before srun: "
		"NCCL_DEBUG=VALUE srun ...");
	refused("ddp,LOG_DIR=x", NULL, NULL, "did you mean 'log-dir'?");
	refused("ddp", "max-restarts=1", NULL, "write restarts=N");
}

static void punctuation(void **state)
{
	static const struct {
		const char *text, *why;
	} wide[] = {
		{"ddp\uff0clabel=yes", "write 'ddp,label=yes'"},
		{"ddp,label\uff1dyes", "write 'ddp,label=yes'"},
		{"\u201cddp\u201d", "write 'ddp'"},
		{"\uff44\uff44\uff50", "write 'ddp'"},
		{"ddp\u3001label=yes", "write 'ddp,label=yes'"},
		{"ddp\uff1blabel=yes\uff1brestarts=2",
		 "write 'ddp,label=yes,restarts=2'"},
		{"ddp,log\u2013dir=x", "write 'ddp,log-dir=x'"},
		{"ddp\uff1bhelp", "write 'ddp,help'"},
		{"ddp\uff1blabbel=yes", "write 'ddp,labbel=yes'"},
		{"ddp,label=yes\uff0crestarts=2",
		 "write 'ddp,label=yes,restarts=2'"},
		/* there is one more error, which comes next */
		{"ddp\uff0clabbel=yes", "write 'ddp,labbel=yes'"},
	};
	static const struct {
		const char *text, *why;
	} plain[] = {
		{"ddp label=yes", "write 'ddp,label=yes'"},
		{"ddp;label=yes;restarts=2", "'ddp,label=yes,restarts=2'"},
		{"ddp:label=yes", "write 'ddp,label=yes'"},
		{"ddp+label=yes", "write 'ddp,label=yes'"},
		{"ddp/label=yes", "write 'ddp,label=yes'"},
		{"ddp;help", "write 'ddp,help'"},
		{"ddp help", "write 'ddp,help'"},
		{"ddp , label=yes", "write 'ddp,label=yes'"},
		{"ddp,label=yes restarts=2", "'ddp,label=yes,restarts=2'"},
		{"'ddp'", "write 'ddp'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wide); i++) {
		refused(wide[i].text, NULL, NULL, wide[i].why);
		refused(wide[i].text, NULL, NULL, wide[i].text);
		refused(wide[i].text, NULL, NULL, ": full-width or curly ");
	}
	for (size_t i = 0; i < COUNT(plain); i++) {
		refused(plain[i].text, NULL, NULL, plain[i].why);
		refused(plain[i].text, NULL, NULL, ": keys follow a comma, ");
	}
	/* not what is wrong with these */
	refused("ddp,log-dir=\u4e2d\uff0c,procs=x", NULL, NULL, "procs='x'");
	refused("dpd;label=yes", NULL, NULL, "unknown framework 'dpd;label");
}

/* A path may have all of them. */
static void paths(void **state)
{
	struct request r;

	(void)state;
	parse_ok("ddp,log-dir=/a b\uff0c\u201cx\u201d;c", &r);
	assert_string_equal(request_text(&r, KEY_LOG_DIR),
			    "/a b\uff0c\u201cx\u201d;c");
	request_clear(&r);
}

static void room(void **state)
{
	char buf[8];
	bool wide;

	(void)state;
	assert_false(option_meant("ddp", buf, sizeof(buf), &wide));
	assert_true(option_meant("ddp ", buf, sizeof(buf), &wide));
	assert_false(wide);
	assert_string_equal(buf, "ddp");
	assert_false(option_meant("ddp,procs=2 ", buf, sizeof(buf), &wide));
	assert_false(option_meant("\xff\xfe", buf, sizeof(buf), &wide));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),       cmocka_unit_test(words),
		cmocka_unit_test(punctuation), cmocka_unit_test(paths),
		cmocka_unit_test(room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
