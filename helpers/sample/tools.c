/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/tools.h"

#include "core/base/text.h"
#include "helpers/sample/proc_look.h"
#include "sys/child.h"
#include "sys/sysfs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SEARCH_SIZE 16384

const struct tool tools[TOOL_COUNT] = {
	[TOOL_PYSPY] = {"py-spy", true, false, TOOL_ANY, pyspy_read},
	[TOOL_PYSTACK] = {"pystack", true, false, TOOL_ANY, pystack_read},
	[TOOL_EUSTACK] = {"eu-stack", false, false, TOOL_STOPPED, eustack_read},
	[TOOL_GDB] = {"gdb", false, true, TOOL_RUNNING, gdb_read},
};

/* A word of a command line, and when it is there. */
enum word_is { ALWAYS, IF_QUIET, IF_NATIVE, PID };

struct word {
	enum word_is is;
	const char *text;
};

static const struct word words[TOOL_COUNT][TOOL_WORDS] = {
	[TOOL_PYSPY] = {{ALWAYS, "dump"},
			{ALWAYS, "--full-filenames"},
			{IF_QUIET, "--nonblocking"},
			{IF_NATIVE, "--native"},
			{ALWAYS, "--pid"},
			{PID, ""}},
	[TOOL_PYSTACK] = {{ALWAYS, "remote"},
			  {ALWAYS, "--no-color"},
			  {IF_QUIET, "--no-block"},
			  {IF_NATIVE, "--native"},
			  {PID, ""}},
	/* Nothing of the user's settings, and nothing from the network */
	[TOOL_GDB] = {{ALWAYS, "-nx"},
		      {ALWAYS, "-batch"},
		      {ALWAYS, "-iex"},
		      {ALWAYS, "set auto-load no"},
		      {ALWAYS, "-iex"},
		      {ALWAYS, "set debuginfod enabled off"},
		      {ALWAYS, "-p"},
		      {PID, ""},
		      {ALWAYS, "-ex"},
		      {ALWAYS, "thread apply all bt 64"}},
	[TOOL_EUSTACK] = {{ALWAYS, "-m"},
			  {ALWAYS, "-n"},
			  {ALWAYS, "64"},
			  {ALWAYS, "-p"},
			  {PID, ""}},
};

static bool is_wanted(const struct word *w, const struct tool_call *call)
{
	/* One that doesn't stop the process can't follow native frames */
	bool native = call->native && !call->quiet;

	return w->is == ALWAYS || w->is == PID ||
	       (w->is == IF_QUIET && call->quiet) ||
	       (w->is == IF_NATIVE && native);
}

void tool_call_make(enum tool_id id, const char *file, pid_t pid,
		    struct tool_call *call)
{
	unsigned n = 0;

	snprintf(call->pid, sizeof(call->pid), "%d", (int)pid);
	call->argv[n++] = file;
	for (const struct word *w = words[id]; w->text; w++)
		if (is_wanted(w, call))
			call->argv[n++] = w->is == PID ? call->pid : w->text;
	call->argv[n] = NULL;
}

/* --- where they are --- */

/* The folder of a program's path. */
static void add_folder_of(char *search, size_t size, char *path)
{
	char *slash = strrchr(path, '/');

	if (*path != '/' || slash == path)
		return;
	*slash = '\0';
	text_add(search, size, ":", "%s", path);
}

static void add_places(pid_t pid, char *search, size_t size)
{
	char text[SEARCH_SIZE / 2];

	if (proc_exe(pid, text, sizeof(text)) == 0)
		add_folder_of(search, size, text);
	/* Called by its name in a virtual environment, it is a link */
	if (proc_text(pid, "cmdline", '\n', text, sizeof(text)) > 0) {
		text[strcspn(text, "\n")] = '\0';
		add_folder_of(search, size, text);
	}
	if (proc_env(pid, "VIRTUAL_ENV", text, sizeof(text)) == 0)
		text_add(search, size, ":", "%s/bin", text);
	if (proc_env(pid, "PATH", text, sizeof(text)) == 0)
		text_add(search, size, ":", "%s", text);
}

int tool_find(enum tool_id id, pid_t pid, char *buf, size_t size)
{
	char search[SEARCH_SIZE] = "";

	if (pid)
		add_places(pid, search, sizeof(search));
	if (child_find(tools[id].name, search, buf, size) == 0)
		return 0;
	return child_find(tools[id].name, child_path(), buf, size);
}

/* --- whether they may --- */

int trace_scope(void)
{
	int scope = sysfs_number("", "/proc/sys/kernel/yama/ptrace_scope");

	return scope > 0 ? scope : 0;
}

const char *trace_refusal(int scope, uid_t uid, bool own)
{
	if (scope >= 3)
		return "kernel.yama.ptrace_scope is 3 on this node: nobody may "
		       "read another process's stack there until it is started "
		       "again with another value";
	if (scope == 0 || uid == 0 || (scope == 1 && own))
		return NULL;
	if (scope == 1)
		return "kernel.yama.ptrace_scope is 1 on this node, and this "
		       "process is no child of the launcher: start it with "
		       "exec (exec python3 ...), or ask for 0";
	return "kernel.yama.ptrace_scope is 2 on this node: only root may read "
	       "another process's stack; ask for 1 or 0";
}
