/* SPDX-License-Identifier: Apache-2.0 */
/* The ports of srun: those that slurm.conf allows it (SrunPortRange). */
#ifndef DT_SPANK_SRUN_SRUN_LISTEN_H
#define DT_SPANK_SRUN_SRUN_LISTEN_H

/* Ports in the order in which they are tried; 0: no more. */
struct srun_ports {
	unsigned (*port)(const void *arg, unsigned try);
	const void *arg;
};

/* A listening socket at the first port of SrunPortRange that is free, from one
 * that is derived from our pid on; without a range at one of `ports`, or at any
 * (NULL). Returns the descriptor, or -1 with errno. */
int srun_listen(const struct srun_ports *ports, int backlog,
		unsigned *ret_port);

#endif
