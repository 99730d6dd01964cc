/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rank table's file holds, whatever its form: one entry per device, in
 * the file's order. Texts lie in the document.
 */
#ifndef DT_HELPERS_CLI_RANKTABLE_TABLE_VIEW_H
#define DT_HELPERS_CLI_RANKTABLE_TABLE_VIEW_H

#include "core/ascend/chip.h"
#include "helpers/cli/ranktable/table_value.h"

enum form {
	FORM_NONE,    /* nothing that could be read */
	FORM_SERVERS, /* 1.0, 1.2: server_list[].device[] */
	FORM_CLOUD,   /* no version: group_list[].instance_list[].devices[] */
	FORM_LAB,     /* the same with deploy_mode and ranks */
	FORM_RANKS,   /* 2.0: rank_list[] */
};

struct entry {
	unsigned at[3];		  /* indices of the form's arrays */
	unsigned server;	  /* at[0]: servers; 0 in other forms */
	const char *server_id;	  /* NULL: faulty; FORM_RANKS: an instance */
	const char *host_ip;	  /* NULL: none */
	const char *device_ip;	  /* NULL: none; may be "" */
	const char *super_pod_id; /* NULL: none */
	bool has_rank, has_device, has_super_device;
	uint32_t rank, device_id, super_device_id;
};

struct view {
	cJSON *root;
	enum form form;
	const char *version; /* "" for the forms without one */
	enum chip chip;	     /* whose rules hold */
	bool pods;	     /* the table has super pods */
	size_t nservers;     /* as the table lists them; 0: unknown */
	struct entry *entry;
	size_t n, size;
};

/* A new entry, zeroed; NULL out of memory. */
struct entry *view_add(struct view *view);

/* The entry's place in the file; `key` may be NULL. */
void view_path(const struct view *view, const struct entry *e, const char *key,
	       char buf[WHERE_TEXT_MAX]);

enum view_order {
	VIEW_BY_RANK,	/* then the file's order */
	VIEW_BY_DEVICE, /* server, device, then the file's order */
	VIEW_BY_POD,	/* super pod, super device */
};

/* The entries in another order, freed by the caller; NULL out of memory. Those
 * without a rank stand last. */
struct entry **view_sorted(const struct view *view, enum view_order order);

void view_clear(struct view *view);

/* Report at an entry. */
#define RULES_FAULT(view, r, e, key, code, remedy, ...)                        \
	do {                                                                   \
		char path_[WHERE_TEXT_MAX];                                    \
                                                                               \
		view_path(view, e, key, path_);                                \
		report_path(r, path_, code, remedy, __VA_ARGS__);              \
	} while (0)

#endif
