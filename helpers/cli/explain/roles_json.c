/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/roles_view.h"

#include "core/base/text.h"
#include "helpers/cli/json_print.h"

#include <string.h>

static const char *const ready_words[] = {
	[READY_STARTED] = "started", [READY_TCP] = "tcp",
	[READY_HTTP] = "http",	     [READY_LINE] = "line",
	[READY_FILE] = "file",
};

static const char *const failure_words[] = {
	[FAILURE_END] = "end",	     [FAILURE_RESTART] = "restart",
	[FAILURE_IGNORE] = "ignore", [FAILURE_TOGETHER] = "together",
	[FAILURE_SAVE] = "save",
};

/* Its nodes, each with devices and processes. */
static void put_world(struct json *j, const struct roles_view *v,
		      const struct role_world *w)
{
	char name[ROLE_WORLD_NAME_SIZE];

	json_line(j);
	json_add(j, "{world:%s index:%u nodes:[",
		 role_world_name(&v->plan, w, name), w->index);
	for (unsigned i = 0; i < w->nnodes; i++) {
		json_add(j, "{node:%s devices:[", v->node[w->node + i]);
		for (unsigned d = 0; d < role_world_devices(&v->plan, w, i);
		     d++)
			json_add(j, "%u", w->device + d);
		json_add(j, "] processes:%u}",
			 role_world_procs(&v->plan, w, i));
	}
	json_add(j, "]}");
}

static int put_command(struct json *j, const struct roles_view *v,
		       unsigned role, struct err *err)
{
	char text[ROLES_COMMAND_SIZE];

	if (roles_command(v, role, text, err) < 0)
		return -1;
	json_add(j, "command:%s", text);
	return 0;
}

static int put_role(struct json *j, const struct roles_view *v, unsigned role,
		    struct err *err)
{
	const struct role_line *line = &v->file.role[role];

	json_line(j);
	json_add(j, "{role:%s line:%u framework:%s ports:%u needs:[",
		 line->name, line->at.line, line->option, line->ports);
	for (unsigned i = 0; i < line->nneeds; i++)
		json_add(j, "%s", v->file.role[line->needs[i]].name);
	json_add(j, "] ready:%s ready_value?:%s", ready_words[line->ready],
		 line->ready_value ? line->ready_value : "");
	if (line->ready != READY_STARTED)
		json_add(j, "ready_timeout:%u", line->ready_timeout_s);
	json_add(j, "on_failure:%s restart?:%u", failure_words[line->failure],
		 line->restart);
	if (line->together != ROLE_NONE)
		json_add(j, "together:%s", v->file.role[line->together].name);
	json_add(j, "done:%i notify?:%s", line->done,
		 line->notify ? sigabbrev_np(line->notify) : "");
	if (put_command(j, v, role, err) < 0)
		return -1;
	json_add(j, "worlds:[");
	for (unsigned i = 0; i < v->plan.count[role]; i++)
		put_world(j, v, &v->plan.world[v->plan.first[role] + i]);
	json_add(j, "]}");
	return 0;
}

/* Those that end with the step by SIGTERM, in turn. */
static void put_ends(struct json *j, const struct roles_view *v)
{
	json_add(j, "end:[");
	for (unsigned i = v->file.n; i-- > 0;)
		if (!v->file.role[v->order[i]].done)
			json_add(j, "%s", v->file.role[v->order[i]].name);
	json_add(j, "]");
}

static int put_all(FILE *f, const struct roles_view *v, const char *notes,
		   struct err *err)
{
	struct json j = json_begin(f);

	json_add(&j, "framework:%s file:%s nnodes:%u start:[", "roles",
		 v->file.name, v->plan.nnodes);
	for (unsigned i = 0; i < v->file.n; i++)
		json_add(&j, "%s", v->file.role[v->order[i]].name);
	json_add(&j, "]");
	put_ends(&j, v);
	json_list(&j, "notes", notes, NOTE_END);
	json_add(&j, "roles:[");
	for (unsigned i = 0; i < v->file.n; i++)
		if (put_role(&j, v, i, err) < 0)
			return -1;
	fputc('\n', f);
	json_add(&j, "]");
	json_end(&j);
	return 0;
}

int roles_json(FILE *f, const struct roles_view *v, const char *notes,
	       struct err *err)
{
	cleanup_free char *text = NULL;
	struct text_stream stream;
	FILE *all = text_stream_open(&stream);

	text = text_stream_end(&stream, all ? put_all(all, v, notes, err) : 0,
			       err);
	if (text)
		fputs(text, f);
	return text ? 0 : -1;
}
