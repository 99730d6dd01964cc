/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TensorFlow with parameter servers: ParameterServerStrategy of TensorFlow 2
 * (chief, workers and ps), estimators and the between-graph replication of
 * TensorFlow 1.
 */
#include "frameworks/shared.h"

enum { PS, WORKERS, CHIEF, EVALUATOR, SERVER, NKEYS };
enum { SERVER_OWN, SERVER_STOCK };

/* clang-format off */
static const struct option_key keys[NKEYS + 1] = {
	[PS] = {
		.name = "ps", .words = "auto", .value = "N",
		.kind = KIND_NUMBER, .min = 0, .max = OPTION_COUNT_MAX,
		.meaning = "number of parameter servers (tf-ps)",
	},
	[WORKERS] = {
		.name = "workers", .words = "auto", .value = "N",
		.kind = KIND_NUMBER, .min = 1, .max = OPTION_COUNT_MAX,
		.meaning = "number of workers (tf-ps)",
	},
	[CHIEF] = {
		.name = "chief", .words = "", .value = "N",
		.kind = KIND_NUMBER, .min = 0, .max = 1, .initial = 0,
		.meaning = "number of chiefs (tf-ps)",
	},
	[EVALUATOR] = {
		.name = "evaluator", .words = "", .value = "N",
		.kind = KIND_NUMBER, .min = 0, .max = 1, .initial = 0,
		.meaning = "number of evaluators (tf-ps)",
	},
	[SERVER] = {
		.name = "server", .words = "own stock",
		.meaning = "tf-ps. own: the program runs in every role; "
			   "stock: dist-train runs standard servers, and the "
			   "program runs in the other roles only",
	},
};
/* clang-format on */

static long wished(const struct request *r, enum key_id key)
{
	return request_word(r, key) < 0 ? request_number(r, key) : ROLES_AUTO;
}

static void tf_ps_roles(const struct request *r, struct role_wish *ret)
{
	*ret = (struct role_wish){
		.workers = wished(r, OWN_KEY(WORKERS)),
		.ps = wished(r, OWN_KEY(PS)),
		.chief = (unsigned)request_number(r, OWN_KEY(CHIEF)),
		.evaluator = (unsigned)request_number(r, OWN_KEY(EVALUATOR)),
	};
}

/* A chief controls the other processes, so it must know all of them. */
static int tf_ps_env(const struct plan *plan, const struct process *p,
		     struct envset *set, struct err *err)
{
	bool sparse = !plan->roles.chief;

	/* Calls fail while a server is down, instead of waiting for it: what
	 * ParameterServerStrategy's own documentation sets. */
	if (envset_add(set, ENV_HINT, "tf-ps", err, "GRPC_FAIL_FAST",
		       "use_caller") < 0)
		return -1;
	return tf_config_add(plan, p, sparse, set, err);
}

static bool has_servers(const struct request *r)
{
	return request_word(r, OWN_KEY(SERVER)) == SERVER_STOCK;
}

static const char *tf_ps_launcher_why(const struct request *r)
{
	return has_servers(r) ? "server=stock" : NULL;
}

/* With server=stock: the chief runs the program if there is one, else all
 * workers do. */
static const char *tf_ps_server(const struct plan *plan,
				const struct process *p)
{
	return p->service && has_servers(plan->request) ? "dist-train-tf-server"
							: NULL;
}

const struct framework framework_tf_ps = {
	.name = "tf-ps",
	.summary = "TensorFlow with parameter servers: TF_CONFIG with chief, "
		   "worker and ps",
	.tested = "TensorFlow 2.21.0 on CPUs",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC | NEEDS_PROCMAP,
	.keys = keys,
	.role = ROLE_WORKER,
	.takes_all = true,
	.roles = tf_ps_roles,
	.launcher_why = tf_ps_launcher_why,
	.env = tf_ps_env,
	.server = tf_ps_server,
};
