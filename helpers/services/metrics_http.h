/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The endpoint of Kubeflow Trainer's status protocol
 * (kubeflow/trainer pkg/statusserver): POST of a trainerStatus to the path of a
 * rank (core/facts/handover.h) over TLS, with the step's token in
 * "Authorization: Bearer". 200 is what clients wait for; what is wrong is
 * answered with its reason, in the form that Kubernetes has for it.
 *
 * The newest report of each rank is written as a line, "RANK WORDS"
 * (helpers/metrics/progress_report.h). One that comes within METRICS_PAUSE_MS
 * of the last one waits, and gives way to the next: however many come, the
 * reader has ten lines of each rank in a second at most.
 */
#pragma once

#include "core/base/err.h"

#include <stddef.h>

#define METRICS_PAUSE_MS    100
#define METRICS_BODY_MAX    (64 * 1024) /* as Kubeflow has it */
#define METRICS_CONNECTIONS 256

struct metrics_http;

struct metrics_http_options {
	int listen_fd, out_fd; /* borrowed until the end; out_fd doesn't block
				*/
	unsigned first, n;     /* the ranks that may report */
	const char *token, *cert, *key; /* PEM */
};

/* Returns 0 or -1; *ret is freed with metrics_http_stop(). */
int metrics_http_start(const struct metrics_http_options *options,
		       struct metrics_http **ret, struct err *err);

/* Serve in this thread until the other end of the pipe `fd` is closed. */
void metrics_http_run(struct metrics_http *http, int fd);

/* NULL is allowed. */
void metrics_http_stop(struct metrics_http *http);

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

/* The line of a report, "percent=37 remaining=120 loss=1.2"; "" for one without
 * a trainerStatus, which is none. A metric whose value is no number isn't in
 * it, and neither are those for which there is no room. Transformers' names
 * of the step become "step". Fails when the text is no such JSON. */
int trainer_status_line(const char *json, char *line, size_t size,
			struct err *err);
