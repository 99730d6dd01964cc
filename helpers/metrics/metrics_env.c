/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/metrics/metrics.h"

#include "core/facts/metrics_words.h"

static const char src[] = "key metrics";

/* urllib, requests and curl would ask a proxy for it. */
static int without_proxy(struct envset *set, struct err *err)
{
	static const char why[] = "only where a proxy is set";
	static const char *const proxies[] = {
		"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
		"grpc_proxy",  "http_proxy",  NULL};
	static const char *const upper[] = {"NO_PROXY", NULL};
	bool alone = !envset_find(set, "no_proxy");

	if (envset_append(set, why, err, "no_proxy", METRICS_ADDR, proxies) <
		    0 ||
	    envset_append(set, why, err, "NO_PROXY", METRICS_ADDR, upper) < 0)
		return -1;
	/* urllib doesn't read the other name where this one is set */
	if (alone)
		envset_follow(set, "no_proxy", "NO_PROXY");
	return 0;
}

/* The user's own server is kept, with its certificate and token. */
static int endpoint(const struct metrics_places *p, unsigned rank,
		    struct envset *set, struct err *err)
{
	static const char *const leader = METRICS_URL_VARIABLE;

	if (envset_add(set, ENV_HINT, src, err, leader,
		       "https://" METRICS_ADDR ":%u" METRICS_PATH_HEAD
		       "%u" METRICS_PATH_TAIL,
		       p->port, rank) < 0 ||
	    envset_add(set, ENV_HINT, src, err, METRICS_CERT_VARIABLE, "%s",
		       p->cert) < 0 ||
	    envset_add(set, ENV_HINT, src, err, METRICS_TOKEN_VARIABLE, "%s",
		       p->token) < 0)
		return -1;
	envset_follow(set, METRICS_CERT_VARIABLE, leader);
	envset_follow(set, METRICS_TOKEN_VARIABLE, leader);
	return without_proxy(set, err);
}

int metrics_env(const struct metrics_places *p, unsigned rank,
		struct envset *set, struct err *err)
{
	if (envset_add(set, ENV_OURS, src, err, METRICS_FILE_VARIABLE,
		       "%s/" METRICS_FILE, p->dir, rank) < 0)
		return -1;
	return p->port ? endpoint(p, rank, set, err) : 0;
}
