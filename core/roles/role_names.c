/* SPDX-License-Identifier: Apache-2.0 */
#include "core/roles/role_names.h"

#include "core/base/ip.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/roles/role_read.h"
#include "core/roles/role_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whose words these are, and what is known of others. */
struct scope {
	const struct role_file *file;
	const struct role_line *line;
	const struct role_names *names; /* NULL: no address is known */
	env_lookup_fn lookup;
	void *arg;
};

/* What a role's name is followed by. */
enum part { PART_URLS, PART_ADDRS, PART_PORT, PART_PORTS };

/* --- one role's values --- */

const char *role_url(const struct role_address *address,
		     char buf[ROLE_URL_SIZE])
{
	char endpoint[ENDPOINT_SIZE];

	snprintf(buf, ROLE_URL_SIZE, "http://%s",
		 endpoint_format(address->host, address->port[0], endpoint));
	return buf;
}

static void put_one(FILE *f, const struct role_address *address, enum part part,
		    unsigned number)
{
	char url[ROLE_URL_SIZE], endpoint[ENDPOINT_SIZE];

	if (part == PART_URLS)
		fputs(role_url(address, url), f);
	else if (part == PART_ADDRS)
		fputs(endpoint_format(address->host, address->port[0],
				      endpoint),
		      f);
	else
		fprintf(f, "%u", address->port[number]);
}

/* Of all worlds of a role, or of the first, with blanks between; for the caller
 * to free. */
static char *role_values(const struct role_names *names, unsigned role,
			 enum part part, unsigned number, struct err *err)
{
	const struct role_plan *plan = names->plan;
	unsigned n = part == PART_PORT ? 1 : plan->count[role];
	struct text_stream s;
	FILE *f = text_stream_open(&s);

	for (unsigned i = 0; f && i < n; i++) {
		if (i)
			fputc(' ', f);
		put_one(f, &names->address[plan->first[role] + i], part,
			number);
	}
	return text_stream_end(&s, 0, err);
}

/* --- names --- */

/* "PORT" is 0, "PORT3" 3; -1: it is no such name, or above `max`. *ret_rest is
 * behind it. */
static int port_number(const char *text, unsigned max, const char **ret_rest)
{
	unsigned long n = 0;

	if (strncmp(text, "PORT", 4) != 0)
		return -1;
	text += 4;
	if (is_digit(*text) &&
	    (*text == '0' || digits_read(&text, max, &n) < 0))
		return -1;
	*ret_rest = text;
	return n <= max ? (int)n : -1;
}

/* Which of a role's variables it is that `text`, behind "ROLE_", names. */
static bool part_find(const struct role_line *line, const char *text,
		      enum part *ret, unsigned *ret_number)
{
	const char *rest;
	int n;

	*ret_number = 0;
	*ret = PART_URLS;
	if (!strcmp(text, "URLS"))
		return true;
	*ret = PART_ADDRS;
	if (!strcmp(text, "ADDRS"))
		return true;
	n = port_number(text, line->ports - 1, &rest);
	if (n < 0 || (*rest && strcmp(rest, "S") != 0))
		return false;
	*ret = *rest ? PART_PORTS : PART_PORT;
	*ret_number = (unsigned)n;
	return true;
}

/* What stands behind the role's name in capitals and "_"; NULL: another. */
static const char *behind_role(const struct role_line *line, const char *name)
{
	const char *role = line->name;

	for (; *role; role++, name++)
		if (*name != toupper((unsigned char)*role))
			return NULL;
	return *name == '_' ? name + 1 : NULL;
}

/* Whether a role gives the name. */
static bool role_variable(const struct role_file *file, const char *name,
			  unsigned *ret_role, enum part *ret,
			  unsigned *ret_number)
{
	for (unsigned i = 0; i < file->n; i++) {
		const char *text = behind_role(&file->role[i], name);

		*ret_role = i;
		if (text && part_find(&file->role[i], text, ret, ret_number))
			return true;
	}
	return false;
}

