/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which port a coordinator uses: the same for every rank, without a word
 * between them.
 */
#ifndef DT_CORE_FACTS_PORT_H
#define DT_CORE_FACTS_PORT_H

/* The index-th port of Slurm's list, "21000-21002,21007". Returns 0, or -1
 * when the list is malformed or shorter. */
int port_reserved(const char *list, unsigned index, unsigned *ret);

/* How many ports the list has; 0 when it is malformed. */
unsigned port_reserved_count(const char *list);

/* The first of `width` ports in [min, max], which has as many, for a step.
 * Blocks of one width are the same or don't meet; those of steps of one job
 * differ as long as fewer than 61 follow each other, and so do those of jobs
 * whose ids are near, while there are more blocks than that. */
unsigned port_derived(unsigned long job_id, unsigned long step_id,
		      unsigned restart, unsigned width, unsigned min,
		      unsigned max);

/* The first of a step's 32 ports in [min, max], for libraries that take a
 * block: three quarters of the range away from where coordinators are derived.
 * 0 when the range is too small. */
unsigned port_block(unsigned long job_id, unsigned long step_id, unsigned min,
		    unsigned max);

/* The step's port in [min, max] at which a node's processes answer who asks
 * for the state of their communication: a quarter of the range away from where
 * coordinators are derived. */
unsigned port_of_recorders(unsigned long job_id, unsigned long step_id,
			   unsigned restart, unsigned min, unsigned max);

/* How many ports the launchers of a step try at most. */
#define LAUNCHERS_TRIES 8

/* The try-th port in [min, max] at which a step's launchers may meet: half the
 * range away from where coordinators are derived, and none of the `ntaken`
 * from `taken` on. 0 when there are no more tries. */
unsigned port_of_launchers(unsigned long job_id, unsigned long step_id,
			   unsigned restart, unsigned min, unsigned max,
			   unsigned taken, unsigned ntaken, unsigned try);

/* The try-th port in [min, max], Slurm's range for srun, at which what is
 * beside that srun may listen; 0 when there are no more. */
unsigned port_beside_srun(unsigned pid, unsigned min, unsigned max,
			  unsigned try);

#endif
