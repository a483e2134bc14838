#!/usr/bin/env python3
"""Writes special_case.inc: the characters whose upper or title case is more than one character, from Python's tables."""
import pathlib


def quoted(text):
    return "\"" + "".join(f"\\x{byte:02X}" for byte in text.encode()) + "\""


rows = []
for number in range(0x110000):
    if 0xD800 <= number < 0xE000:
        continue
    upper, title = chr(number).upper(), chr(number).title()
    if len(upper) > 1 or len(title) > 1:
        rows.append("{" + f"0x{number:04X}, {quoted(upper)}, {quoted(title)}" + "},")
lines, line = [], ""
for row in rows:
    if len(line) + len(row) + 1 > 118:
        lines.append(line)
        line = ""
    line = (line + " " + row).strip()
text = "// Made by make_special_case.py: character, upper case, title case.\n" + "\n".join(lines + [line]) + "\n"
(pathlib.Path(__file__).parent / "special_case.inc").write_text(text, encoding="utf-8")
