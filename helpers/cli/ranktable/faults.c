/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/table_view.h"

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

int faults_find(const struct view *view, struct report *r)
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
