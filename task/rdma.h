/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_TASK_RDMA_H
#define DT_TASK_RDMA_H

#include "core/base/err.h"

/* In a task: the RDMA ports of this node as UCX names them, "mlx5_0:1,..." in
 * the order of their names, to be freed; NULL when the kernel shows none. Fails
 * when memory is short. */
int rdma_ports(char **ret, struct err *err);

#endif
