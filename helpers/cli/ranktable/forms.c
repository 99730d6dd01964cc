/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/table_view.h"

#include "core/base/parse.h"

#include <string.h>

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
