/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ask DCMI, the driver's library, in a separate process, because it may hang
 * and loads the driver's other libraries. The process writes one line of
 * npu_format() per device, or "absent ID", or "fault TEXT".
 */
#include "helpers/npu/dcmi.h"
#include "helpers/npu/devinfo_sources.h"
#include "sys/probe.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_SIZE ((NPU_ID_MAX + 2) * NPU_LINE_SIZE)

static const char *const places[] = {
	"/usr/local/dcmi/libdcmi.so",
	"/usr/lib64/libdcmi.so",
};

#define NPLACES (sizeof(places) / sizeof(places[0]))

struct dcmi {
	dcmi_init_fn *init;
	dcmi_from_phyid_fn *from_phyid;
	dcmi_ip_fn *ip;
	dcmi_chip_fn *chip;
	dcmi_info_fn *info;
};

static void *open_library(const struct devinfo_query *q)
{
	char path[PATH_MAX], first[512] = "";
	void *lib = NULL;

	for (size_t i = 0; !lib && i < NPLACES; i++) {
		if (devinfo_path(q, places[i], path, sizeof(path)) == 0)
			lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!lib && !*first)
			snprintf(first, sizeof(first), "%s", dlerror());
	}
	if (!lib)
		printf("fault %s\n", first);
	return lib;
}

static int find_calls(void *lib, struct dcmi *d)
{
	d->init = (dcmi_init_fn *)dlsym(lib, "dcmi_init");
	d->from_phyid = (dcmi_from_phyid_fn *)dlsym(
		lib, "dcmi_get_card_id_device_id_from_phyid");
	d->ip = (dcmi_ip_fn *)dlsym(lib, "dcmi_get_device_ip");
	d->chip = (dcmi_chip_fn *)dlsym(lib, "dcmi_get_device_chip_info");
	d->info = (dcmi_info_fn *)dlsym(lib, "dcmi_get_device_info");
	if (d->init && d->from_phyid && d->ip && d->chip && d->info)
		return 0;
	printf("fault libdcmi.so is too old: a function is missing\n");
	return -1;
}

static void put_ip(const struct dcmi *d, int card, int device, int version,
		   struct npu *npu)
{
	struct dcmi_ip ip = {.type = version == 6 ? DCMI_IP_V6 : DCMI_IP_V4};
	struct dcmi_ip mask = ip;
	struct ip addr = {.family = (unsigned char)version};
	char text[IP_TEXT_SIZE];
	struct err err;

	if (d->ip(card, device, DCMI_PORT_ROCE, 0, &ip, &mask) != 0)
		return;
	memcpy(addr.byte, &ip.u, version == 6 ? 16 : 4);
	ip_format(&addr, text);
	if (npu_add_addr(npu, text, strlen(text), &err) == 0)
		npu->addr_from = NPU_FROM_DCMI;
	else
		printf("fault device %u: %s\n", npu->phy_id, err.text);
}

static void put_spod(const struct dcmi *d, int card, int device,
		     struct npu *npu)
{
	struct dcmi_spod spod = {0};
	unsigned size = sizeof(spod);

	if (d->info(card, device, DCMI_MAIN_CHIP, DCMI_SUB_SPOD, &spod,
		    &size) != 0 ||
	    spod.sdid > NPU_SDID_MAX)
		return;
	npu->sdid = spod.sdid;
	npu->sdid_from = NPU_FROM_DCMI;
	snprintf(npu->pod, sizeof(npu->pod), "%u", spod.super_pod_id);
	npu->pod_from = NPU_FROM_DCMI;
}

/* A device has a super pod only in generations that have them; of these a bare
 * "910" means the first. */
static void put_chip(const struct dcmi *d, int card, int device,
		     struct npu *npu)
{
	struct dcmi_chip chip = {.name = ""};

	if (d->chip(card, device, &chip) != 0)
		return;
	chip.name[sizeof(chip.name) - 1] = '\0';
	npu->chip = npu_chip_of_driver(chip.name);
	if (npu->chip == CHIP_UNKNOWN && npu->sdid_from)
		npu->chip = CHIP_910C;
	if (npu->chip != CHIP_UNKNOWN)
		npu->chip_from = NPU_FROM_DCMI;
}

static void put_device(const struct dcmi *d, unsigned phy_id)
{
	struct npu npu = {.phy_id = phy_id};
	char line[NPU_LINE_SIZE];
	int card, device;
	int rc = d->from_phyid(&card, &device, phy_id);

	if (rc == DCMI_NO_SUCH_ID || rc == DCMI_NO_SUCH_DEVICE) {
		printf("absent %u\n", phy_id);
		return;
	}
	if (rc != 0) {
		printf("fault device %u: DCMI returned %d\n", phy_id, rc);
		return;
	}
	put_ip(d, card, device, 4, &npu);
	if (!npu.naddrs)
		put_ip(d, card, device, 6, &npu);
	put_spod(d, card, device, &npu);
	put_chip(d, card, device, &npu);
	puts(npu_format(&npu, line));
}

static void ask_library(const void *arg)
{
	const struct devinfo_query *q = arg;
	void *lib = open_library(q);
	struct dcmi d;
	int rc;

	if (!lib || find_calls(lib, &d) < 0)
		return;
	rc = d.init();
	if (rc != 0)
		printf("fault DCMI can't be initialised: it returned %d\n", rc);
	for (unsigned i = 0; rc == 0 && i < q->n; i++)
		put_device(&d, q->npu[i].phy_id);
}

/* Ignore unknown lines: the driver's libraries may print their own. */
static void read_line(struct devinfo_query *q, const char *line, int *absent)
{
	struct npu npu;
	struct err why;
	int id;

	if (sscanf(line, "absent %d", &id) == 1)
		*absent = id;
	else if (!strncmp(line, "fault ", 6) && !*q->note.text)
		err_printf(&q->note, "%.500s", line + 6);
	else if (npu_parse(line, &npu, &why) == 0)
		for (unsigned i = 0; i < q->n; i++)
			if (q->npu[i].phy_id == npu.phy_id)
				npu_complete(&q->npu[i], &npu);
}

int devinfo_dcmi(struct devinfo_query *q, int *ret_absent)
{
	char *output = malloc(OUTPUT_SIZE), *save = NULL;
	bool any = false;
	int rc;

	*ret_absent = -1;
	if (!output)
		return err_memory(&q->note);
	rc = probe_run(ask_library, q, devinfo_call_ms(q), output, OUTPUT_SIZE,
		       &q->note);
	for (char *line = strtok_r(output, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		any |= !strncmp(line, "npu ", 4);
		read_line(q, line, ret_absent);
	}
	free(output);
	if (rc == 0 && !any && !*q->note.text)
		err_printf(&q->note,
			   "the library's process ended before it answered");
	return any || *ret_absent >= 0 ? 0 : -1;
}
