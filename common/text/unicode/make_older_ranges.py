#!/usr/bin/env python3
"""Writes older_punctuation.inc and older_marks.inc: what the BERT parts of the reference library, which use tables of an
older Unicode, take for punctuation and for nonspacing marks. usage: make_older_ranges.py, with the Python package
tokenizers installed. Only for a change of that library; no build runs it."""
import pathlib

from tokenizers import normalizers, pre_tokenizers


def write(name, members):
    ranges = []
    for c in sorted(members):
        if ranges and ranges[-1][1] == c - 1:
            ranges[-1][1] = c
        else:
            ranges.append([c, c])
    lines, line = ["// {first, last}; made by make_older_ranges.py"], ""
    for first, last in ranges:
        word = "{0x%X, 0x%X}," % (first, last)
        if len(line) + len(word) > 118:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    (pathlib.Path(__file__).parent / name).write_text("\n".join(lines + [line]) + "\n")


code_points = [c for c in range(1, 0x110000) if not 0xD800 <= c <= 0xDFFF]
punctuation = pre_tokenizers.Punctuation()
write("older_punctuation.inc", [c for c in code_points if len(punctuation.pre_tokenize_str("a" + chr(c) + "a")) == 3])
bert = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
write("older_marks.inc", [c for c in code_points if bert.normalize_str(chr(c)) == ""])
