# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# contrib/examples with frameworks of contrib/venv, each as its first comment
# says.
# clusters: plain
# takes: 1
# long: each framework trains in the group of its name
# shellcheck disable=SC2034,SC2154 # shared with lib.sh
# shellcheck source-path=SCRIPTDIR source=../examples.sh
. "$here/examples.sh"

# trains ENVIRONMENT FILE
trains() {
	venv "$1"
	example "$2"
	together 4
}

test_jax() {
	trains jax train_jax.py
	learns
}

test_tf() {
	trains tf train_tf.py
}

test_horovod() {
	trains horovod train_horovod.py
	learns
}

test_mpi4py() {
	need_pmix
	need_module mpi4py
	bin=$(dirname "$PYTHON")
	example train_mpi4py.py
	together 4
	learns
}

test_paddle() {
	trains paddle train_paddle.py
	learns
}

test_xgboost() {
	trains xgboost train_xgboost.py
	[ -s "$d/clean/train_xgboost.json" ] || fail "no model is saved"
}

test_lightgbm() {
	trains lightgbm train_lightgbm.py
	[ -s "$d/clean/train_lightgbm.txt" ] || fail "no model is saved"
}
