/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/table_view.h"

#include "core/base/parse.h"

#include <string.h>

/* {names} are explained at ranktable_fault_text(). Kinds without a text are
 * faults of a step's rows only. */
static const struct wording {
	const char *key; /* NULL: the whole device */
	const char *code, *text, *remedy;
} wordings[FAULT_KINDS] = {
	[FAULT_RANK_HIGH] = {"rank_id", CODE_VALUE,
			     "{rank}, but {n} ranks are 0 to {last}",
			     "ranks count from 0 without gaps"},
	[FAULT_RANK_TWICE] = {"rank_id", CODE_VALUE,
			      "{rank} is also used by {other place}",
			      "ranks count from 0 without gaps, each once"},
	[FAULT_SERVER_SPLIT] = {"rank_id", CODE_NONE,
				"rank {rank} is on server {server} again, "
				"after ranks of others",
				"give the ranks of a server without gaps "
				"(srun --distribution=block)"},
	[FAULT_DEVICE_TWICE] = {"device_id", CODE_VALUE,
				"{device} is also used by {other place}",
				"list each device of a server once"},
	[FAULT_SERVER_SIZE] = {NULL, CODE_VALUE,
			       "server {server} has {count} devices and {other "
			       "server} has {other count}",
			       "a 910A needs the same number on every server"},
	[FAULT_DEVICE_COUNT] = {NULL, CODE_VALUE,
				"server {server} has {count} devices",
				"of a 910A's eight, 1, 2, 4 or 8 work together "
				"(cards without HCCS links: any number)"},
	[FAULT_DEVICE_SET] = {NULL, CODE_VALUE,
			      "the server's four devices don't work together",
			      "four of a 910A's devices work together "
			      "as " CHIP_SETS_OF_FOUR},
	[FAULT_NO_SUPER_DEVICE] = {"super_device_id", CODE_NONE, "is missing",
				   "take it from npu-smi info -t spod-info"},
	[FAULT_NO_POD] = {NULL, CODE_NONE, "the device is in no super pod",
			  "add its server to super_pod_list"},
	[FAULT_SUPER_DEVICE_TWICE] =
		{"super_device_id", CODE_NONE,
		 "{super_device} is also used by {other place}",
		 "each device of a pod has its own"},
	[FAULT_POD_ADDRESS] = {"device_ip", CODE_NONE,
			       "is missing, and devices of several super pods "
			       "need it",
			       "add the address of hccn_tool -i N -ip -g"},
	[FAULT_NO_ADDRESS] = {"device_ip", CODE_VALUE,
			      "is {why}; several servers of {table chip} need "
			      "it",
			      "take it from hccn_tool -i N -ip -g"},
	[FAULT_ADDRESS_COUNT] =
		{"device_ip", CODE_NONE,
		 "{count} addresses, and the first device ({other place}) has "
		 "{other count}",
		 "give every device the same number"},
	[FAULT_ADDRESS] = {"device_ip", CODE_VALUE, "{text} is {why}",
			   "take it from hccn_tool -i N -ip -g"},
	[FAULT_ADDRESS_FAMILY] = {"device_ip", CODE_ENV,
				  "an IPv{count} address, and {other "
				  "place}.device_ip is IPv{other count}",
				  "all need the same family"},
	[FAULT_ADDRESS_TWICE] = {"device_ip", CODE_VALUE,
				 "{address} is also used by {other place}",
				 "each device has its own; see hccn_tool -i N "
				 "-ip -g"},
	[FAULT_HOST] = {"host_ip", CODE_VALUE, "{text} is {why}",
			"write the host's address or leave it out"},
	[FAULT_HOST_FAMILY] = {"host_ip", CODE_VALUE,
			       "an IPv{count} address, and {other "
			       "place}.host_ip is IPv{other count}",
			       "all need the same family"},
	[FAULT_NO_HOST] = {"host_ip", CODE_NONE,
			   "is missing, but {why}, which moves the traffic to "
			   "the hosts' network",
			   "give all servers a host_ip, or rank 0 a device_ip "
			   "and no device that net_position"},
	[FAULT_NICS] = {NULL, CODE_NONE,
			"the library reads {count} addresses of the 8 devices "
			"of server {server}; of several servers of 8 it needs "
			"all",
			"add the addresses of hccn_tool -i N -ip -g; without "
			"a version, put the servers into one group"},
};

struct finder {
	const struct view *view;
	struct report *report;
};

static void report_fault(const struct ranktable_rules *rules,
			 const struct ranktable_fault *fault)
{
	const struct finder *finder = rules->arg;
	const struct wording *w = &wordings[fault->kind];
	char path[WHERE_TEXT_MAX], other[WHERE_TEXT_MAX], text[FAULT_TEXT_MAX];
	const struct ranktable_places places = {path, other};

	if (fault->other)
		view_path(finder->view, fault->other, NULL, other);
	view_path(finder->view, fault->row, w->key, path);
	ranktable_fault_text(rules, fault, w->text, &places, text,
			     sizeof(text));
	report_path(finder->report, path, fault->silent ? CODE_NONE : w->code,
		    w->remedy, "%s", text);
}

