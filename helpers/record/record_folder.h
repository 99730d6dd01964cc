/* SPDX-License-Identifier: Apache-2.0 */
/* Where records are: who writes them and who reads them must agree. */
#ifndef DT_HELPERS_RECORD_RECORD_FOLDER_H
#define DT_HELPERS_RECORD_RECORD_FOLDER_H

#define RECORD_SUFFIX ".jsonl" /* after JOB.STEP.REQUEUE */

/* The folder for records that no key names: "$XDG_STATE_HOME/dist-train", or
 * that below "$HOME/.local/state". A text to free; NULL: there is none. */
char *record_state_folder(void);

#endif
