/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/json_out.h"

#include "core/base/cleanup.h"
#include "core/base/env_secret.h"
#include "core/plan/framework.h"
#include "core/plan/plan_process.h"
#include "core/plan/process_env.h"
#include "registry/registry.h"

#include <cjson/cJSON.h>
#include <string.h>

static void cleanup_json_fn(cJSON **json)
{
	cJSON_Delete(*json);
}

#define cleanup_json __attribute__((cleanup(cleanup_json_fn)))

static void cleanup_envset_fn(struct envset *set)
{
	envset_clear(set);
}

#define cleanup_envset __attribute__((cleanup(cleanup_envset_fn)))

/* A NULL text becomes null. */
static bool add_text(cJSON *to, const char *name, const char *text)
{
	return text ? cJSON_AddStringToObject(to, name, text) != NULL
		    : cJSON_AddNullToObject(to, name) != NULL;
}

static bool add_number(cJSON *to, const char *name, unsigned number)
{
	return cJSON_AddNumberToObject(to, name, number) != NULL;
}

/* A new object at the end of an array. */
static cJSON *append_object(cJSON *array)
{
	cJSON *object = cJSON_CreateObject();

	if (!object)
		return NULL;
	if (cJSON_AddItemToArray(array, object))
		return object;
	cJSON_Delete(object);
	return NULL;
}

static bool add_devices(cJSON *to, const struct idlist *devices)
{
	cJSON *array = cJSON_AddArrayToObject(to, "devices");

	for (unsigned i = 0; array && i < devices->n; i++) {
		cJSON *id = cJSON_CreateNumber(devices->id[i]);

		if (!id)
			return false;
		cJSON_AddItemToArray(array, id);
	}
	return array != NULL;
}

static bool add_env(cJSON *to, const struct envset *set)
{
	cJSON *array = cJSON_AddArrayToObject(to, "env");

	for (size_t i = 0; array && i < set->n; i++) {
		const struct env_entry *e = &set->entry[i];
		cJSON *item = append_object(array);
		const char *value = e->value;
		char secret[SHOW_SIZE];

		if (env_is_secret(e, value))
			value = env_secret(value, secret);
		if (!item || !add_text(item, "name", e->name) ||
		    !add_text(item, "value", value) ||
		    !add_text(item, "source", e->source))
			return false;
	}
	return array != NULL;
}

static int print_process(FILE *f, const struct plan *plan,
			 const struct process *p, const struct envset *set,
			 struct err *err)
{
	cleanup_json cJSON *o = cJSON_CreateObject();
	cleanup_free char *text = NULL;

	if (!o || !add_number(o, "rank", p->rank) ||
	    !add_text(o, "node", plan->job->node_name) ||
	    !add_number(o, "local_rank", p->local_rank) ||
	    !add_text(o, "role", role_name(p->role)) ||
	    !add_devices(o, &p->devices.own) || !add_env(o, set))
		return err_memory(err);
	text = cJSON_PrintUnformatted(o);
	if (!text)
		return err_memory(err);
	fprintf(f, "\n%s", text);
	return 0;
}

static int print_rank(FILE *f, struct dryrun_view *view, unsigned rank,
		      struct err *err)
{
	cleanup_envset struct envset set = {0};
	struct process process;

	if (dryrun_view_rank(view, rank, err) < 0 ||
	    plan_process(&view->plan, rank - view->plan.first_rank, &process,
			 err) < 0 ||
	    process_env(&view->plan, &process, &set, err) < 0)
		return -1;
	return print_process(f, &view->plan, &process, &set, err);
}

static bool add_coordinator(cJSON *to, const struct coordinator *c)
{
	cJSON *o = cJSON_AddObjectToObject(to, "coordinator");

	return o && add_text(o, "address", c->addr) &&
	       add_text(o, "address_source", c->addr_source) &&
	       add_number(o, "port", c->port) &&
	       add_text(o, "port_source", coordinator_port_source(c));
}

/* What all processes share, as an object that is still open. */
static int print_head(FILE *f, const struct plan *plan,
		      const struct json_step *step, struct err *err)
{
	cleanup_json cJSON *o = cJSON_CreateObject();
	cleanup_free char *text = NULL;

	if (!o || !add_text(o, "framework", plan->request->framework->name) ||
	    !add_text(o, "mode",
		      plan->resolved.device_mode ? "device" : "task") ||
	    !add_number(o, "nnodes", plan->nnodes) ||
	    !add_number(o, "world_size", plan->world_size) ||
	    (plan->coordinator.addr &&
	     !add_coordinator(o, &plan->coordinator)) ||
	    (*step->examples && !add_text(o, "examples", step->examples)) ||
	    (*step->remark && !add_text(o, "remark", step->remark)))
		return err_memory(err);
	text = cJSON_PrintUnformatted(o);
	if (!text)
		return err_memory(err);
	text[strlen(text) - 1] = '\0';
	fprintf(f, "%s,\"processes\":[", text);
	return 0;
}

int json_explain(FILE *f, struct dryrun_view *view,
		 const struct json_step *step, struct err *err)
{
	if (dryrun_view_rank(view, step->first, err) < 0 ||
	    print_head(f, &view->plan, step, err) < 0)
		return -1;
	for (unsigned rank = step->first; rank < step->end; rank++) {
		if (rank > step->first)
			fputc(',', f);
		if (print_rank(f, view, rank, err) < 0)
			return -1;
	}
	fputs("\n]}\n", f);
	return 0;
}

static bool add_framework(cJSON *array, const struct framework *fw)
{
	cJSON *o = append_object(array);

	return o && add_text(o, "name", fw->name) &&
	       add_text(o, "alias", fw->alias) &&
	       add_text(o, "summary", fw->summary) &&
	       add_text(o, "tested", fw->tested) &&
	       add_text(o, "role", role_name(fw->role));
}

int json_frameworks(FILE *f, struct err *err)
{
	cleanup_json cJSON *array = cJSON_CreateArray();
	cleanup_free char *text = NULL;
	const struct framework *fw;

	for (size_t i = 0; array && (fw = framework_nth(i)) != NULL; i++)
		if (!add_framework(array, fw))
			return err_memory(err);
	text = array ? cJSON_Print(array) : NULL;
	if (!text)
		return err_memory(err);
	fprintf(f, "%s\n", text);
	return 0;
}
