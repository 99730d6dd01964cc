/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs of this node: what NVIDIA's and AMD's drivers say of them in /proc
 * and /sys, and what NVIDIA's library or nvidia-smi adds. Runs as the job's
 * user; changes nothing.
 *
 * gpu_look()		asks all that there is (gpu_look.c)
 * gpu_faults()		judges one device (gpu_faults.c, pure)
 * gpu_use()		their memory and load at this moment (gpu_use.h)
 * gpu_nvidia.c, gpu_nvml.c, nvidia_smi.h, gpu_amd.c	the sources
 */
#ifndef DT_HELPERS_GPU_GPU_H
#define DT_HELPERS_GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>

#define GPUS_MAX      64
#define GPU_TEXT_SIZE 64

enum gpu_maker { GPU_NONE, GPU_NVIDIA, GPU_AMD };

/* A number is -1, a text "", where nobody tells it. */
struct gpu {
	char bus[16]; /* "0000:3b:00.0" */
	char model[GPU_TEXT_SIZE];
	char trouble[GPU_TEXT_SIZE];  /* what the driver says in place of a
					 value: "GPU requires reset" */
	char recovery[GPU_TEXT_SIZE]; /* what it recommends: "Node Reboot" */
	char fabric[GPU_TEXT_SIZE];   /* NVLink: "Completed, Success" */
	char domain[GPU_TEXT_SIZE];   /* of NVLink across nodes: the cluster's
					 UUID, '.' and the clique's number */
	long uncorrected; /* memory errors since the driver was loaded */
	int pending;	  /* 1: bad memory is replaced at the next reset */
	int unrepaired;	  /* 1: there is no memory left to replace it */
	int persistent;	  /* 0: the driver forgets the device when unused */
	bool listed;	  /* by the driver's tool, which sees only those that
			     this process may use */
};

struct gpus {
	enum gpu_maker maker;
	char driver[32]; /* its version; "": it isn't loaded */
	bool open;	 /* NVIDIA's open kernel modules */
	bool asked;	 /* its tool has answered: the numbers are known */
	bool switches;	 /* the node has NVSwitches */
	bool manager;	 /* nv-fabricmanager runs, as far as one can see */
	bool denied;	 /* this user may not open the devices */
	unsigned on_bus; /* devices on the PCI bus */
	unsigned n;	 /* that the driver knows */
	struct gpu gpu[GPUS_MAX];
	char note[256]; /* what couldn't be seen, and why; or "" */
};

/* All of it, from below the folder `root` ("" but in tests). Blocks at most
 * limit_ms in the tools, and as long as the driver in its files: call it in a
 * child. A node without GPUs has maker GPU_NONE. */
void gpu_look(const char *root, int limit_ms, struct gpus *ret);

/* The name of a maker: "NVIDIA". */
const char *gpu_maker_name(enum gpu_maker maker);

/* What can be wrong with a device. */
enum gpu_fault {
	GPU_FAULT_LOST,	       /* the driver can't talk to it */
	GPU_FAULT_RECOVERY,    /* the driver wants a reset or a reboot */
	GPU_FAULT_UNREPAIRED,  /* memory that can't be replaced any more */
	GPU_FAULT_FABRIC,      /* not in the NVLink fabric */
	GPU_FAULT_UNCORRECTED, /* memory errors */
	GPU_FAULT_PENDING,     /* a reset would replace bad memory */
	GPU_FAULTS,
};

/* A word for it, as in "uncorrected"; and the fault of a word, or GPU_FAULTS.
 */
const char *gpu_fault_name(enum gpu_fault fault);
enum gpu_fault gpu_fault_find(const char *name);

/* Whether a job would fail on it. */
bool gpu_fault_condemns(enum gpu_fault fault);

/* Call `found` for each fault of the device, with a text such as "3 uncorrected
 * memory errors since the driver was loaded". */
void gpu_faults(const struct gpu *gpu,
		void (*found)(void *arg, enum gpu_fault fault,
			      const char *text),
		void *arg);

#endif
