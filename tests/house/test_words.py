"""One word means one thing: no two types of the engine share a name.

A struct inside another one is qualified by it and may be named as it likes. Loops for the CPU and
for a device do the same thing twice, so these two may use one name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.house.tree import Tree, planted, project

# A definition at the margin: what is inside another type is indented.
DEFINED = re.compile(
    r"^(?:struct|class|enum(?: class)?)\s+(?:alignas\([^\n]*\)\s*)?(\w+)\s*(?:final\s*)?[:{]|"
    r"^using\s+(\w+)\s*=",
    re.MULTILINE,
)
DEVICE = re.compile(r"kernels/((?!functors|formulas|blas)\w+)/")


def ambiguous(files: set[str]) -> bool:
    """Tell whether definitions in `files` are of more than one thing: a header and its source are
    of one, and so are the kernels of two devices.
    """
    things = {file.rpartition(".")[0] for file in files}
    devices = [DEVICE.match(thing) for thing in things]
    if all(devices):
        return len(things) > len({device[1] for device in devices if device})
    return len(things) > 1


def words_of_several_meanings(tree: Tree) -> list[str]:
    """Return each name that types of several files have, with the files."""
    files = defaultdict(set)
    for file in tree.under("csrc", "kernels", "python/bindings"):
        for match in DEFINED.finditer(tree.text(file)):
            files[match[1] or match[2]].add(file)
    return [
        f"{name} is defined in {' and in '.join(sorted(found))}; each meaning needs its own word"
        for name, found in sorted(files.items())
        if ambiguous(found)
    ]


def test_no_two_types_share_a_name():
    violations = words_of_several_meanings(project())

    assert not violations, "\n".join(violations)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("csrc/ops/a.h", "csrc/memory/b.h"),
        ("csrc/ops/a.cpp", "kernels/cpu/b.cpp"),
        ("kernels/cpu/a.cpp", "kernels/cpu/loop/b.h"),
        ("kernels/functors/a.h", "kernels/cpu/b.h"),
    ],
)
@pytest.mark.parametrize(
    "text", ["struct Walk {\n};\n", "using Walk = int;\n", "enum Walk : int {"]
)
def test_a_planted_second_meaning_is_found(one, other, text, tmp_path: Path):
    tree = planted(tmp_path, {one: "class Walk {\n};\n", other: text})

    violations = words_of_several_meanings(tree)

    assert len(violations) == 1
    assert violations[0].startswith("Walk is defined in ")


def test_one_meaning_is_not_found(tmp_path: Path):
    files = {
        "csrc/ops/a.h": "struct Walk;\n",  # told, not defined
        "csrc/ops/b.h": "struct Walk {\n  struct Step {};\n};\n",
        "csrc/ops/c.h": "struct Flight {\n  struct Step {};\n};\n",
        "kernels/cpu/d.cpp": "struct Scratch {\n};\n",
        "kernels/cuda/d.cu": "struct Scratch {\n};\n",
    }

    assert words_of_several_meanings(planted(tmp_path, files)) == []
