/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that have no effect are refused, where the user himself gave them. */
#include "registry/registry.h"

#include "tests/fixtures/option_fixture.h"

static void of_other_frameworks(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"tf,ps=1", "tf has no key 'ps'; tf-ps has it"},
		{"ddp,workers=1", "ddp has no key 'workers'; tf-ps has it"},
		{"ddp,chief=0", "ddp has no key 'chief'; tf-ps has it"},
		{"ray,evaluator=1", "ray has no key 'evaluator'; tf-ps has it"},
		{"tf,server=stock", "tf has no key 'server'; tf-ps has it"},
		{"ddp,peers=yes", "ddp has no key 'peers'; env has it"},
		{"ddp,controller=mpi",
		 "ddp has no key 'controller'; horovod has it"},
		{"ddp,dashboard=yes",
		 "ddp has no key 'dashboard'; ray, dask have it"},
		{"ddp,table=1.0",
		 "ddp has no key 'table'; ascend, mindspore have it"},
		{"pytorch,devices-from=dcmi",
		 "ddp has no key 'devices-from'; ascend, mindspore have it"},
		{"jax,exchange=tcp",
		 "jax has no key 'exchange'; ascend, mindspore have it"},
		{"jax,local-rank=device",
		 "jax has no key 'local-rank'; ddp, torchft, "},
		{"ddp,replicas=2", "ddp has no key 'replicas'; torchft has it"},
		{"ddp,min-replicas=1",
		 "ddp has no key 'min-replicas'; torchft "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		refused(cases[i].text, NULL, NULL, cases[i].why);
}

static void without_another_key(void **state)
{
	(void)state;
	refused("ddp,log-tee=0", NULL, NULL,
		"log-tee works only with log-dir=PATTERN");
	refused("ddp,restart-on=any", NULL, NULL,
		"restart-on works only with restarts=N");
	refused("ddp,check-program=/x", NULL, NULL,
		"check-program works only with check=fast|full");
	refused("ddp,requeues=2", NULL, NULL,
		"requeues works only with requeue=CAUSE[+CAUSE]");
}

static void beside_another_key(void **state)
{
	(void)state;
	refused("ddp,label=yes,log-dir=x", NULL, NULL,
		"label=yes has no effect with log-dir: ");
	refused("ray,procs=2", NULL, NULL, "procs has no effect with ray: ");
	refused("ray,procs=device", NULL, NULL, "procs has no effect with");
}

/* No step can have these, whatever its nodes and tasks: sbatch refuses them,
 * too. */
static void in_no_step(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"ddp,hang=600:restart", "the step has no restart; write "},
		{"ddp,on-node-loss=replace", "write spares=N, too"},
		{"ddp,spares=1,on-node-loss=requeue",
		 "write on-node-loss=replace+requeue+fail"},
		{"ddp,restarts=3,supervise=no",
		 "supervise=no: restarts needs the launcher"},
		{"ddp,spares=1,procs=task,supervise=no",
		 "supervise=no: spares needs the launcher"},
		{"ddp,supervise=no,grace=5", "grace needs the launcher"},
		{"ddp,supervise=no,procs=4",
		 "one process per device needs the launcher"},
		{"ddp,supervise=no,procs=device", "procs=task doesn't"},
		{"vllm,supervise=no", "adds arguments needs the launcher"},
		{"ascend,supervise=no", "the rank table needs the launcher"},
		{"ray,supervise=no", "the process head needs the launcher"},
		{"mpi,run-on=first,supervise=no",
		 "supervise=no: run-on=first needs the launcher"},
		{"ddp,spares=1,addr=nic:eth0", "addr=ip uses the address of"},
		{"ascend,spares=1,exchange=pmix", "use exchange=tcp"},
		{"deepspeed,spares=1,run-on=first", "starts the processes on"},
		{"mpi,spares=1", "numbered by Slurm's PMI"},
		{"horovod,spares=1,controller=gloo", "its store can't be"},
		{"ray,spares=1", "its head can't be restarted"},
		{"mindspore,on-node-loss=shrink:2", "its scheduler can't"},
		{"torchft,spares=1", "by itself (replicas, min-replicas)"},
		{"tf-ps,on-node-loss=shrink:2", "use replace"},
		{"mpi,restarts=1", "restarts: not supported with mpi"},
		{"horovod,restarts=1,controller=mpi", "a second time"},
		{"dask,restarts=1", "its head can't be restarted in place"},
		{"mpi,run-on=first,restarts=1", "not supported with run-on"},
		{"mpi,run-on=first,hang=60", "hang: not supported with"},
		{"tf-ps,run-on=first", "started by the step itself"},
		{"mpi,procs=4", "use --ntasks-per-node=4, or procs=task"},
		{"ascend,table=2.0", "use --dist-train=ddp"},
		{"ascend,table=none,addr=name", "use addr=ip"},
		{"ascend,table=none,visible=one", "remove visible=one"},
		{"mindspore,addr=name", "use addr=ip"},
		{"torchft,replicas=2,min-replicas=3", "only 2 replica groups"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		refused(cases[i].text, NULL, NULL, cases[i].why);
	/* whoever has said it */
	refused("ddp,supervise=no", "restarts=3", NULL, "needs the launcher");
}

