"""Sizes, names and words that the style forbids."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.tree import CPP, Tree, planted, project

CODE = (*CPP, ".py", ".cmake", "CMakeLists.txt")
FORBIDDEN = {"utils", "common", "manager", "impl", "base", "helpers", "misc"}
WHERE_PYTORCH_USERS_LOOK = (
    "python/garboard/_utils.py",
    "python/garboard/distributions/utils.py",
    "python/garboard/nn/common_types.py",
    "python/garboard/nn/modules/utils.py",
    "python/garboard/nn/utils/",
    "python/garboard/optim/swa_utils.py",
    "python/garboard/utils/",
    "tests/python/nn/test_nn_utils",
    "tests/python/optim/test_swa_utils",
    "tests/python/data/test_utils",
)
# Written so that this file does not hold what it looks for.
UNFINISHED = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b")
OF_ONE_MACHINE = re.compile(r"(?<![\w.$}~-])/(?:work|root|home|Users)/\w")


def too_long(tree: Tree) -> list[str]:
    """Return files of more than 500 lines (tests 600) and lines of more than 100 columns."""
    found = []
    for file in (file for file in tree.files if file.endswith(CODE) or file == "run"):
        lines = tree.text(file).splitlines()
        most = 600 if file.startswith("tests/") else 500
        if len(lines) > most:
            found.append(f"{file} has {len(lines)} lines, at most {most} are allowed")
        found += [
            f"{file}:{number} has {len(line)} columns, at most 100 are allowed"
            for number, line in enumerate(lines, start=1)
            if len(line) > 100
        ]
    return found


def badly_named(tree: Tree) -> list[str]:
    """Return code files and folders that are not snake_case, or named for no noun."""
    found = []
    for file in (file for file in tree.files if file.endswith((*CPP, ".py", ".pyi", ".cmake"))):
        stems = [part.removesuffix(".py").split(".")[0] for part in file.split("/")]
        # Programs import `_C` by PyTorch's name for it.
        if not all(re.fullmatch(r"_{0,2}[a-z][a-z0-9_]*|_C", it) for it in filter(None, stems)):
            found.append(f"{file} is not snake_case")
        words = {word for stem in stems for word in stem.split("_")}
        if words & FORBIDDEN and not file.startswith(WHERE_PYTORCH_USERS_LOOK):
            found.append(f"{file} is named {(words & FORBIDDEN).pop()}, which says nothing")
    return found


def unfinished(tree: Tree) -> list[str]:
    """Return lines that promise later work."""
    return matching_lines(tree, UNFINISHED, "says that it is unfinished")


def of_one_machine(tree: Tree) -> list[str]:
    """Return lines that name a path of the machine they were written on."""
    return matching_lines(tree, OF_ONE_MACHINE, "names a path of one machine")


def matching_lines(tree: Tree, pattern: re.Pattern[str], fault: str) -> list[str]:
    return [
        f"{file}:{number} {fault}: {line.strip()}"
        for file in tree.files
        for number, line in enumerate(tree.text(file).splitlines(), start=1)
        if pattern.search(line)
    ]


CHECKS = [too_long, badly_named, unfinished, of_one_machine]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_nothing_is(check):
    violations = check(project())

    assert not violations, "\n".join(violations)


PLANTED = [
    (too_long, "csrc/core/a.h", "\n" * 501, "501 lines"),
    (too_long, "tests/python/test_a.py", "\n" * 601, "601 lines"),
    (too_long, "cmake/a.cmake", "#" * 101, "101 columns"),
    (badly_named, "csrc/core/DType.h", "", "snake_case"),
    (badly_named, "python/garboard/two-words.py", "", "snake_case"),
    (badly_named, "csrc/memory/block_manager.h", "", "manager"),
    (badly_named, "python/garboard/optim/utils.py", "", "utils"),
    (badly_named, "csrc/common/a.h", "", "common"),
    (unfinished, "csrc/core/a.h", "// todo: later".upper(), "a.h:1"),
    (of_one_machine, "cmake/a.cmake", "/".join(["set(x ", "home", "me)"]), "a.cmake:1"),
]


@pytest.mark.parametrize(("check", "file", "text", "fault"), PLANTED)
def test_a_planted_fault_is_found(check, file, text, fault, tmp_path: Path):
    violations = check(planted(tmp_path, {file: text}))

    assert len(violations) == 1
    assert fault in violations[0]


def test_a_clean_tree_is_found_clean(tmp_path: Path):
    tree = planted(
        tmp_path,
        {
            "csrc/core/a.h": "\n" * 500,
            "tests/cpp/core/a_test.cpp": "\n" * 600,
            "python/garboard/__init__.py": "#" * 100,
            "python/garboard/_engine.pyi": "\n" * 2000,
            "python/garboard/nn/utils/rnn.py": "# see ~/home/x and build/work/x",
            "python/garboard/utils/data.py": "",
            "tests/python/data/test_utils_data.py": "",
            "csrc/core/database.h": "",
        },
    )

    assert [violation for check in CHECKS for violation in check(tree)] == []