/* Check the rules on the view's entries and report all faults. Returns 0,
 * or -1 out of memory. */
static int faults_find(const struct view *view, struct report *r)
{
	cleanup_free struct ranktable_row **row =
		view_sorted(view, VIEW_BY_RANK);
	struct ranktable_rules rules = {
		.row = row,
		.n = view->n,
		.form = view->form,
		.chip = view->chip,
		.pods = view->pods,
		.report = report_fault,
		.arg = &(struct finder){view, r},
	};

	return row ? ranktable_rules_check(&rules) : -1;
}

/* Files that share a name or keys with rank tables. */
static const struct {
	const char *key, *what;
} look_alikes[] = {
	{"prefill_device_list", "a table of vLLM for prefill and decode"},
	{"decode_device_list", "a table of vLLM for prefill and decode"},
	{"server_group_list", "a global rank table of MindCluster"},
	{"tor_list", "a list of switches for Volcano"},
};

static bool is_look_alike(const struct view *view, struct report *r)
{
	for (size_t i = 0; i < sizeof(look_alikes) / sizeof(look_alikes[0]);
	     i++) {
		if (!value_find(view->doc.root, look_alikes[i].key))
			continue;
		report_path(r, look_alikes[i].key, CODE_NONE,
			    "give the library a table with server_list",
			    "%s, not a rank table", look_alikes[i].what);
		return true;
	}
	return false;
}

/* Returns whether more can be expected of the table: a file that says only that
 * it isn't complete yet has one fault. */
static bool check_status(const struct view *view, struct report *r)
{
	const char *status =
		value_text(r, NULL, view->doc.root, "status", true);
	char shown[SHOW_SIZE];

	if (!status || !strcmp(status, "completed"))
		return true;
	report_path(r, "status", CODE_LOAD,
		    "write \"completed\" when the table is complete",
		    "%s; the library waits up to 30 minutes for "
		    "\"completed\"",
		    show(shown, status));
	return view->doc.root->child->next != NULL;
}

/* Which parser the version picks. */
static const struct version {
	const char *name;
	enum chip chip;
	int (*read)(struct view *view, struct report *r);
} versions[] = {
	{"", CHIP_910A, form_groups},
	{"1.0", CHIP_910B, form_servers},
	{"1.2", CHIP_910C, form_servers},
	{"2.0", CHIP_950, form_ranks},
};

static const struct version *find_version(struct view *view, struct report *r)
{
	char shown[SHOW_SIZE];

	view->version = "";
	if (value_find(view->doc.root, "version")) {
		view->version =
			value_text(r, NULL, view->doc.root, "version", true);
		if (!view->version)
			return NULL;
	} else if (value_find(view->doc.root, "server_list")) {
		report_path(r, "version", CODE_KEY, "add \"1.0\" or \"1.2\"",
			    "is missing, and server_list needs it");
		view->version = "1.0";
	} else if (value_find(view->doc.root, "rank_list")) {
		report_path(r, "version", CODE_KEY, "add \"2.0\"",
			    "is missing, and rank_list needs it");
		view->version = "2.0";
	}
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (!strcmp(versions[i].name, view->version))
			if (*view->version ||
			    !value_find(view->doc.root, "version"))
				return &versions[i];
	if (!strcmp(view->version, "1.1"))
		report_path(r, "version", CODE_NONE,
			    "write a table 1.0 or 1.2 for training",
			    "1.1 is for hosts beside devices, not for "
			    "training");
	else
		report_path(r, "version", CODE_VALUE,
			    "write \"1.0\", \"1.2\" or \"2.0\"",
			    "%s is not a version of a rank table",
			    show(shown, view->version));
	return NULL;
}

/* Whether the chip takes this version at all. */
static bool check_chip(const struct view *view, struct report *r)
{
	bool v2 = !strcmp(view->version, "2.0");

	if (v2 == (view->chip == CHIP_950))
		return true;
	report_path(r, "version", CODE_VALUE,
		    v2 ? "write a table 1.0, or 1.2 for a 910C"
		       : "a 950 takes \"2.0\", or works without a table",
		    "%s isn't for the chip %s",
		    *view->version ? view->version : "a table without one",
		    chip_facts(view->chip)->name);
	return false;
}

int table_check(struct view *view, enum chip chip, struct report *r)
{
	const struct version *version;

	view->version = "";
	if (!cJSON_IsObject(view->doc.root)) {
		report_path(r, "", CODE_KEY, "a rank table is { ... }",
			    "the document is %s", value_type(view->doc.root));
		return 0;
	}
	if (is_look_alike(view, r))
		return 0;
	version = find_version(view, r);
	if (!version)
		return 0;
	view->chip = chip == CHIP_UNKNOWN ? version->chip : chip;
	if (!check_chip(view, r))
		return 0;
	r->v2 = version->read == form_ranks;
	if (!r->v2 && !check_status(view, r))
		return 0;
	if (version->read(view, r) < 0 ||
	    (!strcmp(view->version, "1.2") && form_pods(view, r) < 0) ||
	    view->doc.no_memory)
		return -1;
	return faults_find(view, r);
}
