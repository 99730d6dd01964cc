/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for the driver's libdcmi.so: the calls that are asked for, with
 * the types of the vendor's dcmi_interface_api.h. What it answers is in
 * etc/npu-standin (README) below the folder that usr/local/dcmi is in.
 */
#define _GNU_SOURCE

#include <arpa/inet.h>
#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES_MAX 64

#define OK		     0
#define ERR_INVALID	     (-8001)
#define ERR_NOT_PERMITTED    (-8002)
#define ERR_INNER	     (-8005)
#define ERR_DEVICE_NOT_EXIST (-8008)
#define ERR_NOT_SUPPORT	     (-8255)

struct dcmi_ip_addr {
	union {
		unsigned char ip6[16];
		unsigned char ip4[4];
	} u_addr;
	int ip_type;
};

struct dcmi_chip_info {
	unsigned char chip_type[32], chip_name[32], chip_ver[32];
	unsigned int aicore_cnt;
};

struct dcmi_spod_info {
	unsigned int sdid, super_pod_size, super_pod_id, server_index;
	unsigned int chassis_id, super_pod_type, reserve[6];
};

struct line {
	unsigned id;
	char v4[64], v6[64], sdid[32], pod[32], chip[32];
};

int dcmi_init(void);
int dcmi_get_card_id_device_id_from_phyid(int *card_id, int *device_id,
					  unsigned int device_phy_id);
int dcmi_get_device_ip(int card_id, int device_id, int input_type, int port_id,
		       struct dcmi_ip_addr *ip, struct dcmi_ip_addr *mask);
int dcmi_get_device_chip_info(int card_id, int device_id,
			      struct dcmi_chip_info *chip_info);
int dcmi_get_device_info(int card_id, int device_id, int main_cmd,
			 unsigned int sub_cmd, void *buf, unsigned int *size);
int dcmi_get_device_health(int card_id, int device_id, unsigned int *health);

static FILE *control(const char *name, const char *how)
{
	char path[PATH_MAX];
	char *end;
	Dl_info info;

	if (!dladdr((void *)(size_t)dcmi_init, &info))
		return NULL;
	snprintf(path, PATH_MAX, "%s", info.dli_fname);
	end = strstr(path, "/usr/local/dcmi/");
	if (!end)
		return NULL;
	snprintf(end, PATH_MAX - (size_t)(end - path), "/etc/npu-standin/%s",
		 name);
	return fopen(path, how);
}

/* Read once, as a driver knows its devices. */
static void read_devices(struct line at[DEVICES_MAX])
{
	FILE *f = control("devices", "re");
	char text[512];
	struct line l;

	while (f && fgets(text, sizeof(text), f))
		if (sscanf(text, "%u %63s %63s %31s %31s %31s", &l.id, l.v4,
			   l.v6, l.sdid, l.pod, l.chip) == 6 &&
		    l.id < DEVICES_MAX)
			at[l.id] = l;
	if (f)
		fclose(f);
}

static int find(unsigned phy_id, struct line *ret)
{
	static struct line at[DEVICES_MAX];
	static int is_read;

	if (!is_read)
		read_devices(at);
	is_read = 1;
	if (phy_id >= DEVICES_MAX || !*at[phy_id].chip)
		return ERR_DEVICE_NOT_EXIST;
	*ret = at[phy_id];
	return OK;
}

/* A line for each start, where somebody counts them. */
static void count_start(void)
{
	FILE *f = control("starts", "r+e");

	if (!f)
		return;
	fclose(f);
	f = control("starts", "ae");
	if (f)
		fprintf(f, "%d\n", (int)getpid());
	if (f)
		fclose(f);
}

int dcmi_init(void)
{
	char mode[32] = "";
	FILE *f = control("dcmi", "re");

	count_start();
	if (f && fscanf(f, "%31s", mode) == 1 && !strcmp(mode, "hang")) {
		signal(SIGTERM, SIG_IGN);
		for (;;)
			pause();
	}
	if (f)
		fclose(f);
	return !strcmp(mode, "ok") ? OK : ERR_INNER;
}

/* A card of A3 has two devices. */
static int dies(void)
{
	struct line l;

	return find(0, &l) == OK && !strncmp(l.chip, "910_93", 6) ? 2 : 1;
}

int dcmi_get_card_id_device_id_from_phyid(int *card_id, int *device_id,
					  unsigned int device_phy_id)
{
	struct line l;

	if (!card_id || !device_id)
		return ERR_INVALID;
	*card_id = (int)device_phy_id / dies();
	*device_id = (int)device_phy_id % dies();
	return find(device_phy_id, &l);
}

static int find_card(int card_id, int device_id, struct line *ret)
{
	return find((unsigned)(card_id * dies() + device_id), ret);
}

int dcmi_get_device_ip(int card_id, int device_id, int input_type, int port_id,
		       struct dcmi_ip_addr *ip, struct dcmi_ip_addr *mask)
{
	struct line l;
	int rc = find_card(card_id, device_id, &l);

	if (rc != OK || input_type != 1 || port_id != 0)
		return rc != OK ? rc : ERR_INVALID;
	if (!strncmp(l.chip, "950", 3))
		return ERR_NOT_SUPPORT;
	memset(mask, 0xff, 4);
	if (ip->ip_type == 1)
		return inet_pton(AF_INET6, l.v6, ip->u_addr.ip6) == 1
			       ? OK
			       : ERR_NOT_SUPPORT;
	return inet_pton(AF_INET, l.v4, ip->u_addr.ip4) == 1 ? OK : ERR_INNER;
}

int dcmi_get_device_chip_info(int card_id, int device_id,
			      struct dcmi_chip_info *chip_info)
{
	struct line l;
	int rc = find_card(card_id, device_id, &l);

	if (rc != OK)
		return rc;
	memset(chip_info, 0, sizeof(*chip_info));
	strcpy((char *)chip_info->chip_type, "Ascend");
	strcpy((char *)chip_info->chip_name, l.chip);
	return OK;
}

int dcmi_get_device_info(int card_id, int device_id, int main_cmd,
			 unsigned int sub_cmd, void *buf, unsigned int *size)
{
	struct dcmi_spod_info *spod = buf;
	struct line l;
	int rc = find_card(card_id, device_id, &l);

	if (rc != OK)
		return rc;
	if (main_cmd != 12 || sub_cmd != 1 || *size != sizeof(*spod))
		return ERR_INVALID;
	if (!strcmp(l.sdid, "-"))
		return ERR_NOT_SUPPORT;
	memset(spod, 0, sizeof(*spod));
	spod->sdid = (unsigned)strtoul(l.sdid, NULL, 10);
	spod->super_pod_size = 384;
	spod->super_pod_id = (unsigned)strtoul(l.pod, NULL, 10);
	return OK;
}

int dcmi_get_device_health(int card_id, int device_id, unsigned int *health)
{
	FILE *f = control("health", "re");
	unsigned id, alarm;
	struct line l;
	int rc = find_card(card_id, device_id, &l);

	*health = 0;
	while (f && fscanf(f, "%u %u", &id, &alarm) == 2)
		if (id == (unsigned)(card_id * dies() + device_id))
			*health = alarm;
	if (f)
		fclose(f);
	return rc;
}