/* While no address is known. */
static char *as_written(const char *name)
{
	char *text;

	return asprintf(&text, "$%s", name) < 0 ? NULL : text;
}

static char *own_port(const struct role_names *names, unsigned number)
{
	char *text;

	return asprintf(&text, "%u",
			names->address[names->world].port[number]) < 0
		       ? NULL
		       : text;
}

static int value_of(void *arg, const char *name, char **ret, struct err *err)
{
	const struct scope *s = arg;
	unsigned role, number;
	const char *rest = "", *own;
	enum part part;
	int n = port_number(name, s->line->ports - 1, &rest);
	bool port = n >= 0 && !*rest;

	if (!port && role_variable(s->file, name, &role, &part, &number)) {
		*ret = s->names ? role_values(s->names, role, part, number, err)
				: as_written(name);
	} else if (port) {
		*ret = s->names ? own_port(s->names, (unsigned)n)
				: as_written(name);
	} else {
		own = s->lookup(s->arg, name);
		*ret = own ? strdup(own) : NULL;
		if (!own)
			return 0;
	}
	return *ret ? 0 : err_memory(err);
}

/* --- commands --- */

static int expand(const struct scope *s, struct argset *ret, struct err *err)
{
	char names[400], known[600];
	const struct role_expansion how = {
		.file = s->file,
		.value = value_of,
		.arg = (void *)s,
		.known = known,
	};

	snprintf(known, sizeof(known),
		 "ROLE_URLS, ROLE_ADDRS, ROLE_PORT and ROLE_PORTS of the roles "
		 "%s (in capitals), PORT, and your exported variables",
		 role_names_text(s->file, names, sizeof(names)));
	for (size_t i = 0; i < s->line->nwords; i++)
		if (role_word_expand(&how, &s->line->word[i], ret, err) < 0)
			return -1;
	if (ret->n)
		return 0;
	return role_fault(s->file, s->line->word[0].at, err,
			  "the command of role '%s' is empty: what it is made "
			  "of has no value",
			  s->line->name);
}

char **role_command(const struct role_names *names, struct err *err)
{
	const struct role_plan *plan = names->plan;
	const struct scope s = {
		.file = plan->file,
		.line = &plan->file->role[plan->world[names->world].role],
		.names = names->address ? names : NULL,
		.lookup = names->lookup,
		.arg = names->arg,
	};
	struct argset set = {0};
	static char *none[] = {NULL};
	char **argv = NULL;

	if (expand(&s, &set, err) == 0) {
		argv = argset_behind(&set, none);
		if (argv)
			set.n = 0; /* the texts are argv's now */
		else
			err_memory(err);
	}
	argset_clear(&set);
	return argv;
}

void role_command_free(char **argv)
{
	for (char **arg = argv; arg && *arg; arg++)
		free(*arg);
	free(argv);
}

/* A word that only a shell understands: it would go to the program. */
static bool is_shells(const struct role_word *word)
{
	static const char *const begins[] = {">", "<", "|", "&", "2>", "1>"};
	bool end = word->text[word->len - 1] == ';' &&
		   (word->len < 2 || word->text[word->len - 2] != '\\');

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (word->len >= strlen(begins[i]) &&
		    !memcmp(word->text, begins[i], strlen(begins[i])))
			return true;
	return end;
}

/* NAME=VALUE before the program. */
static bool is_assignment(const struct role_word *word)
{
	size_t n = 0;

	while (n < word->len &&
	       (isalnum((unsigned char)word->text[n]) || word->text[n] == '_'))
		n++;
	return n && n < word->len && word->text[n] == '=' &&
	       !is_digit(*word->text);
}

