/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher's phases. To add one, NAME:
 *
 * 1. NAME.h declares its functions: NAME_begin(), and of the others that struct
 *    phase has (helpers/launch/phase.h) those that it needs. NAME.c has them.
 *    A phase that waits calls phase_done() from the callback that it waits for.
 * 2. What it has to keep is a struct of NAME.c. NAME_begin() allocates it and
 *    leaves it in struct launch, as a pointer; NAME_end() frees it.
 * 3. One line here, at its place. `.meets` where no launcher may go on before
 *    all are done with it (a check of the nodes); `.each_round` where a
 *    restart in place needs it again, `.each_world` where another set of nodes
 *    does; `.of_spares` where a node without a place needs it.
 * 4. Its place in tests/helpers/launch/test_phases.c.
 */
#include "helpers/launch/phases.h"

#include "core/plan/framework.h"
#include "helpers/launch/api_answer.h"
#include "helpers/launch/check_phase/check.h"
#include "helpers/launch/facts.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/metrics_phase.h"
#include "helpers/launch/script.h"
#include "helpers/launch/start.h"
#include "helpers/launch/start_service.h"
#include "helpers/launch/table.h"

static bool has_table(const struct launch *l)
{
	return l->plan.resolved.table;
}

static bool starts_together(const struct launch *l)
{
	return l->plan.needs_go;
}

static bool has_services_in_turn(const struct launch *l)
{
	return l->plan.service.in_turn;
}

static bool is_started_by_script(const struct launch *l)
{
	return l->plan.start_command;
}

static bool has_api(const struct launch *l)
{
	return l->request.framework->api && l->plan.first_rank == 0 &&
	       l->plan.nprocs;
}

const struct phase launch_phases[] = {
	{
		.name = "facts",
		.show = facts_show,
		.begin = facts_begin,
		.of_spares = true,
	},
	{
		.name = "check",
		.wanted = check_is_wanted,
		.begin = check_begin,
		.message = check_message,
		.leave = check_leave,
		.end = check_end,
		.meets = true,
		.each_world = true,
	},
	{
		.name = "table",
		.wanted = has_table,
		.begin = table_begin,
		.message = table_message,
		.end = table_end,
		.each_world = true,
		.of_spares = true,
	},
	{
		.name = "service",
		.wanted = starts_together,
		.show = service_show,
		.begin = service_begin,
		.leave = service_end,
		.end = service_end,
		.meets = true,
		.each_world = true,
	},
	{
		.name = "compare table",
		.wanted = has_table,
		.begin = table_compare,
	},
	{
		.name = "services of other nodes",
		.wanted = has_services_in_turn,
		.begin = service_begin_other_nodes,
		.meets = true,
	},
	{
		.name = "script",
		.wanted = is_started_by_script,
		.begin = script_begin,
		.message = script_message,
		.end = script_end,
	},
	{
		.name = "API",
		.wanted = has_api,
		.begin = api_answer_begin,
		.leave = api_answer_end,
		.end = api_answer_end,
		.each_round = true,
	},
	{
		.name = "spare",
		.wanted = start_shows_spare,
		.show = start_show_spare,
		.begin = start_begin_spare,
		.of_spares = true,
	},
	{
		.name = "metrics",
		.wanted = metrics_phase_is_wanted,
		.begin = metrics_phase_begin,
		.end = metrics_phase_end,
		.each_round = true,
	},
	{
		.name = "start",
		.show = start_show,
		.begin = start_begin,
		.each_round = true,
	},
	{.name = NULL},
};
