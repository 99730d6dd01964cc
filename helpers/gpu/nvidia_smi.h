/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nvidia-smi says, read. It is asked for CSV, the form that NVIDIA keeps
 * stable; the inside of gpu_look().
 */
#ifndef DT_HELPERS_GPU_NVIDIA_SMI_H
#define DT_HELPERS_GPU_NVIDIA_SMI_H

#include "helpers/gpu/gpu.h"

#include <stdbool.h>

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

#endif
