/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys groups and groups-strict: how ranks form parallel groups, as the
 * options of Megatron-LM, DeepSpeed and others do it, "tp:8+dp+pp:4". The first
 * name varies fastest: with tp:8 ranks 0 to 7 are a tp group, and the next name
 * takes every eighth rank. A name without a size has what the others leave of
 * the world; without such a name a product that is smaller than the world
 * stands for several copies of the same, one after the other. Pure words;
 * core/groups says which groups are spread over the network.
 */
#pragma once

#include "core/base/err.h"
#include "core/option/option.h"

#define GROUPS_MAX	 8
#define GROUPS_NAME_SIZE 16

struct groups {
	unsigned n; /* 0: nobody has asked */
	struct group_kind {
		char name[GROUPS_NAME_SIZE];
		unsigned size; /* ranks of a group; 0: what is left */
	} kind[GROUPS_MAX];
};

/* Read the text of the key groups. Returns 0 or -1. */
int groups_parse(const char *text, struct groups *ret, struct err *err);

/* What the request asks for. */
void groups_of(const struct request *request, struct groups *ret);

/* Whether the names of groups-strict are some of the key groups: 0 or -1. */
int groups_check_strict(const struct request *request, struct err *err);

/* Give a name without a size what is left of a world of `world_size` ranks.
 * Fails when the sizes don't divide it. */
int groups_fit(const struct groups *groups, unsigned world_size,
	       struct groups *ret, struct err *err);

/* Which kinds groups-strict means, bit by bit. yes: all but the last of several
 * whose product is the world, which joins what the others keep apart. */
unsigned groups_strict(const struct request *request,
		       const struct groups *fitted, unsigned world_size);

/* The kinds that matter where nobody says which: those of groups-strict=yes. */
unsigned groups_near(const struct groups *fitted, unsigned world_size);

/* "tp:8+dp:4". Returns buf. */
#define GROUPS_TEXT_SIZE (GROUPS_MAX * (GROUPS_NAME_SIZE + 12))
const char *groups_text(const struct groups *groups,
			char buf[GROUPS_TEXT_SIZE]);
