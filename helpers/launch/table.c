/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch.h"

#include "helpers/ending/ending.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/note.h"
#include "helpers/part/phase.h"
#include "helpers/ranktable/exchange.h"
#include "helpers/ranktable/exchange_pmix.h"
#include "helpers/ranktable/ranktable_shared.h"
#include "helpers/round/round.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Grace period instead of a meeting where launchers can't meet. */
#define SETTLE_MS 300

struct table {
	enum exchange_way way;
	struct local_rows rows;
	struct exchange_pmix pmix;
	struct loop_timer settled;
	char *shared_text; /* what task 0 is to write; NULL: we write it */
	size_t shared_len;
	char *all; /* with recovery: the rows of all nodes; NULL: not told yet
		    */
	bool begun;
};

static struct table *table_of(const struct launch *l)
{
	return own_of(l, &table_phase);
}

/* --- with the rows of the whole step --- */

static void name_table(struct launch *l, const char *dir)
{
	snprintf(l->made.rank_table, sizeof(l->made.rank_table),
		 "%s/" RANKTABLE_SHARED_NAME, dir);
	l->plan.rank_table = l->made.rank_table;
}

/* Write the file, unless task 0 writes it where this launcher reads it too:
 * then keep the text to compare it with the file. */
static int write_table(struct launch *l, char *rows, const char *dir,
		       struct row_ranks *ranks, struct err *err)
{
	bool shared = l->job.procid && dir && !launch_no_channel(l) &&
		      ranktable_shared_is_here(dir);
	cleanup_free char *text = NULL;
	size_t len;

	name_table(l, shared ? dir : l->run_dir.path);
	if (ranktable_build(rows, &l->plan, ranks, &text, &len, err) < 0)
		return -1;
	if (!shared)
		return ranktable_write(text, len, l->made.rank_table,
				       l->job.node_name, err);
	table_of(l)->shared_text = text;
	table_of(l)->shared_len = len;
	text = NULL;
	return 0;
}

/* Whether another launcher of this node writes the file. */
static bool first_writes(struct launch *l, const char *dir)
{
	char folder[PATH_MAX];

	if (!l->job.localid || launch_no_channel(l) ||
	    ranktable_shared_of_node(l->node_memory_fd, dir, folder) < 0)
		return false;
	name_table(l, folder);
	return true;
}

/* All ways end here. `dir` is the folder of task 0, or NULL. Returns whether
 * the table is made. */
static bool make_table(struct launch *l, const char *rows, const char *dir)
{
	cleanup_free char *copy = strdup(rows);
	struct err err;
	int rc = copy ? 0 : err_memory(&err);

	if (rc == 0 && !first_writes(l, dir))
		rc = write_table(l, copy, dir, NULL, &err);
	if (rc < 0)
		common_fault_say(l, &err);
	else
		timeline_all(&l->timeline, &l->plan, PHASE_TABLE);
	return rc == 0;
}

/* --- with recovery --- */

static bool has_worlds(const struct launch *l)
{
	return l->plan.resolved.recovery;
}

/* From the rows of all nodes those of this world. A node that has none in
 * round 0 has said that it must have no place; the next round is on its way. */
static enum phase_state make_worlds_table(struct launch *l, struct err *err)
{
	cleanup_free char *rows = strdup(table_of(l)->all);
	struct row_ranks ranks;
	unsigned ngiven;
	int rc;

	if (!rows)
		return err_memory(err);
	if (row_ranks_make(&l->plan, &ranks, err) < 0)
		return PHASE_FAILED;
	rc = write_table(l, rows, NULL, &ranks, err);
	ngiven = ranks.ngiven;
	row_ranks_clear(&ranks);
	if (rc < 0)
		return ngiven < l->plan.world_size && !l->job.round
			       ? PHASE_WAITS
			       : PHASE_FAILED;
	timeline_all(&l->timeline, &l->plan, PHASE_TABLE);
	return PHASE_DONE;
}

/* When all rows are here, and for whom is in the world. */
static enum phase_state go_on_in_world(struct launch *l, struct err *err)
{
	if (!table_of(l)->all)
		return PHASE_WAITS;
	return l->plan.spare ? PHASE_DONE : make_worlds_table(l, err);
}

