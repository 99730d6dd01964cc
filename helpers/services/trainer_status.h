/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report as Kubeflow Trainer's status protocol has it
 * (UpdateTrainJobStatusRequest in kubeflow/trainer's trainjob_types.go):
 *
 *	{"trainerStatus": {"progressPercentage": 37,
 *	  "estimatedRemainingSeconds": 120,
 *	  "metrics": [{"name": "loss", "value": "1.2"}],
 *	  "lastUpdatedTime": "2026-11-23T10:00:00Z"}}
 *
 * Pure: text in, a line of words out (helpers/metrics/progress_report.h).
 */
#ifndef DT_HELPERS_SERVICES_TRAINER_STATUS_H
#define DT_HELPERS_SERVICES_TRAINER_STATUS_H

#include "core/base/err.h"

#include <stddef.h>

/* The line of a report, "percent=37 remaining=120 loss=1.2"; "" for one without
 * a trainerStatus, which is none. A metric whose value is no number isn't in
 * it, and neither are those for which there is no room. Transformers' names
 * of the step become "step". Fails when the text is no such JSON. */
int trainer_status_line(const char *json, char *line, size_t size,
			struct err *err);

#endif
