/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs of this node: what NVIDIA's and AMD's drivers say of them in /proc
 * and /sys, and what NVIDIA's library or nvidia-smi adds. Runs as the job's
 * user; changes nothing.
 *
 * gpu_look()		asks all that there is (gpu_look.c)
 * gpu_faults()		judges one device (gpu_faults.c, pure)
 * gpu_use()		their memory and load at this moment (gpu_nvml.c)
 * gpu_nvidia.c, gpu_nvml.c, nvidia_smi.c, gpu_amd.c	the sources
 */
#pragma once

#include <stdbool.h>

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

/* The two drivers, one file each, and the library of NVIDIA's: the inside of
 * gpu_look(). */

/* Add what the files of the driver below `root` say. */
void gpu_nvidia_files(const char *root, struct gpus *gpus);
void gpu_amd_files(const char *root, struct gpus *gpus);

/* Ask the library of NVIDIA's driver for at most limit_ms, and add what it says
 * of the devices that are in *gpus. Why it said nothing goes into gpus->note.
 * -1, with *gpus untouched: there is no such library here. */
int gpu_nvml(const char *root, int limit_ms, struct gpus *gpus);

/* What the GPUs of this node are used for at this moment: NVIDIA's, by the
 * library of the driver. */

struct gpu_use {
	char uuid[96]; /* "GPU-..."; "" where it isn't told, as a number is -1
			*/
	long used_mib, size_mib; /* of its memory, by whomever */
	int percent; /* of the last second or less in which it worked */
};

/* Those that this process may use, in the library's order. The library has its
 * device files below `root` ("" but in tests). It may block for ever: call it
 * in a child. Returns how many, or -1: there is no such library here, or it
 * doesn't work. */
int gpu_use(const char *root, struct gpu_use ret[GPUS_MAX]);

/* Which of the n is meant by a word of CUDA_VISIBLE_DEVICES, a number or a UUID
 * (or its beginning); -1: none. */
int gpu_use_find(const struct gpu_use *use, int n, const char *word);

/*
 * What nvidia-smi says, read. It is asked for CSV, the form that NVIDIA keeps
 * stable; the inside of gpu_look().
 */

/* Ask the program `path` for all that it knows of the devices, for at most
 * limit_ms, and add it to *gpus; devices that it alone knows are added. Why it
 * said nothing, or less, goes into gpus->note. */
void nvidia_smi_ask(const char *path, int limit_ms, struct gpus *gpus);

/* One of its tables, pure: 0 the devices, 1 their memory rows, 2 the fabric
 * with what the driver recommends, 3 the fabric alone. False, with the reason
 * in gpus->note, when the text isn't one. */
bool nvidia_smi_read(unsigned table, char *text, struct gpus *gpus);

/* The device of that address, in any of its forms ("00000000:3B:00.0"), made
 * when `add`; NULL: there is none, or no room. */
struct gpu *nvidia_gpu_of(struct gpus *gpus, const char *bus, bool add);
