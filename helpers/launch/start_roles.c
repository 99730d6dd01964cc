/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/start_roles.h"

#include "core/plan/framework.h"
#include "helpers/launch/launch.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/note.h"
#include "helpers/part/part.h"
#include "sys/helper_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROLES "dist-train-roles"

static const char *const no_name[] = {NULL};

struct role_notes {
	struct loop_watch notes;
};

/* ROUND NODE EVENT MORE: the controller looks at it. */
static void on_note(void *arg, uint32_t events)
{
	struct launch *l = arg;
	struct role_notes *r = own_of(l, &roles_part);
	char text[NOTE_MAX + 1];
	ssize_t n = read(r->notes.fd, text, NOTE_MAX);

	(void)events;
	if (n <= 0) {
		loop_remove(&l->loop, &r->notes);
		return;
	}
	text[n] = '\0';
	if (note_is_kept(&l->plan) && l->view.session)
		launch_send(l, MSG_NOTE, text);
}

/* Ours stays open until the end. */
static int open_socket(struct launch *l, int *ret_its, struct err *err)
{
	struct role_notes *r = own_of(l, &roles_part);
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		return err_printf(err, "can't make a socket: %s",
				  strerror(errno));
	*ret_its = fd[0];
	r->notes = (struct loop_watch){.fd = fd[1], .ready = on_note, .arg = l};
	return loop_watch(&l->loop, &r->notes, EPOLLIN, err);
}

int roles_start(struct launch *l, struct spawn *s, char file[PATH_MAX],
		char ***ret_argv, struct err *err)
{
	const struct role_notes *r = own_of(l, &roles_part);
	char *word = l->made.secret;

	if (session_secret(l->view.session, "roles", word, err) < 0 ||
	    envset_add(&s->set, ENV_OURS, "launcher", err, "DIST_TRAIN_RUN_DIR",
		       "%s", l->run_dir.path) < 0 ||
	    open_socket(l, &s->child.in, err) < 0)
		return -1;
	if (write(r->notes.fd, word, SEAL_WORD_SIZE) != SEAL_WORD_SIZE)
		return err_printf(err, "can't write to a socket: %s",
				  strerror(errno));
	*ret_argv = calloc(3, sizeof(**ret_argv));
	if (!*ret_argv)
		return err_memory(err);
	helper_path(ROLES, file);
	(*ret_argv)[0] = (char *)ROLES;
	(*ret_argv)[1] = l->argv[0];
	s->child.file = file;
	s->child.argv = *ret_argv;
	s->without = no_name;
	return 0;
}

/* --- the part --- */

static bool has_roles(const struct plan *plan)
{
	return plan->request->framework->program_is_file;
}

/* What it has said last is read, too. */
static void close_notes(struct launch *l)
{
	struct role_notes *r = own_of(l, &roles_part);

	if (r->notes.fd <= 0)
		return;
	while (r->notes.added &&
	       recv(r->notes.fd, &(char){0}, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		on_note(l, 0);
	loop_remove(&l->loop, &r->notes);
	close(r->notes.fd);
	r->notes.fd = -1;
}

static void ended(struct launch *l, const struct proc *unused)
{
	(void)unused;
	close_notes(l);
}

const struct part roles_part = {
	.name = "roles",
	.wanted = has_roles,
	.size = sizeof(struct role_notes),
	.close = close_notes,
	.ended = ended,
};
