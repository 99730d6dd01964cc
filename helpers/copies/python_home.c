/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/copies/python_home.h"

#include "core/base/err.h"
#include "core/base/parse.h"
#include "sys/child.h"
#include "sys/text_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#define LINE_MAX_SIZE 4096
#define CFG_MAX	      (64U << 10)

/* f_type of statfs(2), of file systems that nodes share. */
static const unsigned long network[] = {
	0x6969,	    /* NFS */
	0x517B,	    /* SMB */
	0xFF534D42, /* CIFS */
	0xFE534D42, /* SMB2 */
	0x0BD00BD0, /* Lustre */
	0x47504653, /* GPFS */
	0x65735546, /* FUSE: CVMFS, sshfs, Weka and others */
	0x00C36400, /* Ceph */
	0x5346414F, /* AFS */
	0x6B414653, /* AFS of the kernel */
	0x01021997, /* 9P */
	0x19830326, /* BeeGFS */
	0xAAD7AAEA, /* PanFS */
	0x20030528, /* OrangeFS */
	0x01161970, /* GFS2 */
	0x7461636F, /* OCFS2 */
	0x73757245, /* Coda */
};

bool is_on_network(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(network) / sizeof(*network); i++)
		if ((unsigned long)fs.f_type == network[i])
			return true;
	return false;
}

static bool has(const char *dir, const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static bool is_python(const char *path)
{
	return !strncmp(base_name(path), "python", 6);
}

/* PREFIX of PREFIX/bin/NAME. Returns whether it is such a path. */
static bool prefix_of(const char *program, char ret[PATH_MAX])
{
	char *slash;

	if (snprintf(ret, PATH_MAX, "%s", program) >= PATH_MAX)
		return false;
	slash = strrchr(ret, '/');
	if (!slash)
		return false;
	*slash = '\0';
	slash = strrchr(ret, '/');
	if (!slash || slash == ret)
		return false;
	*slash = '\0';
	return true;
}

/* The program of a second line as pip and uv write it where the first one would
 * be long: '''exec' PROGRAM "$0" "$@". Returns it, ended, or NULL. */
static char *handed_over(char *line)
{
	static const char begin[] = "'''exec' ";
	char *at = line + sizeof(begin) - 1, *rest;

	if (strncmp(line, begin, sizeof(begin) - 1) != 0)
		return NULL;
	if (*at == '"' || *at == '\'')
		return strtok_r(at, *at == '"' ? "\"" : "'", &rest);
	return strtok_r(at, " \t\n", &rest);
}

int script_interpreter(const char *script, char ret[PATH_MAX])
{
	cleanup_close int fd = open(script, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char text[LINE_MAX_SIZE] = "", *second, *word, *next;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 3 ||
	    strncmp(text, "#!", 2) != 0)
		return -1;
	second = text + strcspn(text, "\n");
	if (*second)
		*second++ = '\0';
	word = strtok_r(text + 2, " \t", &next);
	if (word && !strcmp(base_name(word), "env"))
		word = strtok_r(NULL, " \t", &next);
	if (word && !strcmp(base_name(word), "sh"))
		word = handed_over(second) ?: word;
	if (word && *word == '/')
		return snprintf(ret, PATH_MAX, "%s", word) < PATH_MAX ? 0 : -1;
	return word ? child_find(word, child_path(), ret, PATH_MAX) : -1;
}

/* "home = DIR" of pyvenv.cfg: the folder of the Python below. Returns 0 or
 * -1. */
static int home_of(const char *prefix, char ret[PATH_MAX])
{
	char path[PATH_MAX + 16], *at;
	cleanup_free char *text = NULL;
	struct err err;

	snprintf(path, sizeof(path), "%s/pyvenv.cfg", prefix);
	text = text_file_read(path, CFG_MAX, &err);
	for (at = text; at; at = strchr(at, '\n')) {
		at += strspn(at, "\n \t");
		if (strncmp(at, "home", 4) != 0 ||
		    at[4 + strspn(at + 4, " \t")] != '=')
			continue;
		at = strchr(at, '=') + 1;
		at += strspn(at, " \t");
		at[strcspn(at, "\r\n")] = '\0';
		return snprintf(path, sizeof(path), "%s/python", at) <
					       PATH_MAX &&
				       prefix_of(path, ret)
			       ? 0
			       : -1;
	}
	return -1;
}

/* An environment that was activated, for a command that is a shell script. */
static bool active_one(char ret[PATH_MAX])
{
	const char *dir = getenv("VIRTUAL_ENV");

	if (!dir || !*dir)
		dir = getenv("CONDA_PREFIX");
	return dir && *dir == '/' &&
	       snprintf(ret, PATH_MAX, "%s", dir) < PATH_MAX;
}

static bool find_prefix(const char *program, char ret[PATH_MAX])
{
	char python[PATH_MAX], real[PATH_MAX];

	if (is_python(program))
		snprintf(python, sizeof(python), "%s", program);
	else if (script_interpreter(program, python) < 0 || !is_python(python))
		return active_one(ret);
	if (!prefix_of(python, ret))
		return false;
	if (has(ret, "pyvenv.cfg") || has(ret, "conda-meta"))
		return true;
	return realpath(python, real) && prefix_of(real, ret);
}

unsigned python_homes(const char *program, char ret[PYTHON_HOMES][PATH_MAX])
{
	char real[PATH_MAX];

	if (!find_prefix(program, ret[0]))
		return 0;
	if (home_of(ret[0], ret[1]) < 0)
		return 1;
	/* uv's are links to the Python of a release */
	if (realpath(ret[1], real))
		strcpy(ret[1], real);
	return 2;
}
