/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/resolve.h"

#include "core/base/hostlist.h"
#include "core/base/runlength.h"
#include "core/facts/learned.h"
#include "core/plan/dialect.h"

#include <string.h>

/* mpirun and its like start the workers: what workers need from Slurm is left
 * out. */
static unsigned find_needs(const struct request *r, bool run_first)
{
	const struct framework *fw = r->framework;
	unsigned needs = fw->needs | (r->form ? r->form->needs : 0);

	if (fw->needs_too)
		needs |= fw->needs_too(r);
	if (run_first)
		needs |= NEEDS_HOST_FILE;
	if (!(needs & NEEDS_HOST_FILE))
		return needs;
	needs &= ~(unsigned)(NEEDS_PMI | NEEDS_PROCMAP | NEEDS_PEERS |
			     NEEDS_ERROR_FILE);
	return needs | NEEDS_TASKMAP | NEEDS_COUNTS;
}

/* --- one process per task, or several --- */

/* Whether the key asks for what a task is anyway. */
static bool is_one_per_task(const struct request *r, const struct job *job)
{
	struct runlength counts;

	if (request_word(r, KEY_PROCS) == PROCS_N)
		return request_number(r, KEY_PROCS) == 1;
	return job && job->procs && runlength_read(job->procs, &counts) == 0 &&
	       counts.min == 1 && counts.max == 1;
}

/* Whether roles are distributed by node. If they add up to the number of tasks,
 * each task has one role instead (task mode). */
static bool roles_by_node(const struct request *r, const struct job *job)
{
	int procs = request_word(r, KEY_PROCS);
	struct role_wish wish;

	if (procs != PROCS_AUTO || !job_one_task_per_node(job))
		return procs != PROCS_AUTO;
	r->framework->roles(r, &wish);
	return wish.workers == ROLES_AUTO || wish.ps == ROLES_AUTO ||
	       wish.workers + wish.ps + wish.chief + wish.evaluator !=
		       (long)job->ntasks;
}

/* Known to every node without a word. */
static bool is_device_mode(const struct request *r, const struct job *job,
			   const struct resolved *w)
{
	int procs = request_word(r, KEY_PROCS);
	struct runlength counts;

	if (w->run_first || w->launches)
		return false;
	if (job && job->dealt)
		return runlength_read(job->procs, &counts) == 0 &&
		       counts.max > 1;
	if (procs == PROCS_TASK ||
	    (w->needs & NEEDS_PMI && is_one_per_task(r, job)))
		return false;
	if (!job)
		return true;
	if (r->framework->roles)
		return roles_by_node(r, job);
	if (procs != PROCS_AUTO)
		return true;
	return job->procs && job_one_task_per_node(job) &&
	       runlength_read(job->procs, &counts) == 0 &&
	       (counts.max > 1 || job->device_max > 1);
}

static bool has_device_counts(const struct request *r, const struct job *job,
			      const struct resolved *w)
{
	int procs = request_word(r, KEY_PROCS);

	return w->needs & NEEDS_DEVICES &&
	       (procs == PROCS_AUTO || procs == PROCS_DEVICE ||
		w->needs & NEEDS_COUNTS) &&
	       (!job || job_one_task_per_node(job));
}

/* Some node has one task, which may become several processes. */
static bool some_node_has_one(const struct job *job)
{
	struct runlength counts;

	return job->tasks && runlength_read(job->tasks, &counts) == 0 &&
	       counts.min == 1;
}

/* PMI and roles are refused there; a service on each node starts as many
 * processes as it likes. */
