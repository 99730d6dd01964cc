/* SPDX-License-Identifier: Apache-2.0 */
/* What a line or a file of roles can't have, as far as words alone tell. */
#include "core/roles/role_read.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <ctype.h>
#include <string.h>

/* --- names --- */

/* The variables of a role with such a name would be read as some of ours, as
 * DIST_TRAIN_MASTER_PORT. */
static const char reserved[] =
	"devices dist dist_train framework host hosts local local_rank "
	"local_world master min node nnodes nodes peer peers port ports "
	"progress "
	"rank replica replicas restart role roles run step stop world";

static bool is_name(const char *name, size_t len)
{
	if (!len || len >= ROLE_NAME_SIZE || !isalpha((unsigned char)*name))
		return false;
	for (size_t i = 0; i < len; i++)
		if ((name[i] & 0x80) ||
		    (!isalnum((unsigned char)name[i]) && name[i] != '_'))
			return false;
	return true;
}

int role_name_read(const struct role_file *file, const struct role_word *word,
		   char ret[ROLE_NAME_SIZE], struct err *err)
{
	char text[ROLE_NAME_SIZE + 32], shown[SHOW_SIZE];
	size_t len = word->len < sizeof(text) ? word->len : sizeof(text) - 1;
	int other = role_find(file, word->text, word->len);

	memcpy(text, word->text, len);
	text[len] = '\0';
	if (!is_name(word->text, word->len))
		return role_fault(file, word->at, err,
				  "%s is no name of a role: a letter, then "
				  "letters, digits and _, at most %d of them",
				  show(shown, text), ROLE_NAME_SIZE - 1);
	if (word_find_any_case(reserved, text, len, NULL))
		return role_fault(file, word->at, err,
				  "a role '%s' would have variables that have "
				  "another meaning (DIST_TRAIN_...); take "
				  "another name, as my_%s",
				  text, text);
	if (other != ROLE_NONE)
		return role_fault(file, word->at, err,
				  "there is a role '%s' in line %u already",
				  file->role[other].name,
				  file->role[other].at.line);
	strcpy(ret, text);
	return 0;
}

/* --- a line --- */

static bool given(const struct role_line *line, enum role_key key)
{
	return line->key_at[key].line;
}

/* Where both are given, the later one of the line is refused. */
static int refuse_both(const struct role_file *file,
		       const struct role_line *line, enum role_key a,
		       enum role_key b, const char *why, struct err *err)
{
	struct role_place first = line->key_at[a], second = line->key_at[b];
	bool swapped =
		first.line > second.line ||
		(first.line == second.line && first.column > second.column);

	if (!given(line, a) || !given(line, b))
		return 0;
	return role_fault(file, swapped ? first : second, err,
			  "%s and %s don't go together: %s", role_key_nth(a),
			  role_key_nth(b), why);
}

static int check_nodes(const struct role_file *file,
		       const struct role_line *line, struct err *err)
{
	static const char beside[] =
		"a role has nodes of its own, or is beside another's world";

	if (refuse_both(file, line, LINE_NODES, LINE_WITH, beside, err) < 0 ||
	    refuse_both(file, line, LINE_EACH, LINE_WITH, beside, err) < 0)
		return -1;
	if (!given(line, LINE_NODES) && !given(line, LINE_WITH))
		return role_fault(file, line->at, err,
				  "role '%s' has no place; write nodes=N for "
				  "nodes of its own, or with=ROLE:N to be on "
				  "the first node of that role's world N",
				  line->name);
	if (line->each == EACH_NODE && line->each_n > line->nodes)
		return role_fault(file, line->key_at[LINE_EACH], err,
				  "each=%unode is more than nodes=%u",
				  line->each_n, line->nodes);
	if (line->each != EACH_DEVICE)
		return 0;
	return refuse_both(file, line, LINE_EACH, LINE_DEVICES,
			   "each says how many a world has", err);
}

/* A role that is beside one that is itself beside another: that one's place is
 * known when its line is read. */
static int check_with(const struct role_file *file, unsigned role,
		      struct err *err)
{
	const struct role_line *line = &file->role[role];
	const struct role_line *other;

	if (line->with == ROLE_NONE)
		return 0;
	other = &file->role[line->with];
	if (other->with == ROLE_NONE || line->with < (int)role)
		return 0;
	return role_fault(file, line->key_at[LINE_WITH], err,
			  "role '%s' has a with= itself; write its line above "
			  "this one, or name the role beside which it is",
			  other->name);
}

