/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the driver's libdcmi.so that is asked for: its types and calls,
 * as in the vendor's dcmi_interface_api.h. The library is opened at run time.
 */
#pragma once

enum {
	DCMI_IP_V4 = 0,
	DCMI_IP_V6 = 1,
	DCMI_PORT_ROCE = 1,
	DCMI_MAIN_CHIP = 12,
	DCMI_SUB_SPOD = 1,
	DCMI_NO_SUCH_ID = -8007,
	DCMI_NO_SUCH_DEVICE = -8008,
};

struct dcmi_ip {
	union {
		unsigned char ip6[16];
		unsigned char ip4[4];
	} u;
	int type;
};

struct dcmi_chip {
	char type[32], name[32], version[32];
	unsigned aicores;
};

struct dcmi_spod {
	unsigned sdid, super_pod_size, super_pod_id, server_index;
	unsigned chassis_id, super_pod_type, reserve[6];
};

typedef int dcmi_init_fn(void);
typedef int dcmi_from_phyid_fn(int *card, int *device, unsigned phy_id);
typedef int dcmi_ip_fn(int card, int device, int port_type, int port_id,
		       struct dcmi_ip *ip, struct dcmi_ip *mask);
typedef int dcmi_chip_fn(int card, int device, struct dcmi_chip *chip);
/* 0: well; 1 to 3: a minor, major or critical alarm, the worst of several;
 * DCMI_HEALTH_NONE: there is no such device, or it hasn't started. */
#define DCMI_HEALTH_NONE 0xffffffffU
typedef int dcmi_health_fn(int card, int device, unsigned *health);
typedef int dcmi_info_fn(int card, int device, int main, unsigned sub,
			 void *buf, unsigned *size);