unsigned resolve_components_learn(const struct request *r,
				  const struct resolved *w,
				  const struct job *job, const char *components)
{
	int procs = request_word(r, KEY_PROCS);
	bool differ = components && strchr(components, '\n');
	bool counts = components && w->needs & NEEDS_DEVICES &&
		      (procs == PROCS_AUTO || procs == PROCS_DEVICE) &&
		      some_node_has_one(job);
	bool npus = components && framework_may_npu(r->framework);
	bool maps = w->needs & (NEEDS_PROCMAP | NEEDS_TASKMAP);

	if (!job->het || w->no_launcher || w->run_first || w->pmi ||
	    r->framework->roles || (r->framework->service && w->launches) ||
	    !(differ || counts || maps || npus))
		return 0;
	return LEARN_COUNTS | LEARN_COMPONENTS |
	       (w->addresses ? LEARN_ADDRS : 0);
}

unsigned resolve_unhooked_learn(const struct request *r,
				const struct resolved *w, const struct job *job,
				bool devices, bool named)
{
	bool maps = w->needs & (NEEDS_PROCMAP | NEEDS_TASKMAP);
	bool addrs = w->chief || w->addresses ||
		     (maps && !named && request_word(r, KEY_ADDR) == ADDR_AUTO);
	bool counts =
		w->device_counts && (devices || device_count(&job->devices));

	if (job->nnodes == 1 || w->no_launcher)
		return 0;
	return (counts ? LEARN_COUNTS : 0) | (addrs ? LEARN_ADDRS : 0) |
	       ((maps || w->chief) && !job_one_task_per_node(job) &&
				!job->taskmap
			? LEARN_TASKMAP
			: 0);
}

/* --- NPUs and the rank table --- */

/* A key table=VERSION also means NPUs, where Slurm doesn't say what the devices
 * are. */
static bool has_npus(const struct request *r, const struct job *job)
{
	int table = request_word(r, KEY_TABLE);
	bool told = table != TABLE_AUTO && table != TABLE_NONE;

	return r->framework->npu ||
	       (r->framework->npu_too && (!job || job->devices.npu || told));
}

static void resolve_npus(const struct request *r, const struct job *job,
			 struct resolved *w)
{
	static const unsigned ways[] = {
		[EXCHANGE_AUTO] = EXCHANGE_MAY_INVENTORY | EXCHANGE_MAY_PMIX |
				  EXCHANGE_MAY_TCP,
		[EXCHANGE_NONE] = EXCHANGE_MAY_INVENTORY,
		[EXCHANGE_PMIX] = EXCHANGE_MAY_PMIX,
		[EXCHANGE_TCP] = EXCHANGE_MAY_TCP,
	};
	bool without = request_word(r, KEY_TABLE) == TABLE_NONE;

	w->table_version = request_word(r, KEY_TABLE);
	w->chief = r->framework->npu && without;
	if (w->run_first)
		return;
	w->npu = has_npus(r, job);
	w->table = w->npu && !without;
	if (framework_may_npu(r->framework) && !without)
		w->exchange = ways[request_word(r, KEY_EXCHANGE)];
	if (w->recovery) /* PMIx waits for lost nodes, too */
		w->exchange &= ~(unsigned)EXCHANGE_MAY_PMIX;
}

/* Which devices a process sees. Slurm limits it to no NPUs, and the runtime
 * counts all of the node's, other jobs' too. */
static int find_visible(const struct request *r, const struct job *job,
			const struct resolved *w)
{
	int word = request_word(r, KEY_VISIBLE);

	if (word != VISIBLE_AUTO)
		return word;
	if (r->framework->takes_all)
		return VISIBLE_ONE;
	return w->npu || (job && job->devices.npu) ? VISIBLE_ALL : VISIBLE_AUTO;
}

/* --- addresses --- */

static void resolve_addresses(const struct request *r, const struct job *job,
			      struct resolved *w)
{
	int addr = request_word(r, KEY_ADDR);
	bool one_node = job && job->nnodes == 1;

