"""A device's name stands in its own folder; the rest of the engine asks what a device can do.

What is left of other places stands in a list that may only shrink.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.tree import Tree, planted, project

COMMENT = re.compile(r"//[^\n]*")
NAME = re.compile(r"cuda", re.IGNORECASE)

# File: lines that name the device, and why.
LEFT = {
    "csrc/core/host_device.h": (1, "the compiler's own macro"),
    "csrc/device/device.h": (1, "the one line of the roll call"),
    "csrc/memory/sources/pinned_source.h": (5, "pages of the host that the device copies from"),
    "kernels/functors/scalar_math.h": (
        1,
        "the compiler's own macro says which compiler reads this",
    ),
    "python/bindings/creation/convert.cpp": (10, "PyTorch's method and its documentation"),
    "python/bindings/types/tensor_properties.cpp": (5, "PyTorch's attribute and its documentation"),
    "python/bindings/module/module.cpp": (1, "the line that binds it"),
    "python/bindings/values/dtype_object.cpp": (9, "names that users give, and their examples"),
    "python/bindings/tensor/tensor_object.cpp": (1, "the names of PyTorch's attributes"),
    "python/bindings/wrapped/bindings.h": (1, "the line that binds it"),
}


# What stands for the default stream of a device, whatever stream is current.
DEFAULT_STREAM = re.compile(r"\bStream\{|\{[\w.]*device(\(\))?\}")
NOT_THE_CURRENT_ONE = {"python/bindings/memory/cuda_streams.cpp": 1}  # what default_stream() is


def streams_by_hand(tree: Tree) -> list[str]:
    """Return where an op gives work or memory to the default stream rather than the current."""
    found = []
    for file in tree.under("csrc/ops", "csrc/tensor", "csrc/autograd", "python/bindings"):
        count = len(DEFAULT_STREAM.findall(COMMENT.sub("", tree.text(file))))
        if count > NOT_THE_CURRENT_ONE.get(file, 0):
            found.append(f"{file} names a default stream; current_stream(device) is needed")
    return found


def lines_that_name_it(tree: Tree) -> dict[str, int]:
    """Return how many lines of code, texts included, name the device outside of its places."""
    counts = {}
    for file in tree.under("csrc", "kernels", "python/bindings"):
        if NAME.search(file):  # its own folder, or a file of its own
            continue
        code = COMMENT.sub("", tree.text(file))
        if count := sum(bool(NAME.search(line)) for line in code.splitlines()):
            counts[file] = count
    return counts


def strays(tree: Tree, left: dict[str, tuple[int, str]]) -> list[str]:
    """Return where more lines name the device than are left, and where the list is too long."""
    counts = lines_that_name_it(tree)
    listed = {file: most for file, (most, _) in left.items()}
    more = [
        f"{file} names the device on {count} lines, {listed.get(file, 0)} are listed; a backend is "
        "its own folder, and the list may only shrink"
        for file, count in counts.items()
        if count > listed.get(file, 0)
    ]
    return more + [f"{file} is listed and names no device" for file in listed.keys() - counts]


def test_no_further_place_names_the_device():
    violations = strays(project(), LEFT)

    assert not violations, "\n".join(violations)


def test_no_op_passes_over_the_current_stream():
    violations = streams_by_hand(project())

    assert not violations, "\n".join(violations)


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("kernels::run(call, {x.device()});", True),
        ("allocate(bytes, Stream{device});", True),
        ("kernel(out, x, current_stream(device));", False),
    ],
)
def test_a_planted_stream_is_found(text, is_found, tmp_path: Path):
    tree = planted(tmp_path, {"csrc/ops/a.cpp": text})

    assert len(streams_by_hand(tree)) == is_found


@pytest.mark.parametrize(
    ("text", "is_stray"),
    [
        ("if (device.kind == DeviceKind::cuda) wait();", True),
        ('constexpr const char* doc = "Copy to a CUDA device.";', True),
        ("wait();  // as CUDA has it", False),
    ],
)
def test_a_planted_name_is_found(text, is_stray, tmp_path: Path):
    files = {"csrc/ops/a.cpp": text, "csrc/device/cuda_line.cpp": text, "kernels/cuda/a.cu": text}

    assert len(strays(planted(tmp_path, files), {})) == is_stray


def test_a_list_that_did_not_shrink_is_found(tmp_path: Path):
    tree = planted(tmp_path, {"csrc/ops/a.cpp": "cuda();\n"})

    assert len(strays(tree, {"csrc/ops/a.cpp": (1, ""), "csrc/ops/b.cpp": (2, "")})) == 1
    assert strays(tree, {"csrc/ops/a.cpp": (1, "")}) == []
