/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: tell what is there, then do what the host says. */
#include "helpers/cli/doctor/doctor.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "helpers/sample/tools.h"
#include "sys/child.h"
#include "sys/user_namespace.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static void look_memlock(void)
{
	bool fabric = !access("/dev/infiniband", F_OK) ||
		      !access("/dev/davinci_manager", F_OK);
	struct rlimit r;

	if (getrlimit(RLIMIT_MEMLOCK, &r) < 0)
		return;
	if (r.rlim_cur == RLIM_INFINITY)
		doctor_tell("memlock", "unlimited");
	else
		doctor_tell("memlock", "%lu %s",
			    (unsigned long)r.rlim_cur / 1024,
			    fabric ? "yes" : "no");
}

static void look_limits(void)
{
	struct rlimit r;

	look_memlock();
	if (getrlimit(RLIMIT_NOFILE, &r) == 0)
		doctor_tell("nofile", "%lu", (unsigned long)r.rlim_cur);
}

static void look_program(const char *name)
{
	char path[4096];
	struct stat st;

	if (child_find(name, getenv("PATH"), path, sizeof(path)) == 0 &&
	    stat(path, &st) == 0 && S_ISREG(st.st_mode))
		doctor_tell("program", "%lld %s", (long long)st.st_size, path);
	else
		doctor_tell("program", "- %s", name);
}

/* What `dist-train stack` would have here. */
static void look_stacks(void)
{
	char path[PATH_MAX], found[64] = "";

	for (int id = 0; id < TOOL_COUNT; id++)
		if (program_path(tools[id].name, 0, path, sizeof(path)) == 0)
			text_add(found, sizeof(found), ", ", "%s",
				 tools[id].name);
	doctor_tell("stacks", "%d %s", trace_scope(), *found ? found : "-");
}

/* How the key stage would show a copy. */
static void look_namespaces(void)
{
	struct err err;

	doctor_tell("namespaces", "%s",
		    user_namespace_check(&err) == 0 ? "ok" : err.text);
}

static void tell_clock(const char *number)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	doctor_tell("clocked", "%s %lld", number,
		    (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

static void reach_node(const char *addr, const char *text)
{
	long port;

	if (parse_number(text, 1, 65535, &port) == 0)
		doctor_reach(addr, (unsigned)port);
}

static void ping_npu(const char *text, const char *addr)
{
	long id;

	if (parse_number(text, 0, 1024, &id) == 0)
		doctor_ping((unsigned)id, addr);
}

/* One line of the host. False: the last one. */
static bool run_command(char *line, const struct doctor_options *o)
{
	char *word[4] = {NULL}, *save = NULL;
	bool mine;

	line[strcspn(line, "\n")] = '\0';
	doctor_meet(line);
	word[0] = strtok_r(line, " ", &save);
	for (int i = 1; i < 4 && word[i - 1]; i++)
		word[i] = strtok_r(NULL, " ", &save);
	if (!word[0] || !strcmp(word[0], "end"))
		return false;
	mine = word[1] && !strcmp(word[1], doctor_here());
	if (!strcmp(word[0], "clock") && word[1])
		tell_clock(word[1]);
	else if (!strcmp(word[0], "munge") && word[1])
		doctor_munge_check(word[1]);
	else if (!strcmp(word[0], "token") && word[3])
		doctor_token_check(word[1], word[2], word[3]);
	else if (!strcmp(word[0], "listen") && word[2] && mine)
		doctor_listen(o, word[2]);
	else if (!strcmp(word[0], "reach") && word[3] && !mine)
		reach_node(word[2], word[3]);
	else if (!strcmp(word[0], "pairs"))
		doctor_open_door(o);
	else if (!strcmp(word[0], "ping") && word[3] && mine)
		ping_npu(word[2], word[3]);
	return true;
}

int doctor_node(const struct doctor_options *o)
{
	cleanup_free char *line = NULL;
	size_t size = 0;

	/* Whatever hangs here: it ends with the host's patience. */
	alarm(o->timeout_s + 5);
	doctor_look_net(o);
	doctor_look_ports(o);
	doctor_look_slurm(o);
	doctor_look_install(o);
	look_limits();
	look_stacks();
	look_namespaces();
	doctor_look_leftovers();
	doctor_look_npus();
	doctor_look_hardware(o);
	if (o->program)
		look_program(o->program);
	doctor_tell("ready", " ");
	while (getline(&line, &size, stdin) > 0)
		if (!run_command(line, o))
			break;
	doctor_tell("done", " ");
	return 0;
}
