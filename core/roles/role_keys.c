/* SPDX-License-Identifier: Apache-2.0 */
/* The keys that are the file's own: a table, and how each kind is read. */
#include "core/roles/role_read.h"

#include "core/base/parse.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NODES_MAX 1000000
#define READY_MAX 86400 /* seconds of a day */
#define PROCS_MAX 1024	/* as the key procs has it */
#define CPUS_MAX  65536
#define NUMBER(member, min, max)                                               \
	read_number, offsetof(struct role_line, member), min, max
#define TEXT(member) read_text, offsetof(struct role_line, member), 0, 0

/* A key of a line that is being read. */
struct key_reading {
	const struct role_file *file;
	struct role_line *line;
	const struct line_key *key;
	const char *value;
	struct role_place at;
};

struct line_key {
	const char *name, *takes;
	int (*read)(const struct key_reading *r, struct err *err);
	size_t member;
	long min, max;
};

static int refuse(const struct key_reading *r, struct err *err)
{
	char shown[SHOW_SIZE];

	return role_fault(r->file, r->at, err, "%s takes %s, and this is %s",
			  r->key->name, r->key->takes, show(shown, r->value));
}

static void *member(const struct key_reading *r)
{
	return (char *)r->line + r->key->member;
}

static int read_number(const struct key_reading *r, struct err *err)
{
	long n;

	if (parse_number(r->value, r->key->min, r->key->max, &n) < 0)
		return refuse(r, err);
	*(unsigned *)member(r) = (unsigned)n;
	return 0;
}

static int read_seconds(const struct key_reading *r, struct err *err)
{
	long n;

	if (parse_seconds(r->value, r->key->min, r->key->max, &n) < 0)
		return refuse(r, err);
	*(unsigned *)member(r) = (unsigned)n;
	return 0;
}

static int keep(const char *text, char **ret, struct err *err)
{
	*ret = strdup(text);
	return *ret ? 0 : err_memory(err);
}

static int read_text(const struct key_reading *r, struct err *err)
{
	return *r->value ? keep(r->value, member(r), err) : refuse(r, err);
}

/* "2gpu", "1node" */
static int read_each(const struct key_reading *r, struct err *err)
{
	static const char units[] =
		"node nodes gpu gpus npu npus device devices";
	size_t n = strspn(r->value, "0123456789");
	const char *unit = r->value + n;
	char digits[16] = "";
	int index;
	long each;

	if (n && n < sizeof(digits))
		memcpy(digits, r->value, n);
	if (parse_number(digits, 1, NODES_MAX, &each) < 0 ||
	    !word_find_any_case(units, unit, strlen(unit), &index))
		return refuse(r, err);
	r->line->each = index < 2 ? EACH_NODE : EACH_DEVICE;
	r->line->each_n = (unsigned)each;
	return 0;
}

/* The role of that name. */
static int other_role(const struct key_reading *r, const char *name, size_t len,
		      int *ret, struct err *err)
{
	char shown[SHOW_SIZE], names[512];
	cleanup_free char *copy = NULL;

	*ret = role_find(r->file, name, len);
	if (*ret != ROLE_NONE && &r->file->role[*ret] != r->line)
		return 0;
	copy = strndup(name, len);
	if (!copy)
		return err_memory(err);
	return role_fault(r->file, r->at, err, "%s=%s: %s; there are %s",
			  r->key->name, show(shown, copy),
			  *ret == ROLE_NONE ? "there is no such role"
					    : "it is the role itself",
			  role_names_text(r->file, names, sizeof(names)));
}

static int read_with(const struct key_reading *r, struct err *err)
{
	const char *colon = strrchr(r->value, ':');
	long world;

	if (!colon || parse_number(colon + 1, 0, NODES_MAX, &world) < 0)
		return refuse(r, err);
	r->line->with_world = (unsigned)world;
	return other_role(r, r->value, (size_t)(colon - r->value),
			  &r->line->with, err);
}

static int read_needs(const struct key_reading *r, struct err *err)
{
	const char *name = r->value;
	int role;

	for (;; name++) {
		size_t len = strcspn(name, "+");

		if (other_role(r, name, len, &role, err) < 0)
			return -1;
		if (!memchr(r->line->needs, role, r->line->nneeds))
			r->line->needs[r->line->nneeds++] = (unsigned char)role;
		name += len;
		if (!*name)
			return 0;
	}
}

/* Of the key ready; those after tcp have a value. */
static const char *const ready_words[] = {
	[READY_STARTED] = "started", [READY_TCP] = "tcp",
	[READY_HTTP] = "http:",	     [READY_LINE] = "line:",
	[READY_FILE] = "file:",
};

const char *role_ready_word(const struct role_line *line)
{
	return ready_words[line->ready];
}

