/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of others, before a terminal shows them. */
#ifndef DT_CORE_BASE_PLAIN_TEXT_H
#define DT_CORE_BASE_PLAIN_TEXT_H

/* Make '?' of each byte of `text` that is no UTF-8, or is of a character that
 * doesn't print (utf8_prints()), but for those of `kept`, as "\t\n". */
void plain_text(char *text, const char *kept);

#endif
