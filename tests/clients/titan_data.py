# SPDX-License-Identifier: Apache-2.0
"""titan_data.py FOLDER: a tokenizer of 64 words, and texts of them, where
torchtitan's debug model looks for both: FOLDER/tests/assets."""
import json
import os
import sys

from tokenizers import Tokenizer, models, pre_tokenizers


def main():
    assets = os.path.join(sys.argv[1], "tests", "assets")
    os.makedirs(os.path.join(assets, "tokenizer"))
    os.makedirs(os.path.join(assets, "c4_test"))
    words = [f"w{i}" for i in range(64)] + ["<s>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.WordLevel(
        {word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(os.path.join(assets, "tokenizer", "tokenizer.json"))
    with open(os.path.join(assets, "tokenizer", "tokenizer_config.json"),
              "w", encoding="utf-8") as file:
        json.dump({"bos_token": "<s>", "eos_token": "</s>"}, file)
    with open(os.path.join(assets, "c4_test", "data.json"), "w",
              encoding="utf-8") as file:
        for start in range(200):
            text = " ".join(words[(start + i) % 64] for i in range(100))
            file.write(json.dumps({"text": text}) + "\n")


main()
