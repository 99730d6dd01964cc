/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/output/output.h"

#include "helpers/output/line_writer.h"
#include "sys/kept/log_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Mark this task's ranks in log-tee. */
static void read_tee(struct output_ranks *r, const char *list)
{
	while (list && *list) {
		char *end;
		unsigned long rank = strtoul(list, &end, 10);

		if (rank >= r->first && rank - r->first < r->nranks)
			r->tee[rank - r->first] = true;
		list = *end ? end + 1 : end;
	}
}

static int open_log(struct output_ranks *r, const struct plan *plan, unsigned i,
		    struct err *err)
{
	static const char *const stream[] = {"out", "err"};
	struct outfile *log = &r->logs.file[i];

	log->name = log_file_name(plan, r->first + i / 2,
				  i / 2 < r->nranks ? NULL : r->service,
				  stream[i % 2], err);
	if (!log->name)
		return -1;
	log->fd = log_open("log-dir", log->name, err);
	return log->fd < 0 ? -1 : 0;
}

/* All files are opened before any process starts. */
static int open_logs(struct output_ranks *r, const struct plan *plan,
		     struct err *err)
{
	if (!request_text(plan->request, KEY_LOG_DIR))
		return 0;
	r->logs.file = calloc(2 * (size_t)r->n + 1, sizeof(*r->logs.file));
	r->tee = calloc(r->n + 1, sizeof(*r->tee));
	if (!r->logs.file || !r->tee)
		return err_memory(err);
	r->logs.n = 2 * r->n;
	for (unsigned i = 0; i < 2 * r->n; i++)
		r->logs.file[i].fd = -1;
	for (unsigned i = 0; i < 2 * r->n; i++)
		if (open_log(r, plan, i, err) < 0)
			return -1;
	read_tee(r, request_text(plan->request, KEY_LOG_TEE));
	return 0;
}

void output_ranks_free(struct output_ranks *r)
{
	for (unsigned i = 0; r->logs.file && i < r->logs.n; i++) {
		if (r->logs.file[i].fd >= 0)
			close(r->logs.file[i].fd);
		free((char *)r->logs.file[i].name);
	}
	free(r->logs.file);
	free(r->tee);
	free(r->last);
	free(r->heard_ms);
	free(r);
}

struct output_ranks *output_ranks_new(const struct plan *plan, struct err *err)
{
	size_t n = plan->nprocs + plan->service.here + 1;
	struct output_ranks *r = calloc(1, sizeof(*r));

	if (!r)
		return err_memory_null(err);
	r->last = calloc(n, sizeof(*r->last));
	r->heard_ms = calloc(n, sizeof(*r->heard_ms));
	if (!r->last || !r->heard_ms) {
		output_ranks_free(r);
		return err_memory_null(err);
	}
	r->nranks = plan->nprocs;
	r->n = plan->nprocs + plan->service.here;
	service_name(plan, r->service);
	r->first = plan->first_rank;
	r->world_size = plan->world_size;
	if (open_logs(r, plan, err) == 0)
		return r;
	output_ranks_free(r);
	return NULL;
}

void output_ranks_say_where(const struct output_ranks *r,
			    const struct plan *plan)
{
	char line[512];
	int n;

	for (unsigned i = 0; r->logs.file && i < r->nranks; i++) {
		n = snprintf(line, sizeof(line),
			     "dist-train: round %u: rank %u is on %s\n",
			     plan->job->round, r->first + i,
			     plan->job->node_name);
		if (n > 0 && (size_t)n < sizeof(line))
			outfile_write(&r->logs.file[2 * i + 1], line,
				      (size_t)n);
	}
}
