/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/code/code.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/command/wrapped_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 7

/* Behind these a path isn't this node's. */
#define CONTAINERS                                                             \
	"singularity apptainer podman docker enroot shifter charliecloud"

/* --- the program --- */

/* A name along PATH, as the launcher has made it absolute. */
static bool is_found_by_path(const char *file)
{
	const char *path = getenv("PATH"), *slash = strrchr(file, '/');
	size_t n = slash ? (size_t)(slash - file) : 0;

	for (; path && *path; path += *path == ':') {
		size_t len = strcspn(path, ":");

		if (n && len == n && !strncmp(path, file, n))
			return true;
		path += len;
	}
	return false;
}

/* A file that was removed since is still the program's, so none is looked for:
 * interpreters and shells take a name from the working directory on. */
static int check_words(char *const argv[], const struct step_command *c,
		       int word, bool *ret_shell, struct err *err)
{
	bool here = c->kind != COMMAND_UNKNOWN || strchr(c->file, '/');

	for (int i = 0; i < word; i++) {
		*ret_shell |= is_listed(COMMAND_SHELLS, base_name(argv[i]));
		if (is_listed(CONTAINERS, base_name(argv[i])))
			return err_printf(
				err,
				"%s runs it in a container, which has "
				"files of its own",
				base_name(argv[i]));
	}
	here |= *ret_shell;
	*ret_shell |= text_ends(c->file, ".sh");
	if (here && (word || !is_found_by_path(c->file)))
		return 0;
	return err_printf(err,
			  "%s is a program that PATH finds, and none of your "
			  "own files",
			  base_name(c->file));
}

static int make_absolute(const char *file, struct code_program *ret,
			 struct err *err)
{
	int n;

	while (!strncmp(file, "./", 2))
		file += 2;
	n = *file == '/'
		    ? snprintf(ret->file, PATH_MAX, "%s", file)
		    : snprintf(ret->file, PATH_MAX, "%s/%s", ret->folder, file);
	if (n < 0 || n >= PATH_MAX || strchr(ret->file, '\n'))
		return err_printf(err, "its name is too long, or has a line's "
				       "end");
	snprintf(ret->folder, PATH_MAX, "%.*s",
		 (int)(strrchr(ret->file, '/') - ret->file), ret->file);
	return 0;
}

int code_program_find(char *const argv[], struct code_program *ret,
		      struct err *err)
{
	char room[COMMAND_ROOM];
	struct step_command c;
	int argc = 0, word = 0;

	while (argv[argc])
		argc++;
	*ret = (struct code_program){.word = -1};
	if (!getcwd(ret->folder, PATH_MAX) || strchr(ret->folder, '\n'))
		return err_printf(err, "the working directory isn't there");
	wrapped_command_read(argc, argv, NULL, room, &c);
	if (c.file) {
		while (argv[word] != c.file)
			word++;
		ret->word = word;
		if (check_words(argv, &c, word, &ret->shell, err) < 0)
			return -1;
		return make_absolute(c.file, ret, err);
	}
	if (!c.module)
		return err_printf(err, "%s names no file of the program",
				  argc ? base_name(argv[0]) : "the command");
	return 0;
}

/* --- what is kept --- */

void code_clear(struct code *code)
{
	free(code->text);
	*code = (struct code){.text = NULL};
}

int code_parse(const char *text, struct code *ret)
{
	char *field[FIELDS], *copy = strdup(text), *at = copy;
	long life;

	*ret = (struct code){.text = copy};
	for (int i = 0; i < FIELDS; i++)
		field[i] = at ? strsep(&at, "\n") : NULL;
	if (!copy || !field[FIELDS - 1] ||
	    parse_number(field[6], 0, INT_MAX, &life) < 0) {
		code_clear(ret);
		return -1;
	}
	ret->hash = field[0];
	ret->commit = field[1];
	ret->root = field[2];
	ret->kept = field[3];
	ret->name = field[4];
	ret->file = field[5];
	ret->life = (unsigned)life;
	return 0;
}

int code_env(const struct code *code, struct envset *set, struct err *err)
{
	static const char source[] = "code=freeze";
	const char *path = getenv("PYTHONPATH");
	const struct env_row rows[] = {
		{ENV_OURS, "DIST_TRAIN_CODE", source, code->hash, 0},
		{ENV_OURS, *code->commit ? "DIST_TRAIN_CODE_COMMIT" : NULL,
		 source, code->commit, 0},
		{ENV_OURS, "DIST_TRAIN_CODE_FOLDER", source, code->root, 0},
	};

	if (ENVSET_ADD(set, rows, err) < 0)
		return -1;
	return envset_add(set, ENV_OURS, source, err, "PYTHONPATH",
			  "%s/path%s%s", code->kept, path && *path ? ":" : "",
			  path ? path : "");
}

int code_command(struct code *code, char *const argv[], char ***ret_argv,
		 char **ret_file, struct err *err)
{
	struct code_program program;
	char **copy, *file;
	size_t n = 0, size = 0;

	*ret_argv = NULL;
	*ret_file = NULL;
	if (code_program_find(argv, &program, err) < 0)
		return -1;
	if (strcmp(program.file, code->name) != 0)
		return err_printf(err,
				  "code=freeze: this task runs %s, and the "
				  "first one %s; one program for all tasks, or "
				  "code=live",
				  program.file, code->name);
	code->shell = program.shell;
	if (program.word < 0)
		return 0;
	while (argv[n])
		n++;
	size = strlen(code->kept) + strlen(code->file) + 8;
	copy = malloc((n + 1) * sizeof(*copy) + size);
	file = program.word ? NULL : malloc(size);
	if (!copy || (!program.word && !file)) {
		free(copy);
		free(file);
		return err_memory(err);
	}
	memcpy(copy, argv, (n + 1) * sizeof(*copy));
	copy[program.word] = (char *)(copy + n + 1);
	snprintf(copy[program.word], size, "%s/files/%s", code->kept,
		 code->file);
	if (file)
		strcpy(file, copy[program.word]);
	*ret_argv = copy;
	*ret_file = file;
	return 0;
}
