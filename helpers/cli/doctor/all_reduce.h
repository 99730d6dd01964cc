/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train doctor --all-reduce`: a step of the job's own PyTorch that
 * measures (dist-train-all-reduce), what it says, and what that means.
 *
 * doctor_srun.c	starts the step (on the host)
 * all_reduce_read.c	its line of JSON, into the struct
 * all_reduce_judge.c	the findings, pure
 * all_reduce_show.c	the figures as text and JSON, those of --pairs, too
 *
 * Rates are bytes per second. The bus bandwidth is that of nccl-tests: the
 * bytes of the all-reduce by its time, times 2 (n - 1) / n.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/cli/doctor/doctor.h"

#define ALL_REDUCE_MARK	    "dist-train-all-reduce"
#define ALL_REDUCE_SIZES    16
#define ALL_REDUCE_NETWORKS 4

struct all_reduce_size {
	double bytes, seconds, bus_rate;
};

/* Two nodes, by their numbers in struct doctor; the rate is in one direction
 * while both send, of all devices of a node together; 0: none is known. */
struct all_reduce_pair {
	unsigned node[2];
	double rate;
};

/* A network that ranks took between nodes. */
struct all_reduce_network {
	char name[32]; /* NCCL's "IB" or "Socket"; "gloo", "hccl" */
	unsigned nranks;
	unsigned nchannels, ndirect; /* NCCL's, and those with GPUDirect RDMA */
	char devices[204];	     /* "[0]mlx5_0:1/IB ..." */
};

struct all_reduce {
	char error[300]; /* why nothing was measured, or "" */
	char backend[16], torch[40];
	unsigned world_size, nrounds;
	unsigned nsizes, nnetworks;
	struct all_reduce_size size[ALL_REDUCE_SIZES];
	struct all_reduce_network network[ALL_REDUCE_NETWORKS];
	size_t npairs;
	struct all_reduce_pair *pair; /* freed by all_reduce_clear() */
};

/* Run the step on the nodes of the host list and read what it says. A step that
 * goes wrong is no failure of this: the error is in *ret. Fails when out of
 * memory or when no srun can be started. Blocks up to the time limit and some
 * seconds. */
int all_reduce_run(const struct doctor_options *options, const char *nodes,
		   const struct doctor *doctor, struct all_reduce *ret,
		   struct err *err);
void all_reduce_clear(struct all_reduce *all_reduce);

/* Read all that the step has printed. Fails only when out of memory. */
int all_reduce_read(const char *output, const struct doctor *doctor,
		    struct all_reduce *ret, struct err *err);

/* Add its findings. Fails when out of memory. */
int all_reduce_judge(struct doctor *doctor, const struct all_reduce *all_reduce,
		     struct err *err);

/* What --pairs has measured: pairs alone. Fails when out of memory. */
int all_reduce_from_pairs(const struct doctor *doctor, struct all_reduce *ret,
			  struct err *err);

/* The rate in the middle of all pairs; 0: there is none. */
double all_reduce_median(const struct all_reduce *all_reduce);

/* The figures: as text, which fails when out of memory, and as members of
 * doctor's object. */
int all_reduce_print(const struct doctor *doctor,
		     const struct all_reduce *all_reduce, struct err *err);
struct json;
void all_reduce_json(struct json *j, const struct doctor *doctor,
		     const struct all_reduce *all_reduce);
void all_reduce_json_pairs(struct json *j, const struct doctor *doctor,
			   const struct all_reduce *all_reduce);
