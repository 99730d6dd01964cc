/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ask DCMI, the driver's library, in a separate process, because it may hang
 * and loads the driver's other libraries. The process writes one struct answer
 * per device. Who waits for it is devinfo_dcmi(), or the caller's event loop.
 */
#include "helpers/npu/dcmi.h"
#include "helpers/npu/devinfo.h"
#include "sys/text_file.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What the process says of a device. Without a device: what keeps it from
 * asking for any. */
struct answer {
	enum { NO_DEVICE, ABSENT, FOUND } state;
	struct npu npu;	 /* ABSENT: its id alone */
	char fault[512]; /* or "" */
};

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

static void *open_library(const char *root, char *why, size_t size)
{
	char path[PATH_MAX];
	void *lib = NULL;

	for (size_t i = 0; !lib && i < NPLACES; i++) {
		if (devinfo_path(root, places[i], path, sizeof(path)) == 0)
			lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!lib && !*why)
			snprintf(why, size, "%s", dlerror());
	}
	return lib;
}

static int find_calls(void *lib, struct dcmi *d, struct answer *answer)
{
	d->init = (dcmi_init_fn *)dlsym(lib, "dcmi_init");
	d->from_phyid = (dcmi_from_phyid_fn *)dlsym(
		lib, "dcmi_get_card_id_device_id_from_phyid");
	d->ip = (dcmi_ip_fn *)dlsym(lib, "dcmi_get_device_ip");
	d->chip = (dcmi_chip_fn *)dlsym(lib, "dcmi_get_device_chip_info");
	d->info = (dcmi_info_fn *)dlsym(lib, "dcmi_get_device_info");
	if (d->init && d->from_phyid && d->ip && d->chip && d->info)
		return 0;
	strcpy(answer->fault, "libdcmi.so is too old: a function is missing");
	return -1;
}

static void put_ip(const struct dcmi *d, int card, int device, int version,
		   struct answer *answer)
{
	struct npu *npu = &answer->npu;
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
	else if (!*answer->fault)
		snprintf(answer->fault, sizeof(answer->fault),
			 "device %u: %.400s", npu->phy_id, err.text);
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

static void ask_device(const struct dcmi *d, struct answer *answer)
{
	struct npu *npu = &answer->npu;
	int card, device;
	int rc = d->from_phyid(&card, &device, npu->phy_id);

	if (rc == DCMI_NO_SUCH_ID || rc == DCMI_NO_SUCH_DEVICE) {
		answer->state = ABSENT;
		return;
	}
	if (rc != 0) {
		snprintf(answer->fault, sizeof(answer->fault),
			 "device %u: DCMI returned %d", npu->phy_id, rc);
		return;
	}
	answer->state = FOUND;
	put_ip(d, card, device, 4, answer);
	if (!npu->naddrs)
		put_ip(d, card, device, 6, answer);
	put_spod(d, card, device, npu);
	put_chip(d, card, device, npu);
}

/* What the process is started with. */
struct question {
	const char *root;
	const struct idlist *ids;
};

static int start_library(const char *root, struct dcmi *ret,
			 struct answer *answer)
{
	void *lib = open_library(root, answer->fault, sizeof(answer->fault));
	int rc;

	if (!lib || find_calls(lib, ret, answer) < 0)
		return -1;
	rc = ret->init();
	if (rc != 0)
		snprintf(answer->fault, sizeof(answer->fault),
			 "DCMI can't be initialised: it returned %d", rc);
	return rc;
}

static int ask_library(const int fd[2], const void *arg)
{
	const struct question *q = arg;
	struct answer answer = {.state = NO_DEVICE};
	struct dcmi d;

	if (start_library(q->root, &d, &answer) != 0)
		return write_full(fd[1], (char *)&answer, sizeof(answer));
	for (unsigned i = 0; i < q->ids->n; i++) {
		answer = (struct answer){.npu.phy_id = q->ids->id[i]};
		ask_device(&d, &answer);
		if (write_full(fd[1], (char *)&answer, sizeof(answer)) < 0)
			return 1;
	}
	return 0;
}

static struct subprocess_spec process_of(const struct question *question)
{
	return (struct subprocess_spec){
		.run = ask_library,
		.arg = question,
		.flags = SUBPROCESS_HANGS,
	};
}

int devinfo_library_start(const struct devinfo_options *options,
			  const struct idlist *ids, struct subprocess *ret,
			  struct err *err)
{
	const struct question question = {options->root, ids};
	const struct subprocess_spec spec = process_of(&question);

