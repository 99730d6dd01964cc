# SPDX-License-Identifier: Apache-2.0
# The lines of show.sh against what SLURM_* of the same processes say.
#	awk -v n=PROCESSES -v mode=task|device -f layout.awk
# The first fault is printed and ends it with status 1.
function bad(what) {
	if (!failed)
		print what (line ? ": " line : "")
	failed = 1
	exit 1
}
function is(name, value) {
	if (v[name] "" != value "")
		bad(name "=" v[name] ", not '" value "'")
}
{
	line = $0
	for (i = 2; i <= NF; i++) {
		at = index($i, "=")
		v[substr($i, 1, at - 1)] = substr($i, at + 1)
	}
	if (v["RANK"] !~ /^[0-9]+$/)
		bad("RANK isn't a number")
	r = v["RANK"] + 0
	if (r in node)
		bad("two processes have rank " r)
	node[r] = v["node"]
	nodeid[r] = v["nodeid"]
	local_rank[r] = v["LOCAL_RANK"]
	local_world[r] = v["LOCAL_WORLD_SIZE"]
	group_rank[r] = v["GROUP_RANK"]
	text[r] = $0
	on_node[v["node"]]++
	if (mode == "task") {
		is("RANK", v["procid"])
		is("LOCAL_RANK", v["localid"])
		is("GROUP_RANK", v["nodeid"])
	} else {
		is("procid", v["RANK"])
		is("localid", v["LOCAL_RANK"])
	}
	is("ntasks", n)
	is("WORLD_SIZE", n)
	is("D_WORLD_SIZE", n)
	is("D_RANK", v["RANK"])
	is("D_LOCAL_RANK", v["LOCAL_RANK"])
	is("D_LOCAL_WORLD_SIZE", v["LOCAL_WORLD_SIZE"])
	is("D_NODE_RANK", v["GROUP_RANK"])
	is("D_MASTER_ADDR", v["MASTER_ADDR"])
	is("D_MASTER_PORT", v["MASTER_PORT"])
	is("D_FRAMEWORK", "ddp")
	is("D_ROLE", "worker")
	is("D_RESTART", "0")
	is("D_STEP", v["job"] "." v["step"] "." v["restarts"])
	addr[v["MASTER_ADDR"]]
	port[v["MASTER_PORT"]]
	nnodes_said[v["D_NNODES"]]
	gloo[v["GLOO"]]
	nccl[v["NCCL"]]
	if (r == 0)
		eth0 = v["eth0"]
}
END {
	if (failed)
		exit 1
	line = ""
	if (NR != n)
		bad(NR " processes, not " n)
	for (r = 0; r < n; r++)
		if (!(r in node))
			bad("no rank " r)
	for (name in on_node)
		nnodes++
	for (r = 0; r < n; r++) {
		line = text[r]
		if (local_world[r] != on_node[node[r]])
			bad("LOCAL_WORLD_SIZE isn't " on_node[node[r]])
		if ((node[r], local_rank[r]) in seen)
			bad("LOCAL_RANK " local_rank[r] " is there twice")
		seen[node[r], local_rank[r]]
		if (local_rank[r] >= on_node[node[r]])
			bad("LOCAL_RANK is too large")
		if (node[r] in group && group[node[r]] != group_rank[r])
			bad("one node has two GROUP_RANKs")
		group[node[r]] = group_rank[r]
		if (group_rank[r] >= nnodes)
			bad("GROUP_RANK is too large")
		# contiguous per node, nodes in the order of their tasks
		if (mode == "device" && r > 0 && (node[r] == node[r - 1] ? \
		    local_rank[r] != local_rank[r - 1] + 1 : \
		    group_rank[r] != group_rank[r - 1] + 1))
			bad("ranks aren't contiguous per node")
	}
	line = ""
	n_addr = n_port = 0
	for (a in addr) { n_addr++; the_addr = a }
	for (p in port) { n_port++; the_port = p }
	if (n_addr != 1 || n_port != 1)
		bad("not all agree on MASTER_ADDR and MASTER_PORT")
	if (the_port !~ /^[0-9]+$/ || the_port < 1024 || the_port > 65535)
		bad("MASTER_PORT=" the_port)
	for (k in nnodes_said)
		if (k != nnodes)
			bad("DIST_TRAIN_NNODES=" k ", but " nnodes " nodes")
	if (nnodes > 1 && the_addr != eth0)
		bad("MASTER_ADDR=" the_addr ", but rank 0 is at " eth0)
	if (nnodes == 1 && the_addr != "127.0.0.1" && the_addr != eth0)
		bad("MASTER_ADDR=" the_addr " in a step on one node")
	for (k in gloo)
		if (k != (nnodes > 1 ? "eth0" : "lo"))
			bad("GLOO_SOCKET_IFNAME=" k)
	for (k in nccl)
		if (k != (nnodes > 1 ? "=eth0" : ""))
			bad("NCCL_SOCKET_IFNAME=" k)
}
