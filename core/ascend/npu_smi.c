/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of npu-smi; see core/ascend/hccn.h. */
#include "core/ascend/hccn.h"
#include "core/base/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LINE_SIZE   256
#define COLUMNS_MAX 8

enum { COL_NPU, COL_CHIP, COL_PHY, COL_NAME, COL_SLOT, COL_COUNT };

static const char *const column_names[COL_COUNT] = {
	"NPU ID", "Chip ID", "Chip Phy-ID", "Chip Name", "Slot ID",
};

struct table {
	int n;		   /* columns */
	int at[COL_COUNT]; /* where each is, or -1 */
};

/* Copy one line and step over it; false when there is none left. */
static bool next_line(const char **text, char line[LINE_SIZE])
{
	size_t n = strcspn(*text, "\n");

	if (!**text)
		return false;
	snprintf(line, LINE_SIZE, "%.*s", (int)(n < 250 ? n : 250), *text);
	*text += n + ((*text)[n] == '\n');
	return true;
}

static void trim_end(char *text)
{
	size_t n = strlen(text);

	while (n && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
}

/* Read the column names: a name may contain single blanks, and two or more
 * blanks separate names. */
static bool read_header(char *line, struct table *ret)
{
	struct table t = {.at = {-1, -1, -1, -1, -1}};
	char *p = line + strspn(line, " \t");

	trim_end(p);
	while (*p && t.n < COLUMNS_MAX) {
		char *end = strstr(p, "  "), *next;

		next = end ? end + strspn(end, " ") : p + strlen(p);
		if (end)
			*end = '\0';
		for (int i = 0; i < COL_COUNT; i++)
			if (!strcmp(p, column_names[i]))
				t.at[i] = t.n;
		t.n++;
		p = next;
	}
	if (t.at[COL_NPU] < 0 || t.at[COL_CHIP] < 0 ||
	    t.at[COL_NAME] != t.n - 1)
		return false;
	*ret = t;
	return true;
}

/* Split a row into cells: one word each, but the last cell is the rest of the
 * row. */
static bool split_row(char *line, int n, char *cell[COLUMNS_MAX])
{
	for (int i = 0; i < n; i++) {
		line += strspn(line, " \t");
		if (!*line)
			return false;
		cell[i] = line;
		if (i == n - 1)
			break;
		line += strcspn(line, " \t");
		if (*line)
			*line++ = '\0';
	}
	trim_end(cell[n - 1]);
	return true;
}

/* The chip generation of a row. If the name is only "Ascend910", the kind of
 * table shows the generation. */
static enum chip row_chip(const struct table *t, char *const cell[])
{
	const char *name = cell[t->at[COL_NAME]];
	enum chip chip = npu_chip_of_driver(name);

	if (chip != CHIP_UNKNOWN || strncmp(name, "Ascend", 6) != 0)
		return chip;
	if (t->at[COL_SLOT] >= 0)
		return CHIP_950;
	return t->at[COL_PHY] >= 0 ? CHIP_910C : CHIP_UNKNOWN;
}

static bool cell_number(char *const cell[], int at, long *ret)
{
	return at >= 0 && parse_number(cell[at], 0, 65535, ret) == 0;
}

/* Read a row; true when it describes this device. */
static bool use_row(const struct table *t, char *const cell[], unsigned phy_id,
		    unsigned *nrows, struct npu_smi_row *row)
{
	enum chip chip = row_chip(t, cell);
	long npu_id, chip_id, phy;

	if (!strcmp(cell[t->at[COL_NAME]], "Mcu") ||
	    !cell_number(cell, t->at[COL_NPU], &npu_id) ||
	    !cell_number(cell, t->at[COL_CHIP], &chip_id))
		return false;
	if (t->at[COL_PHY] < 0) {
		row->chip = !*nrows || row->chip == chip ? chip : CHIP_UNKNOWN;
		++*nrows;
		return false;
	}
	if (!cell_number(cell, t->at[COL_PHY], &phy) || phy != (long)phy_id)
		return false;
	*row = (struct npu_smi_row){true, (unsigned)npu_id, (unsigned)chip_id,
				    chip};
	return true;
}

int npu_smi_map(const char *output, unsigned phy_id, struct npu_smi_row *ret)
{
	struct npu_smi_row row = {.chip = CHIP_UNKNOWN};
	struct table t = {.n = 0};
	char line[LINE_SIZE], *cell[COLUMNS_MAX];
	unsigned nrows = 0;

	while (next_line(&output, line)) {
		if (!t.n) {
			read_header(line, &t);
			continue;
		}
		if (!split_row(line, t.n, cell))
			continue;
		if (use_row(&t, cell, phy_id, &nrows, &row))
			break;
	}
	if (!row.by_phy_id && !nrows)
		return -1;
	*ret = row;
	return 0;
}

int npu_smi_spod(const char *output, struct npu *npu)
{
	struct npu found = {.phy_id = npu->phy_id};
	char line[LINE_SIZE];

	while (next_line(&output, line)) {
		char *name = line + strspn(line, " \t");
		char *value = strstr(name, " : ");
		long n;

		if (!value)
			continue;
		*value = '\0';
		value += 3;
		trim_end(name);
		trim_end(value);
		if (parse_number(value, 0, NPU_SDID_MAX, &n) < 0)
			continue;
		if (!strcmp(name, "SDID")) {
			found.sdid = (unsigned long)n;
			found.sdid_from = NPU_FROM_NPU_SMI;
		} else if (!strcmp(name, "Super Pod ID")) {
			snprintf(found.pod, sizeof(found.pod), "%ld", n);
			found.pod_from = NPU_FROM_NPU_SMI;
		}
	}
	if (!found.sdid_from)
		return -1;
	npu_complete(npu, &found);
	return 0;
}
