/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: the NPUs of the step, their addresses and TLS switches, and
 * whether they reach those of another node. */
#include "helpers/cli/doctor/doctor.h"
#include "helpers/npu/devinfo.h"
#include "sys/loop.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL	   "/usr/local/Ascend/driver/tools/hccn_tool"
#define BUSY_TRIES 20
#define BUSY_MS	   200

/* A tool that has hung once isn't asked again. */
static bool hangs;

static const char *tool_path(char buf[PATH_MAX])
{
	snprintf(buf, PATH_MAX, "%s" TOOL, devinfo_root());
	return buf;
}

/* Call hccn_tool for a device, again while it is busy; it serves one caller
 * of a node at a time. Returns 0, or -1 with the reason in buf. */
static int call_tool(unsigned id, const char *const words[4], char *buf,
		     size_t size)
{
	uint64_t until = loop_now_ms() + DOCTOR_CALL_MS;
	char path[PATH_MAX], number[16];
	const char *argv[] = {tool_path(path), "-i",	 number,   words[0],
			      words[1],	       words[2], words[3], NULL};
	struct err err;

	snprintf(number, sizeof(number), "%u", id);
	for (int i = 0; !hangs && i < BUSY_TRIES && loop_now_ms() < until;
	     i++) {
		if (i)
			poll(NULL, 0, BUSY_MS);
		hangs = subprocess_ask_program(argv, DOCTOR_CALL_MS, buf, size,
					       &err) < 0;
		if (!hangs && !strstr(buf, "hccn_tool is busy"))
			return 0;
	}
	snprintf(buf, size, "hccn_tool %s", hangs ? "hangs" : "is busy");
	return -1;
}

/* "dev_id:0, tls switch[0](0:disable, 1:enable), ..." */
static void look_tls(unsigned id)
{
	static const char *const words[4] = {"-tls", "-g"};
	char said[4096];
	const char *value;

	if (call_tool(id, words, said, sizeof(said)) < 0) {
		doctor_tell("npu-note", "%s", said);
		return;
	}
	value = strstr(said, "tls switch[");
	if (value)
		doctor_tell("tls", "%u %c", id, value[strlen("tls switch[")]);
}

static void tell_notes(char *notes)
{
	char *save = NULL;

	for (char *line = strtok_r(notes, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *text = strstr(line, ": NPU ");

		doctor_tell("npu-note", "%.200s", text ? text + 2 : line);
	}
}

static void look_at(const struct idlist *ids, struct devinfo_options *o)
{
	static struct npu npu[IDLIST_MAX];
	struct err err;

	if (devinfo_read(o, ids, npu, &err) < 0) {
		doctor_tell("npu-note", "%s", err.text);
		return;
	}
	for (unsigned i = 0; i < ids->n; i++) {
		doctor_tell("npu", "%u %s", npu[i].phy_id,
			    npu[i].addr_from ? npu[i].addr[0] : "-");
		look_tls(npu[i].phy_id);
	}
}

void doctor_look_npus(void)
{
	struct devinfo_options o = {
		.root = devinfo_root(),
		.node = doctor_here(),
		.hccn_conf_fd = -1,
		.timeout_s = 2 * DOCTOR_CALL_MS / 1000,
	};
	char path[PATH_MAX], *notes = NULL;
	struct npu_nodes nodes;
	struct err err;
	size_t size;

	if (access(tool_path(path), X_OK) < 0 ||
	    devinfo_nodes(o.root, &nodes, &err) < 0 || !nodes.allowed.n)
		return;
	o.warnings = open_memstream(&notes, &size);
	if (!o.warnings)
		return;
	look_at(&nodes.allowed, &o);
	if (fclose(o.warnings) == 0 && notes)
		tell_notes(notes);
	free(notes);
}

/* What came back, in "3 packets transmitted, 3 received, 0.00% packet loss". */
static void judge_answer(unsigned id, const char *addr, const char *said)
{
	const char *line = strstr(said, " packets transmitted");
	unsigned sent, got;

	while (line && line > said && line[-1] != '\n')
		line--;
	if (line && sscanf(line, "%u packets transmitted, %u received", &sent,
			   &got) == 2) {
		if (got == sent)
			doctor_tell("ping", "%u %s ok", id, addr);
		else
			doctor_tell("ping", "%u %s %u of %u packets came back",
				    id, addr, got, sent);
		return;
	}
	doctor_tell("ping", "%u %s %.*s", id, addr,
		    *said ? (int)strcspn(said, "\n") : 9,
		    *said ? said : "no answer");
}

void doctor_ping(unsigned id, const char *addr)
{
	const char *const words[4] = {"-ping", "-g", "address", addr};
	char said[4096] = "";

	call_tool(id, words, said, sizeof(said));
	judge_answer(id, addr, said);
}
