"""Includes point downward, and only the bindings know Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.floors import STANDS_ON, floor_of, known_by
from tests.house.tree import CPP, HOME, Tree, planted, project

PYTHON = re.compile(r"Python\.h|pybind11/|numpy/|structmember\.h|frameobject\.h|internal/pycore_")
CUDA = re.compile(r"cuda\w*\.h|cub[/l]|curand|thrust/|nv\w+\.h")


def upward_includes(tree: Tree) -> list[str]:
    """Return what a floor includes of a floor it does not stand on, or of no floor at all."""
    found = []
    for file in tree.under(*STANDS_ON):
        floor = floor_of(file)
        assert floor is not None
        for opening, target in tree.includes(file):
            if opening == "<":
                if PYTHON.match(target) and floor != "python/bindings":
                    found.append(f"{file} includes <{target}>; only python/bindings knows Python")
                if CUDA.match(target) and not file.startswith("kernels/cuda/"):
                    found.append(f"{file} includes <{target}>; only kernels/cuda knows CUDA")
            elif floor_of(target) is None:
                found.append(f'{file} includes "{target}"; quoted paths start at a floor')
            elif floor_of(target) not in known_by(floor):
                found.append(f"{file} includes {target}; {floor} does not stand on that floor")
            elif not (tree.root / target).is_file():
                found.append(f"{file} includes {target}, which is no file")
    return found


def functors_that_know_a_device(tree: Tree) -> list[str]:
    """Return includes of the functors beyond core and themselves: they serve both devices."""
    return [
        f"{file} includes {target}; functors know csrc/core alone"
        for file in tree.under("kernels/functors")
        for opening, target in tree.includes(file)
        if opening == '"' and not target.startswith(("csrc/core/", "kernels/functors/"))
    ]


def badly_opened(tree: Tree) -> list[str]:
    """Return headers without `#pragma once`, and sources that include another header first."""
    found = []
    for file in tree.under(*STANDS_ON):
        if file.endswith(".h"):
            if "\n#pragma once\n" not in "\n" + tree.text(file):
                found.append(f"{file} has no #pragma once")
            continue
        own = file.rpartition(".")[0] + ".h"
        first = next(tree.includes(file), ("", ""))[1]
        if first == "Python.h" and file.startswith("python/bindings/"):
            continue  # Python asks to be first
        if own in tree.files and first != own:
            found.append(f"{file} includes {first} before its own header")
    return found


CHECKS = [upward_includes, functors_that_know_a_device, badly_opened]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_there_are_no(check):
    violations = check(project())

    assert not violations, "\n".join(violations)


def test_every_floor_has_a_folder():
    assert [floor for floor in STANDS_ON if not (HOME / floor).is_dir()] == []


def test_every_cpp_file_lies_on_a_floor():
    astray = [file for file in project().under("csrc", "kernels", "python") if not floor_of(file)]

    assert astray == []


def test_memory_lifetime_and_kernels_never_know_each_other():
    for floor in ("csrc/memory", "csrc/lifetime", "kernels"):
        assert known_by(floor) == {floor, "csrc/core", "csrc/device"}


HEADER = "#pragma once\n"
PLANTED = [
    (upward_includes, "csrc/core/a.h", '#include "csrc/tensor/tensor.h"', "does not stand on"),
    (upward_includes, "csrc/memory/a.h", '#include "csrc/lifetime/site.h"', "does not stand on"),
    (upward_includes, "kernels/a.h", '#include "csrc/memory/heap/pool.h"', "does not stand on"),
    (upward_includes, "csrc/ops/a.h", "# include <Python.h>", "only python/bindings"),
    (upward_includes, "kernels/cpu/a.cpp", "#include <cuda_runtime.h>", "only kernels/cuda"),
    (upward_includes, "csrc/core/a.cpp", '#include "a.h"', "start at a floor"),
    (upward_includes, "csrc/core/a.cpp", '#include "csrc/core/gone.h"', "no file"),
    (
        functors_that_know_a_device,
        "kernels/functors/a.h",
        '#include "kernels/cpu/loop/loop.h"',
        "alone",
    ),
    (badly_opened, "csrc/core/a.h", "", "no #pragma once"),
    (badly_opened, "csrc/core/b.cpp", "#include <vector>", "before its own header"),
]


@pytest.mark.parametrize(("check", "file", "text", "fault"), PLANTED)
def test_a_planted_fault_is_found(check, file, text, fault, tmp_path: Path):
    tree = planted(tmp_path, {"csrc/core/b.h": HEADER, file: text + "\n"})

    violations = check(tree)

    assert len(violations) == 1
    assert fault in violations[0]
    assert violations[0].startswith(file)


def test_a_clean_tree_is_found_clean(tmp_path: Path):
    tree = planted(
        tmp_path,
        {
            "csrc/core/b.h": HEADER + "#include <vector>\n",
            "csrc/core/b.cpp": '#include "csrc/core/b.h"\n',
            "csrc/ops/a.h": HEADER + '#include "csrc/core/b.h"\n',
            "kernels/cuda/a.cu": "#include <cuda_runtime.h>\n",
            "python/bindings/a.cpp": '#include <Python.h>\n#include "csrc/ops/a.h"\n',
        },
    )

    assert [violation for check in CHECKS for violation in check(tree)] == []
    assert {".h", ".cpp", ".cu"} <= set(CPP)