static void taken(const char *text, const char *defaults)
{
	struct request r;
	struct err err;

	if (request_parse(text, defaults, NULL, &r, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	request_clear(&r);
}

static void with_it(void **state)
{
	(void)state;
	taken("ddp,log-tee=0,log-dir=x", NULL);
	taken("ddp,restart-on=any,restarts=1", NULL);
	/* as scripts write it, with a number of theirs */
	taken("ddp,restarts=0,restart-on=any", NULL);
	/* the administrator has the other one */
	taken("ddp,log-tee=0", "log-dir=x");
	taken("ddp,label=yes", "log-dir=x");
	taken("ddp,log-dir=x", "label=yes");
	taken("ddp,label=no,log-dir=x", NULL);
	taken("ddp,label=yes,log-dir=x,log-tee=0", NULL);
	taken("ray,procs=2,dialect=ti-one", NULL);
	taken("ray", "procs=2");
	taken("ddp,restart-on=any", "restarts=2");
}

/* Some step can have these. */
static void in_some_step(void **state)
{
	(void)state;
	taken("ddp,supervise=no", NULL);
	taken("tf-ps,supervise=no", NULL);
	taken("ascend,supervise=no,table=none", NULL);
	taken("mpi,procs=1", NULL);
	taken("mpi,procs=device", NULL);
	taken("mpi,procs=device,supervise=no", NULL);
	taken("horovod,procs=4", NULL);
	taken("ascend,table=none,nic=off", NULL);
	taken("torchft,min-replicas=3", NULL);
	taken("ddp,hang=600:restart,spares=1", NULL);
	taken("env,addr=nic:eth0,peers=yes", NULL);
}

/* They are for all frameworks. */
static void defaults(void **state)
{
	static const char all[] = "table=1.0,ps=1,controller=gloo,"
				  "dashboard=yes,devices-from=dcmi,"
				  "exchange=tcp,local-rank=device,log-tee=1,"
				  "restart-on=any";

	(void)state;
	for (size_t i = 0; framework_nth(i); i++)
		taken(framework_nth(i)->name, all);
}

static void restarts_are(const char *text, const char *defaults, long n, int on)
{
	struct request r;
	struct err err;

	assert_int_equal(request_parse(text, defaults, NULL, &r, &err), 0);
	assert_int_equal(request_number(&r, KEY_RESTARTS), n);
	assert_int_equal(request_word(&r, KEY_RESTART_ON), on);
	assert_false(request_given(&r, KEY_RESTART_ON));
	request_clear(&r);
}

/* A framework's own are weaker than the administrator's and the user's. */
static void framework_defaults(void **state)
{
	(void)state;
	restarts_are("ddp", NULL, 0, RESTART_ON_ANY);
	restarts_are("torchft", NULL, 1000, RESTART_ON_ANY);
	restarts_are("torchft", "restarts=7", 7, RESTART_ON_ANY);
	restarts_are("torchft,restarts=0", "restarts=7", 0, RESTART_ON_ANY);
	restarts_are("torchft", "restart-on=signal", 1000, RESTART_ON_SIGNAL);
	taken("torchft,restart-on=signal", NULL);
}

/* Each key is of all frameworks or of at least one. */
static void somebody_has_it(void **state)
{
	const struct option_key *key;
	char who[256];

	(void)state;
	for (size_t i = 0; (key = key_nth(i)); i++) {
		size_t n = frameworks_with_key(key, who, sizeof(who));

		assert_case(key->name, n > 0);
		assert_case(key->name, key_is_own(key) == !!framework_nth(n));
	}
}

/* A table of a framework's own keys fits into a request, and has no key that
 * another table has. */
static void own_tables(void **state)
{
	const struct framework *fw;

	(void)state;
	for (size_t i = 0; (fw = framework_nth(i)); i++)
		for (size_t n = 0; fw->keys && fw->keys[n].name; n++) {
			const char *name = fw->keys[n].name;

			assert_case(fw->name, n < OWN_KEYS_MAX);
			assert_case(name, key_find(name, strlen(name)) ==
						  &fw->keys[n]);
			assert_case(name, !fw->keys[n].group);
		}
}

/* A default of another framework's key has no effect, but is one. */
static void defaults_of_others(void **state)
{
	struct request r;
	struct err err;

	(void)state;
	assert_int_equal(request_parse("ddp,label=yes",
				       "replicas=2,chief=1,dashboard=yes", NULL,
				       &r, &err),
			 0);
	assert_true(request_yes(&r, KEY_LABEL));
	assert_int_equal(request_key_find(&r, "chief", 5), -1);
	request_clear(&r);
	refused("ddp", "chief=2", NULL,
		"chief='2': must be a number from 0 to 1");
	assert_int_equal(request_check_defaults("ps=1,ps=2", &err), -1);
	assert_string_equal(err.text, "key 'ps' is given twice");
}

/* What a '%' may have is known where the option is read. */
static void patterns(void **state)
{
	(void)state;
	refused("ddp,log-dir=a/%z", NULL, NULL,
		"log-dir='a/%z': unknown '%z'; known: %j job, %s step, %n "
		"node's number, %N its name, %r rank, %%");
	refused("ddp,log-dir=100%", NULL, NULL, "unknown '%'");
	refused("ddp,timeline=%x", NULL, NULL, "timeline='%x': unknown '%x'");
	refused("ddp,timeline=%j-%r", NULL, NULL,
		"timeline='%j-%r': one file is for all ranks of a node, so %r "
		"isn't possible; %n and %N are the node's number and name");
	refused("ddp", "log-dir=%z", NULL, "unknown '%z'");
	taken("ddp,log-dir=%j/%s/%n/%N/%05r/%t/%%,timeline=%j.%s.%n.%3N.%%",
	      NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_other_frameworks),
		cmocka_unit_test(without_another_key),
		cmocka_unit_test(beside_another_key),
		cmocka_unit_test(with_it),
		cmocka_unit_test(in_no_step),
		cmocka_unit_test(in_some_step),
		cmocka_unit_test(defaults),
		cmocka_unit_test(framework_defaults),
		cmocka_unit_test(somebody_has_it),
		cmocka_unit_test(own_tables),
		cmocka_unit_test(defaults_of_others),
		cmocka_unit_test(patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