/* MSG_GATHERED comes once, in whichever round. */
static void keep(struct launch *l, const char *data, size_t n)
{
	struct table *t = table_of(l);
	struct gather_piece all;

	if (!t || !has_worlds(l) || t->all || gather_parse(data, n, &all) < 0)
		return;
	t->all = strdup(all.data);
	if (!t->all)
		launch_fail(l, "out of memory");
}

/* --- through the channel --- */

/* Tell all this node's rows, and task 0's folder. */
static void gather_rows(struct launch *l, const char *rows, size_t n)
{
	const struct gather_piece piece = {
		.folder = l->view.step->procid ? "" : l->run_dir.path,
		.data = rows,
		.n = n,
	};

	if (session_gather(l->view.session, &piece) < 0)
		launch_fail(l, "out of memory");
}

/* --- through PMIx --- */

static void pmix_has_rows(void *arg, const char *facts)
{
	struct launch *l = arg;
	cleanup_free char *copy = strdup(facts);
	const char *dir;
	char *rows;

	if (!copy)
		return launch_fail(l, "out of memory");
	rows = ranktable_shared_rows(copy, &dir);
	if (make_table(l, rows, dir))
		exchange_pmix_ready(&table_of(l)->pmix);
}

static void pmix_is_left(void *arg)
{
	phase_done(arg);
}

static void pmix_failed(void *arg, const char *why)
{
	launch_fail(arg, why);
}

static void begin_pmix(void *arg)
{
	struct launch *l = arg;
	struct table *t = table_of(l);
	cleanup_free char *with_folder = NULL;
	const char *facts = t->rows.text;
	size_t n = t->rows.n;
	struct err err;

	t->pmix = (struct exchange_pmix){
		.loop = &l->loop,
		.plan = &l->plan,
		.node_memory_fd = l->node_memory_fd,
		.facts = pmix_has_rows,
		.go = pmix_is_left,
		.failed = pmix_failed,
		.arg = l,
	};
	if (!l->job.procid)
		facts = with_folder =
			ranktable_shared_facts(l->run_dir.path, facts, n, &n);
	if (!facts)
		launch_fail(l, "out of memory");
	else if (exchange_pmix_begin(&t->pmix, facts, n, &err) < 0)
		launch_fail(l, err.text);
}

/* While a slurmstepd starts its tasks it has the user's id for a moment, and
 * refuses the other nodes' PMIx servers then, for it can't read their
 * credentials; what they had to say is lost and the fence never ends (Slurm
 * 22.05: one step in ten). A node that has a launcher is past that. */
static void wait_for_nodes(struct launch *l)
{
	struct table *t = table_of(l);

	t->settled = (struct loop_timer){.expired = begin_pmix, .arg = l};
	if (launch_no_channel(l))
		loop_arm(&l->loop, &t->settled, SETTLE_MS);
	else
		gather_rows(l, "", 0);
}

/* --- this node's rows --- */

/* From the inventory they are everybody's. */
static void inventory_has_rows(struct launch *l, const char *rows)
{
	if (l->job.ntasks > 1 && !launch_no_channel(l) && !has_worlds(l))
		gather_rows(l, "", 0);
	else if (make_table(l, rows, NULL))
		phase_done(l);
}

static void rows_failed(struct launch *l, const char *why)
{
	struct err err;

	if (table_of(l)->way != EXCHANGE_BY_SELF && has_worlds(l)) {
		launch_condemn(l, why);
		return gather_rows(l, "", 0);
	}
	if (table_of(l)->way != EXCHANGE_BY_SELF)
		return launch_fail(l, why);
	err_printf(&err, "%s", why);
	common_fault_say(l, &err);
}

static void rows_are_here(void *arg, const char *rows, size_t n,
			  const char *why)
{
	struct launch *l = arg;

	if (why)
		return rows_failed(l, why);
	switch (table_of(l)->way) {
	case EXCHANGE_BY_CHANNEL:
		return gather_rows(l, rows, n);
	case EXCHANGE_BY_PMIX:
		return wait_for_nodes(l);
	case EXCHANGE_BY_SELF:
		return inventory_has_rows(l, rows);
	}
}

/* --- the phase --- */

/* The node's first launcher tells them. */
static bool tells_nothing(const struct launch *l)
{
	return table_of(l)->way == EXCHANGE_BY_CHANNEL && l->job.localid &&
	       rows_wanted_first_tells(&l->plan);
}

