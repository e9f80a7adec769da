"""What object files may hand to the linker, and to the end of the process.

Nothing compiled for one instruction set can be linked in for another: the linker keeps one copy of
a weak symbol, and if that came from a file compiled for AVX-512, older machines would die in code
that has nothing to do with kernels.

No static object is destroyed: other threads may still compute when main() has returned.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.house.tree import HOME

ADVANCED = ("v3", "v4")


def shared_symbols(lines: Iterable[str], instruction_set: str) -> list[str]:
    """Return, of nm's `lines` on defined global symbols, those that are not the set's alone."""
    found = []
    for line in lines:
        if match := re.match(r"[0-9a-f]* ?([A-Zuvw]) (.+)", line):
            kind, name = match.groups()
            if name == "DW.ref.__gxx_personality_v0":
                continue  # a pointer of the exception tables: data, and one value for all sets
            if kind in "WVuvw" or f"::{instruction_set}::" not in name:
                found.append(f"{kind} {name}")
    return found


def objects(instruction_set: str) -> list[Path]:
    """Return the object files of this Python's build, where `./run` has made one."""
    build = HOME / "build" / f"py{sys.version_info.major}.{sys.version_info.minor}"
    folder = build / "kernels" / "CMakeFiles" / f"garboard_kernels_{instruction_set}.dir"
    return [
        file
        for file in folder.rglob("*.o")
        if (HOME / "kernels" / file.relative_to(folder).with_suffix("")).is_file()
    ]


@pytest.mark.parametrize("instruction_set", ADVANCED)
def test_objects_share_no_symbol(instruction_set):
    files = objects(instruction_set)
    if not files or not shutil.which("nm"):
        pytest.skip("needs the object files of ./run test on x86-64, and nm")

    violations = []
    for file in files:
        command = ["nm", "--demangle", "--defined-only", "--extern-only", file]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        shared = shared_symbols(lines.splitlines(), instruction_set)
        violations += [f"{file.name} defines {symbol}" for symbol in shared]

    assert not violations, "\n".join(violations)


def test_a_planted_weak_symbol_is_found():
    lines = [
        "0000000000000000 W garboard::Dims::push_back(long)",
        "0000000000000010 T garboard::kernels::fill_unary(garboard::kernels::Table&)",
        "0000000000000020 T garboard::kernels::v3::fill_unary(garboard::kernels::Table&)",
        "0000000000000030 u garboard::kernels::v3::table",
    ]

    found = shared_symbols(lines, "v3")

    assert [line.split("::")[-1] for line in found] == [
        "push_back(long)",
        "Table&)",
        "table",
    ]


def destroys_statics(lines: Iterable[str]) -> bool:
    """Tell of nm's `lines` on undefined symbols whether they register a destructor for the end."""
    return any(line.split()[-1:] == ["__cxa_atexit"] for line in lines)


def test_no_static_object_is_destroyed_at_the_end():
    version = f"py{sys.version_info.major}.{sys.version_info.minor}"
    folders = [HOME / "build" / version / name for name in ("csrc", "kernels", "python")]
    # What includes pybind11 is _engine's own, and pybind11 has such objects.
    found = [file for each in folders for file in each.rglob("*.o")]
    files = [file for file in found if "_engine.dir" not in file.parts]
    if not files or not shutil.which("nm"):
        pytest.skip("needs the object files of ./run test, and nm")

    violations = []
    for file in files:
        command = ["nm", "--undefined-only", file]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        if destroys_statics(lines.splitlines()):
            violations.append(f"{file.name} has a static object with a destructor: leak it")

    assert not violations, "\n".join(violations)


def test_a_planted_destructor_is_found():
    assert destroys_statics(["                 U __cxa_atexit"])
    assert not destroys_statics(["                 U __cxa_throw", ""])
