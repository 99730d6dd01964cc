/* SPDX-License-Identifier: Apache-2.0 */
/* What a process gets: process_env() and the frameworks. */
#include "core/plan/framework.h"

#include "core/env/process_env.h"
#include "core/plan/plan.h"
#include "registry/registry.h"
#include "tests/fixtures/job_fixture.h"

struct step {
	struct config config;
	struct request request;
	struct job job;
	struct plan plan;
	struct envset set;
};

/* The environment of the index-th process of the task that `f` describes. */
static void make(struct step *s, const char *text, struct facts *f,
		 unsigned index)
{
	struct process p;
	struct err err;

	memset(s, 0, sizeof(*s));
	if (config_parse(0, NULL, &s->config, &err) < 0 ||
	    request_parse(text, NULL, NULL, &s->request, &err) < 0 ||
	    job_read(facts_lookup, f, false, &s->job, &err) < 0 ||
	    plan_make(&s->request, &s->config, &s->job, &s->plan, &err) < 0 ||
	    plan_process(&s->plan, index, &p, &err) < 0 ||
	    process_env(&s->plan, &p, &s->set, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static void clear(struct step *s)
{
	envset_clear(&s->set);
	request_clear(&s->request);
	config_clear(&s->config);
	job_clear(&s->job);
}

struct expected {
	const char *name, *value; /* value NULL: unset; "-": not there */
	enum env_kind kind;
};

static void check(const struct step *s, const struct expected *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct env_entry *found = envset_find(&s->set, e[i].name);

		if (e[i].value && !strcmp(e[i].value, "-")) {
			assert_case(e[i].name, !found);
			continue;
		}
		assert_case(e[i].name, found);
		assert_case(e[i].name, found->kind == e[i].kind);
		assert_case(e[i].name, *found->source);
		assert_case(e[i].name, !found->value == !e[i].value);
		if (e[i].value && strcmp(found->value, e[i].value) != 0)
			fail_msg("%s is %s, not %s", e[i].name, found->value,
				 e[i].value);
	}
}

#define CHECK(s, ...)                                                          \
	check(s, (const struct expected[]){__VA_ARGS__},                       \
	      sizeof((const struct expected[]){__VA_ARGS__}) /                 \
		      sizeof(struct expected))

/* The second of two tasks on the second node, with the device Slurm bound. */
static struct facts second_task(void)
{
	struct facts f = facts_task(4, 2, 3, 1, 1, "2,3");

	facts_handover(&f);
	facts_set(&f, "SLURM_DIST_TRAIN_NIC", "ib0");
	facts_set(&f, "SLURM_RESTART_COUNT", "1");
	facts_set(&f, "SLURM_STEP_RESV_PORTS", "21000");
	facts_set(&f, "SLURM_DIST_TRAIN_VISIBLE", "CUDA_VISIBLE_DEVICES=0,1");
	facts_set(&f, "CUDA_VISIBLE_DEVICES", "1");
	return f;
}

static void ddp_task_mode(void **state)
{
	struct facts f = second_task();
	struct step s;

	(void)state;
	make(&s, "ddp", &f, 0);
	CHECK(&s, {"RANK", "3", ENV_WORLD}, {"WORLD_SIZE", "4", ENV_WORLD},
	      {"LOCAL_RANK", "1", ENV_FACT},
	      {"LOCAL_WORLD_SIZE", "2", ENV_FACT},
	      {"GROUP_RANK", "1", ENV_FACT},
	      {"MASTER_ADDR", "10.0.0.1", ENV_FACT},
	      {"MASTER_PORT", "21000", ENV_FACT},
	      {"NCCL_SOCKET_IFNAME", NULL, ENV_HINT},
	      {"HCCL_SOCKET_IFNAME", "=ib0", ENV_HINT},
	      {"GLOO_SOCKET_IFNAME", "ib0", ENV_HINT},
	      {"TP_SOCKET_IFNAME", "ib0", ENV_HINT},
	      {"GROUP_WORLD_SIZE", "2", ENV_HINT}, {"ROLE_RANK", "3", ENV_HINT},
	      {"ROLE_WORLD_SIZE", "4", ENV_HINT},
	      {"ROLE_NAME", "default", ENV_HINT},
	      {"TORCHELASTIC_RESTART_COUNT", "0", ENV_FACT},
	      {"TORCHELASTIC_MAX_RESTARTS", "0", ENV_FACT},
	      {"TORCHELASTIC_RUN_ID", "-", ENV_HINT},
	      {"TORCHELASTIC_USE_AGENT_STORE", "-", ENV_HINT},
	      {"NODE_RANK", "1", ENV_HINT},
	      {"SLURM_NTASKS_PER_NODE", "2", ENV_HINT},
	      {"SLURM_PROCID", "-", ENV_OURS},
	      {"CUDA_VISIBLE_DEVICES", "-", ENV_OURS});
	assert_string_equal(envset_find(&s.set, "RANK")->source,
			    "SLURM_PROCID");
	clear(&s);
}

static void neutral_names(void **state)
{
	struct facts f = second_task();
	struct step s;

	(void)state;
	make(&s, "env", &f, 0);
	CHECK(&s, {"DIST_TRAIN_FRAMEWORK", "env", ENV_OURS},
	      {"DIST_TRAIN_ROLE", "worker", ENV_OURS},
	      {"DIST_TRAIN_RANK", "3", ENV_OURS},
	      {"DIST_TRAIN_WORLD_SIZE", "4", ENV_OURS},
	      {"DIST_TRAIN_LOCAL_RANK", "1", ENV_OURS},
	      {"DIST_TRAIN_LOCAL_WORLD_SIZE", "2", ENV_OURS},
	      {"DIST_TRAIN_NODE_RANK", "1", ENV_OURS},
	      {"DIST_TRAIN_NNODES", "2", ENV_OURS},
	      {"DIST_TRAIN_MASTER_ADDR", "10.0.0.1", ENV_OURS},
	      {"DIST_TRAIN_MASTER_PORT", "21000", ENV_OURS},
	      {"DIST_TRAIN_DEVICES", "0", ENV_OURS},
	      {"DIST_TRAIN_RESTART", "0", ENV_OURS},
	      {"DIST_TRAIN_STEP", "4711.3.1", ENV_OURS},
	      {"RANK", "-", ENV_FACT});
	clear(&s);
}

static struct facts device_task(const char *procs)
{
	struct facts f = facts_task(2, 2, 1, 0, 1, "1");

	facts_handover(&f);
	facts_set(&f, "SLURM_DIST_TRAIN_PROCS", procs);
	facts_set(&f, "SLURM_DIST_TRAIN_GPUS", "0-3");
	facts_set(&f, "SLURM_DIST_TRAIN_VISIBLE",
		  "CUDA_VISIBLE_DEVICES=0,1,2,3");
	facts_set(&f, "CUDA_VISIBLE_DEVICES", "0,1,2,3");
	return f;
}

/* As if Slurm had started each process. */
static void device_mode(void **state)
{
	struct facts f = device_task("4(x2)");
	struct step s;

	(void)state;
	make(&s, "ddp", &f, 2);
	CHECK(&s, {"RANK", "6", ENV_WORLD}, {"WORLD_SIZE", "8", ENV_WORLD},
	      {"LOCAL_RANK", "2", ENV_FACT}, {"GROUP_RANK", "1", ENV_FACT},
	      {"LOCAL_WORLD_SIZE", "4", ENV_FACT},
	      {"SLURM_PROCID", "6", ENV_OURS}, {"SLURM_LOCALID", "2", ENV_OURS},
	      {"SLURM_NTASKS", "8", ENV_OURS}, {"SLURM_NPROCS", "8", ENV_OURS},
	      {"SLURM_STEP_NUM_TASKS", "8", ENV_OURS},
	      {"SLURM_NTASKS_PER_NODE", "4", ENV_OURS},
	      {"SLURM_STEP_TASKS_PER_NODE", "4(x2)", ENV_OURS},
	      {"DIST_TRAIN_DEVICES", "2", ENV_OURS});
	assert_string_equal(envset_find(&s.set, "RANK")->source, "computed");
	clear(&s);
}

static void device_mode_unequal(void **state)
{
	struct facts f = device_task("8,4");
	struct step s;

	(void)state;
	make(&s, "ddp", &f, 3);
	CHECK(&s, {"RANK", "11", ENV_WORLD}, {"WORLD_SIZE", "12", ENV_WORLD},
	      {"SLURM_NTASKS_PER_NODE", NULL, ENV_OURS},
	      {"SLURM_STEP_TASKS_PER_NODE", "8,4", ENV_OURS});
	clear(&s);
}

static void visible_one(void **state)
{
	struct facts f = device_task("4(x2)");
	struct step s;

	(void)state;
	make(&s, "ddp,visible=one,local-rank=device", &f, 3);
	CHECK(&s, {"CUDA_VISIBLE_DEVICES", "3", ENV_OURS},
	      {"DIST_TRAIN_DEVICES", "0", ENV_OURS},
	      {"LOCAL_RANK", "0", ENV_FACT},
	      {"DIST_TRAIN_LOCAL_RANK", "3", ENV_OURS});
	clear(&s);
}

static void torchrun_per_node(const char *text, struct facts *f,
			      const char *workers)
{
	struct step s;

	make(&s, text, f, 0);
	CHECK(&s, {"PET_NNODES", "2", ENV_FACT},
	      {"PET_NPROC_PER_NODE", workers, ENV_HINT},
	      {"PET_NODE_RANK", "1", ENV_WORLD},
	      {"PET_MASTER_ADDR", "10.0.0.1", ENV_FACT},
	      {"RANK", "-", ENV_FACT}, {"WORLD_SIZE", "-", ENV_FACT},
	      {"LOCAL_RANK", "-", ENV_FACT},
	      {"MASTER_ADDR", "10.0.0.1", ENV_HINT}, {"NNODES", "2", ENV_HINT},
	      {"NODE_RANK", "1", ENV_HINT},
	      {"NPROC_PER_NODE", workers, ENV_HINT},
	      {"SLURM_NTASKS_PER_NODE", "-", ENV_HINT},
	      {"SLURM_PROCID", "-", ENV_OURS},
	      {"DIST_TRAIN_ROLE", "launcher", ENV_OURS},
	      {"DIST_TRAIN_DEVICES", "0,1,2,3", ENV_OURS});
	clear(&s);
}

static void torchrun(void **state)
{
	struct facts f = device_task("4(x2)");

	(void)state;
	torchrun_per_node("torchrun", &f, "4");
	torchrun_per_node("torchrun,procs=device", &f, "4");
	torchrun_per_node("torchrun,procs=2", &f, "2");
	torchrun_per_node("torchrun,procs=task", &f, "1");
}

/* What an outer step left must go; the user's own stays (it is a hint). */
static void interfaces(void **state)
{
	struct facts f = second_task();
	struct step s;

	(void)state;
	make(&s, "ddp,nic=eth1", &f, 0);
	CHECK(&s, {"NCCL_SOCKET_IFNAME", "=eth1", ENV_HINT},
	      {"TP_SOCKET_IFNAME", "eth1", ENV_HINT});
	assert_string_equal(envset_find(&s.set, "TP_SOCKET_IFNAME")->source,
			    "key nic");
	clear(&s);
	make(&s, "ddp,nic=off", &f, 0);
	CHECK(&s, {"NCCL_SOCKET_IFNAME", NULL, ENV_HINT},
	      {"HCCL_SOCKET_IFNAME", NULL, ENV_HINT},
	      {"GLOO_SOCKET_IFNAME", NULL, ENV_HINT},
	      {"TP_SOCKET_IFNAME", NULL, ENV_HINT});
	clear(&s);
	facts_unset(&f, "SLURM_DIST_TRAIN_NIC");
	make(&s, "ddp", &f, 0);
	CHECK(&s, {"NCCL_SOCKET_IFNAME", NULL, ENV_HINT});
	clear(&s);
}

/* Open MPI refuses a list of what to take beside one of what to leave out. */
static void users_list_of_what_to_leave(void **state)
{
	static const char *const names[] = {"OMPI_MCA_btl_tcp_if_include",
					    "OMPI_MCA_oob_tcp_if_include"};
	struct facts f = second_task();
	struct step s;

	(void)state;
	make(&s, "mpi,nic=eth1", &f, 0);
	CHECK(&s, {names[0], "eth1", ENV_HINT}, {names[1], "eth1", ENV_HINT});
	facts_set(&f, "OMPI_MCA_btl_tcp_if_exclude", "lo");
	facts_set(&f, "OMPI_MCA_oob_tcp_if_exclude", "lo");
	envset_resolve(&s.set, facts_lookup, &f, false, false);
	for (unsigned i = 0; i < 2; i++)
		assert_case(names[i],
			    !env_entry_applies(envset_find(&s.set, names[i])));
	clear(&s);
}

/* UCX takes both kinds from one list; a device may be without ports. */
static void ports_of_ucx(void **state)
{
	struct facts f = second_task();
	struct step s;

	(void)state;
	facts_set(&f, "SLURM_DIST_TRAIN_RDMA", "mlx5_0:1,mlx5_1:1");
	make(&s, "mpi,nic=eth1", &f, 0);
	CHECK(&s, {"UCX_NET_DEVICES", "eth1,mlx5_0:1,mlx5_1:1", ENV_HINT});
	clear(&s);
	facts_set(&f, "SLURM_DIST_TRAIN_RDMA", "");
	make(&s, "mpi,nic=eth1", &f, 0);
	CHECK(&s, {"UCX_NET_DEVICES", "eth1", ENV_HINT});
	clear(&s);
}

/* What a node's own service gets, beside the user's process */
static void service(void **state)
{
	struct facts f = facts_task(1, 1, 0, 0, 0, "0");
	struct process p;
	struct step s;
	struct err err;

	(void)state;
	make(&s, "dask,dashboard=yes", &f, 0);
	CHECK(&s, {"DIST_TRAIN_DASK_DASHBOARD", "-", ENV_OURS});
	assert_int_equal(service_process(&s.plan, &p, &err), 0);
	assert_int_equal(process_env(&s.plan, &p, &s.set, &err), 0);
	CHECK(&s, {"DIST_TRAIN_DASK_DASHBOARD", "yes", ENV_OURS});
	clear(&s);
}

static void a_step_on_one_node(void **state)
{
	struct facts f = facts_task(1, 1, 0, 0, 0, "0");
	struct step s;

	(void)state;
	make(&s, "ddp", &f, 0);
	CHECK(&s, {"RANK", "0", ENV_WORLD}, {"WORLD_SIZE", "1", ENV_WORLD},
	      {"MASTER_ADDR", "127.0.0.1", ENV_FACT},
	      {"DIST_TRAIN_DEVICES", "", ENV_OURS});
	clear(&s);
}

/* No framework sets a name of Slurm's or of the hand-over in task mode (but jax
 * the number of tasks, ddp that of each node, see there), and each entry says
 * where it comes from. */
static void sources(void **state)
{
	struct facts f = facts_task(1, 1, 0, 0, 0, "0");

	(void)state;
	facts_set(&f, "SLURM_STEP_NODELIST", "node1");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "1");
	for (size_t i = 0; framework_nth(i); i++) {
		const struct framework *fw = framework_nth(i);
		char text[64];
		struct step s;

		snprintf(text, sizeof(text), "%s%s", fw->name,
			 fw->roles ? ",procs=task,ps=0" : "");
		make(&s, text, &f, 0);
		for (size_t k = 0; k < s.set.n; k++) {
			const char *name = s.set.entry[k].name;

			assert_true(*s.set.entry[k].source);
			assert_true(strncmp(name, "SLURM_", 6) != 0 ||
				    !strcmp(name, "SLURM_NTASKS") ||
				    !strcmp(name, "SLURM_NTASKS_PER_NODE"));
		}
		clear(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ddp_task_mode),
		cmocka_unit_test(neutral_names),
		cmocka_unit_test(device_mode),
		cmocka_unit_test(device_mode_unequal),
		cmocka_unit_test(visible_one),
		cmocka_unit_test(torchrun),
		cmocka_unit_test(interfaces),
		cmocka_unit_test(users_list_of_what_to_leave),
		cmocka_unit_test(ports_of_ucx),
		cmocka_unit_test(service),
		cmocka_unit_test(a_step_on_one_node),
		cmocka_unit_test(sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
