/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TensorFlow with parameter servers: ParameterServerStrategy of TensorFlow 2
 * (chief, workers and ps), estimators and the between-graph replication of
 * TensorFlow 1.
 */
#include "core/plan/framework.h"

#include "core/plan/plan.h"
#include "frameworks/tf_config.h"

static long wished(const struct request *r, enum key_id key)
{
	return request_word(r, key) < 0 ? request_number(r, key) : ROLES_AUTO;
}

static void tf_ps_roles(const struct request *r, struct role_wish *ret)
{
	*ret = (struct role_wish){
		.workers = wished(r, KEY_WORKERS),
		.ps = wished(r, KEY_PS),
		.chief = (unsigned)request_number(r, KEY_CHIEF),
		.evaluator = (unsigned)request_number(r, KEY_EVALUATOR),
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

/* With server=stock: the chief runs the program if there is one, else all
 * workers do. */
static const char *tf_ps_server(const struct plan *plan,
				const struct process *p)
{
	if (request_word(plan->request, KEY_SERVER) != SERVER_STOCK ||
	    !p->service)
		return NULL;
	return "dist-train-tf-server";
}

const struct framework framework_tf_ps = {
	.name = "tf-ps",
	.summary = "TensorFlow with parameter servers: TF_CONFIG with chief, "
		   "worker and ps",
	.tested = "TensorFlow 2.21.0 on CPUs",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC | NEEDS_PROCMAP,
	.keys = KEYS_OF_ROLES,
	.role = ROLE_WORKER,
	.takes_all = true,
	.roles = tf_ps_roles,
	.env = tf_ps_env,
	.server = tf_ps_server,
};
