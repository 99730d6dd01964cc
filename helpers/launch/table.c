/* SPDX-License-Identifier: Apache-2.0 */
/* The rank table, before anything starts. */
#include "helpers/launch/launch.h"

#include "core/base/cleanup.h"
#include "helpers/ranktable/ranktable_build.h"
#include "helpers/ranktable/ranktable_shared.h"
#include "sys/pending_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where each launcher has a arbiter of its own, all would say one fault that
 * all of them see. Task 0 has this time to say it and to end the step. */
#define SAY_FIRST_MS 3000
#define LOOK_MS	     100

/* For the launchers of all nodes to be there, where nobody can tell. */
#define SETTLE_MS 300

static const char *split(const struct launch *l)
{
	const char *why;

	return session_no_channel(l->session, &why) ? why : NULL;
}

static void say_fault(void *arg)
{
	struct launch *l = arg;

	if (pending_end())
		launch_stop(l, EXIT_FAILURE, 0, ""); /* it was said */
	else if (!split(l) || !l->job.procid || loop_now_ms() >= l->fault_at_ms)
		launch_stop(l, EXIT_FAILURE, 0, l->fault.text);
	else
		loop_arm(&l->loop, &l->fault_turn, LOOK_MS);
}

void launch_common_fault(struct launch *l, const struct err *err)
{
	l->fault = *err;
	l->fault_turn = (struct loop_timer){.expired = say_fault, .arg = l};
	l->fault_at_ms = loop_now_ms() + SAY_FIRST_MS;
	say_fault(l);
}

/* Write the table, unless task 0 writes it where this launcher reads it too,
 * and stays until all have ended: then keep the text to compare it with the
 * file. */
static int put_table(struct launch *l, char *rows, const char *dir,
		     struct err *err)
{
	bool shared = l->job.procid && dir && !split(l) &&
		      ranktable_shared_is_here(dir);
	cleanup_free char *text = NULL;
	size_t len;

	snprintf(l->rank_table, sizeof(l->rank_table),
		 "%s/" RANKTABLE_SHARED_NAME, shared ? dir : l->run_dir.path);
	l->plan.rank_table = l->rank_table;
	if (ranktable_build(rows, &l->plan, &text, &len, err) < 0)
		return -1;
	if (!shared)
		return ranktable_write(text, len, l->rank_table,
				       l->job.node_name, err);
	l->shared_table = text;
	l->shared_table_len = len;
	text = NULL;
	return 0;
}

int launch_table_check(struct launch *l, struct err *err)
{
	cleanup_free char *text = l->shared_table;

	l->shared_table = NULL;
	if (!text)
		return 0;
	return ranktable_shared_check(l->rank_table, text, l->shared_table_len,
				      l->job.node_name, err);
}

/* From the rows of the whole step; `dir` is the folder of task 0, or NULL. */
static void make_table(struct launch *l, const char *rows, const char *dir)
{
	cleanup_free char *copy = strdup(rows);
	struct err err;
	int rc = copy ? put_table(l, copy, dir, &err) : err_memory(&err);

	if (rc < 0)
		return launch_common_fault(l, &err);
	timeline_all(&l->timeline, &l->plan, "exchanged");
	if (l->way == EXCHANGE_BY_PMIX)
		exchange_pmix_ready(&l->pmix);
	else
		launch_serve(l);
}

/* Tell all this node's rows, and task 0's folder. */
static void gather_rows(struct launch *l, const char *rows, size_t n)
{
	const struct gather_piece piece = {
		.folder = l->job.procid ? "" : l->run_dir.path,
		.data = rows,
		.n = n,
	};

	if (session_gather(l->session, &piece) < 0)
		launch_stop(l, EXIT_FAILURE, 0, "out of memory");
}

/* --- through PMIx --- */

static void pmix_facts(void *arg, const char *facts)
{
	cleanup_free char *copy = strdup(facts);
	const char *dir;
	char *rows;

	if (!copy)
		return launch_stop(arg, EXIT_FAILURE, 0, "out of memory");
	rows = ranktable_shared_rows(copy, &dir);
	make_table(arg, rows, dir);
}

