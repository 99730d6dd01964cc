/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By which names a process finds where it may report how far it is (key
 * metrics): the variables and paths that the launcher gives and that
 * dist-train-metrics serves (doc/design/helpers-metrics.md).
 */
#ifndef DT_CORE_FACTS_METRICS_WORDS_H
#define DT_CORE_FACTS_METRICS_WORDS_H

/* A file of its own. */
#define METRICS_FILE_VARIABLE "DIST_TRAIN_PROGRESS_FILE"

/* Kubeflow Trainer's, which Hugging Face's Trainer finds by itself: the address
 * of the endpoint, and files with its certificate and the token. */
#define METRICS_URL_VARIABLE   "KUBEFLOW_TRAINER_SERVER_URL"
#define METRICS_CERT_VARIABLE  "KUBEFLOW_TRAINER_SERVER_CA_CERT"
#define METRICS_TOKEN_VARIABLE "KUBEFLOW_TRAINER_SERVER_TOKEN"

/* Only a launcher's own processes have to reach it. */
#define METRICS_ADDR "127.0.0.1"

/* Around the rank, in the form that Kubeflow Trainer's paths have. */
#define METRICS_PATH_HEAD                                                      \
	"/apis/trainer.kubeflow.org/v1alpha1/namespaces/dist-train/"           \
	"trainjobs/rank-"
#define METRICS_PATH_TAIL "/status"

/* A report's names: letters, digits and these, so many bytes with a NUL. */
#define METRICS_NAME_MORE "_.-/"
#define METRICS_NAME_MAX  48

/* Those that the endpoint's own figures have. */
#define METRICS_PERCENT	  "percent"
#define METRICS_REMAINING "remaining"

#endif
