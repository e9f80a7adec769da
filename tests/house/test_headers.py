"""Every header compiles alone: what a source includes first has done so in the build."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.house.floors import STANDS_ON
from tests.house.tree import Tree, planted, project

COMPILER = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++") or "g++"
OPTIONS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-DGARBOARD_ISA=baseline"]


def headers(tree: Tree) -> list[str]:
    """Return the headers a C++ compiler can read: not those for nvcc alone."""
    return [
        header
        for header in tree.under(*STANDS_ON, suffixes=(".h",))
        if not header.startswith("kernels/cuda/")
    ]


def compiled_first(tree: Tree) -> set[str]:
    """Return the headers that a source opens with, where it is compiled by itself."""
    bindings = tree.text("python/bindings/CMakeLists.txt")
    found = re.search(r"WRAPPED ([\w\s]+)\)", bindings)
    assert found, "python/bindings/CMakeLists.txt names no folders whose sources are put together"
    together = tuple(f"python/bindings/{folder}/" for folder in found[1].split())
    alone = [
        source
        for source in tree.under(*STANDS_ON, suffixes=(".cpp",))
        if not source.startswith((*together, "kernels/cuda/"))
    ]
    opening = (re.match(r'(?://.*\n|\s)*#include "(.+)"', tree.text(source)) for source in alone)
    return {match[1] for match in opening if match}


def closure(tree: Tree, file: str) -> set[str]:
    """Return `file` with all of ours that it includes."""
    seen: set[str] = set()
    waiting = [file]
    while waiting:
        at = waiting.pop()
        if at not in seen and (tree.root / at).is_file():
            seen.add(at)
            waiting += [target for opening, target in tree.includes(at) if opening == '"']
    return seen


def digest(tree: Tree, file: str) -> str:
    """Return a number that changes with `file` and with what it includes."""
    parts = [file + tree.text(file) for file in sorted(closure(tree, file))]
    return hashlib.sha256("\0".join([*OPTIONS, sys.version, *parts]).encode()).hexdigest()


def complaints(tree: Tree, header: str) -> str:
    """Return what the compiler says of a source that holds nothing but `header`."""
    folders = [f"-I{tree.root}"]
    if header.startswith("python/bindings/"):
        pybind11 = pytest.importorskip("pybind11")
        system = (pybind11.get_include(), sysconfig.get_path("include"))
        folders += [f"-isystem{folder}" for folder in system]
    done = subprocess.run(
        [COMPILER, *OPTIONS, *folders, "-x", "c++", "-"],
        input=f'#include "{header}"\n',
        capture_output=True,
        text=True,
    )
    return done.stderr


def rows() -> list[object]:
    tree = project()
    proven = compiled_first(tree)
    slow = pytest.mark.slow  # pybind11 alone takes six seconds
    return [
        pytest.param(header, marks=slow) if header.startswith("python/") else header
        for header in headers(tree)
        if header not in proven
    ]


@pytest.mark.parametrize("header", rows())
def test_compiles_alone(header: str, request: pytest.FixtureRequest) -> None:
    tree = project()
    key, now = f"house/{header}", digest(tree, header)
    cache = request.config.cache  # what has not changed compiled last time
    if cache and cache.get(key, None) == now:
        return

    found = complaints(tree, header)

    assert not found
    if cache:
        cache.set(key, now)


def test_a_header_that_lacks_an_include_is_found(tmp_path: Path) -> None:
    tree = planted(
        tmp_path,
        {
            "csrc/core/a.h": "#pragma once\ninline std::string name() { return {}; }\n",
            "csrc/core/b.h": '#pragma once\n#include <string>\n#include "csrc/core/a.h"\n',
        },
    )

    assert "string" in complaints(tree, "csrc/core/a.h")
    assert complaints(tree, "csrc/core/b.h") == ""


def test_what_a_source_opens_with_is_left_to_the_build(tmp_path: Path) -> None:
    opening = '// What b is.\n#include "csrc/core/{}.h"\n#include "csrc/core/c.h"\n'
    tree = planted(
        tmp_path,
        {
            "python/bindings/CMakeLists.txt": "garboard_bindings(\n  HOT call\n  WRAPPED memory)\n",
            "csrc/core/b.cpp": opening.format("b"),
            "csrc/core/d.cpp": "#define LATE\n" + opening.format("d"),
            "python/bindings/memory/e.cpp": opening.format("e"),
        },
    )

    assert compiled_first(tree) == {"csrc/core/b.h"}


def test_the_digest_follows_what_a_header_includes(tmp_path: Path) -> None:
    files = {"csrc/core/a.h": "// one", "csrc/core/b.h": '#include "csrc/core/a.h"\n'}
    before = digest(planted(tmp_path, files), "csrc/core/b.h")

    after = digest(planted(tmp_path, files | {"csrc/core/a.h": "// two"}), "csrc/core/b.h")

    assert before != after
