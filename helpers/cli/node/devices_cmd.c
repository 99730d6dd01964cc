/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/inventory.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/base/text_table.h"
#include "core/option/option.h"
#include "helpers/check/node_facts.h"
#include "helpers/cli/command.h"
#include "helpers/cli/json_print.h"
#include "helpers/gpu/gpu.h"
#include "helpers/npu/devinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMEOUT_S     60
#define TIMEOUT_MAX_S 3600

static const struct command_option options[] = {
	{"json", NULL, "print JSON"},
	{"inventory", NULL,
	 "print this node's lines for the administrator's "
	 "inventory: addresses of NPUs, or the NVLink domain "
	 "of GPUs"},
	{"against", "FILE",
	 "compare with this inventory, and use it for what the "
	 "node doesn't know"},
	{"devices-from", "SOURCE",
	 "use only this source of addresses, like the key of that "
	 "name"},
	{"timeout", "SECONDS",
	 "how long the driver may take to answer; 60 by default"},
	{0},
};

/* All that a run owns. */
struct devices {
	struct npu_nodes nodes;
	struct npu npu[IDLIST_MAX];
	char node[256];
	char *how; /* one line per source */
};

static int read_options(const struct given *g, struct devinfo_options *o,
			struct err *err)
{
	const char *words = option_keys[KEY_DEVICES_FROM].words;
	const char *from = option(g, "devices-from");
	char shown[SHOW_SIZE];
	long seconds = TIMEOUT_S;
	int word = DEVINFO_AUTO;

	if (from && !word_find(words, from, strlen(from), &word))
		return err_printf(err, "--devices-from=%s: must be one of %s",
				  show(shown, from), words);
	if (option_seconds(g, "timeout", 1, TIMEOUT_MAX_S, &seconds, err) < 0)
		return -1;
	o->from = (enum devinfo_from)word;
	o->timeout_s = (unsigned)seconds;
	o->inventory = option(g, "against");
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

/* Each with the source that told it. */
static void put_device(struct json *j, const struct npu *npu)
{
	json_add(j, "{device:%u", npu->phy_id);
	if (npu->addr_from) {
		json_add(j, "addresses:[");
		for (unsigned i = 0; i < npu->naddrs; i++)
			json_add(j, "%s", npu->addr[i]);
		json_add(j, "] addresses_from:%s",
			 npu_source_name(npu->addr_from));
	}
	if (npu->sdid_from)
		json_add(j, "super_device_id:%lu super_device_id_from:%s",
			 npu->sdid, npu_source_name(npu->sdid_from));
	if (npu->pod_from)
		json_add(j, "super_pod_id:%s super_pod_id_from:%s", npu->pod,
			 npu_source_name(npu->pod_from));
	if (npu->chip_from)
		json_add(j, "chip:%s chip_from:%s", chip_facts(npu->chip)->name,
			 npu_source_name(npu->chip_from));
	json_add(j, "}");
}

/* "NAME: what it said" */
static void put_sources(struct json *j, const char *how)
{
	char name[32], said[1200];

	json_add(j, "sources:{");
	while (*how) {
		int n = (int)strcspn(how, "\n"), colon;

		colon = (int)strcspn(how, ":");
		snprintf(name, sizeof(name), "%.*s", colon, how);
		snprintf(said, sizeof(said), "%.*s", n - colon - 2,
			 how + colon + 2);
		json_text(j, name, said);
		how += n + (how[n] == '\n');
	}
	json_add(j, "}");
}

static int put_json(const struct devices *d)
{
	struct json j = json_begin(stdout);

	json_add(&j, "node:%s devices:[", d->node);
	for (unsigned i = 0; i < d->nodes.allowed.n; i++)
		put_device(&j, &d->npu[i]);
	json_add(&j, "]");
	put_sources(&j, d->how);
	json_end(&j);
	return 0;
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

static int print_devices(const struct given *g, const struct devices *d,
			 struct err *err)
{
	if (option(g, "inventory"))
		return put_inventory(d, err);
	if (option(g, "json"))
		return put_json(d);
	return put_text(d, err);
}

static int run(struct given *g, struct err *err)
{
	struct devinfo_options o = {
		.root = devinfo_root(),
		.hccn_conf_fd = -1,
		.warnings = stderr,
	};
	struct devices d = {.how = NULL};
	int rc;

	if (read_options(g, &o, err) < 0)
		return EXIT_USAGE;
	node_name(d.node, sizeof(d.node));
	o.node = d.node;
	rc = devinfo_nodes(o.root, &d.nodes, err);
	if (rc == 0 && option(g, "inventory") && !d.nodes.present.n)
		rc = put_gpus(&d, &o, err);
	else if (rc == 0 && find_devices(&o, &d, err) == 0)
		rc = print_devices(g, &d, err);
	else
		rc = -1;
	free(d.how);
	return rc < 0 ? EXIT_FINDING : EXIT_DONE;
}

const struct command devices_command = {
	.name = "devices",
	.summary = "the NPUs of this node, and how that was found out",
	.usage = "[OPTION]...",
	.about = "Asks the driver, its tools and files for the Ascend "
		 "NPUs of this node and their network addresses.",
	.example = "srun -N4 dist-train devices --inventory > "
		   "inventory.txt",
	.page = "dist-train-devices",
	.options = options,
	.run = run,
};
