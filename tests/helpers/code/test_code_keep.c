/* SPDX-License-Identifier: Apache-2.0 */
/* Which files of a program are kept, where, and what a job has of them. */
#include "helpers/code/code.h"
#include "helpers/code/code_files.h"

#include "sys/subprocess.h"
#include "sys/text_file.h"
#include "tests/fixtures/tree.h"

#include <errno.h>
#include <fcntl.h>

#define COMMIT "git -c user.name=a -c user.email=a@b commit -qam x"

static struct tree tree;
static char path_before[4096];

/* In the program's folder. */
__attribute__((format(printf, 1, 2))) static void shell(const char *fmt, ...)
{
	char line[2048], all[2200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	snprintf(all, sizeof(all), "set -e; %s", line);
	if (system(all) != 0)
		fail_msg("%s", line);
}

static int open_tree(void **state)
{
	char state_home[PATH_MAX];

	(void)state;
	tree_open(&tree);
	snprintf(path_before, sizeof(path_before), "%s", getenv("PATH"));
	snprintf(state_home, sizeof(state_home), "%s/state", tree.root);
	setenv("XDG_STATE_HOME", state_home, 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	unsetenv("PYTHONPATH");
	tree_file(&tree, "import helper\n", "/p/train.py");
	tree_file(&tree, "V = 1\n", "/p/helper.py");
	tree_file(&tree, "x\n", "/p/sub/deep/x.txt");
	snprintf(state_home, sizeof(state_home), "%s/p", tree.root);
	return chdir(state_home);
}

static int close_tree(void **state)
{
	(void)state;
	setenv("PATH", path_before, 1);
	assert_int_equal(chdir("/"), 0);
	shell("chmod -R u+rwx %s", tree.root);
	tree_close(&tree);
	return 0;
}

/* --- asking --- */

static char *python[] = {"python3", "train.py", "--x", NULL};
static struct code_wish wish;

static void begin(void)
{
	wish = (struct code_wish){.argv = python, .job = "7.c", .began = 100};
}

static char answer[1 << 16];

static enum code_answer ask(void)
{
	struct err err;

	assert_int_equal(subprocess_ask(code_keep, &wish, 60000, answer,
					sizeof(answer), &err),
			 0);
	return (enum code_answer) * answer;
}

static struct code kept(void)
{
	struct code code;

	if (ask() != CODE_KEPT)
		fail_msg("%s", answer);
	assert_int_equal(code_parse(answer + 1, &code), 0);
	return code;
}

static void refused(const char *why)
{
	if (ask() != CODE_FAULT || !strstr(answer, why))
		fail_msg("no '%s' in '%s'", why, answer);
}

/* What the copy has; "" : it isn't there. */
static const char *text_of(const struct code *code, const char *name)
{
	static char text[4096];
	char path[PATH_MAX];
	cleanup_close int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/files/%s", code->kept, name);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static const char *link_of(const struct code *code, const char *name)
{
	static char text[PATH_MAX];
	char path[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/files/%s", code->kept, name);
	n = readlink(path, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

/* --- a folder --- */

static void folder(void **state)
{
	struct code code;

	(void)state;
	begin();
	shell("mkdir -p __pycache__ venv/lib; touch __pycache__/x.pyc "
	      "venv/pyvenv.cfg venv/lib/y; mkfifo pipe; chmod +x helper.py");
	code = kept();
	assert_true(!strncmp(code.hash, "sha256:", 7));
	assert_int_equal(strlen(code.hash), 7 + 64);
	assert_string_equal(code.commit, "");
	assert_string_equal(code.file, "train.py");
	assert_string_equal(text_of(&code, "helper.py"), "V = 1\n");
	assert_string_equal(text_of(&code, "sub/deep/x.txt"), "x\n");
	shell("cd %s/files; test ! -e __pycache__ -a ! -e venv -a ! -e pipe; "
	      "test -x helper.py -a ! -x train.py; "
	      "test \"$(stat -c %%a ../..)\" = 700",
	      code.kept);
	code_clear(&code);
}

/* What has been kept stays, whatever becomes of the files; another job has the
 * new ones. */
static void later_rounds(void **state)
{
	struct code first, again;

	(void)state;
	begin();
	first = kept();
	shell("echo 'V = 2' > helper.py");
	wish.life = 1;
	wish.began = 200;
	again = kept();
	assert_string_equal(again.hash, first.hash);
	assert_string_equal(again.kept, first.kept);
	assert_int_equal(again.life, 0);
	code_clear(&again);
	shell("rm -r *");
	again = kept();
	assert_string_equal(text_of(&again, "helper.py"), "V = 1\n");
	code_clear(&again);
	shell("touch train.py; echo 'V = 2' > helper.py");
	wish.job = "8.c";
	again = kept();
	assert_string_not_equal(again.hash, first.hash);
	assert_string_equal(text_of(&again, "helper.py"), "V = 2\n");
	code_clear(&again);
	code_clear(&first);
}

/* A cluster that was set up anew has another job 7. */
static void another_job_7(void **state)
{
	static const struct {
		unsigned life;
		long began;
		bool same;
	} cases[] = {
		{1, 100, true}, {1, 101, false}, {2, 300, true}, {1, 0, true},
		{1, 99, false}, {0, 500, false}, {2, 50, false},
	};
	struct code first, next;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char job[16];

		begin();
		snprintf(job, sizeof(job), "7.%zu", i);
		wish.job = job;
		wish.life = 1;
		shell("echo 'V = 1' > helper.py");
		first = kept();
		shell("echo 'V = 2' > helper.py");
		wish.life = cases[i].life;
		wish.began = cases[i].began;
		next = kept();
		if (!strcmp(first.hash, next.hash) != cases[i].same)
			fail_msg("case %zu", i);
		code_clear(&first);
		code_clear(&next);
	}
}

static void same_files_once(void **state)
{
	struct code first, other;

	(void)state;
	begin();
	first = kept();
	wish.job = "9.c";
	other = kept();
	assert_string_equal(first.kept, other.kept);
	code_clear(&other);
	shell("cp -r ../p ../q; cd ../q; test ! -e pipe");
	assert_int_equal(chdir("../q"), 0);
	other = kept();
	assert_string_equal(first.hash, other.hash);
	assert_string_not_equal(first.kept, other.kept);
	code_clear(&other);
	code_clear(&first);
}

static void changed_copy(void **state)
{
	struct code code;

	(void)state;
	begin();
	code = kept();
	shell("cd %s/files; rm -f helper.py; echo > helper.py", code.kept);
	wish.life = 1;
	refused("was changed or removed (helper.py)");
	code_clear(&code);
	wish.job = "8.c"; /* makes it anew */
	code = kept();
	assert_string_equal(text_of(&code, "helper.py"), "V = 1\n");
	shell("rm -rf %s", code.kept);
	refused("was changed or removed (manifest)");
	code_clear(&code);
}

static void links(void **state)
{
	char there[PATH_MAX];
	struct code code;

	(void)state;
	begin();
	shell("ln -s helper.py a; ln -s ../../helper.py sub/deep/b; "
	      "ln -s ../../outside sub/c; ln -s %s/p/helper.py sub/deep/d; "
	      "ln -s /etc/hostname e; ln -s nowhere f",
	      tree.root);
	code = kept();
	assert_string_equal(link_of(&code, "a"), "helper.py");
	assert_string_equal(link_of(&code, "sub/deep/b"), "../../helper.py");
	snprintf(there, sizeof(there), "%s/p/sub/../../outside", tree.root);
	assert_string_equal(link_of(&code, "sub/c"), there);
	assert_string_equal(link_of(&code, "sub/deep/d"), "../../helper.py");
	assert_string_equal(link_of(&code, "e"), "/etc/hostname");
	assert_string_equal(link_of(&code, "f"), "nowhere");
	code_clear(&code);
}

/* The folder is that of the file itself: Python looks there for modules. */
static void program_is_a_link(void **state)
{
	struct code code;

	(void)state;
	begin();
	shell("mkdir ../links; ln -s ../p/train.py ../links/train.py");
	assert_int_equal(chdir("../links"), 0);
	code = kept();
	assert_string_equal(text_of(&code, "helper.py"), "V = 1\n");
	code_clear(&code);
}

static void unreadable(void **state)
{
	struct code code;

	(void)state;
	if (!geteuid())
		skip();
	begin();
	shell("chmod 000 sub helper.py");
	code = kept();
	assert_string_equal(text_of(&code, "helper.py"), "");
	assert_string_equal(text_of(&code, "train.py"), "import helper\n");
	code_clear(&code);
}

static void too_large(void **state)
{
	(void)state;
	begin();
	shell("truncate -s 120M model.bin");
	refused("/p has 125.8 MB, more than 100 MB, the largest is model.bin "
		"(125.8 MB); put the program into a git work tree");
	shell("test -z \"$(ls -A ../state/dist-train/code)\"");
}

static void many(void **state)
{
	struct code code;

	(void)state;
	begin();
	shell("mkdir m; cd m; seq 10000 | xargs touch");
	code = kept();
	shell("test \"$(ls %s/files/m | wc -l)\" = 10000", code.kept);
	code_clear(&code);
}

/* --- git --- */

static void make_repository(void)
{
	shell("git init -q; printf 'data/\\nout.txt\\n*.so\\n' > .gitignore; "
	      "git add -A; " COMMIT "; mkdir data; echo 1 > data/x; "
	      "echo 1 > out.txt; echo 1 > sub/fast.so");
}

static void git_tree(void **state)
{
	char there[PATH_MAX], clean[128];
	struct code code;

	(void)state;
	begin();
	make_repository();
	code = kept();
	assert_int_equal(strlen(code.commit), 40);
	snprintf(clean, sizeof(clean), "%s", code.commit);
	assert_string_equal(text_of(&code, "helper.py"), "V = 1\n");
	snprintf(there, sizeof(there), "%s/p/data", tree.root);
	assert_string_equal(link_of(&code, "data"), there);
	snprintf(there, sizeof(there), "%s/p/sub/fast.so", tree.root);
	assert_string_equal(link_of(&code, "sub/fast.so"), there);
	shell("test ! -e %s/files/.git", code.kept);
	code_clear(&code);

	/* changed, in any of these ways */
	for (int i = 0; i < 4; i++) {
		static const char *const how[] = {
			"echo 'V = 2' > helper.py", "rm helper.py",
			"touch new.py", "git rm -q --cached helper.py"};
		char job[16];

		shell("git reset -q --hard; rm -f new.py");
		shell("%s", how[i]);
		snprintf(job, sizeof(job), "1%d.c", i);
		wish.job = job;
		code = kept();
		assert_true(!strncmp(code.commit, clean, 40));
		assert_string_equal(code.commit + 40, "+");
		if (i == 2)
			shell("test -e %s/files/new.py", code.kept);
		code_clear(&code);
	}
}

/* A file that git has touched, but not changed, is none that differs. */
static void touched(void **state)
{
	struct code code;

	(void)state;
	begin();
	make_repository();
	shell("touch -d @1000 helper.py train.py");
	code = kept();
	assert_int_equal(strlen(code.commit), 40);
	code_clear(&code);
}

static void below_the_top(void **state)
{
	static char *argv[] = {"python3", "sub/run.py", NULL};
	struct code code;

	(void)state;
	begin();
	shell("echo > sub/run.py");
	make_repository();
	wish.argv = argv;
	code = kept();
	assert_string_equal(code.file, "sub/run.py");
	assert_string_equal(text_of(&code, "helper.py"), "V = 1\n");
	code_clear(&code);
}

static void compiled(void **state)
{
	static char *argv[] = {"./prog.so", NULL};
	char **with, *file, path[PATH_MAX];
	struct code code;
	struct err err;

	(void)state;
	begin();
	make_repository();
	shell("echo '#!/bin/sh' > prog.so; chmod +x prog.so");
	wish.argv = argv;
	code = kept();
	assert_string_equal(text_of(&code, "prog.so"), "#!/bin/sh\n");
	assert_string_equal(link_of(&code, "prog.so"), "");
	assert_int_equal(code_command(&code, argv, &with, &file, &err), 0);
	snprintf(path, sizeof(path), "%s/files/prog.so", code.kept);
	assert_string_equal(file, path);
	assert_string_equal(with[0], path);
	free(file);
	free(with);
	code_clear(&code);
}

static void submodule(void **state)
{
	struct code code;

	(void)state;
	begin();
	shell("git init -q ../s; cd ../s; echo S > s.py; git add "
	      "s.py; " COMMIT);
	shell("git init -q; git -c protocol.file.allow=always submodule "
	      "--quiet add ../s lib/s; git add -A; " COMMIT);
	code = kept();
	assert_string_equal(text_of(&code, "lib/s/s.py"), "S\n");
	assert_int_equal(strlen(code.commit), 40);
	code_clear(&code);
	shell("echo T > lib/s/s.py");
	wish.job = "8.c";
	code = kept();
	assert_string_equal(text_of(&code, "lib/s/s.py"), "T\n");
	assert_int_equal(strlen(code.commit), 41);
	code_clear(&code);
}

/* Its configuration names programs, and none of them runs. */
static void hostile(void **state)
{
	struct code code;

	(void)state;
	begin();
	make_repository();
	shell("printf '#!/bin/sh\\ntouch %s/ran\\ncat\\n' > ../evil; "
	      "chmod +x ../evil; e=%s/evil; "
	      "for c in core.fsmonitor core.pager core.sshCommand "
	      "filter.f.clean filter.f.process diff.external core.editor "
	      "diff.d.textconv credential.helper; do "
	      "git config $c $e; done; "
	      "echo '*.py filter=f diff=d' > .git/info/attributes; "
	      "mkdir -p .git/hooks; cp ../evil .git/hooks/post-index-change; "
	      "cp ../evil .git/hooks/fsmonitor-watchman; touch *.py; "
	      "rm -f ../ran",
	      tree.root, tree.root);
	setenv("GIT_EXTERNAL_DIFF", "/bin/false", 1);
	setenv("GIT_DIR", "/nonexistent", 1);
	code = kept();
	unsetenv("GIT_EXTERNAL_DIFF");
	unsetenv("GIT_DIR");
	assert_int_equal(strlen(code.commit), 40);
	shell("test ! -e ../ran");
	code_clear(&code);

	/* the work tree is said to be elsewhere */
	shell("git config core.worktree /; git config core.bare false");
	wish.job = "8.c";
	code = kept();
	assert_string_equal(code.commit, "");
	code_clear(&code);
}

static void without_git(void **state)
{
	struct code code;

	(void)state;
	begin();
	make_repository();
	shell("echo V > out.txt");
	setenv("PATH", "/nonexistent", 1);
	code = kept();
	setenv("PATH", path_before, 1);
	assert_string_equal(code.commit, "");
	assert_string_equal(text_of(&code, "out.txt"), "V\n");
	shell("test ! -e %s/files/.git", code.kept);
	code_clear(&code);
}

static void too_large_in_git(void **state)
{
	struct code code;

	(void)state;
	begin();
	make_repository();
	shell("truncate -s 120M data/big; truncate -s 120M big.bin");
	refused("125.8 MB that git neither tracks nor ignores, more than 100 "
		"MB, the largest is big.bin (125.8 MB); write what isn't code "
		"into .gitignore");
	shell("truncate -s 105M big.bin; git add big.bin");
	code = kept();
	code_clear(&code);
}

/* --- other nodes --- */

static void told(void **state)
{
	struct code first, own;
	cleanup_free char *text = NULL;
	char elsewhere[PATH_MAX];

	(void)state;
	begin();
	first = kept();
	text = strdup(answer + 1);
	wish.told = text;
	own = kept();
	assert_string_equal(own.kept, first.kept);
	code_clear(&own);

	/* this node has a home of its own, and the same files */
	snprintf(elsewhere, sizeof(elsewhere), "%s/home2", tree.root);
	shell("mv ../state ../moved");
	setenv("XDG_STATE_HOME", elsewhere, 1);
	own = kept();
	assert_string_equal(own.hash, first.hash);
	assert_true(!strncmp(own.kept, elsewhere, strlen(elsewhere)));
	code_clear(&own);
	shell("echo 'V = 3' > helper.py; rm -r ../home2");
	refused("and hasn't the same files; record=DIR names a folder");
	code_clear(&first);
}

/* --- the command --- */

static void not_kept(void **state)
{
	static const struct {
		char *argv[6];
		const char *why;
	} cases[] = {
		{{"/bin/sed", "-n"}, "sed is a program that PATH finds"},
		{{"true"}, "true names no file of the program"},
		{{"bash", "-c", "python train.py"}, "bash names no file"},
		{{"apptainer", "exec", "i.sif", "python3", "train.py"},
		 "apptainer runs it in a container"},
		{{"mpirun", "-np", "2", "./a"}, "mpirun names no file"},
	};

	(void)state;
	begin();
	setenv("PATH", "/usr/bin:/bin", 1);
	for (size_t i = 0; i < COUNT(cases); i++) {
		wish.argv = (char **)cases[i].argv;
		if (ask() != CODE_NOT || !strstr(answer, cases[i].why))
			fail_msg("no '%s' in '%s'", cases[i].why, answer);
	}
}

static void command(void **state)
{
	static char *other[] = {"python3", "other.py", NULL};
	static char *shells[] = {"bash", "train.py", NULL};
	static char *module[] = {"python3", "-m", "train", NULL};
	char **with, *file, path[PATH_MAX];
	struct envset set = {0};
	struct code code;
	struct err err;

	(void)state;
	begin();
	code = kept();
	assert_int_equal(code_command(&code, python, &with, &file, &err), 0);
	snprintf(path, sizeof(path), "%s/files/train.py", code.kept);
	assert_string_equal(with[0], "python3");
	assert_string_equal(with[1], path);
	assert_string_equal(with[2], "--x");
	assert_null(with[3]);
	assert_null(file);
	free(with);
	assert_false(code.shell);
	assert_int_equal(code_command(&code, shells, &with, &file, &err), 0);
	assert_true(code.shell);
	free(with);
	assert_int_equal(code_command(&code, other, &with, &file, &err), -1);
	assert_non_null(strstr(err.text, "other.py, and the first one"));

	setenv("PYTHONPATH", "/before", 1);
	assert_int_equal(code_env(&code, &set, &err), 0);
	snprintf(path, sizeof(path), "%s/path:/before", code.kept);
	assert_string_equal(envset_find(&set, "PYTHONPATH")->value, path);
	assert_string_equal(envset_find(&set, "DIST_TRAIN_CODE")->value,
			    code.hash);
	assert_null(envset_find(&set, "DIST_TRAIN_CODE_COMMIT"));
	envset_clear(&set);
	code_clear(&code);

	wish.argv = module;
	code = kept();
	assert_int_equal(code_command(&code, module, &with, &file, &err), 0);
	assert_null(with);
	code_clear(&code);
	assert_int_equal(code_parse("a\nb\nc", &code), -1);
}

/* --- changes without a copy --- */

static void changes(void **state)
{
	static const struct {
		const char *before, *after, *name;
	} cases[] = {
		{"a.py\t1 2 3\nb.py\t1 2 3\n", "b.py\t1 2 3\na.py\t1 2 3\n",
		 ""},
		{"a.py\t1 2 3\nb.py\t1 2 3\n", "a.py\t1 2 3\nb.py\t1 2 4\n",
		 "b.py"},
		{"a.py\t1 2 3\n", "a.py\t1 2 3\nnew.py\t1 1 1\n", ""},
		{"a.py\t1 2 3\n", "", "a.py"},
		{"", "a.py\t1 2 3\n", ""},
	};
	char name[CODE_NAME_SIZE], before[4096], after[4096];
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(
			code_changed(cases[i].before, cases[i].after, name),
			cases[i].name);
	begin();
	assert_int_equal(subprocess_ask(code_stamp, &wish, 10000, before,
					sizeof(before), &err),
			 0);
	shell("echo >> helper.py");
	assert_int_equal(subprocess_ask(code_stamp, &wish, 10000, after,
					sizeof(after), &err),
			 0);
	assert_string_equal(code_changed(before, after, name), "helper.py");
}

static void beside(void **state)
{
	struct code code;
	struct err err;

	(void)state;
	begin();
	make_repository();
	code = kept();
	shell("cd %s/files; mkdir __pycache__; touch __pycache__/a.pyc data/y; "
	      "test -e %s/p/data/y",
	      code.kept, tree.root);
	assert_int_equal(subprocess_ask(code_beside, &code, 10000, answer,
					sizeof(answer), &err),
			 0);
	assert_string_equal(answer, "");
	shell("touch %s/files/sub/log.txt", code.kept);
	assert_int_equal(subprocess_ask(code_beside, &code, 10000, answer,
					sizeof(answer), &err),
			 0);
	assert_non_null(strstr(answer, "/files/sub/log.txt;"));
	assert_int_equal(subprocess_ask(code_beside, &code, 10000, answer,
					sizeof(answer), &err),
			 0);
	assert_string_equal(answer, ""); /* told once */
	code_clear(&code);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_tree, close_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(folder),
		TEST(later_rounds),
		TEST(another_job_7),
		TEST(same_files_once),
		TEST(changed_copy),
		TEST(links),
		TEST(program_is_a_link),
		TEST(unreadable),
		TEST(too_large),
		TEST(many),
		TEST(git_tree),
		TEST(touched),
		TEST(below_the_top),
		TEST(compiled),
		TEST(submodule),
		TEST(hostile),
		TEST(without_git),
		TEST(too_large_in_git),
		TEST(told),
		TEST(not_kept),
		TEST(command),
		TEST(changes),
		TEST(beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
