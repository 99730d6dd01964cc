/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/look/look_state.h"

#include "helpers/conn/message.h"
#include "helpers/ending/ending.h"

const struct sight_kind look_kinds[] = {
	{.what = "status", .begin = status_begin, .end = status_end},
	{.what = "signs", .begin = signs_begin},
	{.what = "stack", .begin = stack_begin, .end = stack_end},
	{.what = "recorders", .begin = recorders_begin, .end = recorders_end},
	{.what = "pace", .begin = pace_begin},
	{.what = SIGHT_ENDING, .begin = ending_begin, .end = ending_end},
	{0},
};
