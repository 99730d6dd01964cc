/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/local_rows.h"

#include "core/ascend/ranktable_row.h"
#include "core/base/ip.h"
#include "core/base/text.h"
#include "helpers/npu/devinfo.h"
#include "helpers/ranktable/table_from_inventory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAULT	 '!'   /* begins a line that says what is wrong */
#define COMPLETE ".\n" /* ends rows that are all there */

#define MARGIN_S 5

/* --- the child --- */

/* The library wants one family; where a device has both, IPv4. */
static void join_addresses(const struct npu *npu, char *buf, size_t size)
{
	bool v4 = false;

	for (unsigned i = 0; i < npu->naddrs; i++)
		v4 |= !strchr(npu->addr[i], ':');
	*buf = '\0';
	for (unsigned i = 0; i < npu->naddrs; i++)
		if (!v4 || !strchr(npu->addr[i], ':'))
			text_add(buf, size, ",", "%s", npu->addr[i]);
}

/* The library takes any text as server_id; MindIE, Paddle and MindSpore's
 * documents want the node's address. */
static const char *name_server(const char *node, const char *address)
{
	struct ip ip;

	return address && ip_parse(address, strlen(address), &ip) == 0 ? address
								       : node;
}

static int put_row(void *arg, unsigned rank, const char *node,
		   const char *address, const struct npu *npu, struct err *err)
{
	char line[RANKTABLE_LINE_MAX], ips[NPU_ADDRS_MAX * IP_TEXT_SIZE];
	struct ranktable_row row = {
		.rank = rank,
		.device_id = npu->phy_id,
		.chip = npu->chip,
		.has_super_device = npu->sdid_from != NPU_FROM_NOWHERE,
		.super_device_id = (uint32_t)npu->sdid,
		.node = node,
		.server_id = name_server(node, address),
		.super_pod_id = npu->pod_from ? npu->pod : NULL,
	};

	join_addresses(npu, ips, sizeof(ips));
	row.device_ip = *ips ? ips : NULL;
	if (ranktable_row_format(&row, line, sizeof(line), err) < 0)
		return -1;
	fprintf(arg, "%s\n", line);
	return 0;
}

/* Below the limit for the exchange, which would name the node and not the
 * cause. */
static unsigned driver_timeout(const struct request *request)
{
	long timeout_s = request_seconds(request, KEY_TIMEOUT);

	return timeout_s > 2 * MARGIN_S ? (unsigned)(timeout_s - MARGIN_S)
					: (unsigned)(timeout_s + 1) / 2;
}

/* What local_rows_begin() was called with. */
struct question {
	const struct plan *plan;
	const struct config *config;
	const struct rows_wanted *wanted;
	int hccn_fd;
	bool all;
};

static int ask(const struct question *q, FILE *out, FILE *warnings,
	       struct err *err)
{
	const struct plan *plan = q->plan;
	const struct job *job = plan->job;
	const struct rows_wanted *wanted = q->wanted;
	struct devinfo_options o = {
		.root = devinfo_root(),
		.node = job->node_name,
		.from = (enum devinfo_from)request_word(plan->request,
							KEY_DEVICES_FROM),
		.inventory = q->config->inventory,
		.hccn_conf_fd = q->hccn_fd,
		.timeout_s = driver_timeout(plan->request),
		.nservers = plan->nnodes,
		.told = job->localid > 0,
		.warnings = plan->world_size > 1 ? warnings : NULL,
	};
	struct npu npu[IDLIST_MAX];

	if (devinfo_read(&o, &wanted->npu, npu, err) < 0)
		return -1;
	if (q->all)
		return table_from_inventory(
			plan, &o,
			&(struct own_npus){wanted->npu.n, wanted->rank, npu},
			put_row, out, err);
	for (unsigned i = 0; i < wanted->npu.n; i++)
		if (put_row(out, wanted->rank[i], job->node_name,
			    job->nnodes == 1 ? job->rank0_addr : job->own_addr,
			    &npu[i], err) < 0)
			return -1;
	return 0;
}

static int run_child(const int fd[2], const void *arg)
{
	FILE *rows = fdopen(fd[1], "w"), *warnings;
	char *text = NULL;
	size_t size;
	struct err err;

	warnings = open_memstream(&text, &size);
	if (!rows || !warnings)
		return 1;
	if (ask(arg, rows, warnings, &err) < 0)
		fprintf(rows, "%c%s\n", FAULT, err.text);
	else if (fputs(COMPLETE, rows) >= 0 && fclose(warnings) == 0)
		fputs(text, stderr); /* an error says the same, and more */
	return fflush(rows);
}

/* --- the launcher --- */

static bool is_complete(const struct local_rows *r)
{
	size_t n = strlen(COMPLETE);

	return r->n >= n && !strcmp(r->text + r->n - n, COMPLETE);
}

/* The line that says what is wrong, also after rows; or NULL. */
static char *find_fault(char *text)
{
	char *line = text;

	while (line && *line != FAULT) {
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	if (!line)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return line + 1;
}

/* A child that was killed has left a part of the rows, or nothing. */
static void finish(struct local_rows *r)
{
	char *fault = r->n ? find_fault(r->text) : NULL;
	struct err err;

	if (fault) {
		r->done(r->arg, "", 0, fault);
	} else if (is_complete(r)) {
		r->n -= strlen(COMPLETE);
		r->text[r->n] = '\0';
		r->done(r->arg, r->text, r->n, NULL);
	} else {
		err_printf(&err,
			   "node %s: the process that asks the driver for "
			   "NPUs was killed",
			   r->node);
		r->done(r->arg, "", 0, err.text);
	}
}

static void on_output(void *arg, const char *data, size_t n)
{
	struct local_rows *r = arg;

	fwrite(data, 1, n, r->stream);
	if (n)
		return;
	if (fclose(r->stream) != 0)
		r->n = 0;
	r->stream = NULL;
	finish(r);
}

int local_rows_begin(struct local_rows *r, const struct plan *plan,
		     const struct config *config,
		     const struct rows_wanted *wanted, int hccn_fd, bool all,
		     struct err *err)
{
	const struct question question = {plan, config, wanted, hccn_fd, all};
	const struct subprocess_spec spec = {
		.run = run_child,
		.arg = &question,
		.flags = SUBPROCESS_OUT | SUBPROCESS_SIGNALS,
	};

	r->node = plan->job->node_name;
	r->stream = open_memstream(&r->text, &r->n);
	if (!r->stream)
		return err_memory(err);
	if (subprocess_start(&spec, &r->sub, err) < 0)
		return -1;
	return subprocess_watch(&r->sub, r->loop, on_output, r, err);
}

void local_rows_close(struct local_rows *r)
{
	subprocess_close(&r->sub);
	if (r->stream)
		fclose(r->stream);
	free(r->text);
	*r = (struct local_rows){0};
}
