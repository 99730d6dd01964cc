/* SPDX-License-Identifier: Apache-2.0 */
/* What the GPUs of this node are used for at this moment: NVIDIA's, by the
 * library of the driver. */
#ifndef DT_HELPERS_GPU_GPU_USE_H
#define DT_HELPERS_GPU_GPU_USE_H

#include "helpers/gpu/gpu.h"

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

#endif
