/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/port.h"

#include "core/base/parse.h"

#include <string.h>

#define PORT_MAX 65535

/* Distance in ports between consecutive jobs, and between requeues of a job. */
#define JOB_STRIDE     61
#define RESTART_STRIDE 7

/* The distance between the ports that the launchers try. */
#define LAUNCHERS_STRIDE 17

/* Ports per block, and how many blocks a range must have so that blocks are
 * used. */
#define BLOCK	   32
#define MIN_BLOCKS 16

int port_reserved(const char *list, unsigned index, unsigned *ret)
{
	while (*list) {
		unsigned first, last;

		if (parse_range(&list, PORT_MAX, &first, &last) < 0 || !first)
			return -1;
		if (index <= last - first) {
			*ret = first + index;
			return 0;
		}
		index -= last - first + 1;
	}
	return -1;
}

unsigned port_reserved_count(const char *list)
{
	unsigned n = 0, port;

	while (port_reserved(list, n, &port) == 0)
		n++;
	return n;
}

unsigned port_derived(unsigned long job_id, unsigned long step_id,
		      unsigned restart, unsigned width, unsigned min,
		      unsigned max)
{
	unsigned long span = (max - min + 1) / width;
	unsigned long n = job_id % span * JOB_STRIDE + step_id % span +
			  restart % span * RESTART_STRIDE;

	return min + (unsigned)(n % span) * width;
}

unsigned port_block(unsigned long job_id, unsigned long step_id, unsigned min,
		    unsigned max)
{
	unsigned blocks = (max - min + 1) / BLOCK;
	unsigned first;

	if (blocks < MIN_BLOCKS)
		return 0;
	first = port_derived(job_id, step_id, 0, 1, 0, blocks - 1);
	return min + (first + blocks * 3 / 4) % blocks * BLOCK;
}

unsigned port_of_recorders(unsigned long job_id, unsigned long step_id,
			   unsigned restart, unsigned min, unsigned max)
{
	unsigned span = max - min + 1;
	unsigned first =
		port_derived(job_id, step_id, restart, 1, min, max) - min;

	return min + (first + span / 4) % span;
}

void port_range_spare_slurms(struct port_range *range, const char *mpi_params)
{
	const char *ports = mpi_params ? strstr(mpi_params, "ports=") : NULL;
	unsigned first, last;

	if (ports)
		ports += strlen("ports=");
	if (!ports || parse_range(&ports, PORT_MAX, &first, &last) < 0 ||
	    (first <= range->min && last >= range->max))
		return;
	range->taken = first;
	range->ntaken = last - first + 1;
}

/* From `first` of the range on, in steps of `stride`; 0: there are fewer. */
static unsigned nth_port(const struct port_range *range, unsigned first,
			 unsigned stride, unsigned n)
{
	unsigned span = range->max - range->min + 1;

	for (unsigned k = 0; k < span; k++) {
		unsigned port = range->min + (first + k * stride) % span;

		if (port - range->taken >= range->ntaken && n-- == 0)
			return port;
	}
	return 0;
}

unsigned port_of_launchers(unsigned long job_id, unsigned long step_id,
			   unsigned restart, const struct port_range *range,
			   unsigned try)
{
	unsigned span = range->max - range->min + 1;
	unsigned first = port_derived(job_id, step_id, restart, 1, 0, span - 1);
	/* in a small range the usual stride would return to the same port */
	unsigned stride = span > LAUNCHERS_TRIES * LAUNCHERS_STRIDE
				  ? LAUNCHERS_STRIDE
				  : 1;

	if (try >= LAUNCHERS_TRIES)
		return 0;
	return nth_port(range, first + span / 2, stride, try);
}

unsigned port_beside_srun(unsigned pid, const struct port_range *range,
			  unsigned try)
{
	return nth_port(range, pid % (range->max - range->min + 1), 1, try);
}
