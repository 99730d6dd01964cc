/* SPDX-License-Identifier: Apache-2.0 */
/* What nvidia-smi prints, for devices that are well and that aren't. */
#include "helpers/gpu/gpu.h"

#include "tests/fixtures/unit.h"

#define WELL                                                                   \
	"00000000:3B:00.0, NVIDIA H100 80GB HBM3, 535.161.08, Enabled, 0, "    \
	"[N/A]\n"

static struct gpus gpus;
static char found_faults[512];

static void keep(void *arg, enum gpu_fault fault, const char *text)
{
	size_t used = strlen(found_faults);

	(void)arg;
	snprintf(found_faults + used, sizeof(found_faults) - used, "%s%s: %s",
		 used ? "; " : "", gpu_fault_name(fault), text);
}

static bool read_text(unsigned table, const char *text)
{
	char copy[1024];

	snprintf(copy, sizeof(copy), "%s", text);
	return nvidia_smi_read(table, copy, &gpus);
}

static const char *faults_of(unsigned i)
{
	*found_faults = '\0';
	gpu_faults(&gpus.gpu[i], keep, NULL);
	return found_faults;
}

static const struct {
	unsigned table;
	const char *text, *faults;
} cases[] = {
	{1, "00000000:3B:00.0, 0, 0\n", ""},
	{1, "00000000:3B:00.0, No, No\n", ""},
	{1, "00000000:3B:00.0, [N/A], [N/A]\n", ""},
	{1, "00000000:3B:00.0, 1, 0\n",
	 "pending: bad memory waits for a reset to be replaced"},
	{1, "00000000:3B:00.0, Yes, Yes\n",
	 "unrepaired: memory rows failed and couldn't be replaced; "
	 "pending: bad memory waits for a reset to be replaced"},
	{2, "00000000:3B:00.0, Completed, Success, None\n", ""},
	{2, "00000000:3B:00.0, N/A, N/A, None\n", ""},
	{2, "00000000:3B:00.0, Not Supported, N/A, None\n", ""},
	{2, "00000000:3B:00.0, In Progress, N/A, None\n",
	 "fabric: it isn't in the NVLink fabric: state In Progress"},
	{2, "00000000:3B:00.0, Completed, Insufficient Resources, None\n",
	 "fabric: it isn't in the NVLink fabric: state Completed, "
	 "Insufficient Resources"},
	{2, "00000000:3B:00.0, Completed, Success, Node Reboot\n",
	 "recovery: the driver recommends: Node Reboot"},
	{3, "00000000:3B:00.0, Completed, Success\n", ""},
	{0, "00000000:3B:00.0, NVIDIA H100, 535.161.08, Enabled, 3, [N/A]\n",
	 "uncorrected: 3 uncorrected memory errors since the driver was "
	 "loaded"},
	{0, "00000000:3B:00.0, Tesla V100, 418.226.00, Disabled, 0, Yes\n",
	 "pending: bad memory waits for a reset to be replaced"},
	{0,
	 "00000000:3B:00.0, NVIDIA H100, 535.161.08, [Unknown Error], "
	 "[Unknown Error], [Unknown Error]\n",
	 "lost: the driver can't use it: Unknown Error"},
	{0, "00000000:3B:00.0, NVIDIA H100, 535.161.08, Enabled, ERR!, ERR!\n",
	 "lost: the driver can't use it: ERR!"},
	{0,
	 "00000000:3B:00.0, [GPU requires reset], 535.161.08, "
	 "[GPU requires reset], [GPU requires reset], "
	 "[GPU requires reset]\n",
	 "lost: the driver can't use it: GPU requires reset"},
	{0,
	 "00000000:3B:00.0, NVIDIA A10, 535.161.08, "
	 "[Insufficient Permissions], [Not Supported], [N/A]\n",
	 ""},
	{0,
	 "Unable to determine the device handle for GPU0000:3B:00.0: "
	 "Unknown Error\n",
	 "lost: the driver can't use it: Unknown Error"},
	{0,
	 "Unable to determine the device handle for GPU 0000:3B:00.0: GPU "
	 "is lost.  Reboot the system to recover this GPU\n",
	 "lost: the driver can't use it: GPU is lost.  Reboot the system to "
	 "recover this GPU"},
};

static void each_answer(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		gpus = (struct gpus){.asked = true};
		assert_true(read_text(0, WELL));
		assert_case(cases[i].text,
			    read_text(cases[i].table, cases[i].text));
		assert_int_equal(gpus.n, 1);
		assert_string_equal(gpus.gpu[0].bus, "0000:3b:00.0");
		assert_string_equal(faults_of(0), cases[i].faults);
		assert_string_equal(gpus.note, "");
	}
}

/* What it says in place of a table is a note, and no device. */
static const char *const failures[] = {
	("NVIDIA-SMI has failed because it couldn't communicate with the "
	 "NVIDIA "
	 "driver. Make sure that the latest NVIDIA driver is installed and "
	 "running.\n"),
	("Failed to initialize NVML: Driver/library version mismatch\n"
	 "NVML library version: 535.183\n"),
	"No devices were found\n",
	"Field \"fabric.state\" is not a valid field to query.\n\n",
};

static void no_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(failures); i++) {
		gpus = (struct gpus){.n = 0};
		assert_case(failures[i], !read_text(0, failures[i]));
		assert_int_equal(gpus.n, 0);
		assert_case(failures[i],
			    !strncmp(gpus.note, "nvidia-smi: ", 12) &&
				    !strncmp(gpus.note + 12, failures[i], 20));
	}
	gpus = (struct gpus){.n = 0};
	assert_false(read_text(0, ""));
}

/* A device that the kernel knows and the tool doesn't */
static void one_is_missing(void **state)
{
	(void)state;
	gpus = (struct gpus){.asked = true};
	assert_non_null(nvidia_gpu_of(&gpus, "0000:3b:00.0", true));
	assert_non_null(nvidia_gpu_of(&gpus, "0000:86:00.0", true));
	assert_true(read_text(0, WELL));
	assert_int_equal(gpus.n, 2);
	assert_true(gpus.gpu[0].listed);
	assert_false(gpus.gpu[1].listed);
	/* in another table it isn't made */
	assert_true(read_text(1, "00000000:AF:00.0, 1, 1\n"));
	assert_int_equal(gpus.n, 2);
}

/* More devices than there is room for, and words without end */
static void too_many(void **state)
{
	char line[256];

	(void)state;
	gpus = (struct gpus){.n = 0};
	for (unsigned i = 0; i < 3 * GPUS_MAX; i++) {
		snprintf(line, sizeof(line),
			 "00000000:%02X:00.0, A, 1.2, a, 0, "
			 "b\n",
			 i);
		assert_true(read_text(0, line));
	}
	assert_int_equal(gpus.n, GPUS_MAX);
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	memcpy(line, "00000000:00:00.0, ", 18);
	strcpy(line + 200, ", 1.2, a, 0, b");
	assert_true(read_text(0, line));
	assert_int_equal(strlen(gpus.gpu[0].model), GPU_TEXT_SIZE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_answer),
		cmocka_unit_test(no_table),
		cmocka_unit_test(one_is_missing),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
