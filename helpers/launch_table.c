/* SPDX-License-Identifier: Apache-2.0 */
/* The rank table, before anything starts. */
#include "helpers/launch.h"

#include "core/cleanup.h"
#include "helpers/rank_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where each launcher has a referee of its own, all would say one fault that
 * all of them see. Task 0 has this time to say it and to end the step. */
#define SAY_FIRST_MS 3000

static const char *split(const struct launch *l)
{
	const char *why;

	return team_is_split(l->team, &why) ? why : NULL;
}

static void send_ready(struct launch *l)
{
	team_send(l->team, MSG_READY, "", 0);
}

static void say_fault(void *arg)
{
	struct launch *l = arg;

	launch_stop(l, EXIT_FAILURE, 0, l->fault.text);
}

/* What others may have found too. */
static void common_fault(struct launch *l, const struct err *err)
{
	l->fault = *err;
	l->fault_turn = (struct loop_timer){.expired = say_fault, .arg = l};
	if (split(l) && l->job.procid)
		loop_arm(&l->loop, &l->fault_turn, SAY_FIRST_MS);
	else
		say_fault(l);
}

void launch_table_make(struct launch *l, const char *rows)
{
	cleanup_free char *copy = strdup(rows);
	struct err err;
	int rc = copy ? 0 : err_memory(&err);

	snprintf(l->rank_table, sizeof(l->rank_table), "%s/rank_table.json",
		 l->run_dir.path);
	if (rc == 0)
		rc = rank_table_write(copy, &l->plan, l->rank_table, &err);
	if (rc < 0)
		return common_fault(l, &err);
	timeline_all(&l->timeline, &l->plan, "exchanged");
	if (l->way == EXCHANGE_BY_PMIX)
		exchange_pmix_ready(&l->pmix);
	else
		send_ready(l);
}

/* --- through PMIx --- */

static void pmix_facts(void *arg, const char *rows)
{
	launch_table_make(arg, rows);
}

static void pmix_go(void *arg)
{
	send_ready(arg);
}

static void pmix_failed(void *arg, const char *why)
{
	launch_stop(arg, EXIT_FAILURE, 0, why);
}

static int begin_pmix(struct launch *l, const char *rows, size_t n,
		      struct err *err)
{
	l->pmix = (struct exchange_pmix){
		.loop = &l->loop,
		.plan = &l->plan,
		.barrier_fd = l->barrier_fd,
		.facts = pmix_facts,
		.go = pmix_go,
		.failed = pmix_failed,
		.arg = l,
	};
	return exchange_pmix_begin(&l->pmix, rows, n, err);
}

/* --- rows --- */

static void rows_done(void *arg, const char *rows, size_t n, const char *why)
{
	struct launch *l = arg;
	struct err err;

	if (why)
		launch_stop(l, EXIT_FAILURE, 0, why);
	else if (l->way == EXCHANGE_BY_SELF)
		launch_table_make(l, rows);
	else if (l->way == EXCHANGE_BY_TEAM)
		team_send(l->team, MSG_FACTS, rows, n);
	else if (begin_pmix(l, rows, n, &err) < 0)
		launch_stop(l, EXIT_FAILURE, 0, err.text);
}

void launch_table_begin(struct launch *l)
{
	struct err err;

	if (exchange_choose(&l->plan, &l->config, split(l), &l->way, &err) <
	    0) {
		common_fault(l, &err);
		return;
	}
	l->rows.loop = &l->loop;
	l->rows.done = rows_done;
	l->rows.arg = l;
	if (npu_rows_begin(&l->rows, &l->plan, &l->config, &l->npus, l->hccn_fd,
			   &err) < 0)
		launch_stop(l, EXIT_FAILURE, 0, err.text);
}

void launch_table_close(struct launch *l)
{
	loop_disarm(&l->loop, &l->fault_turn);
	npu_rows_close(&l->rows);
	exchange_pmix_close(&l->pmix);
}