static int list_rows(const struct launch *l, const struct plan *plan,
		     struct rows_wanted *ret, struct err *err)
{
	if (plan->resolved.node_launcher ||
	    (table_of(l)->way == EXCHANGE_BY_CHANNEL &&
	     rows_wanted_first_tells(plan)))
		return rows_wanted_of_node(plan, &l->config, ret, err);
	rows_wanted_own(plan, &l->npus, ret);
	return 0;
}

static enum phase_state ask_rows(struct launch *l, struct err *err)
{
	struct table *t = table_of(l);
	bool all = t->way == EXCHANGE_BY_SELF;
	struct rows_wanted wanted;
	struct as_placed placed;
	int rc;

	if (all && l->plan.spare)
		return PHASE_DONE; /* it only reads what is there */
	if (tells_nothing(l)) {
		gather_rows(l, "", 0);
		return PHASE_WAITS;
	}
	if (round_as_placed(l, &placed, err) < 0)
		return PHASE_FAILED;
	t->rows.loop = &l->loop;
	t->rows.done = rows_are_here;
	t->rows.arg = l;
	rc = list_rows(l, &placed.plan, &wanted, err);
	if (rc == 0)
		rc = local_rows_begin(&t->rows, &placed.plan, &l->config,
				      &wanted, l->hccn_fd, all, err);
	round_as_placed_clear(&placed);
	return rc < 0 ? PHASE_FAILED : PHASE_WAITS;
}

/* A later round's. */
static enum phase_state begin_again(struct launch *l, struct err *err)
{
	if (table_of(l)->way != EXCHANGE_BY_SELF)
		return go_on_in_world(l, err);
	local_rows_close(&table_of(l)->rows);
	return ask_rows(l, err);
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	struct table *t = table_of(l);

	if (t->begun)
		return begin_again(l, err);
	t->begun = true;
	if (!l->job.localid)
		node_memory_tell(l->node_memory_fd, l->run_dir.path);
	if (exchange_choose(&l->plan, &l->config, launch_no_channel(l), &t->way,
			    err) < 0) {
		common_fault_say(l, err);
		return PHASE_WAITS;
	}
	return ask_rows(l, err);
}

static enum phase_state message(struct launch *l, const char *data, size_t n,
				struct err *err)
{
	struct table *t = table_of(l);
	struct gather_piece all;

	if (gather_parse(data, n, &all) < 0)
		return PHASE_WAITS;
	if (has_worlds(l))
		return go_on_in_world(l, err);
	if (t->way == EXCHANGE_BY_PMIX) {
		begin_pmix(l);
		return PHASE_WAITS;
	}
	return make_table(l,
			  t->way == EXCHANGE_BY_SELF ? t->rows.text : all.data,
			  *all.folder ? all.folder : NULL)
		       ? PHASE_DONE
		       : PHASE_WAITS;
}

/* When everybody is ready: where this launcher shares task 0's file, it must be
 * what it would have written itself. */
static enum phase_state compare(struct launch *l, struct err *err)
{
	struct table *t = table_of(l);
	cleanup_free char *text = t->shared_text;

	t->shared_text = NULL;
	if (!text ||
	    ranktable_shared_check(l->made.rank_table, text, t->shared_len,
				   l->job.node_name, err) == 0)
		return PHASE_DONE;
	return PHASE_FAILED;
}

bool table_uses_pmix(const struct launch *l)
{
	const struct table *t = table_of(l);

	return t && t->way == EXCHANGE_BY_PMIX;
}

static void end(struct launch *l)
{
	struct table *t = table_of(l);

	loop_disarm(&l->loop, &t->settled);
	local_rows_close(&t->rows);
	exchange_pmix_close(&t->pmix);
	free(t->shared_text);
	free(t->all);
}

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.table;
}

const struct phase table_phase = {
	.name = "table",
	.wanted = is_wanted,
	.size = sizeof(struct table),
	.begin = begin,
	.takes = MSG_GATHERED,
	.message = message,
	.keep = keep,
	.end = end,
	.each_world = true,
	.of_spares = true,
};

const struct phase compare_table_phase = {
	.name = "compare table",
	.wanted = is_wanted,
	.begin = compare,
};
