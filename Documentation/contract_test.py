#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Checks that what the documents name exists: promises, their tests, and what is in the code."""

import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
NAME = re.compile(r"\b(?:EV|DEL|CM|MAD)-[A-Z]{4,}(?:-[A-Z]{4,})?\b")
SECTION = re.compile(r"^([A-Z]+(?:-[A-Z]+)+)\n-+\n(.*?)(?=^[A-Z][\w-]*\n[-=]+\n|\Z)", re.M | re.S)
TESTED = re.compile(r"\*Tested by\* (.*?)(?=\n\n|\n\*|\Z)", re.S)


def tests_of(file):
    return re.findall(r"^TEST(?:_F|_P)?\(\w+,\s*(\w+)\)", file.read_text(encoding="utf-8"), re.M)


def wrong_tests(promise, text):
    """Yields what is wrong with the tests that a promise's section names."""
    prefix = promise.replace("-", "_") + "_"
    tested = TESTED.search(text)
    if not tested:
        yield f"{promise}: no test is named"
        return
    files = re.findall(r"``(\w+_test\.cpp)``", tested.group(1))
    if f"``{prefix}*``" not in tested.group(1) or not files:
        yield f"{promise}: its tests are not named '{prefix}*' in a file"
    for name in files:
        file = TREE / "tests" / "vm" / name
        if not file.exists():
            yield f"{promise}: there is no {file.relative_to(TREE)}"
        elif name != "concurrency_test.cpp" and not any(prefix in t for t in tests_of(file)):
            yield f"{promise}: no test of {name} is named {prefix}*"


def unknown_names(known):
    """Yields the names of promises in code and documents that are not in the contract."""
    for pattern in ("drivers/**/*.[ch]", "uapi/**/*.h", "include/**/*.hpp", "lib/*.cpp", "Documentation/*.rst"):
        for file in TREE.glob(pattern):
            for name in sorted(set(NAME.findall(file.read_text(encoding="utf-8"))) - known):
                yield f"{file.relative_to(TREE)}: {name} is no promise of the contract"


def unknown_code():
    """Yields the functions, types and constants in documents that are not in the code."""
    sources = [f for p in ("drivers/**/*.[ch]", "uapi/**/*.h") for f in TREE.glob(p)]
    code = set(re.findall(r"\w+", "\n".join(f.read_text(encoding="utf-8") for f in sources)))
    for file in [*TREE.glob("Documentation/*.rst"), TREE / "README.md"]:
        text = file.read_text(encoding="utf-8")
        names = re.findall(r"\b(ucmad_\w+)\(\)|\bstruct (ucmad_\w+)|\b(UCMAD_(?!CACHE)\w+)", text)
        for name in sorted({n for match in names for n in match if n} - code):
            yield f"{file.relative_to(TREE)}: there is no {name} in the module"


contract = (TREE / "Documentation" / "contract.rst").read_text(encoding="utf-8")
sections = dict(SECTION.findall(contract))
known = set(sections) | set(re.findall(r"^(MAD-\w+) ", contract, re.M))
wrong = [w for promise, text in sections.items() for w in wrong_tests(promise, text)]
wrong += unknown_names(known)
wrong += unknown_code()
if len(sections) < 20:
    wrong.append(f"only {len(sections)} promises found in contract.rst")
print("\n".join(wrong) or f"{len(sections)} promises, each with tests")
sys.exit(bool(wrong))
