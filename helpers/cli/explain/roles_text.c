/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/roles_view.h"

#include "core/base/text_table.h"

#include <ctype.h>
#include <string.h>

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* Processes of a world: of one node, where all have as many. */
static void put_procs(struct text_table *t, const struct roles_view *v,
		      const struct role_world *w)
{
	unsigned n = role_world_procs(&v->plan, w, 0), all = n;
	bool equal = true;

	for (unsigned i = 1; i < w->nnodes; i++) {
		unsigned here = role_world_procs(&v->plan, w, i);

		equal = equal && here == n;
		all += here;
	}
	if (w->nnodes > 1 && equal)
		text_table_add(t, "%u x %u", w->nnodes, n);
	else
		text_table_add(t, "%u", all);
}

static int put_world(struct text_table *t, const struct roles_view *v,
		     const struct role_world *w, struct err *err)
{
	cleanup_free char *nodes = roles_nodes(v, w);
	char name[ROLE_WORLD_NAME_SIZE], devices[ROLES_DEVICES_SIZE];

	if (!nodes)
		return err_memory(err);
	text_table_add(t, "%s", role_world_name(&v->plan, w, name));
	text_table_add(t, "%s", nodes);
	text_table_add(t, "%s", roles_devices(v, w, devices));
	put_procs(t, v, w);
	text_table_add(t, "%s", v->file.role[w->role].option);
	return 0;
}

static int put_worlds(FILE *f, const struct roles_view *v, struct err *err)
{
	cleanup_table struct text_table t = {.indent = "  "};

	text_table_column(&t, COLUMN_LEFT, "WORLD");
	text_table_column(&t, COLUMN_LEFT, "NODES");
	text_table_column(&t, COLUMN_LEFT, "DEVICES");
	text_table_column(&t, COLUMN_LEFT, "PROCESSES");
	text_table_column(&t, COLUMN_LEFT, "FRAMEWORK");
	for (unsigned i = 0; i < v->plan.n; i++)
		if (put_world(&t, v, &v->plan.world[i], err) < 0)
			return -1;
	return text_table_print(f, &t, err);
}

/* --- when --- */

static void put_ready(FILE *f, const struct role_line *line)
{
	switch (line->ready) {
	case READY_STARTED:
		fputs("it has started", f);
		return;
	case READY_TCP:
		fputs("its port takes connections", f);
		break;
	case READY_HTTP:
		fprintf(f, "GET %s at its port says 200", line->ready_value);
		break;
	case READY_LINE:
		fprintf(f, "a line of its output has '%s'", line->ready_value);
		break;
	case READY_FILE:
		fprintf(f, "the file %s is there", line->ready_value);
		break;
	}
	fprintf(f, ", within %u s", line->ready_timeout_s);
}

static void put_needs(FILE *f, const struct roles_view *v,
		      const struct role_line *line)
{
	const char *before = "when ";

	if (!line->nneeds)
		fputs("at once", f);
	for (unsigned i = 0; i < line->nneeds; i++) {
		fprintf(f, "%s%s", before, v->file.role[line->needs[i]].name);
		before = i + 2 < line->nneeds ? ", " : " and ";
	}
	if (line->nneeds)
		fprintf(f, " %s ready", line->nneeds == 1 ? "is" : "are");
}

static void put_failure(FILE *f, const struct roles_view *v,
			const struct role_line *line)
{
	switch (line->failure) {
	case FAILURE_END:
		fputs("the step ends", f);
		break;
	case FAILURE_RESTART:
		fprintf(f,
			"the world starts again, %u time%s, at the same "
			"address",
			line->restart, plural(line->restart));
		break;
	case FAILURE_IGNORE:
		fputs("nothing follows", f);
		break;
	case FAILURE_TOGETHER:
		fprintf(f, "all worlds of %s and %s start again, %u time%s",
			line->name, v->file.role[line->together].name,
			line->restart, plural(line->restart));
		break;
	case FAILURE_SAVE:
		fputs("roles whose end is the step's may save, then it ends",
		      f);
		break;
	}
}

