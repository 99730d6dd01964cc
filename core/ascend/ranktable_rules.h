/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the collective library for rank tables, over rows. There is one
 * set, and two programs ask it:
 *
 *	ranktable_check()		before a step starts, with rows from all
 *					nodes; stops at the first fault
 *	dist-train ranktable check	with the rows of a file; wants all
 *					of them
 *
 * A rule finds faults and says which rows they are about; how a fault reads is
 * the caller's (ranktable_fault_text()). A new rule is one function, one line
 * in the table of ranktable_rules.c, one kind of fault here, and a message in
 * each of the two programs.
 */
#pragma once

#include "core/ascend/ranktable_row.h"

#include <stddef.h>

/* Where the rows come from. A rule names the forms that it holds for. */
enum ranktable_form {
	FORM_NONE,
	FORM_STEP = 1,	  /* rows of a step's nodes; no table is written yet */
	FORM_SERVERS = 2, /* file 1.0, 1.2: server_list[].device[] */
	FORM_LAB = 4,	  /* file without a version, with deploy_mode, ranks */
	FORM_CLOUD = 8,	  /* file without a version, without ranks */
	FORM_RANKS = 16,  /* file 2.0: rank_list[] */
};

enum ranktable_fault_kind {
	FAULT_RANK_HIGH,    /* count: the lowest rank that nobody has */
	FAULT_RANK_TWICE,   /* other: who has it, too */
	FAULT_DEVICE_ID,    /* count: the chip's highest */
	FAULT_CHIPS,	    /* two kinds of chip */
	FAULT_SERVER_NODES, /* two nodes are one server */
	FAULT_SERVER_HOSTS, /* two host addresses for one server */
	FAULT_SERVER_SPLIT, /* its ranks go on after others'; other: before */
	FAULT_DEVICE_TWICE, /* of one server */
	FAULT_SERVER_SIZE,  /* count: devices of the server */
	FAULT_DEVICE_COUNT, /* count: devices of each server */
	FAULT_DEVICE_SET,   /* devices: these don't work together */
	FAULT_NO_SUPER_DEVICE,
	FAULT_NO_POD,
	FAULT_SERVER_PODS, /* a server in two super pods */
	FAULT_POD_SPLIT,   /* its servers go on after others'; other: before */
	FAULT_SUPER_DEVICE_TWICE, /* in one super pod */
	FAULT_POD_ADDRESS,	  /* none, and other is in another super pod */
	FAULT_NO_ADDRESS,	  /* several servers; why: missing or empty */
	FAULT_ADDRESS_COUNT,	  /* count: addresses of the device */
	FAULT_ADDRESSES_MAX,	  /* count: addresses of the device */
	FAULT_ADDRESS,		  /* text, why: this can't be one */
	FAULT_ADDRESS_FAMILY,	  /* count: 4 or 6 */
	FAULT_ADDRESS_TWICE,
	FAULT_HOST,	   /* text, why: this can't be a host's address */
	FAULT_HOST_FAMILY, /* count: 4 or 6 */
	FAULT_NO_HOST,	   /* all need one; why: the hosts' network is used */
	FAULT_NICS, /* count: addresses of a server's eight, in which no two
		       servers are alike */
	FAULT_KINDS,
};

struct ranktable_fault {
	enum ranktable_fault_kind kind;
	const struct ranktable_row *row, *other; /* other: NULL where unused */
	size_t count, other_count;
	uint64_t devices;	/* bit = physical id */
	const char *text, *why; /* text has text_len bytes */
	size_t text_len;
	bool silent; /* the library has no code for it, though for others of
			this kind */
};

/* What the rules are checked on; all of it is borrowed. */
struct ranktable_rules {
	struct ranktable_row *const *row; /* by rank, unknown ranks last */
	size_t n;
	enum ranktable_form form;
	enum chip chip;	 /* whose rules hold */
	bool pods;	 /* the table has super pods */
	bool first_only; /* report one fault, then stop */
	void (*report)(const struct ranktable_rules *rules,
		       const struct ranktable_fault *fault);
	void *arg;	/* for report() */
	size_t nfaults; /* so far */

	/* Filled by the rules: runs of one server, and how many servers. */
	struct ranktable_run *run;
	size_t nruns, nservers;
};

/* Check every rule and report the faults. Returns 0 with and without faults, -1
 * out of memory. */
int ranktable_rules_check(struct ranktable_rules *rules);

/* How messages name a fault's rows: "node n1, device 3", or a place in a file.
 * NULL where the message doesn't name them. */
struct ranktable_places {
	const char *row, *other;
};

/* Write a fault's message. {FIELD} in the format stands for a value of the row,
 * {other FIELD} for one of the other row, where FIELD is
 *	place node rank device server pod super_device address host chip count
 * and for the whole: {n} rows, {last} rank, {servers}, {table chip}, {devices},
 * {text}, {why}. Texts of a file are quoted by show(). Returns `buf`; what
 * doesn't fit is cut. */
const char *ranktable_fault_text(const struct ranktable_rules *rules,
				 const struct ranktable_fault *fault,
				 const char *format,
				 const struct ranktable_places *places,
				 char *buf, size_t size);