	/* With a chief the processes of a node meet at its address, too. */
	w->loopback = one_node && addr == ADDR_AUTO && !w->chief;
	w->address_is_told = !one_node && addr == ADDR_NIC;
	w->addresses = !one_node &&
		       w->needs & (NEEDS_PROCMAP | NEEDS_TASKMAP) &&
		       (addr == ADDR_IP || w->needs & NEEDS_ADDRESSES);
	w->interfaces =
		w->needs & NEEDS_NIC && request_word(r, KEY_NIC) != NIC_OFF;
	w->find_nic = w->interfaces && !request_text(r, KEY_NIC);
	w->own_address = !one_node && (w->npu || w->needs & NEEDS_OWN_ADDRESS);
}

/* --- the launcher --- */

bool resolve_divides_view(const struct request *r)
{
	return r->framework->takes_all ||
	       request_word(r, KEY_VISIBLE) == VISIBLE_ONE ||
	       request_word(r, KEY_LOCAL_RANK) == LOCAL_RANK_DEVICE;
}

struct launcher_why {
	bool is;
	const char *text;
};

static const char *first_why(const struct launcher_why *why, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (why[i].is)
			return why[i].text;
	return NULL;
}

/* The first key that needs one, and isn't its default. */
static const char *find_key_why(const struct request *r)
{
	for (enum key_id id = 0; id < KEY_COUNT; id++)
		if (option_keys[id].launcher && request_differs(r, id))
			return option_keys[id].launcher;
	return NULL;
}

/* The first of these: what can't be had without a launcher for each task. */
static const char *find_task_why(const struct request *r, const struct job *job,
				 const struct resolved *w)
{
	bool may_change = job && job->task_prolog && job->ntasks > job->nnodes;
	const struct dialect_form *form = r->form;
	const struct framework *fw = r->framework;
	const char *key_why = find_key_why(r);
	const char *own_why = fw->launcher_why ? fw->launcher_why(r) : NULL;
	const struct launcher_why whys[] = {
		{w->run_first, "run-on=first"},
		{key_why, key_why},
		{w->recovery, "on-node-loss"},
		{w->requeue, "on-node-loss=requeue"},
		{own_why, own_why},
		{w->needs & NEEDS_HOST_FILE, "the host file"},
		{fw->args, "a framework that adds arguments"},
		{form && form->args, "a dialect that adds arguments"},
		{form && form->start_command,
		 "a dialect whose script starts the processes"},
		{w->address_is_told, "addr=nic in a step of several nodes"},
		{may_change && !w->no_launcher && resolve_divides_view(r),
		 "devices that a TaskProlog may change"},
	};

	return first_why(whys, sizeof(whys) / sizeof(*whys));
}

/* The same of what one launcher can do for all tasks of its node. */
static const char *find_node_why(const struct request *r,
				 const struct resolved *w)
{
	const struct launcher_why whys[] = {
		{w->early_exit_fails && !r->framework->together,
		 "early-exit=fail"},
		{request_word(r, KEY_ON_SILENCE) == ON_SILENCE_FAIL,
		 "on-silence=fail"},
		{w->table, "the rank table"},
		{request_given(r, KEY_LEASE), "lease"},
		{request_given(r, KEY_GRACE), "grace"},
	};

	return first_why(whys, sizeof(whys) / sizeof(*whys));
}

/* PMIx has each task tell its own. */
static bool may_use_pmix(const struct job *job, const struct resolved *w)
{
	return w->exchange == EXCHANGE_MAY_PMIX ||
	       (w->exchange & EXCHANGE_MAY_PMIX && job && job->mpi_type &&
		!strncmp(job->mpi_type, "pmix", 4));
}

/* Members of the channel are numbered by node then, and task 0's is the first.
 */
static bool task_0_is_first(const struct job *job)
{
	char first[HOSTLIST_NAME_MAX];

	return job->nodes && job->rank0_node &&
	       hostlist_nth(job->nodes, 0, first) == 0 &&
	       !strcmp(first, job->rank0_node);
}

