"""The names of the kinds of leaks are spelled in one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import Tree, planted, project

HOME = "python/garboard/leaks/_kind.py"
DEMO = "python/garboard/demo/"  # reads a report as a user does, who spells the name


def kinds(tree: Tree) -> dict[str, str]:
    """Return the names that `Kind` has, by its attributes."""
    bodies = [
        part.body for part in ast.walk(ast.parse(tree.text(HOME))) if isinstance(part, ast.ClassDef)
    ]
    return {
        ast.unparse(line.target): ast.literal_eval(line.value)
        for line in bodies[0]
        if isinstance(line, ast.AnnAssign) and line.value
    }


def texts(module: ast.Module) -> Iterator[ast.Constant]:
    """Yield the texts of a module that are no documentation."""
    documentation = {
        statement.value for statement in ast.walk(module) if isinstance(statement, ast.Expr)
    }
    for part in ast.walk(module):
        if isinstance(part, ast.Constant) and part not in documentation:
            yield part


def spelled_elsewhere(tree: Tree) -> list[str]:
    """Return where a name of several words stands that only `Kind` should spell."""
    names = {name for name in kinds(project()).values() if "-" in name}
    return [
        f"{file}:{text.lineno} spells {text.value}; Kind has it"
        for file in tree.under("python/garboard", suffixes=(".py",))
        if file != HOME and not file.startswith(DEMO)
        for text in texts(ast.parse(tree.text(file)))
        if text.value in names
    ]


def test_a_kind_is_spelled_once():
    violations = spelled_elsewhere(project())

    assert not violations, "\n".join(violations)


def test_every_kind_has_a_family():
    text = project().text(HOME)
    with_family = text[text.index("FAMILIES") :]

    assert len(kinds(project())) > 20
    assert [name for name in kinds(project()) if f"Kind.{name}:" not in with_family] == []


def test_a_planted_name_is_found(tmp_path: Path):
    tree = planted(
        tmp_path,
        {
            "python/garboard/leaks/_a.py": '"""Of a py-cycle."""\nfound = kind == "py-cycle"\n',
            "python/garboard/leaks/_b.py": '"""py-cycle"""\nkind = "variable"\n',
        },
    )

    assert spelled_elsewhere(tree) == ["python/garboard/leaks/_a.py:2 spells py-cycle; Kind has it"]
