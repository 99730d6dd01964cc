/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file in which PyTorch leaves a worker's exception, when its program uses
 * torch.distributed.elastic's @record: torch/distributed/elastic/
 * multiprocessing/errors/error_handler.py, of 1.13 to 2.14.
 */
#ifndef DT_HELPERS_FILES_ERROR_FILE_H
#define DT_HELPERS_FILES_ERROR_FILE_H

#include <limits.h>
#include <stddef.h>

/* Where the process of that rank may leave it, in the folder `dir`: each round
 * has a file of its own. Returns buf. */
#define ERROR_FILE_SIZE (PATH_MAX + 32)
const char *error_file_path(const char *dir, unsigned rank, unsigned round,
			    char buf[ERROR_FILE_SIZE]);

/* "RuntimeError: what it said" on one line, cut to `size`, with bytes that
 * don't print as '?'; "" when there is no such file or it says nothing. Returns
 * buf. */
const char *error_file_read(const char *path, char *buf, size_t size);

#endif
