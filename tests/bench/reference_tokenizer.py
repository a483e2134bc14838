# The reference library for text_bench: answers each line of standard input with one line. It times itself, so that
# neither Python's start nor the pipe counts.
#
#   reference_tokenizer.py DOCUMENTS    one JSON string on each line
#     load PATH                 seconds of Tokenizer.from_file
#     choose                    which of its ways to encode is the fastest here; used from then on
#     encode FIRST END PATH     seconds for these documents, with an empty cache of words; not timed: PATH gets for each of
#                               them the number of its ids, and these, as uint32
#
# Seconds are those of the process on a core, so that what else the machine does counts as little as can be.
import array
import json
import sys
import time

import tokenizers

BATCH = 64  # documents


class Reference:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.documents = [json.loads(line) for line in file]
        self.way = "encode_batch_fast"

    def load(self, path):
        start = time.process_time()
        self.tokenizer = tokenizers.Tokenizer.from_file(path)
        seconds = time.process_time() - start
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        return seconds

    def run(self, way, documents, numbers=None):
        self.tokenizer.model._clear_cache()
        seconds = 0.0
        encode = getattr(self.tokenizer, way)
        for begin in range(0, len(documents), BATCH):
            batch = documents[begin : begin + BATCH]
            start = time.process_time()
            if way == "encode":
                encodings = [encode(text, add_special_tokens=False) for text in batch]
            else:
                encodings = encode(batch, add_special_tokens=False)
            seconds += time.process_time() - start
            for encoding in encodings if numbers is not None else []:
                numbers.append(len(encoding.ids))
                numbers.extend(encoding.ids)
            del encodings  # not timed
        return seconds

    def choose(self, _):
        part = self.documents[:: max(1, len(self.documents) // 200)]
        ways = ["encode", "encode_batch", "encode_batch_fast"]
        seconds = {way: min(self.run(way, part), self.run(way, part)) for way in ways}
        self.way = min(ways, key=seconds.get)
        return self.way

    def encode(self, argument):
        first, end, path = argument.split(" ", 2)
        numbers = array.array("I")
        seconds = self.run(self.way, self.documents[int(first) : int(end)], numbers)
        with open(path, "wb") as file:
            numbers.tofile(file)
        return seconds


def main():
    reference = Reference(sys.argv[1])
    print(tokenizers.__version__, flush=True)
    for line in sys.stdin:
        command, _, argument = line.rstrip("\n").partition(" ")
        print(getattr(reference, command)(argument), flush=True)


main()
