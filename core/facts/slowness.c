/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/slowness.h"

#include "core/base/err.h"

#include <stdlib.h>

#define LEAST	    3 /* that report: of two nobody is in the middle */
#define SLOW_FACTOR 1.2
#define SHARE_LEAST 0.01 /* of a step: what is shorter isn't measured */

/* NAN is equal to nothing. */
static bool is_known(double number)
{
	return number == number;
}

static double own_rate(const struct pace_report *r)
{
	return r->rate > 0 ? r->rate : (double)__builtin_nan("");
}

static double own_busy(const struct pace_report *r)
{
	return r->busy >= 0 && r->busy <= 100 ? r->busy
					      : (double)__builtin_nan("");
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The number of those that tell it; the median is set where that are enough. */
static unsigned median(const struct pace_report *report, unsigned n,
		       double (*of)(const struct pace_report *report),
		       double *ret)
{
	cleanup_free double *all = calloc((size_t)n + 1, sizeof(*all));
	unsigned known = 0;

	*ret = (double)__builtin_nan("");
	for (unsigned i = 0; all && i < n; i++)
		if (is_known(of(&report[i])))
			all[known++] = of(&report[i]);
	if (known < LEAST)
		return known;
	qsort(all, known, sizeof(*all), compare);
	*ret = (all[(known - 1) / 2] + all[known / 2]) / 2;
	return known;
}

static double by_busy(double busy, double middle)
{
	double share = 1 - (busy - middle) / 100;

	return 1 / (share > SHARE_LEAST ? share : SHARE_LEAST);
}

void slowness(const struct pace_report *report, unsigned n, double *ret)
{
	double rate, busy;
	unsigned nrates = median(report, n, own_rate, &rate);
	unsigned nbusy = median(report, n, own_busy, &busy);
	bool all = nbusy >= LEAST && nbusy >= nrates;

	for (unsigned i = 0; i < n; i++)
		ret[i] = !all ? rate / own_rate(&report[i])
			 : is_known(own_busy(&report[i]))
				 ? by_busy(report[i].busy, busy)
				 : (double)__builtin_nan("");
}

bool is_slow(double slower)
{
	return slower >= SLOW_FACTOR;
}
