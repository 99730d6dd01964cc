# SPDX-License-Identifier: Apache-2.0
"""Write a language model of random weights into a folder: tiny_model.py DIR.

Two layers, 61 words. Nothing is downloaded.
"""

import sys

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (LlamaConfig, LlamaForCausalLM,
                          PreTrainedTokenizerFast)

WORDS = ["<s>", "</s>", "<unk>"] + [f"w{i}" for i in range(61)]

tokenizer = Tokenizer(
    models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>",
                        eos_token="</s>",
                        unk_token="<unk>").save_pretrained(sys.argv[1])
torch.manual_seed(1)
LlamaForCausalLM(
    LlamaConfig(vocab_size=len(WORDS), hidden_size=64, intermediate_size=128,
                num_hidden_layers=2, num_attention_heads=2,
                num_key_value_heads=2,
                max_position_embeddings=64)).save_pretrained(sys.argv[1])