static bool is_for_node(const struct request *r, const struct job *job,
			const struct resolved *w)
{
	const struct framework *fw = r->framework;
	int procs = request_word(r, KEY_PROCS);

	if (w->run_first || w->launches || w->recovery || w->pmi || fw->roles ||
	    fw->service || may_use_pmix(job, w) ||
	    request_word(r, KEY_EXPLAIN) == EXPLAIN_ONLY ||
	    !(w->launcher_why ||
	      request_word(r, KEY_SUPERVISE) == SUPERVISE_YES))
		return false;
	if (!job)
		return procs == PROCS_AUTO || procs == PROCS_TASK;
	/* Slurm may give each task other ones of the devices that it knows as
	 * GPUs, and whether it does isn't the same on all nodes. */
	return !w->device_mode && job->keepers && !job->het &&
	       (!w->npu || job->gres) && job->ntasks > job->nnodes &&
	       task_0_is_first(job);
}

bool resolved_may_launch(const struct request *r, const struct resolved *w,
			 unsigned local_ntasks)
{
	if (w->no_launcher)
		return false;
	return request_word(r, KEY_SUPERVISE) == SUPERVISE_YES ||
	       w->launcher_why || r->framework->service ||
	       r->framework->roles || resolve_divides_view(r) ||
	       (w->device_mode && local_ntasks == 1);
}

static bool find_early_exit_fails(const struct request *r)
{
	if (request_given(r, KEY_EARLY_EXIT))
		return request_word(r, KEY_EARLY_EXIT) == EARLY_EXIT_FAIL;
	return r->framework->together;
}

/* What a lost node comes to. */
static void resolve_loss(const struct request *r, struct resolved *w)
{
	ladder_of(r, &w->ladder);
	w->requeue = ladder_has(&w->ladder, LADDER_REQUEUE);
	w->recovery = w->spares || ladder_has(&w->ladder, LADDER_REPLACE) ||
		      ladder_has(&w->ladder, LADDER_SHRINK);
}

void resolve(const struct request *r, const struct job *job,
	     struct resolved *ret)
{
	const struct framework *fw = r->framework;
	struct resolved *w = ret;
	const char *task_why;

	*w = (struct resolved){
		.run_first = request_word(r, KEY_RUN_ON) == RUN_ON_FIRST &&
			     !fw->once,
		.launches = fw->launches || (r->form && r->form->launches),
		.spares = (unsigned)request_number(r, KEY_SPARES),
		.no_launcher = request_word(r, KEY_SUPERVISE) == SUPERVISE_NO,
		.check = request_word(r, KEY_CHECK),
		.early_exit_fails = find_early_exit_fails(r),
		.metrics = request_word(r, KEY_METRICS) == METRICS_ON,
		.stages = request_word(r, KEY_STAGE) != STAGE_NONE,
	};
	hang_of(r, &w->hang);
	end_signal_of(r, &w->end_signal);
	w->recorders = w->hang.seconds != 0;
	resolve_loss(r, w);
	w->needs = find_needs(r, w->run_first);
	w->pmi = w->needs & NEEDS_PMI && (!fw->pmi || fw->pmi(r));
	w->device_mode = is_device_mode(r, job, w);
	w->device_counts = has_device_counts(r, job, w);
	resolve_npus(r, job, w);
	w->visible = find_visible(r, job, w);
	resolve_addresses(r, job, w);
	w->may_order = !w->pmi && !w->chief;
	w->by_topology =
		request_word(r, KEY_ORDER) == ORDER_TOPOLOGY && w->may_order;
	w->groups = request_text(r, KEY_GROUPS);
	w->ordered = w->by_topology && job && job->order;
	task_why = find_task_why(r, job, w);
	w->launcher_why = task_why ? task_why : find_node_why(r, w);
	w->node_launcher = !task_why && is_for_node(r, job, w);
	w->folder = w->needs & (NEEDS_ERROR_FILE | NEEDS_HOST_FILE) ||
		    w->recorders || w->table || w->address_is_told ||
		    w->check != CHECK_OFF || w->metrics ||
		    w->end_signal.number || fw->service ||
		    fw->program_is_file || (r->form && r->form->start_command);
}