/* A role's name, and blanks up to where its sentence begins. */
static void put_name(FILE *f, const struct roles_view *v, unsigned role)
{
	size_t most = 0;

	for (unsigned i = 0; i < v->file.n; i++)
		if (strlen(v->file.role[i].name) > most)
			most = strlen(v->file.role[i].name);
	fprintf(f, "  %-*s  ", (int)most, v->file.role[role].name);
}

static void put_start(FILE *f, const struct roles_view *v)
{
	fputs("\nStart:\n", f);
	for (unsigned i = 0; i < v->file.n; i++) {
		const struct role_line *line = &v->file.role[v->order[i]];

		put_name(f, v, v->order[i]);
		put_needs(f, v, line);
		fputs("; it is ready when ", f);
		put_ready(f, line);
		fputc('\n', f);
	}
}

static void put_end(FILE *f, const struct roles_view *v)
{
	const char *before = "\nEnd: when all worlds of ";
	unsigned others = 0;

	for (unsigned i = 0; i < v->file.n; i++) {
		if (!v->file.role[i].done)
			continue;
		fprintf(f, "%s%s", before, v->file.role[i].name);
		before = " and ";
	}
	fputs(" have ended", f);
	for (unsigned i = v->file.n; i-- > 0;)
		if (!v->file.role[v->order[i]].done)
			fprintf(f, "%s%s",
				others++ ? ", " : "; then SIGTERM to ",
				v->file.role[v->order[i]].name);
	fputs(".\nWhen a world fails:\n", f);
	for (unsigned i = 0; i < v->file.n; i++) {
		put_name(f, v, i);
		put_failure(f, v, &v->file.role[i]);
		fputc('\n', f);
	}
}

/* Whose processes hear of others. */
static void put_notify(FILE *f, const struct roles_view *v)
{
	const char *head = "When the state of a world changes:\n";

	for (unsigned i = 0; i < v->file.n; i++) {
		int signal = v->file.role[i].notify;

		if (!signal)
			continue;
		fputs(head, f);
		head = "";
		put_name(f, v, i);
		fprintf(f, "its processes that handle SIG%s get it\n",
			sigabbrev_np(signal));
	}
}

/* --- what --- */

static int put_commands(FILE *f, const struct roles_view *v, struct err *err)
{
	char text[ROLES_COMMAND_SIZE];

	fputs("\nCommands:\n", f);
	for (unsigned i = 0; i < v->file.n; i++) {
		if (roles_command(v, i, text, err) < 0)
			return -1;
		put_name(f, v, i);
		fprintf(f, "%s\n", text);
	}
	return 0;
}

static void put_capitals(FILE *f, const char *name)
{
	for (; *name; name++)
		fputc(toupper((unsigned char)*name), f);
}

static void put_names(FILE *f, const struct roles_view *v)
{
	fputs("\nNames in commands; a process finds them with DIST_TRAIN_ "
	      "before:\n",
	      f);
	for (unsigned i = 0; i < v->file.n; i++) {
		static const char *const parts[] = {"URLS", "ADDRS", "PORT",
						    "PORTS"};
		const struct role_line *line = &v->file.role[i];

		fputc(' ', f);
		for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++) {
			fputc(' ', f);
			put_capitals(f, line->name);
			fprintf(f, "_%s", parts[k]);
		}
		if (line->ports > 1)
			fprintf(f, " and PORT1%s PORT1S%s",
				line->ports > 2 ? "..." : "",
				line->ports > 2 ? "..." : "");
		fputc('\n', f);
	}
	fputs("  PORT of its own, in commands and processes; DIST_TRAIN_ROLE, "
	      "DIST_TRAIN_ROLE_INDEX\n",
	      f);
}

int roles_text(FILE *f, const struct roles_view *v, struct err *err)
{
	fprintf(f, "%s: %u role%s, %u world%s on %u node%s\n\n", v->file.name,
		v->file.n, plural(v->file.n), v->plan.n, plural(v->plan.n),
		v->plan.nnodes, plural(v->plan.nnodes));
	if (put_worlds(f, v, err) < 0)
		return -1;
	put_start(f, v);
	put_end(f, v);
	put_notify(f, v);
	if (put_commands(f, v, err) < 0)
		return -1;
	put_names(f, v);
	return 0;
}
