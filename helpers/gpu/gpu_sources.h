/* SPDX-License-Identifier: Apache-2.0 */
/* The two drivers, one file each, and the library of NVIDIA's: the inside of
 * gpu_look(). */
#ifndef DT_HELPERS_GPU_GPU_SOURCES_H
#define DT_HELPERS_GPU_GPU_SOURCES_H

#include "helpers/gpu/gpu.h"

/* Add what the files of the driver below `root` say. */
void gpu_nvidia_files(const char *root, struct gpus *gpus);
void gpu_amd_files(const char *root, struct gpus *gpus);

/* Ask the library of NVIDIA's driver for at most limit_ms, and add what it says
 * of the devices that are in *gpus. Why it said nothing goes into gpus->note.
 * -1, with *gpus untouched: there is no such library here. */
int gpu_nvml(const char *root, int limit_ms, struct gpus *gpus);

/* Call `visit` with each name of a folder below `root`, in no order. */
void gpu_each_name(const char *root, const char *folder,
		   void (*visit)(void *arg, const char *root, const char *name),
		   void *arg);

#endif
