/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/local_rows.h"

#include "core/ascend/ranktable_row.h"
#include "core/base/text.h"
#include "helpers/npu/devinfo.h"
#include "helpers/ranktable/table_from_inventory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#define READ_SIZE 4096
#define FAULT	  '!'	/* begins a line that says what is wrong */
#define COMPLETE  ".\n" /* ends rows that are all there */

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

static int put_row(void *arg, unsigned rank, const char *node,
		   const struct npu *npu, struct err *err)
{
	char line[RANKTABLE_LINE_MAX], ips[NPU_ADDRS_MAX * IP_TEXT_SIZE];
	struct ranktable_row row = {
		.rank = rank,
		.device_id = npu->phy_id,
		.chip = npu->chip,
		.has_super_device = npu->sdid_from != NPU_FROM_NOWHERE,
		.super_device_id = (uint32_t)npu->sdid,
		.node = node,
		.server_id = node,
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

static int ask(FILE *out, FILE *warnings, const struct plan *plan,
	       const struct config *config, const struct npu_task *task,
	       int hccn_fd, bool all, struct err *err)
{
	struct devinfo_options o = {
		.root = devinfo_root(),
		.node = plan->job->node_name,
		.from = (enum devinfo_from)request_word(plan->request,
							KEY_DEVICES_FROM),
		.inventory = config->inventory,
		.hccn_conf_fd = hccn_fd,
		.timeout_s = driver_timeout(plan->request),
		.nservers = plan->nnodes,
		.told = plan->job->localid > 0,
		.warnings = plan->world_size > 1 ? warnings : NULL,
	};
	struct npu npu[IDLIST_MAX];

	if (devinfo_read(&o, &task->own, npu, err) < 0)
		return -1;
	if (all)
		return table_from_inventory(plan, &o, npu, put_row, out, err);
	for (unsigned i = 0; i < task->own.n; i++)
		if (put_row(out, plan->first_rank + i, plan->job->node_name,
			    &npu[i], err) < 0)
			return -1;
	return 0;
}

static void run_child(int fd, const struct plan *plan,
		      const struct config *config, const struct npu_task *task,
		      int hccn_fd, bool all)
{
	FILE *out = fdopen(fd, "w"), *warnings;
	char *text = NULL;
	size_t size;
	struct err err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	warnings = open_memstream(&text, &size);
	if (!out || !warnings)
		_exit(1);
	if (ask(out, warnings, plan, config, task, hccn_fd, all, &err) < 0)
		fprintf(out, "%c%s\n", FAULT, err.text);
	else if (fputs(COMPLETE, out) >= 0 && fclose(warnings) == 0)
		fputs(text, stderr); /* an error says the same, and more */
	fflush(out);
	_exit(0);
}

/* --- the launcher --- */

static bool is_complete(const struct local_rows *r)
{
	size_t n = strlen(COMPLETE);

	return r->n >= n && !strcmp(r->text + r->n - n, COMPLETE);
}

/* The line that says what is wrong, also behind rows; or NULL. */
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

	loop_remove(r->loop, &r->watch);
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

static void ready(void *arg, uint32_t events)
{
	struct local_rows *r = arg;
	ssize_t n;

	(void)events;
	if (r->n + READ_SIZE + 1 > r->size) {
		char *larger = realloc(r->text, r->size * 2 + READ_SIZE + 1);

		if (!larger) {
			r->n = 0;
			finish(r);
			return;
		}
		r->text = larger;
		r->size = r->size * 2 + READ_SIZE + 1;
	}
	n = read(r->watch.fd, r->text + r->n, READ_SIZE);
	if (n > 0)
		r->n += (size_t)n;
	r->text[r->n] = '\0';
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		finish(r);
}

int local_rows_begin(struct local_rows *r, const struct plan *plan,
		     const struct config *config, const struct npu_task *task,
		     int hccn_fd, bool all, struct err *err)
{
	int fds[2];
	pid_t pid;

	r->node = plan->job->node_name;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_printf(err, "pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		run_child(fds[1], plan, config, task, hccn_fd, all);
	close(fds[1]);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	r->watch = (struct loop_watch){.fd = fds[0], .ready = ready, .arg = r};
	if (pid < 0)
		return err_printf(err, "can't start a process: %s",
				  strerror(errno));
	return loop_watch(r->loop, &r->watch, EPOLLIN, err);
}

void local_rows_close(struct local_rows *r)
{
	if (!r->loop)
		return;
	loop_remove(r->loop, &r->watch);
	close(r->watch.fd);
	free(r->text);
	*r = (struct local_rows){0};
}
