"""A kind of leak is one file, named for it: nothing else spells its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import Tree, planted, project

HOME = "python/garboard/leaks/kinds/"
DEMO = "python/garboard/demo/"  # reads a report as a user does, who spells the name
PARTS = ("name", "family", "text")


def kinds(tree: Tree) -> dict[str, dict[str, str]]:
    """Return what each file of kinds says of its `KIND`, by the file: the texts among it."""
    found = {}
    for file in tree.under(HOME.rstrip("/"), suffixes=(".py",)):
        if file.endswith("__init__.py"):
            continue
        calls = [
            statement.value
            for statement in ast.parse(tree.text(file)).body
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "KIND"
        ]
        given = calls[0].keywords if calls and isinstance(calls[0], ast.Call) else []
        found[file] = {str(it.arg): ast.unparse(it.value).strip("'\"") for it in given}
    return found


def unfinished(tree: Tree) -> list[str]:
    """Return files that are no kind, or lack a part of one, or whose kind has another name."""
    faults = []
    for file, parts in kinds(tree).items():
        name = file.removeprefix(f"{HOME}_").removesuffix(".py").replace("_", "-")
        faults += [f"{file} has no KIND with {part}" for part in PARTS if part not in parts]
        if parts.get("name", name) != name:
            faults.append(f"{file} has the kind {parts['name']}")
        if "Evidence:" not in (ast.get_docstring(ast.parse(tree.text(file))) or ""):
            faults.append(f"{file} does not say what its evidence is")
    return faults


def texts(module: ast.Module) -> Iterator[ast.Constant]:
    """Yield the texts of a module that are no documentation."""
    documentation = {
        statement.value for statement in ast.walk(module) if isinstance(statement, ast.Expr)
    }
    for part in ast.walk(module):
        if isinstance(part, ast.Constant) and part not in documentation:
            yield part


def spelled_elsewhere(tree: Tree) -> list[str]:
    """Return where a name of several words stands that only its file should spell."""
    homes = {parts.get("name", ""): file for file, parts in kinds(project()).items()}
    return [
        f"{file}:{text.lineno} spells {text.value}; {homes[text.value]} has it"
        for file in tree.under("python/garboard", suffixes=(".py",))
        if not file.startswith(DEMO)
        for text in texts(ast.parse(tree.text(file)))
        if "-" in str(text.value) and text.value in homes and homes[text.value] != file
    ]


@pytest.mark.parametrize("check", [unfinished, spelled_elsewhere], ids=lambda it: it.__name__)
def test_every_kind_is_one_file(check):
    violations = check(project())

    assert not violations, "\n".join(violations)
    assert len(kinds(project())) > 20


def test_a_planted_name_is_found(tmp_path: Path):
    tree = planted(
        tmp_path,
        {
            f"{HOME}_a.py": '"""Of a py-cycle."""\nfound = kind == "py-cycle"\n',
            f"{HOME}_b.py": '"""py-cycle"""\nkind = "variable"\n',
        },
    )

    assert spelled_elsewhere(tree) == [f"{HOME}_a.py:2 spells py-cycle; {HOME}_py_cycle.py has it"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('"""Evidence: x."""\nKIND = Kind(name="a-b", family="A", text="")', None),
        ('"""Evidence: x."""\nKIND = Kind(name="a-b", text="")', "no KIND with family"),
        ('"""Evidence: x."""\nKIND = Kind(name="c", family="A", text="")', "has the kind c"),
        ('"""A."""\nKIND = Kind(name="a-b", family="A", text="")', "what its evidence is"),
    ],
)
def test_a_planted_fault_is_found(text, fault, tmp_path: Path):
    faults = unfinished(planted(tmp_path, {f"{HOME}_a_b.py": text}))

    assert len(faults) == (fault is not None)
    assert all(fault in it for it in faults)
