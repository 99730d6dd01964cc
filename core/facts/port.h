/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which port a coordinator uses: the same for every rank, without a word
 * between them.
 */
#pragma once

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

/* The ports from min to max, without the `ntaken` from `taken` on. */
struct port_range {
	unsigned min, max, taken, ntaken;
};

/* Take those away that slurmctld reserves for steps, by MpiParams of
 * slurm.conf ("ports=21000-21999", or NULL): each may become a coordinator's on
 * any node. If the range has no others, it stays as it is. */
void port_range_spare_slurms(struct port_range *range, const char *mpi_params);

/* The try-th port at which a step's launchers may meet: half the range away
 * from where coordinators are derived. 0 when there are no more tries. */
unsigned port_of_launchers(unsigned long job_id, unsigned long step_id,
			   unsigned restart, const struct port_range *range,
			   unsigned try);

/* The try-th port at which what is beside an srun may listen; 0 when there are
 * no more. */
unsigned port_beside_srun(unsigned pid, const struct port_range *range,
			  unsigned try);
