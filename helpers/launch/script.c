/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch.h"

#include "core/env/process_env.h"
#include "core/plan/dialect.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"
#include "helpers/shim/exec_request.h"
#include "helpers/shim/shim_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DROPPED_MAX 32

/* How a request to all says that the step has to be without a rank table. */
#define STARTED_WITHOUT_TABLE "table=none"

struct script {
	struct shim_server shim; /* of task 0, as the next ones are */
	struct shim_links files;
	char **env;		     /* that it was started with */
	bool runs, asked;	     /* was started; has said what all run */
	bool step_ends;		     /* the step has failed */
	struct exec_request request; /* what all run */
};

/* NULL: there is none, or not yet. */
static struct script *script_of(const struct launch *l)
{
	return own_of(l, &script_phase);
}

/* --- what the script asks for --- */

static void say_request(struct launch *l, const struct exec_request *request,
			const char *const dropped[])
{
	const struct dialect_form *form = l->request.form;
	char names[512] = "", line[1024];
	size_t used = 0;

	for (; *dropped && used < sizeof(names); dropped++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 "%s%s", used ? ", " : "", *dropped);
	snprintf(line, sizeof(line),
		 "dist-train: %s starts %u processes on %u node%s%s%s%s%s%s\n",
		 form->start_command, l->plan.world_size, l->plan.nnodes,
		 l->plan.nnodes == 1 ? "" : "s",
		 *request->asked ? " instead of " : "", request->asked,
		 *names ? "; the script's " : "", names,
		 *names ? " are replaced by the step's" : "");
	launch_say(l, line);
}

/* Rec SDK's document has the user export CM_CHIEF_IP in any case. */
static bool wants_no_table(const struct dialect_form *form,
			   const struct exec_request *request)
{
	return exec_request_value(request->env, form->without_table) &&
	       !exec_request_value(request->env, form->with_table);
}

/* The request as the others are to have it: with what the script has changed
 * instead of its whole environment. */
static char *request_for_all(struct launch *l,
			     const struct exec_request *request, size_t *ret_n)
{
	const struct dialect_form *form = l->request.form;
	const char *dropped[DROPPED_MAX] = {NULL};
	char **changes, *text;

	changes =
		exec_request_changes(request->env, script_of(l)->env,
				     l->run_dir.path, form->steps_own, dropped);
	if (!changes)
		return NULL;
	say_request(l, request, dropped);
	text = exec_request_text(
		wants_no_table(form, request) ? STARTED_WITHOUT_TABLE : "",
		request->folder, request->argv, changes, ret_n);
	exec_request_free_words(changes);
	return text;
}

static void on_request(void *arg, char *text, size_t n)
{
	struct launch *l = arg;
	cleanup_free char *all = NULL;
	struct exec_request request;
	struct err err;
	size_t size;

	if (exec_request_parse(text, n, &request, &err) < 0)
		return launch_fail(l, err.text);
	all = request_for_all(l, &request, &size);
	exec_request_clear(&request);
	if (!all)
		return launch_fail(l, "out of memory");
	script_of(l)->asked = true;
	session_send(l->view.session, MSG_EXEC, all, size);
}

static void on_close(void *arg)
{
	struct launch *l = arg;
	char why[128];

	if (l->procs.first_failure || script_of(l)->step_ends)
		return; /* it went down with the others */
	snprintf(why, sizeof(why), "%s was ended, with all that it had started",
		 l->plan.start_command);
	launch_fail(l, why);
}

/* --- the script --- */

static int make_process(struct launch *l, struct spawn *s, struct err *err)
{
	struct process *p = &s->process;

	if (plan_process(&l->plan, 0, p, err) < 0)
		return -1;
	p->role = ROLE_LAUNCHER;
	p->added = p->service = true;
	if (process_env(&l->plan, p, &s->set, err) < 0 ||
	    envset_add(&s->set, ENV_OURS, "launcher", err, "DIST_TRAIN_RUN_DIR",
		       "%s", l->run_dir.path) < 0 ||
	    envset_add(&s->set, ENV_OURS, "launcher", err,
		       "DIST_TRAIN_LAUNCHER_PID", "%d", (int)getpid()) < 0 ||
	    spawn_prepend_path(l, s, "stand-ins", err) < 0)
		return -1;
	spawn_resolve(l, s, false);
	p->devices.own.n = 0; /* they are the processes' */
	return 0;
}

