/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of libnvidia-ml.so.1, the library of NVIDIA's driver, that is asked
 * for: its calls and types, as in the vendor's nvml.h. Opened at run time.
 */
#pragma once

/* What each call but nvmlErrorString() returns */
enum {
	NVML_SUCCESS = 0,
	NVML_NO_POWER = 8, /* its cables */
	NVML_IRQ_ISSUE = 11,
	NVML_GPU_IS_LOST = 15,
	NVML_RESET_REQUIRED = 16,
	NVML_UNKNOWN = 999,
};

enum {
	NVML_UNCORRECTED = 1,	   /* nvmlMemoryErrorType_t */
	NVML_VOLATILE = 0,	   /* nvmlEccCounterType_t */
	NVML_FIELD_RECOVERY = 230, /* NVML_FI_DEV_GET_GPU_RECOVERY_ACTION */
};

/* nvmlGpuFabricInfo_t */
struct nvml_fabric {
	unsigned char cluster[16];
	int status; /* means something in the state NVML_FABRIC_COMPLETED */
	unsigned clique;
	unsigned char state;
};

enum {
	NVML_FABRIC_NOT_SUPPORTED,
	NVML_FABRIC_NOT_STARTED,
	NVML_FABRIC_IN_PROGRESS,
	NVML_FABRIC_COMPLETED,
	NVML_FABRIC_STATES,
};

/* nvmlFieldValue_t */
struct nvml_field {
	unsigned id, scope;
	long long at_us, took_us;
	int type, rc;
	union {
		double number; /* for its size */
		unsigned value;
	} u;
};

/* nvmlMemory_t, in bytes */
struct nvml_memory {
	unsigned long long size, unused, used;
};

/* nvmlUtilization_t, in percent */
struct nvml_percent {
	unsigned gpu, memory;
};

typedef struct nvml_device *nvml_device;

/* What an older driver doesn't have is NULL, but for init, text and the two
 * that find a device. */
struct nvml {
	int (*init)(void);
	const char *(*text)(int rc);
	int (*by_bus)(const char *bus, nvml_device *device);
	int (*by_index)(unsigned index, nvml_device *device);
	int (*count)(unsigned *n);
	/* how it is */
	int (*persistent)(nvml_device device, int *on);
	int (*retired)(nvml_device device, int *on);
	int (*errors)(nvml_device device, int type, int counter,
		      unsigned long long *n);
	int (*rows)(nvml_device device, unsigned *corrected,
		    unsigned *uncorrected, unsigned *pending, unsigned *failed);
	int (*fabric)(nvml_device device, struct nvml_fabric *fabric);
	int (*fields)(nvml_device device, int n, struct nvml_field *field);
	/* what it is used for */
	int (*uuid)(nvml_device device, char *name, unsigned size);
	int (*memory)(nvml_device device, struct nvml_memory *memory);
	int (*percent)(nvml_device device, struct nvml_percent *percent);
};
