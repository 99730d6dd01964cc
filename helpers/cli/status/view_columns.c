/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/status/view_columns.h"

#include "core/facts/slowness.h"

#include <math.h>
#include <stdio.h>

/* --- how numbers are shown --- */

static void print_whole(double n, char ret[CELL_SIZE])
{
	snprintf(ret, CELL_SIZE, "%.0f", fmin(n, 1e15));
}

static void print_state(double state, char ret[CELL_SIZE])
{
	snprintf(ret, CELL_SIZE, "%c", (int)state);
}

void print_time(double s, char ret[CELL_SIZE])
{
	long t = (long)fmin(s, 1e9);

	if (s < 9.95)
		snprintf(ret, CELL_SIZE, "%.1fs", s);
	else if (t < 60)
		snprintf(ret, CELL_SIZE, "%lds", t);
	else if (t < 3600)
		snprintf(ret, CELL_SIZE, "%ld:%02ld", t / 60, t % 60);
	else if (t < 86400)
		snprintf(ret, CELL_SIZE, "%ld:%02ld:%02ld", t / 3600,
			 t / 60 % 60, t % 60);
	else
		snprintf(ret, CELL_SIZE, "%ldd%02ldh", t / 86400,
			 t / 3600 % 24);
}

static void print_bytes(double bytes, char ret[CELL_SIZE])
{
	static const char unit[] = "KMGTP";
	double n = bytes / 1024;
	int i = 0;

	for (; n >= 999.5 && unit[i + 1]; i++)
		n /= 1024;
	snprintf(ret, CELL_SIZE, n < 9.95 ? "%.1f%c" : "%.0f%c", n, unit[i]);
}

static void print_percent(double n, char ret[CELL_SIZE])
{
	snprintf(ret, CELL_SIZE, "%.1f", fmin(n, 999.9));
}

/* Four digits that say something */
static void print_number(double n, char ret[CELL_SIZE])
{
	snprintf(ret, CELL_SIZE, "%.4g", n);
}

static void print_times(double n, char ret[CELL_SIZE])
{
	snprintf(ret, CELL_SIZE, "%.1fx", fmin(n, 999));
}

/* --- what they are --- */

static double rank_of(const struct rank_view *r)
{
	return r->rank;
}

static double node_of(const struct rank_view *r)
{
	return r->node;
}

static double state_of(const struct rank_view *r)
{
	return r->state;
}

static double pid_of(const struct rank_view *r)
{
	return (double)r->pid;
}

static double up_of(const struct rank_view *r)
{
	return r->up_s;
}

/* In a first look the mean is all there is. */
static double cpu_of(const struct rank_view *r)
{
	return isnan(r->cpu) ? r->cpu_mean : r->cpu;
}

static double memory_of(const struct rank_view *r)
{
	return r->memory;
}

static double device_memory_of(const struct rank_view *r)
{
	return r->device_used;
}

static double device_use_of(const struct rank_view *r)
{
	return r->device_use;
}

static double quiet_of(const struct rank_view *r)
{
	return r->quiet_s;
}

static double percent_of(const struct rank_view *r)
{
	return r->percent;
}

static double remaining_of(const struct rank_view *r)
{
	return r->remaining_s;
}

static double step_of(const struct rank_view *r)
{
	return r->step;
}

static double rate_of(const struct rank_view *r)
{
	return r->rate;
}

static double loss_of(const struct rank_view *r)
{
	return r->loss;
}

static double slower_of(const struct rank_view *r)
{
	return is_slow(r->slower) ? r->slower : NAN;
}

static double nprocs_of(const struct rank_view *r)
{
	return r->nprocs;
}

/* clang-format off */
const struct column columns[COLUMNS] = {
	[COLUMN_RANK] = {"RANK", "rank", 4, rank_of, print_whole},
	[COLUMN_NODE] = {"NODE", "its node", 5, node_of, NULL},
	[COLUMN_STATE] = {"S", "state as in ps: R runs, S waits, D waits for a "
			       "disk or a driver, T is stopped, Z or E has "
			       "ended", 1, state_of, print_state},
	[COLUMN_UP] = {"UP", "time since its start", 7, up_of, print_time},
	[COLUMN_CPU] = {"CPU%", "CPU of it and what it has started", 4, cpu_of,
			print_whole},
	[COLUMN_MEMORY] = {"MEM", "resident memory of these", 4, memory_of,
			   print_bytes},
	[COLUMN_DEVICE_MEMORY] = {"DMEM", "memory in use on its devices", 4,
				  device_memory_of, print_bytes},
	[COLUMN_DEVICE_USE] = {"DEV%", "use of its devices", 4, device_use_of,
			       print_whole},
	[COLUMN_QUIET] = {"QUIET", "time since its last output; ~: since its "
				   "last write to anything", 6, quiet_of,
			  print_time},
	[COLUMN_PERCENT] = {"DONE%", "progress that it reports", 5, percent_of,
			    print_percent},
	[COLUMN_REMAINING] = {"LEFT", "time that it still needs", 7,
			      remaining_of, print_time},
	[COLUMN_STEP] = {"STEP", "its step", 6, step_of, print_whole},
	[COLUMN_RATE] = {"STEP/S", "steps a second", 6, rate_of, print_number},
	[COLUMN_LOSS] = {"LOSS", "its loss", 6, loss_of, print_number},
	[COLUMN_SLOWER] = {"SLOW", "so many times slower than the median", 5,
			   slower_of, print_times},
	[COLUMN_NPROCS] = {"PROCS", "processes that it has", 5, nprocs_of,
			   print_whole},
	[COLUMN_PID] = {"PID", "its process id", 7, pid_of, print_whole},
};
/* clang-format on */

bool column_is_known(const struct step_view *view, unsigned column)
{
	if (column < COLUMN_DEVICE_MEMORY)
		return true;
	for (unsigned i = 0; i < view->nranks; i++)
		if (!isnan(columns[column].value(&view->rank[i])))
			return true;
	return false;
}
