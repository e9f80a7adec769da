"""Gradient rules hold numbers and sizes; what they read of tensors, their node keeps.

A node checks the versions of what it keeps, and shows it to Python's collector and to the leak
report. What a rule captured behind its back nobody would check, see or free.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.house.test_headers import COMPILER, OPTIONS, digest
from tests.house.tree import HOME, Tree, planted, project

RULE = re.compile(r"\]\s*\(\s*(?:const\s+)?Backward\s*&")
# What a name alone does not tell the compiler: ways to memory that may end before the rule does.
WAYS = re.compile(
    r"^\s*[&=]|,\s*&|\bthis\b|=\s*&|[.>](?:body|data|get|share|storage|view)\(|"
    r"make_(?:shared|unique)"
)
HOLDERS = {
    "a tensor": "[t = Tensor()]",
    "a struct that holds one": "[t = Holds()]",
    "a saved tensor": "[t = SavedTensor()]",
    "a storage": "[t = Counted<Storage>()]",
    "a node": "[t = Counted<GradNode>()]",
    "an owner of anything": "[t = std::shared_ptr<int>()]",
    "a list": "[t = std::vector<std::int64_t>()]",
}
NUMBERS = {
    "nothing": "[]",
    "sizes and numbers": "[a = Dims(), b = 1, c = std::optional<Dims>()]",
    "more than the node has room for": "[a = Dims(), b = Dims(), c = 2.0]",
}


def introducers(text: str) -> list[str]:
    """Return what stands between the brackets of each lambda that takes a Backward."""
    found = []
    for match in RULE.finditer(text):
        start, depth = match.start(), 1
        while depth and start:
            start -= 1
            depth += {"]": 1, "[": -1}.get(text[start], 0)
        found.append(text[start + 1 : match.start()])
    return found


def captures(tree: Tree) -> list[str]:
    """Return each rule that captures a way to memory."""
    return [
        f"{file}: a rule captures [{' '.join(inside.split())}]"
        for file in tree.under("csrc", "python/bindings")
        for inside in introducers(tree.text(file))
        if WAYS.search(inside)
    ]


def refusals(*captured: str) -> int:
    """Return how many rules that capture so the compiler refuses."""
    rules = "\n".join(
        f"node.set_rule({capture}(const Backward&) -> Grads {{ return {{}}; }});"
        for capture in captured
    )
    done = subprocess.run(
        [COMPILER, *OPTIONS, f"-I{HOME}", "-Wno-unused", "-x", "c++", "-"],
        input=f"""#include "csrc/tensor/grad_node.h"
        #include <optional>
        namespace garboard {{ struct Holds {{ int number; Tensor tensor; }};
        void set(GradNode& node) {{ {rules} }} }}""",
        capture_output=True,
        text=True,
    )
    told = done.stderr.count("a gradient rule holds numbers and sizes alone")
    assert told or not done.returncode, done.stderr
    return told


def test_no_rule_captures_a_way_to_memory():
    violations = captures(project())

    assert not violations, "\n".join(violations)


def test_the_rules_are_found():
    texts = map(project().text, project().under("csrc/ops"))

    assert sum(len(introducers(text)) for text in texts) > 30


def test_the_compiler_refuses_a_rule_that_holds_more_than_numbers(request):
    cache, now = request.config.cache, digest(project(), "csrc/tensor/grad_node.h")
    key = "house/rules"
    now += "".join((*HOLDERS.values(), *NUMBERS.values()))
    if cache and cache.get(key, None) == now:
        return

    assert refusals(*HOLDERS.values()) == len(HOLDERS)
    assert refusals(*NUMBERS.values()) == 0

    if cache:
        cache.set(key, now)


@pytest.mark.parametrize(
    "capture",
    ["&", "=", "&x", "a, &x", "at = &x", "this", "x = input.view()", "x = y.body()", "x=y->data()"],
)
def test_a_planted_capture_is_found(capture, tmp_path: Path):
    text = f"record(name, out, {{}}, Keep::nothing, [{capture}](const Backward& at) -> Grads {{}});"

    violations = captures(planted(tmp_path, {"csrc/ops/a.cpp": text}))

    assert violations == [f"csrc/ops/a.cpp: a rule captures [{capture}]"]


@pytest.mark.parametrize(
    "capture", ["", "dim", "size = x.sizes()[dim], i", "before = input.sizes(), at, from"]
)
def test_numbers_and_sizes_are_not_found(capture, tmp_path: Path):
    text = f"node->set_rule([{capture}]\n(const Backward& back) -> Grads {{}});"

    assert captures(planted(tmp_path, {"csrc/ops/a.cpp": text})) == []
