#!/usr/bin/env python3
"""Writes character_runs.inc and lowercase_additions.inc. usage: make_character_runs.py FOLDER

FOLDER holds props.json, bert_clean.json and normal.jsonl: what the reference library's regular expressions and
normalizers make of every code point (golden/text/unicode). Only for a change of Unicode version; no build runs it."""
import json
import pathlib
import sys

PROPERTIES = ["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", None, "Nd", None, "P", "S"]  # bits 0..10; the gaps are filled below
M_OTHER, N_OTHER, SPACE, WORD, COMBINING, STABLE, BERT_REMOVED = (1 << i for i in (6, 8, 11, 12, 13, 14, 15))
LAST = 0x110000


def members(ranges):
    return {c for first, last in ranges for c in range(first, last + 1)}


def masks(folder):
    props = json.loads((folder / "props.json").read_text())
    get = lambda name: members(props[name])
    sets = [(1 << i, get("\\p{%s}" % p)) for i, p in enumerate(PROPERTIES) if p]
    sets += [(M_OTHER, get("\\p{M}") - get("\\p{Mn}")), (N_OTHER, get("\\p{N}") - get("\\p{Nd}"))]
    sets += [(SPACE, get("\\s")), (WORD, get("\\w"))]
    sets += [(BERT_REMOVED, members(json.loads((folder / "bert_clean.json").read_text())["removed"]))]
    out = [0] * LAST
    for bit, cps in sets:
        for c in cps:
            out[c] |= bit
    return out


def rows(folder):
    for line in (folder / "normal.jsonl").read_text().split("\n"):
        if line:
            row = json.loads(line)
            yield row.pop("cp"), row


def our_tables():
    """What utf8proc of Debian 12 says: lower case, and which code points have a compatibility decomposition."""
    import ctypes
    lib, libc = ctypes.CDLL("libutf8proc.so.2"), ctypes.CDLL(None)
    lib.utf8proc_map.argtypes = [ctypes.c_char_p, ctypes.c_ssize_t, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int]
    lib.utf8proc_tolower.argtypes = [ctypes.c_int32]

    def nfkd(c):
        text, at = chr(c).encode(), ctypes.c_void_p()
        size = lib.utf8proc_map(text, len(text), ctypes.byref(at), 2 | 4 | 16)
        result = ctypes.string_at(at.value, size).decode()
        libc.free(at)
        return result
    return lib.utf8proc_tolower, nfkd


def main():
    folder, here = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent
    bits, lower, nfkd = masks(folder), {}, {}
    for c, row in rows(folder):
        if row.get("StripAccents") == "":
            bits[c] |= COMBINING
        lower[c], nfkd[c] = row.get("Lowercase", chr(c)), row.get("NFKD", chr(c))
    our_lower, our_nfkd = our_tables()
    additions = []
    for c in range(1, LAST):
        if 0xD800 <= c <= 0xDFFF or 0xAC00 <= c <= 0xD7A3:
            continue
        if nfkd.get(c, chr(c)) == chr(c) != our_nfkd(c):
            bits[c] |= STABLE
        wanted = lower.get(c, chr(c))
        if len(wanted) == 1 and ord(wanted) != our_lower(c):
            additions.append("{0x%X, 0x%X}," % (c, ord(wanted)))
    runs, start = [], 0
    for c in range(1, LAST + 1):
        if c == LAST or bits[c] != bits[start]:
            runs.append("%d,%d," % (c - start, bits[start]))
            start = c
    write(here / "character_runs.inc", "// length,mask of every run of code points from 0 on; made by make_character_runs.py", runs)
    write(here / "lowercase_additions.inc", "// {capital, small} of Unicode 16 that utf8proc 2.8 does not know; made by make_character_runs.py", additions)


def write(path, head, words):
    lines, line = [head], ""
    for word in words:
        if len(line) + len(word) > 118:
            lines.append(line)
            line = ""
        line += word if not line or "{" not in word else " " + word
    path.write_text("\n".join(lines + [line]) + "\n")


main()