	return subprocess_start(&spec, ret, err);
}

static void note_answer(struct devinfo_query *q, const struct answer *answer,
			bool *any, int *absent)
{
	if (*answer->fault && !*q->note.text)
		err_printf(&q->note, "%s", answer->fault);
	if (answer->state == ABSENT)
		*absent = (int)answer->npu.phy_id;
	for (unsigned i = 0; answer->state == FOUND && i < q->n; i++)
		if (q->npu[i].phy_id == answer->npu.phy_id)
			npu_complete(&q->npu[i], &answer->npu);
	*any |= answer->state == FOUND;
}

static int take_answers(struct devinfo_query *q,
			const struct devinfo_answers *a, int *ret_absent)
{
	struct answer answer;
	bool any = false;

	if (a->given_up)
		err_printf(&q->note, "%s", a->given_up);
	for (size_t i = 0; i < a->n / sizeof(answer); i++) {
		memcpy(&answer, a->bytes + i * sizeof(answer), sizeof(answer));
		note_answer(q, &answer, &any, ret_absent);
	}
	if (!any && !*q->note.text)
		err_printf(&q->note,
			   "the library's process ended before it answered");
	return any || *ret_absent >= 0 ? 0 : -1;
}

static int ask_and_wait(struct devinfo_query *q, int *ret_absent)
{
	struct idlist ids = {.n = q->n};
	const struct question question = {q->options->root, &ids};
	const struct subprocess_spec spec = process_of(&question);
	size_t size = (q->n + 1) * sizeof(struct answer);
	cleanup_free char *bytes = malloc(size);
	struct devinfo_answers answers = {.bytes = bytes};
	struct err why;

	if (!bytes)
		return err_memory(&q->note);
	for (unsigned i = 0; i < q->n; i++)
		ids.id[i] = q->npu[i].phy_id;
	if (subprocess_run(&spec, devinfo_call_ms(q), bytes, size, &answers.n,
			   &why) < 0)
		answers.given_up = why.text;
	return take_answers(q, &answers, ret_absent);
}

int devinfo_dcmi(struct devinfo_query *q, int *ret_absent)
{
	*ret_absent = -1;
	return q->options->library
		       ? take_answers(q, q->options->library, ret_absent)
		       : ask_and_wait(q, ret_absent);
}

/* --- are they well --- */

void devinfo_health(const struct idlist *ids,
		    void (*tell)(void *arg, unsigned id, unsigned health),
		    void *arg)
{
	char why[512] = "";
	void *lib = open_library(devinfo_root(), why, sizeof(why));
	dcmi_from_phyid_fn *from_phyid;
	dcmi_health_fn *health_of;
	dcmi_init_fn *init;

	if (!lib)
		return;
	init = (dcmi_init_fn *)dlsym(lib, "dcmi_init");
	from_phyid = (dcmi_from_phyid_fn *)dlsym(
		lib, "dcmi_get_card_id_device_id_from_phyid");
	health_of = (dcmi_health_fn *)dlsym(lib, "dcmi_get_device_health");
	if (!init || !from_phyid || !health_of || init() != 0)
		return;
	for (unsigned i = 0; i < ids->n; i++) {
		int card, device;
		unsigned health;

		if (from_phyid(&card, &device, ids->id[i]) == 0 &&
		    health_of(card, device, &health) == 0)
			tell(arg, ids->id[i], health);
	}
}
