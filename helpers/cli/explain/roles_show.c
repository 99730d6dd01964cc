/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/command.h"
#include "helpers/cli/explain/roles_view.h"

static int check_wish(const struct explain_wish *w, struct err *err)
{
	if (!w->diff && (w->format == FORMAT_TEXT || w->format == FORMAT_JSON))
		return 0;
	return err_printf(err, "a file of roles is shown as text, with --json, "
			       "or as a picture; explain FRAMEWORK shows the "
			       "variables of one role's processes");
}

int roles_show(const struct roles_view *view, const struct explain_wish *w,
	       struct err *err)
{
	char remark[ROLE_REMARK_SIZE];
	int rc;

	if (check_wish(w, err) < 0)
		return EXIT_USAGE;
	for (unsigned n = 0; role_plan_remark(&view->plan, n, remark); n++)
		fprintf(stderr, "dist-train: %s\n", remark);
	if (w->picture)
		rc = roles_picture(view, w->picture, err);
	else if (w->format == FORMAT_JSON)
		rc = roles_json(stdout, view, w->notes, err);
	else
		rc = roles_text(stdout, view, err);
	return rc < 0 ? EXIT_FINDING : EXIT_DONE;
}
