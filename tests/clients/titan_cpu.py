# SPDX-License-Identifier: Apache-2.0
"""torchtitan's own train.py on processors: `torchrun -m titan_cpu ARGUMENT...`
for `torchrun -m torchtitan.train ARGUMENT...`.

torchtitan asks its device for things that torch.cpu doesn't have, and its
FlexAttention can't be trained there. Everything else is as it was installed.
"""
import types

import torch
import torch._utils


def no_device():
    torch._utils._get_available_device_type = lambda: "cpu"
    torch.cpu.current_device = lambda: 0
    torch.cpu.get_device_name = lambda device: "CPU"
    torch.cpu.get_device_properties = lambda device: types.SimpleNamespace(
        total_memory=2**30)
    torch.cpu.memory_stats = lambda device: {}
    torch.cpu.reset_peak_memory_stats = lambda: None
    torch.cpu.empty_cache = lambda: None


# The names of the first three are torchtitan's: it looks them up
def attend(self, q_BLNH, k_BLNH, v_BLNH, *, scale=None, enable_gqa=False,
           **_):
    q, k, v = (x.transpose(1, 2) for x in (q_BLNH, k_BLNH, v_BLNH))
    found = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, scale=scale, is_causal=True, enable_gqa=enable_gqa)
    return found.transpose(1, 2)


def main():
    no_device()
    from torchtitan.models.common.attention import FlexAttention
    from torchtitan.train import main as train

    FlexAttention.forward = attend
    train()


main()
