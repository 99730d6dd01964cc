/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/parse.h"
#include "helpers/gpu/gpu.h"

#include <string.h>

int gpu_use_find(const struct gpu_use *use, int n, const char *word)
{
	long index;

	if (parse_number(word, 0, n - 1, &index) == 0)
		return (int)index;
	for (int i = 0; i < n && strlen(word) > strlen("GPU-"); i++)
		if (!strncmp(use[i].uuid, word, strlen(word)))
			return i;
	return -1;
}
