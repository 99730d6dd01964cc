/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A made-up Slurm that loads the shipped dist_train.so and calls its hooks as
 * srun, sbatch, slurmd and slurmstepd do. A scenario (README in this folder)
 * says what Slurm has to tell and what the plugin must have done.
 */
#pragma once

#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stddef.h>

/* --- scenario.c: the file as words and texts ----------------------------- */

struct line {
	char *word, *text; /* text: escapes expanded */
	unsigned number;
};

/* Lines [from, to) of one file: all of it, its head or one section. */
struct range {
	const struct line *line;
	unsigned from, to;
};

struct scenario {
	const char *file;
	struct line *line;
	unsigned nlines;
	int busy_port; /* what @PORT@ stands for: a port that is taken; 0: none
			*/
	int busy_fd;
};

/* Ends the program with a message when the file is no scenario. */
void scenario_read(const char *file, struct scenario *ret);
void scenario_free(struct scenario *s);

/* What stands before the first section. */
struct range scenario_head(const struct scenario *s);
/* The section that begins at or after *at; moves it on. False: no more. */
bool scenario_section(const struct scenario *s, unsigned *at,
		      struct range *ret);

/* The text of the last line with that word, or NULL. */
const char *range_get(struct range r, const char *word);
/* The text of the next line with that word, moving *at (0 at first), or
 * NULL. */
const char *range_next(struct range r, const char *word, unsigned *at);

/* --- step.c: who runs where, as the scenario says ---------------------------
 */

#define NODES_MAX 64
#define TASKS_MAX 256

struct node {
	char name[64];
	unsigned ntasks, task[TASKS_MAX];
};

struct step {
	unsigned job_id, step_id, nnodes, ntasks;
	struct node node[NODES_MAX];
};

void step_read(struct range head, struct step *ret);
/* Names of the step's nodes, comma-separated; for the caller to free. */
char *step_node_list(const struct step *step);

/* "2,1,1" */
#define STEP_TASKS_SIZE 4096
const char *step_tasks_per_node(const struct step *step,
				char ret[STEP_TASKS_SIZE]);

/* --- stage.c: the process that plays one of Slurm's ------------------------
 */

/* The job's user, who is never root. */
#define JOB_UID 1000

enum hook {
	HOOK_NONE,
	HOOK_INIT,
	HOOK_POST_OPT,
	HOOK_LOCAL,
	HOOK_PRIVILEGED,
	HOOK_TASK,
	HOOK_EXIT,
};

#define WORDS_MAX	  4096
#define ABBREVIATIONS_MAX 16

struct words {
	unsigned n;
	char *word[WORDS_MAX];
};

/* What a process leaves for the judge; in memory that forks share. */
struct result {
	bool finished; /* the hooks returned: the program would start */
	bool killed_on_bad_exit;
	unsigned nrpcs;
	unsigned nsetenvs; /* calls of spank_setenv() */
	unsigned nmapped;  /* of two large buffers, those from the kernel */
	unsigned requeued; /* the job that was, by the plugin; 0: none */
	int task_status;   /* of waitpid() */
	char option[128];
	char handed[4096]; /* the text of hccn.conf that the task inherits */
	char abbreviations[128]; /* names, blank-separated */
	struct words before, after, argv;
	size_t used;
	char data[16 << 20];
};

struct stage {
	const struct scenario *scenario;
	struct range head, section;
	struct step step;
	unsigned node; /* of the task's slurmstepd, in the step */
	enum spank_context context;
	enum hook hook;
	bool inside; /* of a container: another root directory */
	bool leaves; /* an srun --async */
	bool idle;   /* the step doesn't use the option: hands off */
	char **env;  /* of the task: heap strings of exact size */
	int argc;
	char **argv;
	char *program; /* argv[0] as it was: the plugin may replace it */
	spank_opt_cb_f callback;
	struct {
		char name[32];
		int val;
		spank_opt_cb_f callback;
	} abbreviation[ABBREVIATIONS_MAX];
	unsigned nabbreviations;
	struct result *result;
};

extern struct stage stage;

/* Find the section's abbreviations, as Slurm does in scripts and command
 * lines. */
void give_abbreviations(struct range section);

/* End this process: the plugin did what it must not do there. */
void forbidden(const char *what) __attribute__((noreturn));

/* What main() was told: a section's process has its `cmdline` there. */
void stage_main(int argc, char **argv);

/* Play one section; returns the status of waitpid(). Standard output and
 * error go to the two files. `carried`: the environment that srun has left. */
int stage_play(const char *plugin, struct range section,
	       const struct words *carried, int out, int err);

/* In the node's first task, when the plugin has returned: be its launcher for
 * one keeper, until that ends. `text` is what it says of the keeper's task. */
void tell_keeper(const char *text);

void env_put(char ***env, const char *name, const char *value);
const char *env_get(char **env, const char *name);
bool env_remove(char **env, const char *name);
void env_free(char **env);

/* --- api_slurm.c
 * -------------------------------------------------------------- */

/* srun's copy of slurm.conf. */
void conf_read(void);
void conf_free(void);

/* Count an RPC; false when the scenario lets it fail. */
bool rpc(const char *what);

/* --- judge.c
 * ------------------------------------------------------------------ */

/* Say on stdout what isn't as the section wants it; false then. */
bool judge(const struct scenario *s, struct range section,
	   const struct result *r, int status, int out, int err);
