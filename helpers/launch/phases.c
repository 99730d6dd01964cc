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
 *    all are done with it (a check of the nodes; a wait as a spare);
 *    `.each_round` where a restart in place needs it again.
 * 4. NAME.c and NAME.h in Makefile.am, and its place in
 *    tests/helpers/launch/test_phases.c.
 */
#include "helpers/launch/phases.h"

#include "helpers/launch/facts.h"
#include "helpers/launch/launch.h"
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

const struct phase launch_phases[] = {
	{
		.name = "facts",
		.show = facts_show,
		.begin = facts_begin,
	},
	{
		.name = "table",
		.wanted = has_table,
		.begin = table_begin,
		.message = table_message,
		.end = table_end,
	},
	{
		.name = "service",
		.wanted = starts_together,
		.show = service_show,
		.begin = service_begin,
		.end = service_end,
		.meets = true,
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
		.name = "start",
		.show = start_show,
		.begin = start_begin,
		.each_round = true,
	},
	{.name = NULL},
};
