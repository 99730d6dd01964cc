/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/commands.h"

#include "core/ascend/inventory.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/base/text_stream.h"
#include "core/base/text_table.h"
#include "core/option/option.h"
#include "helpers/check/node_facts.h"
#include "helpers/cli/json_print.h"
#include "helpers/gpu/gpu.h"
#include "helpers/npu/devinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMEOUT_S     60
#define TIMEOUT_MAX_S 3600

enum {
	OPT_JSON,
	OPT_INVENTORY,
	OPT_AGAINST,
	OPT_FROM,
	OPT_TIMEOUT,
	OPT_HELP,
	OPT_COUNT
};

const struct command_option devices_options[] = {
	[OPT_JSON] = {"json", NULL, "print JSON"},
	[OPT_INVENTORY] = {"inventory", NULL,
			   "print this node's lines for the administrator's "
			   "inventory: addresses of NPUs, or the NVLink domain "
			   "of GPUs"},
	[OPT_AGAINST] = {"against", "FILE",
			 "compare with this inventory, and use it for what the "
			 "node doesn't know"},
	[OPT_FROM] = {"devices-from", "SOURCE",
		      "use only this source of addresses, like the key of that "
		      "name"},
	[OPT_TIMEOUT] =
		{"timeout", "SECONDS",
		 "how long the driver may take to answer; 60 by default"},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

/* All that a run owns. */
struct devices {
	struct npu_nodes nodes;
	struct npu npu[IDLIST_MAX];
	char node[256];
	char *how; /* one line per source */
};

static int read_options(const char *const value[OPT_COUNT],
			struct devinfo_options *o, struct err *err)
{
	const char *words = option_keys[KEY_DEVICES_FROM].words;
	const char *from = value[OPT_FROM], *time = value[OPT_TIMEOUT];
	char shown[SHOW_SIZE];
	long seconds = TIMEOUT_S;
	int word = DEVINFO_AUTO;

	if (from && !word_find(words, from, strlen(from), &word))
		return err_printf(err, "--devices-from=%s: must be one of %s",
				  show(shown, from), words);
	if (time && parse_seconds(time, 1, TIMEOUT_MAX_S, &seconds) < 0)
		return err_printf(err,
				  "--timeout=%s: must be a number of seconds "
				  "from 1 to %d, or with s, m, h",
				  show(shown, time), TIMEOUT_MAX_S);
	o->from = (enum devinfo_from)word;
	o->timeout_s = (unsigned)seconds;
	o->inventory = value[OPT_AGAINST];
	return 0;
}

/* As Slurm calls it in a step, else the host's name without its domain. */
static void node_name(char *buf, size_t size)
{
	const char *slurm = getenv("SLURMD_NODENAME");

	if (slurm && *slurm) {
		snprintf(buf, size, "%s", slurm);
		return;
	}
	if (gethostname(buf, size) < 0)
		snprintf(buf, size, "localhost");
	buf[size - 1] = '\0';
	buf[strcspn(buf, ".")] = '\0';
}

/* --- for machines --- */

static bool add_source(cJSON *to, const char *name, enum npu_source from)
{
	return cJSON_AddStringToObject(to, name, npu_source_name(from));
}

static bool add_addresses(cJSON *to, const struct npu *npu)
{
	cJSON *array = cJSON_AddArrayToObject(to, "addresses");

	for (unsigned i = 0; array && i < npu->naddrs; i++)
		if (!json_append_text(array, npu->addr[i]))
			return false;
	return array && add_source(to, "addresses_from", npu->addr_from);
}

static bool add_device(cJSON *array, const struct npu *npu)
{
	cJSON *o = json_append(array);

	return o && cJSON_AddNumberToObject(o, "device", npu->phy_id) &&
	       (!npu->addr_from || add_addresses(o, npu)) &&
	       (!npu->sdid_from ||
		(cJSON_AddNumberToObject(o, "super_device_id",
					 (double)npu->sdid) &&
		 add_source(o, "super_device_id_from", npu->sdid_from))) &&
	       (!npu->pod_from ||
		(cJSON_AddStringToObject(o, "super_pod_id", npu->pod) &&
		 add_source(o, "super_pod_id_from", npu->pod_from))) &&
	       (!npu->chip_from ||
		(cJSON_AddStringToObject(o, "chip",
					 chip_facts(npu->chip)->name) &&
		 add_source(o, "chip_from", npu->chip_from)));
}

/* "NAME: what it said" */
static bool add_sources(cJSON *to, const char *how)
{
	cJSON *sources = cJSON_AddObjectToObject(to, "sources");
	char name[32], said[1200];

	while (sources && *how) {
		int n = (int)strcspn(how, "\n"), colon;

		colon = (int)strcspn(how, ":");
		snprintf(name, sizeof(name), "%.*s", colon, how);
		snprintf(said, sizeof(said), "%.*s", n - colon - 2,
			 how + colon + 2);
		if (!cJSON_AddStringToObject(sources, name, said))
			return false;
		how += n + (how[n] == '\n');
	}
	return sources != NULL;
}

static int json_devices(FILE *f, const char *node, const struct npu *npu,
			unsigned n, const char *how, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	cJSON *array;

	if (!o || !cJSON_AddStringToObject(o, "node", node))
		return err_memory(err);
	array = cJSON_AddArrayToObject(o, "devices");
	for (unsigned i = 0; array && i < n; i++)
		if (!add_device(array, &npu[i]))
			return err_memory(err);
	if (!array || !add_sources(o, how))
		return err_memory(err);
	return json_print(f, o, err);
}

/* --- for a person --- */

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

static void add_row(struct text_table *t, const struct npu *npu, unsigned index)
{
	char addrs[sizeof(npu->addr)] = "";

	for (unsigned k = 0; npu->addr_from && k < npu->naddrs; k++)
		text_add(addrs, sizeof(addrs), ",", "%s", npu->addr[k]);
	text_table_add(t, "%u", npu->phy_id);
	text_table_add(t, "%u", index);
	text_table_add(t, "%s", chip_facts(npu->chip)->name);
	if (npu->sdid_from)
		text_table_add(t, "%lu", npu->sdid);
	else
		text_table_add(t, "-");
	text_table_add(t, "%s", or_dash(npu->pod));
	text_table_add(t, "%s", or_dash(npu_source_name(npu->addr_from)));
	text_table_add(t, "%s", or_dash(addrs));
}

static int put_text(const struct devices *d, struct err *err)
{
	static const char *const names[] = {"device",	"index",     "chip",
					    "super id", "super pod", "from",
					    "address"};
	const struct idlist *ids = &d->nodes.allowed;
	cleanup_table struct text_table t = {0};

	printf("node %s: %u NPU%s\n\n", d->node, ids->n, ids->n > 1 ? "s" : "");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		text_table_column(&t, i < 2 ? COLUMN_RIGHT : COLUMN_LEFT,
				  names[i]);
	for (unsigned i = 0; i < ids->n; i++) {
		struct idlist one = {1, {ids->id[i]}}, index;
		struct err unseen;

		if (npu_ids_visible(&one, &d->nodes, NULL, &index, &unseen) ==
		    0)
			add_row(&t, &d->npu[i], index.id[0]);
	}
	if (text_table_print(stdout, &t, err) < 0)
		return -1;
	printf("\nWhere this comes from:\n");
	text_lines_put(stdout, d->how, "  ", "  ");
	return 0;
}

static int put_inventory(const struct devices *d, struct err *err)
{
	char *text = inventory_format(d->node, d->npu, d->nodes.allowed.n);

	if (!text)
		return err_memory(err);
	fputs(text, stdout);
	free(text);
	return 0;
}

/* A node with GPUs has one line. */
static int put_gpus(const struct devices *d, const struct devinfo_options *o,
		    struct err *err)
{
	struct gpus gpus;

	/* Words that were chosen by hand can't be compared */
	if (o->inventory)
		return err_printf(err,
				  "node %s has no NPU to compare with "
				  "--against; leave it out to print the GPUs' "
				  "NVLink domain",
				  d->node);
	gpu_look(hardware_root(), (int)o->timeout_s * 1000, &gpus);
	for (unsigned i = 0; i < gpus.n; i++)
		if (*gpus.gpu[i].domain) {
			printf("%s gpu nvlink=%s\n", d->node,
			       gpus.gpu[i].domain);
			return 0;
		}
	if (!gpus.n)
		return err_printf(err,
				  "node %s has neither NPUs nor GPUs: there is "
				  "nothing to write",
				  d->node);
	return err_printf(err,
			  "node %s: the GPUs share no NVLink with other "
			  "nodes'%s%s%s%s",
			  d->node, *gpus.gpu[0].fabric ? "; the fabric: " : "",
			  gpus.gpu[0].fabric, *gpus.note ? "; " : "",
			  gpus.note);
}

static int find_devices(struct devinfo_options *o, struct devices *d,
			struct err *err)
{
	const struct idlist *ids = &d->nodes.allowed;
	size_t size;
	int rc;

	if (!ids->n)
		return err_printf(
			err, "node %s has no NPU%s", d->node,
			d->nodes.present.n
				? " that Slurm has allocated to this step"
				: ": there is no /dev/davinci0 or similar");
	o->how = open_memstream(&d->how, &size);
	if (!o->how)
		return err_memory(err);
	rc = devinfo_read(o, ids, d->npu, err);
	if (fclose(o->how) != 0 && rc == 0)
		rc = err_memory(err);
	return rc;
}

static int print_devices(const char *const value[OPT_COUNT],
			 const struct devices *d, struct err *err)
{
	if (value[OPT_INVENTORY])
		return put_inventory(d, err);
	if (value[OPT_JSON])
		return json_devices(stdout, d->node, d->npu, d->nodes.allowed.n,
				    d->how, err);
	return put_text(d, err);
}

static int show_npus(const char *const value[OPT_COUNT],
		     struct devinfo_options *o, struct devices *d,
		     struct err *err)
{
	if (find_devices(o, d, err) < 0)
		return -1;
	return print_devices(value, d, err);
}

int devices_cmd(int argc, char *argv[], struct err *err)
{
	struct devinfo_options options = {
		.root = devinfo_root(),
		.hccn_conf_fd = -1,
		.warnings = stderr,
	};
	struct devices d = {.how = NULL};
	const char *value[OPT_COUNT] = {NULL};
	int rc;

	if (command_read_only(argc, argv, devices_options, value, err) < 0 ||
	    read_options(value, &options, err) < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP]) {
		return SHOW_HELP;
	}
	node_name(d.node, sizeof(d.node));
	options.node = d.node;
	rc = devinfo_nodes(options.root, &d.nodes, err);
	if (rc == 0 && value[OPT_INVENTORY] && !d.nodes.present.n)
		rc = put_gpus(&d, &options, err);
	else if (rc == 0)
		rc = show_npus(value, &options, &d, err);
	free(d.how);
	return rc < 0 ? EXIT_FINDING : EXIT_DONE;
}
