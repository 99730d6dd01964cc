/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/table_document.h"

#include "core/base/err.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 65536

/* Texts, one after the other. */
struct text_block {
	struct text_block *former;
	size_t size, used;
	char text[];
};

const char *document_keep(struct document *doc, const char *text)
{
	struct text_block *block = doc->kept;
	size_t len = text ? strlen(text) + 1 : 0, size;

	if (!text)
		return NULL;
	if (!block || block->size - block->used < len) {
		size = len > BLOCK_SIZE ? len : BLOCK_SIZE;
		block = malloc(sizeof(*block) + size);
		if (!block) {
			doc->no_memory = true;
			return NULL;
		}
		*block = (struct text_block){.former = doc->kept, .size = size};
		doc->kept = block;
	}
	block->used += len;
	return memcpy(block->text + block->used - len, text, len);
}

int document_parse(struct document *doc, const char *text, size_t end,
		   const struct json_list *list)
{
	size_t cut = list->end - list->begin, len = end - cut;
	cleanup_free char *rest = malloc(len + 1);
	const char *stop;

	if (!rest)
		return -1;
	memcpy(rest, text, list->begin);
	memcpy(rest + list->begin, text + list->end, end - list->end);
	rest[len] = '\0';
	doc->root = cJSON_ParseWithLengthOpts(rest, len, &stop, false);
	if (!doc->root)
		return -1;
	if (!list->n)
		return 0;
	doc->list = cJSON_GetArrayItem(doc->root, (int)list->member);
	doc->begin = text + list->begin;
	doc->end = text + list->end;
	doc->n = list->n;
	return 0;
}

void document_clear(struct document *doc)
{
	struct text_block *block = doc->kept, *former;

	for (; block; block = former) {
		former = block->former;
		free(block);
	}
	cJSON_Delete(doc->element);
	cJSON_Delete(doc->root);
	*doc = (struct document){.root = NULL};
}

bool document_list(struct document *doc, struct report *r, const char *key,
		   struct elements *ret)
{
	const cJSON *list = value_find(doc->root, key);

	*ret = (struct elements){.doc = doc};
	if (list && list == doc->list) {
		ret->p = doc->begin;
		ret->n = doc->n;
		return true;
	}
	list = value_list(r, NULL, doc->root, key);
	if (!list)
		return false;
	ret->next = list->child;
	ret->n = (unsigned)cJSON_GetArraySize(list);
	return true;
}

const cJSON *elements_next(struct elements *elements)
{
	struct document *doc = elements->doc;
	const cJSON *next = elements->next;
	const char *p = elements->p;

	if (next)
		elements->next = next->next;
	if (!p)
		return next;
	cJSON_Delete(doc->element);
	doc->element =
		cJSON_ParseWithLengthOpts(p, (size_t)(doc->end - p), &p, false);
	elements->p = NULL;
	if (!doc->element) {
		doc->no_memory = true;
		return NULL;
	}
	p += strspn(p, " \t\n\r");
	if (*p == ',')
		elements->p = p + 1;
	return doc->element;
}
