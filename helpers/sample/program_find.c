/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/program_find.h"

#include <string.h>

/* Programs in Python that start others and wait for them: the end of a word of
 * the command line's first three. */
static const char *const launchers[] = {
	"/torchrun",
	"/accelerate",
	"/deepspeed",
	"/colossalai",
	"/horovodrun",
	"/msrun",
	"/torchx",
	"torch.distributed.run",
	"torch.distributed.launch",
	"accelerate.commands.launch",
	"deepspeed.launcher.launch",
	"deepspeed.launcher.runner",
	"paddle.distributed.launch",
};

/* Python's own helpers, which no rank's program is. */
static bool is_helper(const struct process_node *p)
{
	return strstr(p->words, "multiprocessing.") != NULL;
}

static bool ends_with(const char *word, size_t n, const char *end)
{
	size_t m = strlen(end);

	if (*end == '/' && n == m - 1)
		return !memcmp(word, end + 1, n);
	return n >= m && !memcmp(word + n - m, end, m);
}

static bool is_launcher(const struct process_node *p)
{
	const char *word = p->words;

	for (int i = 0; i < 3 && *word; i++) {
		size_t n = strcspn(word, " ");

		for (size_t l = 0; l < sizeof(launchers) / sizeof(*launchers);
		     l++)
			if (ends_with(word, n, launchers[l]))
				return true;
		word += n + (word[n] == ' ');
	}
	return false;
}

static bool is_below(const struct process_node *node, int i, int top)
{
	while (i > top)
		i = node[i].parent;
	return i == top;
}

/* The programs below a launcher: Python of another command line. */
static unsigned workers_of(const struct process_node *node, unsigned n, int top,
			   long rank, struct program *ret)
{
	unsigned found = 0;

	for (unsigned i = (unsigned)top + 1; i < n && found < PROGRAMS; i++) {
		const struct process_node *p = &node[i];
		bool inside = false;

		if (!p->python || is_helper(p) || is_launcher(p) ||
		    !is_below(node, (int)i, top) ||
		    !strcmp(p->words, node[top].words))
			continue;
		for (unsigned k = 0; k < found; k++)
			inside |= is_below(node, (int)i, ret[k].index);
		if (!inside)
			ret[found++] = (struct program){
				(int)i, p->rank >= 0 ? p->rank : rank};
	}
	return found;
}

static int first_child(const struct process_node *node, unsigned n, int of)
{
	for (unsigned i = (unsigned)of + 1; i < n; i++)
		if (node[i].parent == of)
			return (int)i;
	return -1;
}

/* Who waits for its child isn't the program. */
static int native_program(const struct process_node *node, unsigned n)
{
	int at = 0, child;

	while (node[at].waits && (child = first_child(node, n, at)) >= 0)
		at = child;
	return at;
}

unsigned programs_find(const struct process_node *node, unsigned n, long rank,
		       struct program ret[PROGRAMS])
{
	int python = -1;
	unsigned found;

	if (!n)
		return 0;
	for (unsigned i = 0; i < n && python < 0; i++)
		if (node[i].python)
			python = (int)i;
	if (python >= 0 && is_launcher(&node[python])) {
		found = workers_of(node, n, python, rank, ret);
		if (found)
			return found;
	}
	ret[0] = (struct program){
		python >= 0 ? python : native_program(node, n), rank};
	return 1;
}
