# The reference library for text_bench: answers each line of standard input with one line. It times itself, so that
# neither Python's start nor the pipe counts.
#
#   reference_tokenizer.py DOCUMENTS    one JSON string on each line
#     load PATH     seconds of Tokenizer.from_file
#     choose        which of its ways to encode is the fastest here; used from then on
#     encode        seconds for all documents, one thread, with an empty cache of words
#     ids PATH      writes for each document the number of its ids, and these, as uint32
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
        start = time.perf_counter()
        self.tokenizer = tokenizers.Tokenizer.from_file(path)
        seconds = time.perf_counter() - start
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        return seconds

    def time_way(self, way, documents):
        self.tokenizer.model._clear_cache()
        seconds = 0.0
        encode = getattr(self.tokenizer, way)
        for begin in range(0, len(documents), BATCH):
            batch = documents[begin : begin + BATCH]
            start = time.perf_counter()
            if way == "encode":
                encodings = [encode(text, add_special_tokens=False) for text in batch]
            else:
                encodings = encode(batch, add_special_tokens=False)
            seconds += time.perf_counter() - start
            del encodings  # not timed
        return seconds

    def choose(self, _):
        part = self.documents[:: max(1, len(self.documents) // 400)]
        ways = ["encode", "encode_batch", "encode_batch_fast"]
        self.way = min(ways * 2, key=lambda way: self.time_way(way, part))
        return self.way

    def encode(self, _):
        return self.time_way(self.way, self.documents)

    def ids(self, path):
        numbers = array.array("I")
        for text in self.documents:
            ids = self.tokenizer.encode(text, add_special_tokens=False).ids
            numbers.append(len(ids))
            numbers.extend(ids)
        with open(path, "wb") as file:
            numbers.tofile(file)
        return "written"


def main():
    reference = Reference(sys.argv[1])
    print(tokenizers.__version__, flush=True)
    for line in sys.stdin:
        command, _, argument = line.rstrip("\n").partition(" ")
        print(getattr(reference, command)(argument), flush=True)


main()