/* restart=N alone asks for restarts. */
static int check_failure(const struct role_file *file, struct role_line *line,
			 struct err *err)
{
	bool restarts;

	if (given(line, LINE_RESTART) && !given(line, LINE_ON_FAILURE))
		line->failure = FAILURE_RESTART;
	restarts = line->failure == FAILURE_RESTART ||
		   line->failure == FAILURE_TOGETHER;
	if (restarts && !given(line, LINE_RESTART))
		return role_fault(file, line->key_at[LINE_ON_FAILURE], err,
				  "how often? Write restart=N, too");
	if (!restarts && given(line, LINE_RESTART))
		return role_fault(file, line->key_at[LINE_RESTART], err,
				  "restart has an effect with "
				  "on-failure=restart and "
				  "on-failure=together=ROLE alone");
	return 0;
}

static int check_line(const struct role_file *file, unsigned role,
		      struct err *err)
{
	struct role_line *line = &file->role[role];

	if (check_nodes(file, line, err) < 0 ||
	    check_with(file, role, err) < 0 ||
	    check_failure(file, line, err) < 0)
		return -1;
	if (given(line, LINE_READY_TIMEOUT) && !given(line, LINE_READY))
		return role_fault(file, line->key_at[LINE_READY_TIMEOUT], err,
				  "ready-timeout works only with ready=");
	return 0;
}

/* --- all of them --- */

/* Whether all that the role needs are among the first `n` of the order. */
static bool may_start(const struct role_line *line, const unsigned char *order,
		      unsigned n)
{
	for (unsigned i = 0; i < line->nneeds; i++)
		if (!memchr(order, line->needs[i], n))
			return false;
	return true;
}

/* Returns how many are in the order: fewer than all where needs go around. */
static unsigned find_order(const struct role_file *file,
			   unsigned char ret[ROLES_MAX])
{
	unsigned n = 0, before;

	do {
		before = n;
		for (unsigned i = 0; i < file->n && n == before; i++)
			if (!memchr(ret, (int)i, n) &&
			    may_start(&file->role[i], ret, n))
				ret[n++] = (unsigned char)i;
	} while (n > before);
	return n;
}

void role_order(const struct role_file *file, unsigned char ret[ROLES_MAX])
{
	find_order(file, ret);
}

/* One that the role needs and that can't start either. */
static unsigned stuck_need(const struct role_line *line,
			   const unsigned char *order, unsigned n)
{
	unsigned i = 0;

	while (memchr(order, line->needs[i], n))
		i++;
	return line->needs[i];
}

/* Each role that can't start needs such a one: as many steps as there are roles
 * end inside a circle. */
static int refuse_circle(const struct role_file *file,
			 const unsigned char *order, unsigned n,
			 struct err *err)
{
	unsigned at = 0, first;
	char text[512] = "";

	while (memchr(order, (int)at, n))
		at++;
	for (unsigned i = 0; i < file->n; i++)
		at = stuck_need(&file->role[at], order, n);
	first = at;
	do {
		text_add(text, sizeof(text), " needs ", "%s",
			 file->role[at].name);
		at = stuck_need(&file->role[at], order, n);
	} while (at != first);
	return role_fault(file, file->role[first].key_at[LINE_NEEDS], err,
			  "none of these could start first: %s needs %s", text,
			  file->role[first].name);
}

/* The first line, unless one says that it is. */
static int choose_done(struct role_file *file, struct err *err)
{
	for (unsigned i = 0; i < file->n; i++)
		if (file->role[i].done)
			return 0;
	if (given(&file->role[0], LINE_DONE))
		return role_fault(file, file->role[0].key_at[LINE_DONE], err,
				  "the step would never end: write done=yes "
				  "where the end of a role is the step's");
	file->role[0].done = true;
	return 0;
}

int role_file_check(struct role_file *file, struct err *err)
{
	unsigned char order[ROLES_MAX];
	unsigned n;

	for (unsigned i = 0; i < file->n; i++)
		if (check_line(file, i, err) < 0)
			return -1;
	n = find_order(file, order);
	if (n < file->n)
		return refuse_circle(file, order, n, err);
	return choose_done(file, err);
}
