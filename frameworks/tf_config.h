/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TF_CONFIG, as TensorFlow's TFConfigClusterResolver reads it: the address of
 * each process by role, and which of them the reader is.
 */
#ifndef DT_FRAMEWORKS_TF_CONFIG_H
#define DT_FRAMEWORKS_TF_CONFIG_H

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/plan/plan.h"

/* Add it to the set. The evaluator is in no cluster, as TensorFlow wants it.
 * Where all processes are more than a variable takes and `sparse` allows it, a
 * worker is told itself and all ps, a ps itself; else fails with the size. */
int tf_config_add(const struct plan *plan, const struct process *process,
		  bool sparse, struct envset *set, struct err *err);

#endif