static int open_shim(struct launch *l, struct err *err)
{
	struct script *script = script_of(l);
	struct err why;

	if (shim_links_make(l->run_dir.path, l->plan.start_command, err) < 0)
		return -1;
	script->shim.on_request = on_request;
	script->shim.on_close = on_close;
	script->shim.arg = l;
	script->shim.loop = &l->loop;
	if (shim_server_open(&script->shim, l->run_dir.path, err) < 0)
		return -1;
	if (l->plan.resolved.table &&
	    shim_links_place(&script->files, l->request.form,
			     l->plan.nodes_procs, l->made.rank_table, l->argv,
			     &why) < 0)
		fprintf(stderr, "dist-train: %s\n", why.text);
	return 0;
}

static int run_script(struct launch *l, struct err *err)
{
	SPAWN struct spawn s;

	spawn_init(l, l->plan.nprocs, &s);
	if (make_process(l, &s, err) < 0 || open_shim(l, err) < 0 ||
	    spawn_start(l, &s, err) < 0)
		return -1;
	script_of(l)->env = (char **)s.child.env;
	s.child.env = NULL;
	script_of(l)->runs = true;
	return 0;
}

/* Run the script in task 0. Fails where the launchers can't meet. */
static enum phase_state begin(struct launch *l, struct err *err)
{
	const char *why = launch_no_channel(l);

	if (why)
		return err_printf(err,
				  "the launchers of the step can't agree on "
				  "what the script's %s starts: %s",
				  l->plan.start_command, why);
	if (!l->job.procid && run_script(l, err) < 0)
		return PHASE_FAILED;
	return PHASE_WAITS;
}

/* --- in all launchers --- */

/* The script asks for the other family of variables, and the user for none. */
static int change_table(struct launch *l, struct err *err)
{
	if (strcmp(script_of(l)->request.asked, STARTED_WITHOUT_TABLE) != 0 ||
	    !request_set_word(&l->request, KEY_TABLE, TABLE_NONE))
		return 0;
	return launch_plan_again(l, err);
}

static int take_over(struct launch *l, const char *data, size_t n,
		     struct err *err)
{
	struct exec_request *request = &script_of(l)->request;
	char *text = malloc(n + 1);

	if (!text)
		return err_memory(err);
	memcpy(text, data, n);
	text[n] = '\0';
	if (exec_request_parse(text, n, request, err) < 0 ||
	    exec_request_apply(request, err) < 0 || change_table(l, err) < 0)
		return -1;
	l->argv = request->argv;
	if (child_find(l->argv[0], getenv("PATH"), l->program,
		       sizeof(l->program)) < 0)
		snprintf(l->program, sizeof(l->program), "%s", l->argv[0]);
	return 0;
}

/* MSG_EXEC_ALL: what the script wants all to run becomes l->program. */
static enum phase_state message(struct launch *l, const char *data, size_t n,
				struct err *err)
{
	return take_over(l, data, n, err) < 0 ? PHASE_FAILED : PHASE_DONE;
}

void script_take_output(struct launch *l, int *ret_out, int *ret_err)
{
	struct script *script = script_of(l);

	if (script)
		shim_server_take_output(&script->shim, ret_out, ret_err);
}

/* The step has failed: how the script ends doesn't count. */
static void on_end(struct launch *l, const char *text)
{
	struct script *script = script_of(l);

	(void)text;
	if (script)
		script->step_ends = true;
}

const struct part script_part = {
	.name = "script",
	.messages = (const struct part_message[]){{MSG_END, on_end}, {0}},
};

bool script_answer(struct launch *l)
{
	struct script *script = script_of(l);

	if (!script || !script->runs)
		return false;
	shim_server_answer(&script->shim,
			   script->step_ends ? EXIT_FAILURE : EXIT_SUCCESS);
	return true;
}

/* With the exit code of a script that has failed the step has failed already.
 */
void script_check_ended(struct launch *l)
{
	const struct script *script = script_of(l);
	char why[256];

	if (!script || !script->runs || script->asked || l->procs.first_failure)
		return;
	snprintf(why, sizeof(why),
		 "the script has ended and has started nothing: it didn't run "
		 "the %s that PATH finds first, in a folder of the step",
		 l->plan.start_command);
	launch_fail(l, why);
}

static void end(struct launch *l)
{
	struct script *script = script_of(l);

	shim_server_close(&script->shim);
	shim_links_remove(&script->files);
	child_free_env(script->env);
	exec_request_clear(&script->request);
}

static bool is_wanted(const struct plan *plan)
{
	return plan->start_command;
}

const struct phase script_phase = {
	.name = "script",
	.wanted = is_wanted,
	.size = sizeof(struct script),
	.begin = begin,
	.takes = MSG_EXEC_ALL,
	.message = message,
	.end = end,
};
