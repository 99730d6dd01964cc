/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/node/json_devices.h"

#include "helpers/cli/json_print.h"

#include <string.h>

static bool add_source(cJSON *to, const char *name, enum npu_source from)
{
	return cJSON_AddStringToObject(to, name, npu_source_name(from));
}

static bool add_addresses(cJSON *to, const struct npu *npu)
{
	cJSON *array = cJSON_AddArrayToObject(to, "addresses");

	for (unsigned i = 0; array && i < npu->naddrs; i++) {
		cJSON *text = cJSON_CreateString(npu->addr[i]);

		if (!text)
			return false;
		cJSON_AddItemToArray(array, text);
	}
	return array && add_source(to, "addresses_from", npu->addr_from);
}

static bool add_device(cJSON *array, const struct npu *npu)
{
	cJSON *o = json_append(array);

	return o && cJSON_AddNumberToObject(o, "device", npu->phy_id) &&
	       (!npu->addr_from || add_addresses(o, npu)) &&
	       (!npu->sdid_from ||
		(cJSON_AddNumberToObject(o, "super_device_id",
					 (double)npu->sdid) &&
		 add_source(o, "super_device_id_from", npu->sdid_from))) &&
	       (!npu->pod_from ||
		(cJSON_AddStringToObject(o, "super_pod_id", npu->pod) &&
		 add_source(o, "super_pod_id_from", npu->pod_from))) &&
	       (!npu->chip_from ||
		(cJSON_AddStringToObject(o, "chip",
					 chip_facts(npu->chip)->name) &&
		 add_source(o, "chip_from", npu->chip_from)));
}

/* "NAME: what it said" */
static bool add_sources(cJSON *to, const char *how)
{
	cJSON *sources = cJSON_AddObjectToObject(to, "sources");
	char name[32], said[1200];

	while (sources && *how) {
		int n = (int)strcspn(how, "\n"), colon;

		colon = (int)strcspn(how, ":");
		snprintf(name, sizeof(name), "%.*s", colon, how);
		snprintf(said, sizeof(said), "%.*s", n - colon - 2,
			 how + colon + 2);
		if (!cJSON_AddStringToObject(sources, name, said))
			return false;
		how += n + (how[n] == '\n');
	}
	return sources != NULL;
}

int json_devices(FILE *f, const char *node, const struct npu *npu, unsigned n,
		 const char *how, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	cJSON *array;

	if (!o || !cJSON_AddStringToObject(o, "node", node))
		return err_memory(err);
	array = cJSON_AddArrayToObject(o, "devices");
	for (unsigned i = 0; array && i < n; i++)
		if (!add_device(array, &npu[i]))
			return err_memory(err);
	if (!array || !add_sources(o, how))
		return err_memory(err);
	return json_print(f, o, err);
}
