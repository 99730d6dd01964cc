/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of libnvidia-ml.so.1, the library of NVIDIA's driver, that is asked
 * for: its calls and types, as in the vendor's nvml.h. Opened at run time.
 */
#ifndef DT_HELPERS_GPU_NVML_H
#define DT_HELPERS_GPU_NVML_H

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
typedef int nvml_init_fn(void);
typedef const char *nvml_text_fn(int rc);
typedef int nvml_handle_fn(const char *bus, nvml_device *device);
typedef int nvml_switch_fn(nvml_device device, int *on);
typedef int nvml_errors_fn(nvml_device device, int type, int counter,
			   unsigned long long *n);
typedef int nvml_rows_fn(nvml_device device, unsigned *corrected,
			 unsigned *uncorrected, unsigned *pending,
			 unsigned *failed);
typedef int nvml_fabric_fn(nvml_device device, struct nvml_fabric *fabric);
typedef int nvml_fields_fn(nvml_device device, int n, struct nvml_field *field);

typedef int nvml_count_fn(unsigned *n);
typedef int nvml_index_fn(unsigned index, nvml_device *device);
typedef int nvml_name_fn(nvml_device device, char *name, unsigned size);
typedef int nvml_memory_fn(nvml_device device, struct nvml_memory *memory);
typedef int nvml_percent_fn(nvml_device device, struct nvml_percent *percent);

/* The library, below the folder `root` unless that is ""; NULL: there is none
 * (gpu_nvml.c). */
void *nvml_open(const char *root);

#endif