static int check_words(const struct role_file *file,
		       const struct role_line *line, struct err *err)
{
	for (size_t i = 0; i < line->nwords; i++)
		if (is_shells(&line->word[i]))
			return role_fault(file, line->word[i].at, err,
					  "no shell runs the command, and "
					  "'%.*s' would be an argument; write "
					  "bash -c '...', or quote it",
					  (int)line->word[i].len,
					  line->word[i].text);
	if (is_assignment(&line->word[0]))
		return role_fault(file, line->word[0].at, err,
				  "the program stands first; write env %.*s "
				  "PROGRAM, or the key env=FILE",
				  (int)line->word[0].len, line->word[0].text);
	return 0;
}

int role_command_check(const struct role_file *file,
		       const struct role_line *line, env_lookup_fn lookup,
		       void *arg, struct err *err)
{
	const struct scope s = {
		.file = file, .line = line, .lookup = lookup, .arg = arg};
	struct argset set = {0};
	int rc = check_words(file, line, err);

	if (rc == 0)
		rc = expand(&s, &set, err);
	argset_clear(&set);
	return rc;
}

/* --- variables --- */

static const char source[] = "the file of roles";

/* "DIST_TRAIN_ROLLOUT_PORT1S" */
static void variable_name(const struct role_line *line, enum part part,
			  unsigned number, char *buf, size_t size)
{
	static const char *const words[] = {
		[PART_URLS] = "URLS",
		[PART_ADDRS] = "ADDRS",
		[PART_PORT] = "PORT",
		[PART_PORTS] = "PORT",
	};
	char role[ROLE_NAME_SIZE];
	size_t i = 0;

	do
		role[i] = (char)toupper((unsigned char)line->name[i]);
	while (line->name[i++]);
	snprintf(buf, size, "DIST_TRAIN_%s_%s", role, words[part]);
	if (number)
		text_add(buf, size, "", "%u", number);
	if (part == PART_PORTS)
		text_add(buf, size, "", "S");
}

static int add_variable(const struct role_names *names, unsigned role,
			enum part part, unsigned number, struct envset *set,
			struct err *err)
{
	cleanup_free char *value = role_values(names, role, part, number, err);
	char name[ROLE_NAME_SIZE + 32];

	if (!value)
		return -1;
	variable_name(&names->plan->file->role[role], part, number, name,
		      sizeof(name));
	return envset_add(set, ENV_OURS, source, err, name, "%s", value);
}

static int add_role_variables(const struct role_names *names, unsigned role,
			      struct envset *set, struct err *err)
{
	unsigned nports = names->plan->file->role[role].ports;

	if (add_variable(names, role, PART_URLS, 0, set, err) < 0 ||
	    add_variable(names, role, PART_ADDRS, 0, set, err) < 0)
		return -1;
	for (unsigned i = 0; i < nports; i++)
		if (add_variable(names, role, PART_PORT, i, set, err) < 0 ||
		    add_variable(names, role, PART_PORTS, i, set, err) < 0)
			return -1;
	return 0;
}

/* PORT, PORT1... */
static int add_own_ports(const struct role_names *names, unsigned nports,
			 struct envset *set, struct err *err)
{
	const unsigned *port = names->address[names->world].port;
	char name[16] = "PORT";

	for (unsigned i = 0; i < nports; i++) {
		if (i)
			snprintf(name, sizeof(name), "PORT%u", i);
		if (envset_add(set, ENV_OURS, source, err, name, "%u",
			       port[i]) < 0)
			return -1;
	}
	return 0;
}

int role_env(const struct role_names *names, struct envset *set,
	     struct err *err)
{
	const struct role_plan *plan = names->plan;
	const struct role_world *world = &plan->world[names->world];
	const struct role_line *line = &plan->file->role[world->role];
	const struct env_row rows[] = {
		{ENV_OURS, "DIST_TRAIN_ROLE", source, line->name, 0},
		{ENV_OURS, "DIST_TRAIN_ROLE_INDEX", source, NULL, world->index},
	};

	for (unsigned i = 0; i < plan->file->n; i++)
		if (add_role_variables(names, i, set, err) < 0)
			return -1;
	if (add_own_ports(names, line->ports, set, err) < 0)
		return -1;
	return ENVSET_ADD(set, rows, err);
}