static void pmix_go(void *arg)
{
	launch_serve(arg);
}

static void pmix_failed(void *arg, const char *why)
{
	launch_stop(arg, EXIT_FAILURE, 0, why);
}

static void begin_pmix(void *arg)
{
	struct launch *l = arg;
	cleanup_free char *with_folder = NULL;
	const char *facts = l->rows.text;
	size_t n = l->rows.n;
	struct err err;

	l->pmix = (struct exchange_pmix){
		.loop = &l->loop,
		.plan = &l->plan,
		.barrier_fd = l->barrier_fd,
		.facts = pmix_facts,
		.go = pmix_go,
		.failed = pmix_failed,
		.arg = l,
	};
	if (!l->job.procid)
		facts = with_folder =
			ranktable_shared_facts(l->run_dir.path, facts, n, &n);
	if (!facts)
		launch_stop(l, EXIT_FAILURE, 0, "out of memory");
	else if (exchange_pmix_begin(&l->pmix, facts, n, &err) < 0)
		launch_stop(l, EXIT_FAILURE, 0, err.text);
}

/* While a slurmstepd starts its tasks it has the user's id for a moment, and
 * refuses the other nodes' PMIx servers then, for it can't read their
 * credentials; what they had to say is lost and the fence never ends (Slurm
 * 22.05: one step in ten). A node that has a launcher is past that. */
static void wait_for_nodes(struct launch *l)
{
	l->settled = (struct loop_timer){.expired = begin_pmix, .arg = l};
	if (split(l))
		loop_arm(&l->loop, &l->settled, SETTLE_MS);
	else
		gather_rows(l, "", 0); /* here I am */
}

void launch_table_facts(struct launch *l, const char *data, size_t n)
{
	struct gather_piece all;

	if (gather_parse(data, n, &all) < 0)
		return;
	if (l->way == EXCHANGE_BY_PMIX)
		begin_pmix(l);
	else
		make_table(l,
			   l->way == EXCHANGE_BY_SELF ? l->rows.text : all.data,
			   *all.folder ? all.folder : NULL);
}

/* --- rows --- */

static bool is_alone(const struct launch *l)
{
	return l->job.ntasks == 1 || split(l);
}

static void rows_done(void *arg, const char *rows, size_t n, const char *why)
{
	struct launch *l = arg;
	struct err err;

	if (why && l->way == EXCHANGE_BY_SELF) {
		err_printf(&err, "%s", why);
		launch_common_fault(l, &err);
	} else if (why) {
		launch_stop(l, EXIT_FAILURE, 0, why);
	} else if (l->way == EXCHANGE_BY_SELF && is_alone(l)) {
		make_table(l, rows, NULL);
	} else if (l->way == EXCHANGE_BY_PMIX) {
		wait_for_nodes(l);
	} else {
		/* Where nothing has to be exchanged there is still the folder
		 */
		gather_rows(l, rows, l->way == EXCHANGE_BY_CHANNEL ? n : 0);
	}
}

void launch_table_begin(struct launch *l)
{
	struct err err;

	if (exchange_choose(&l->plan, &l->config, split(l), &l->way, &err) <
	    0) {
		launch_common_fault(l, &err);
		return;
	}
	l->rows.loop = &l->loop;
	l->rows.done = rows_done;
	l->rows.arg = l;
	if (local_rows_begin(&l->rows, &l->plan, &l->config, &l->npus,
			     l->hccn_fd, l->way == EXCHANGE_BY_SELF, &err) < 0)
		launch_stop(l, EXIT_FAILURE, 0, err.text);
}

void launch_table_close(struct launch *l)
{
	loop_disarm(&l->loop, &l->fault_turn);
	loop_disarm(&l->loop, &l->settled);
	local_rows_close(&l->rows);
	exchange_pmix_close(&l->pmix);
	free(l->shared_table);
	l->shared_table = NULL;
}
