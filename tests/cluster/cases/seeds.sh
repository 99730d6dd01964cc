# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The commands of the five documents that this project began with, as they are
# written there; only names of nodes and of an interface are this cluster's. Where
# another file runs one, it is named:
#
#	bash run.sh main.py [HOST_IP]		recsdk.with_a_table, .with_a_host,
#						.two_servers
#	the start file with its arguments	dialects_npu.modelarts_ascend,
#						dialects.modelarts_pytorch, .modelarts_arguments
#	run_mpi.sh				dialects.modelarts_run_mpi (refused)
#	python /opt/mnist/src/mnist.py		dialects.kubeflow_mnist
#	python -m torch.distributed.launch	dialects.ti_one_ddp
#	TF_CONFIG of a ps and its workers	dialects_tf.ti_one_ps_worker
#	ray.init(), "Rank:1"			ray.ti_one
# clusters: plain
# shellcheck disable=SC2016,SC2034,SC2154 # shared with lib.sh

limit=120

# written NAME: standard input is the command, in a folder with the document's
# program; NAME is `horovod' if it is Horovod's
written() {
	local program=$top/tests/clients/train.py bin=$d/bin

	need_mpi
	mkdir -p "$bin" "$d/vol"
	mkdir -m 777 "$d/home" # horovodrun keeps there that ssh works
	ln -s "$PYTHON" "$bin/python"
	ln -s "$PYTHON" "$bin/python3"
	if [ "$1" = horovod ]; then
		need_venv horovod
		program=$top/tests/clients/horovod_sum.py
		bin=$(dirname "$venv")
	fi
	cp "$program" "$d/vol/tensorflow2_mnist.py"
	cp "$program" "$d/train.py"
	dir=$d
	path=(env "PATH=$bin:$PATH" "HOME=$d/home" PYTHONDONTWRITEBYTECODE=1
		LD_LIBRARY_PATH=/usr/local/lib)
	cat > "$d/start.sh"
}

# both_trained: two ranks, on two nodes; horovodrun passes on all variables, also
# the first node's name
both_trained() {
	sed -i 's/^\[[0-9,]*\]<std[a-z]*>: *//' "$d/out"
	ranks_trained 2
	says '^trained rank=1 world=2 .*(node=node2$|cross=1/2$)'
}

# mpijob FRAMEWORK: an MPIJob's launcher
mpijob() {
	written "$1" <<-'END'
	mpirun --allow-run-as-root -np 2 -bind-to none -map-by slot -x NCCL_DEBUG=INFO -x LD_LIBRARY_PATH -x PATH -mca pml ob1 -mca btl ^openib python vol/tensorflow2_mnist.py
	END
	try "${path[@]}" srun -w 'node[1-2]' --gres=gpu:1 \
		--dist-train="$1",dialect=kubeflow sh start.sh
	both_trained
}

test_mpijob() {
	[[ $(at mpirun.openmpi --version) = *") 4."* ]] ||
		skip "since Open MPI 5 -bind-to needs two dashes"
	mpijob mpi
}

# takes: 1
test_mpijob_with_horovod() {
	mpijob horovod
}

# On two machines, and in a container of each, with ssh's port
test_mpirun() {
	written mpi <<-'END'
	mpirun -np 2 -H node1:1,node2:1 -x NCCL_DEBUG=INFO -x LD_LIBRARY_PATH -x PATH --mca btl_tcp_if_include eth0 python vol/tensorflow2_mnist.py &&
	mpirun --allow-run-as-root -np 2 -H node1:1,node2:1 -x NCCL_DEBUG=INFO --mca plm_rsh_args "-p 2022" -x LD_LIBRARY_PATH -x PATH --mca btl_tcp_if_include eth0 python vol/tensorflow2_mnist.py
	END
	try "${path[@]}" srun -w 'node[1-2]' --gres=gpu:1 \
		--dist-train=mpi,run-on=first sh start.sh
	both_trained
	[ "$(grep -c '^trained ' "$d/out")" -eq 4 ] || fail "not two mpiruns"
}

# takes: 1
test_horovodrun() {
	written horovod <<-'END'
	horovodrun -np 2 -H node1:1,node2:1 python vol/tensorflow2_mnist.py &&
	horovodrun -np 2 -H node1:1,node2:1 -p 2022 python vol/tensorflow2_mnist.py
	END
	try "${path[@]}" srun -w 'node[1-2]' --gres=gpu:1 \
		--dist-train=horovod,run-on=first sh start.sh
	both_trained
}

# TI-ONE's
test_ti_one_mpirun() {
	written mpi <<-'END'
	mpirun --allow-run-as-root -np $GPU_NUM -H $NODE_IP_SLOT_LIST python3 train.py --data-dir /opt/ml/input/data
	END
	try "${path[@]}" srun -w 'node[1-2]' --gres=gpu:1 \
		--dist-train=mpi,dialect=ti-one,run-on=first sh start.sh
	both_trained
}

# takes: 1
test_ti_one_horovodrun() {
	written horovod <<-'END'
	horovodrun -np $GPU_NUM -H $NODE_IP_SLOT_LIST --network-interface eth0 python3 train.py --data-dir /opt/ml/input/data
	END
	try "${path[@]}" srun -w 'node[1-2]' --gres=gpu:1 \
		--dist-train=horovod,dialect=ti-one sh start.sh
	both_trained
}
