"""Python modules: a docstring, `__all__`, and nothing that mypy or ruff objects to."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import HOME, Tree, planted, project


def without_surface(tree: Tree) -> list[str]:
    """Return modules without a docstring or a literal `__all__`, and names in it twice."""
    found = []
    for file in tree.under("python/garboard", suffixes=(".py",)):
        module = ast.parse(tree.text(file))
        if not ast.get_docstring(module):
            found.append(f"{file} has no docstring")
        values = [
            statement.value
            for statement in module.body
            if isinstance(statement, ast.Assign | ast.AnnAssign)
            for target in getattr(statement, "targets", [getattr(statement, "target", None)])
            if isinstance(target, ast.Name) and target.id == "__all__"
        ]
        if not values:
            found.append(f"{file} has no __all__")
            continue
        names = [e.value for e in ast.walk(values[0]) if isinstance(e, ast.Constant)]
        found += [f"{file} lists {n} twice" for n in {n for n in names if names.count(n) > 1}]
    return found


def test_every_module_says_what_it_is_and_what_it_offers():
    violations = without_surface(project())

    assert not violations, "\n".join(violations)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("__all__ = []", "no docstring"),
        ('"""A module."""', "no __all__"),
        ('"""A module."""\n__all__ = ["a", "a"]', "lists a twice"),
    ],
)
def test_a_planted_fault_is_found(text, fault, tmp_path: Path):
    violations = without_surface(planted(tmp_path, {"python/garboard/a.py": text}))

    assert len(violations) == 1
    assert fault in violations[0]


def test_a_clean_module_is_found_clean(tmp_path: Path):
    text = '"""A module."""\n__all__: list[str] = ["a"]\n'

    assert without_surface(planted(tmp_path, {"python/garboard/a.py": text})) == []


def bound_by(statement: ast.stmt) -> list[str]:
    """Return the names that a statement of a module binds, not those of statements inside it."""
    if isinstance(statement, ast.FunctionDef):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in statement.names]
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return [target.id for target in targets if isinstance(target, ast.Name)]


def seen_by_checkers(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module that a type checker reads: not what TYPE_CHECKING hides."""
    for statement in body:
        if not isinstance(statement, ast.If):
            yield statement
        elif (condition := ast.unparse(statement.test)) == "TYPE_CHECKING":
            yield from seen_by_checkers(statement.body)
        elif condition == "not TYPE_CHECKING":
            yield from seen_by_checkers(statement.orelse)
        else:
            yield from seen_by_checkers([*statement.body, *statement.orelse])


# Whose names are a program's own.
OPEN = ("python/garboard/ops.py",)


def open_to_any_name(tree: Tree) -> list[str]:
    """Return modules that, to a type checker, have every attribute: misspelt ones too."""
    return [
        f"{file}:{statement.lineno} shows __getattr__ to type checkers; "
        "put it under `if not TYPE_CHECKING:`"
        for file in tree.under("python/garboard", suffixes=(".py", ".pyi"))
        if file not in OPEN
        for statement in seen_by_checkers(ast.parse(tree.text(file)).body)
        if "__getattr__" in bound_by(statement)
    ]


def test_no_module_has_every_name_to_a_type_checker():
    violations = open_to_any_name(project())

    assert not violations, "\n".join(violations)


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("__getattr__ = lazy()", True),
        ("def __getattr__(name: str) -> object: ...", True),
        ("from garboard._names.missing import advice as __getattr__", True),
        ("if TYPE_CHECKING:\n    __getattr__: object\nelse:\n    x = 1", True),
        ("if sys.version_info > (3, 12):\n    __getattr__ = lazy()", True),
        ("if not TYPE_CHECKING:\n    __getattr__ = lazy()", False),
        ("if TYPE_CHECKING:\n    x = 1\nelse:\n    __getattr__ = lazy()", False),
        ("class A:\n    def __getattr__(self, name: str) -> int: ...", False),
    ],
)
def test_a_planted_module_of_every_name_is_found(text, is_open, tmp_path: Path):
    violations = open_to_any_name(planted(tmp_path, {"python/garboard/a.py": text}))

    assert len(violations) == is_open


def test_importing_the_package_imports_no_dependency():
    pytest.importorskip("garboard")
    heavy = "{'numpy', 'rich', 'torch', 'pytest', 'IPython'}"
    command = f"import sys, garboard; print(sorted({heavy} & set(sys.modules)))"

    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)

    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize(
    "command",
    [["ruff", "check", "--quiet", "."], ["ruff", "format", "--check", "--quiet", "."], ["mypy"]],
    ids=["ruff-check", "ruff-format", "mypy"],
)
def test_passes(command):
    pytest.importorskip(command[0])

    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=HOME, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_pythons_are_said_alike_everywhere():
    interpreter = pytest.importorskip("garboard._interpreter")
    table = tomllib.loads((HOME / "pyproject.toml").read_text())
    (major, first), (_, end) = interpreter.TESTED

    claimed = [
        word.rpartition(" ")[2]
        for word in table["project"]["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: \d\.\d+", word)
    ]

    assert claimed == [f"{major}.{minor}" for minor in range(first, end)]
    assert table["project"]["requires-python"] == f">={major}.{first},<{major}.{end}"
    assert table["tool"]["mypy"]["python_version"] == f"{major}.{first}"
    assert table["tool"]["ruff"]["target-version"] == f"py{major}{first}"
    assert f"Python {major}.{first} to {major}.{end - 1}" in (HOME / "README.md").read_text()


def test_the_version_is_said_alike_everywhere():
    garboard = pytest.importorskip("garboard")

    project_table = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]

    assert garboard.__version__ == project_table["version"]
