/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/tools.h"

#include "core/base/text.h"
#include "helpers/sample/proc_look.h"
#include "sys/child.h"

#include <stdio.h>
#include <string.h>

#define SEARCH_SIZE 16384

const struct tool tools[TOOL_COUNT] = {
	[TOOL_PYSPY] = {"py-spy", true, false, pyspy_read},
	[TOOL_EUSTACK] = {"eu-stack", false, true, eustack_read},
};

void tool_call_make(enum tool_id id, const char *file, pid_t pid,
		    struct tool_call *call)
{
	const char **w = call->argv;

	snprintf(call->pid, sizeof(call->pid), "%d", (int)pid);
	*w++ = file;
	if (id == TOOL_EUSTACK) {
		*w++ = "-m";
		*w++ = "-n";
		*w++ = "64";
		*w++ = "-p";
	} else {
		*w++ = "dump";
		*w++ = "--full-filenames";
		/* One that doesn't stop the process can't follow native frames
		 */
		if (call->quiet)
			*w++ = "--nonblocking";
		else if (call->native)
			*w++ = "--native";
		*w++ = "--pid";
	}
	*w++ = call->pid;
	*w = NULL;
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

int program_path(const char *name, pid_t pid, char *buf, size_t size)
{
	char search[SEARCH_SIZE] = "";

	if (pid)
		add_places(pid, search, sizeof(search));
	if (child_find(name, search, buf, size) == 0)
		return 0;
	return child_find(name, child_path(), buf, size);
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
