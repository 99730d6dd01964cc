/* SPDX-License-Identifier: Apache-2.0 */
#include "core/command/wrapped_command.h"

#include "core/base/parse.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_MAX 65536 /* bytes of a script */
#define WORDS_MAX  256	 /* of one of its commands */
#define NESTED_MAX 3	 /* scripts within scripts */

struct reader {
	read_script_fn read_script;
	int nested;
	const struct host_file *host_file; /* of any of the texts */
};

/* What a text has told so far. */
struct text {
	struct reader *reader;
	char *const *args; /* "$@" */
	int nargs;
	int depth;     /* in so many ifs, loops, braces, parentheses */
	bool guarded;  /* the next command depends on a test */
	bool other;    /* it may run anything else */
	bool prepares; /* it has commands that can't be training */
	struct step_command found;
	char *room; /* for the name of what was found */
};

static void read_words(struct reader *r, int argc, char *const argv[],
		       char room[COMMAND_ROOM], struct step_command *ret);

static void look_for_host_files(struct reader *r, const char *text)
{
	static const struct host_file files[] = {
		{"/etc/mpi/hostfile",
		 "this step's is $DIST_TRAIN_HOSTFILE, and mpirun takes it "
		 "without an option"},
		{"/etc/volcano/",
		 "$VC_WORKER_HOSTS has these names, with commas"},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (strstr(text, files[i].path))
			r->host_file = &files[i];
}

/* --- programs that only start another one --- */

/* By their manual pages. */
static const struct wrapper {
	const char *names, *subcommands; /* one of these behind it, or NULL */
	int operands;	    /* words between its options and the program */
	const char *valued; /* options whose value is a word of its own */
} wrappers[] = {
	{"env", NULL, 0, "-u --unset -C --chdir"},
	{"timeout", NULL, 1, "-k --kill-after -s --signal"},
	{"nice ionice", NULL, 0, "-n --adjustment -c --class --classdata"},
	{"taskset", NULL, 1, ""},
	{"numactl", NULL, 0,
	 "-i --interleave -p --preferred -m --membind -N --cpunodebind -C "
	 "--physcpubind"},
	{"stdbuf", NULL, 0, "-i --input -o --output -e --error"},
	{"nohup setsid time exec command unbuffer catchsegv", NULL, 0, ""},
	{"uv", "run", 0,
	 "--with --with-editable --with-requirements --extra --group --python "
	 "-p --project --directory --env-file --index --package"},
	{"poetry pipenv pdm hatch rye pixi", "run", 0,
	 "-C --directory -P --project -p -e --environment"},
	{"conda mamba micromamba", "run", 0, "-n --name -p --prefix --cwd"},
	{"singularity apptainer", "exec run", 1,
	 "-B --bind --mount --env --env-file -H --home --pwd --cwd -W "
	 "--workdir -o --overlay -S --scratch --network --hostname --app "
	 "--fusemount --security"},
	{"nsys", "profile launch", 0,
	 "-t --trace -o --output -s --sample -w --show-output -f "
	 "--force-overwrite -c --capture-range --capture-range-end --stats "
	 "--export -x --stop-on-exit -y --delay -d --duration -e --env-var "
	 "--kill --cuda-memory-usage --cudabacktrace --python-sampling "
	 "--gpu-metrics-device --gpu-metrics-devices"},
};

static const struct wrapper *wrapper_find(const char *program)
{
	const char *name = base_name(program);

	for (size_t i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++)
		if (is_listed(wrappers[i].names, name))
			return &wrappers[i];
	return NULL;
}

/* Behind its options, from the i-th word on. */
static int skip_options(const struct wrapper *w, int i, int argc,
			char *const argv[])
{
	while (i < argc && *argv[i] == '-') {
		const char *word = argv[i++];

		if (!strcmp(word, "--"))
			break;
		i += !strchr(word, '=') && is_listed(w->valued, word);
	}
	return i;
}

/* How many words stand before the program that this one starts; 0: it is none
 * of these, or starts nothing. */
static int wrapper_length(int argc, char *const argv[])
{
	const struct wrapper *w = wrapper_find(argv[0]);
	int i;

	if (!w)
		return 0;
	i = skip_options(w, 1, argc, argv);
	if (w->subcommands) {
		if (i >= argc || !is_listed(w->subcommands, argv[i]))
			return 0;
		i = skip_options(w, i + 1, argc, argv);
	}
	i += w->operands;
	while (!strcmp(w->names, "env") && i < argc && strchr(argv[i], '='))
		i++;
	return i < argc ? i : 0;
}

/* How many words stand before the program that they all start. */
static int skip_wrappers(int argc, char *const argv[])
{
	int n, all = 0;

	while ((n = wrapper_length(argc - all, argv + all)) > 0)
		all += n;
	return all;
}

/* --- a text --- */

static bool starts_processes(const struct step_command *c)
{
	return c->kind == COMMAND_TORCHRUN || c->kind == COMMAND_MPIRUN ||
	       c->kind == COMMAND_LAUNCHER;
}

static bool is_found(const struct text *t, const struct step_command *c)
{
	if (t->depth || t->guarded || starts_processes(&t->found))
		return false;
	return starts_processes(c) ||
	       (c->kind == COMMAND_SCRIPT && !t->found.name);
}

/* `cut`: the shell makes the rest of the command from another one's output. */
static void read_command(struct text *t, int n, char *const word[], bool cut)
{
	static const char own[] =
		"cd set export unset source . module ml ulimit umask declare "
		"local readonly typeset trap shopt pushd popd wait : [ [[ test "
		"exit return break continue echo printf cat true date";
	char inner[COMMAND_ROOM];
	struct step_command c;
	int i;

	if (!n || is_listed(own, word[0]))
		return;
	i = skip_wrappers(n, word);
	if (!strcmp(word[i], "$@") && t->nargs) {
		word = t->args;
		n = t->nargs;
		i = 0;
	}
	read_words(t->reader, n - i, word + i, inner, &c);
	/* who waits may be the stand-in of a training */
	if (c.kind == COMMAND_UTILITY && strcmp(c.name, "sleep") != 0) {
		t->prepares |= !t->depth && !t->guarded;
		return;
	}
	t->other = true;
	if (!is_found(t, &c))
		return;
	c.nnodes_open |= cut && !c.nnodes;
	c.meets |= cut;
	snprintf(t->room, COMMAND_ROOM, "%s", c.name);
	c.name = t->room;
	c.file = c.module = NULL; /* words of this text */
	t->found = c;
}

/* How many words stand before the command: the shell's own, assignments. */
static int read_keywords(struct text *t, int n, char *const word[])
{
	int i = 0;

	for (; i < n && *word[i] != '-'; i++) {
		if (is_listed("for select function", word[i])) {
			t->depth++;
			return n;
		}
		if (is_listed("if while until {", word[i]))
			t->depth++;
		else if (is_listed("fi done }", word[i]))
			t->depth -= t->depth > 0;
		else if (!is_listed("then else elif do ! time", word[i]) &&
			 !strchr(word[i], '='))
			break;
	}
	return i;
}

/* Behind a here document, which begins with its word; NULL: it has no end. */
static const char *skip_here(const char *text)
{
	char end[64];
	size_t n;

	text += *text == '-';
	text += strspn(text, " \t'\"\\");
	n = strcspn(text, " \t\n'\";|&<>()");
	if (!n || n >= sizeof(end))
		return NULL;
	memcpy(end, text, n);
	end[n] = '\0';
	while ((text = strchr(text, '\n'))) {
		text++;
		text += strspn(text, "\t");
		if (!strncmp(text, end, n) && (!text[n] || text[n] == '\n'))
			return text + n;
	}
	return NULL;
}

/* The sign before `rest`, where a command of the text `from` ended. */
static char operator_before(const char *from, const char *rest)
{
	return rest > from && strchr("\n;|&<>()", rest[-1]) ? rest[-1] : '\0';
}

/* What that sign means for the next command. */
static void read_operator(struct text *t, char sign, char next, bool test)
{
	if (sign == '(')
		t->depth++;
	else if (sign == ')')
		t->depth -= t->depth > 0;
	else if (sign == '\n' || sign == ';')
		t->guarded = false;
	else if (sign == next)
		t->guarded |= test;
}

static void read_text(struct text *t, const char *text)
{
	cleanup_free char *words = malloc(2 * strlen(text) + 2);
	char *word[WORDS_MAX + 1], *room;
	bool file = false; /* a redirection's is next */

	while (words && text && *text) {
		const char *rest;
		char sign;
		int first;
		size_t n;

		room = words;
		rest = shell_words(text, &room, word, WORDS_MAX, &n);
		sign = operator_before(text, rest);
		first = file ? (int)n : read_keywords(t, (int)n, word);
		if (first < (int)n && !strcmp(word[first], "case")) {
			t->other = true;
			return;
		}
		read_command(t, (int)n - first, word + first, sign == '(');
		if (first < (int)n && !strcmp(word[first], "exit") &&
		    !t->depth && !t->guarded)
			return;
		read_operator(t, sign, *rest,
			      first < (int)n &&
				      is_listed("[ [[ test", word[first]));
		file = sign == '<' || sign == '>' || (file && !n);
		if (sign == '<' && *rest == '<' && rest[1] != '<') {
			rest = skip_here(rest + 1);
			file = false;
			t->other = true;
		}
		text = rest;
	}
}

/* Whether any of these, a list with a NULL behind it, is in the text. */
static bool has_any(const char *text, const char *const *names)
{
	for (; *names; names++)
		if (strstr(text, *names))
			return true;
	return false;
}

/* Launchers, which may be where they aren't certain to run. */
static const char *const launchers[] = {
	"torchrun", "torch.distributed", "accelerate", "deepspeed",
	"mpirun",   "horovodrun",	 NULL,
};

/* Who reads these wants what the option gives. */
static const char *const variables[] = {
	"RANK", "WORLD_SIZE", "MASTER_", "DIST_TRAIN_", "TF_CONFIG", NULL,
};

static void read_code(struct reader *r, const char *text, int nargs,
		      char *const args[], char room[COMMAND_ROOM],
		      struct step_command *ret)
{
	struct text t = {
		.reader = r, .args = args, .nargs = nargs, .room = room};

	r->nested++;
	read_text(&t, text);
	r->nested--;
	if (starts_processes(&t.found) ||
	    (t.found.kind == COMMAND_SCRIPT && !has_any(text, launchers)))
		*ret = t.found;
	else if (t.prepares && !t.other && !has_any(text, variables))
		ret->kind = COMMAND_UTILITY;
}

/* --- a shell, a file --- */

/* Of a shell: the place of its code among the words, or of its script's name.
 * -o OPTION, -c CODE, FILE. */
static int find_script(int argc, char *const argv[], bool *ret_code)
{
	int i = 1;

	*ret_code = false;
	for (; i < argc && *argv[i] && strchr("-+", *argv[i]); i++) {
		size_t n = strcspn(argv[i], "co");

		if (!argv[i][n] || argv[i][1] == '-')
			continue;
		*ret_code |= argv[i][n] == 'c';
		i += argv[i][n] == 'o';
	}
	return i;
}

/* By its first line: #!/bin/bash, #!/usr/bin/env bash */
static bool is_shells(const char *text)
{
	char line[128];
	char *word, *save;

	if (strncmp(text, "#!", 2) != 0)
		return false;
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	word = strtok_r(line + 2, " \t\r", &save);
	if (word && !strcmp(base_name(word), "env"))
		word = strtok_r(NULL, " \t\r", &save);
	return word && is_listed(COMMAND_SHELLS, base_name(word));
}

static void read_file(struct reader *r, const char *path, bool any, int nargs,
		      char *const args[], char room[COMMAND_ROOM],
		      struct step_command *ret)
{
	cleanup_free char *text = NULL;
	struct err ignored;

	if (r->read_script)
		text = r->read_script(path, SCRIPT_MAX, &ignored);
	if (!text || !(any || is_shells(text)))
		return;
	look_for_host_files(r, text);
	read_code(r, text, nargs, args, room, ret);
}

static void read_words(struct reader *r, int argc, char *const argv[],
		       char room[COMMAND_ROOM], struct step_command *ret)
{
	int n = skip_wrappers(argc, argv), i;
	bool code;

	argc -= n;
	argv += n;
	step_command_read(argc, argv, ret);
	if (ret->kind != COMMAND_UNKNOWN || r->nested == NESTED_MAX)
		return;
	if (!is_listed(COMMAND_SHELLS, ret->name)) {
		if (strchr(argv[0], '/'))
			read_file(r, argv[0], false, argc - 1, argv + 1, room,
				  ret);
		return;
	}
	ret->file = NULL;
	i = find_script(argc, argv, &code);
	if (i >= argc)
		return;
	if (code) {
		/* the word behind it is $0 */
		n = argc - i > 2 ? argc - i - 2 : 0;
		read_code(r, argv[i], n, argv + argc - n, room, ret);
		return;
	}
	ret->name = base_name(argv[i]);
	ret->file = argv[i];
	read_file(r, argv[i], true, argc - i - 1, argv + i + 1, room, ret);
}

void wrapped_command_read(int argc, char *const argv[],
			  read_script_fn read_script, char room[COMMAND_ROOM],
			  struct step_command *ret)
{
	struct reader r = {.read_script = read_script};

	*ret = (struct step_command){0};
	if (argc < 1 || !argv || !argv[0])
		return;
	for (int i = 0; i < argc; i++)
		look_for_host_files(&r, argv[i]);
	read_words(&r, argc, argv, room, ret);
	ret->host_file = r.host_file;
}