static int read_ready(const struct key_reading *r, struct err *err)
{
	if (!strcasecmp(r->value, ready_words[READY_TCP])) {
		r->line->ready = READY_TCP;
		return 0;
	}
	for (int i = READY_HTTP; i <= READY_FILE; i++) {
		size_t n = strlen(ready_words[i]);
		const char *value = r->value + n;

		if (strncasecmp(r->value, ready_words[i], n) != 0 || !*value)
			continue;
		r->line->ready = (enum role_ready)i;
		if (r->line->ready == READY_HTTP && *value != '/')
			break;
		return keep(value, &r->line->ready_value, err);
	}
	return refuse(r, err);
}

static int read_on_failure(const struct key_reading *r, struct err *err)
{
	static const char together[] = "together=";
	int word;

	if (!strncasecmp(r->value, together, strlen(together))) {
		const char *name = r->value + strlen(together);

		r->line->failure = FAILURE_TOGETHER;
		return other_role(r, name, strlen(name), &r->line->together,
				  err);
	}
	if (!word_find_any_case("end restart ignore save", r->value,
				strlen(r->value), &word))
		return refuse(r, err);
	r->line->failure =
		(enum role_failure[]){FAILURE_END, FAILURE_RESTART,
				      FAILURE_IGNORE, FAILURE_SAVE}[word];
	return 0;
}

static int read_done(const struct key_reading *r, struct err *err)
{
	int word;

	if (!word_find_any_case("no off false 0 yes on true 1", r->value,
				strlen(r->value), &word))
		return refuse(r, err);
	r->line->done = word >= 4;
	return 0;
}

static int read_notify(const struct key_reading *r, struct err *err)
{
	int word;

	if (!word_find_any_case("USR1 SIGUSR1 USR2 SIGUSR2 HUP SIGHUP",
				r->value, strlen(r->value), &word))
		return refuse(r, err);
	r->line->notify = (int[]){SIGUSR1, SIGUSR2, SIGHUP}[word / 2];
	return 0;
}

/* clang-format off */
static const struct line_key keys[] = {
	[LINE_NODES] = {"nodes", "a number of nodes",
			NUMBER(nodes, 1, NODES_MAX)},
	[LINE_EACH] = {"each", "Nnode or Ngpu, as each=2gpu",
		       read_each, 0, 0, 0},
	[LINE_WITH] = {"with", "ROLE:N, as with=trainer:0: beside its world 0",
		       read_with, 0, 0, 0},
	[LINE_PROCS] = {"procs", "a number from 1 to 1024",
			NUMBER(procs, 1, PROCS_MAX)},
	[LINE_CPUS] = {"cpus", "a number of CPUs",
		       NUMBER(cpus, 1, CPUS_MAX)},
	[LINE_DEVICES] = {"devices", "a number of devices",
			  NUMBER(devices, 0, CPUS_MAX)},
	[LINE_PORTS] = {"ports", "a number from 1 to 16",
			NUMBER(ports, 1, ROLE_PORTS_MAX)},
	[LINE_ENV] = {"env", "a file of NAME=VALUE lines", TEXT(env_file)},
	[LINE_CWD] = {"cwd", "a folder", TEXT(cwd)},
	[LINE_PATH] = {"path", "a folder", TEXT(path)},
	[LINE_NEEDS] = {"needs", "ROLE[+ROLE]", read_needs, 0, 0, 0},
	[LINE_READY] = {"ready", "tcp, http:/PATH, line:TEXT or file:NAME",
			read_ready, 0, 0, 0},
	[LINE_READY_TIMEOUT] = {"ready-timeout", "a time: 90, 90s, 5m, 1h",
				read_seconds,
				offsetof(struct role_line, ready_timeout_s),
				1, READY_MAX},
	[LINE_ON_FAILURE] = {"on-failure",
			     "end, restart, ignore, together=ROLE or save",
			     read_on_failure, 0, 0, 0},
	[LINE_RESTART] = {"restart", "a number from 1 to 1000",
			  NUMBER(restart, 1, 1000)},
	[LINE_DONE] = {"done", "yes or no", read_done, 0, 0, 0},
	[LINE_NOTIFY] = {"notify", "USR1, USR2 or HUP", read_notify, 0, 0, 0},
};
/* clang-format on */

const char *role_key_nth(size_t n)
{
	return n < LINE_KEYS ? keys[n].name : NULL;
}

int role_key_read(const struct role_file *file, struct role_line *line,
		  const char *text, struct role_place at, struct err *err)
{
	const char *equal = strchr(text, '=');
	size_t len = (size_t)(equal - text), i = 0;
	struct key_reading r = {
		.file = file, .line = line, .value = equal + 1, .at = at};

	while (i < LINE_KEYS && (strlen(keys[i].name) != len ||
				 strncasecmp(keys[i].name, text, len) != 0))
		i++;
	if (i == LINE_KEYS)
		return 0;
	r.key = &keys[i];
	if (line->key_at[i].line)
		return role_fault(file, at, err, "%s is given twice",
				  r.key->name);
	line->key_at[i] = at;
	return r.key->read(&r, err) < 0 ? -1 : 1;
}
