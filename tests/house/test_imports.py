"""Imports point one way: no circle of modules, and none of packages.

An import inside a function counts: it says that a module cannot work without the other. One for
type checkers counts between packages; inside one it may name the class a part belongs to. Only
`garboard/__init__.py` names all packages, for type checkers alone: they load when they are used.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.house.tree import Tree, planted, project

ROOT = "garboard"
EXTENSION = "garboard._engine"


def modules_of(tree: Tree) -> dict[str, str]:
    """Return the file of each module, by its name."""
    files = {}
    for file in tree.under("python/garboard", suffixes=(".py",)):
        name = file.removeprefix("python/").removesuffix(".py").removesuffix("/__init__")
        files[name.replace("/", ".")] = file
    return files


def hidden_at_run_time(module: ast.Module) -> set[ast.AST]:
    """Return what stands under `if TYPE_CHECKING`."""
    return {
        inside
        for part in ast.walk(module)
        if isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING"
        for inside in ast.walk(part)
    }


def imported_by(name: str, text: str, modules: dict[str, str]) -> Iterator[str]:
    """Yield the modules of ours that the module `name` imports, wherever it does."""
    module = ast.parse(text)
    hidden = hidden_at_run_time(module)
    for part in ast.walk(module):
        found = []
        if isinstance(part, ast.Import):
            found = [alias.name for alias in part.names]
        elif isinstance(part, ast.ImportFrom):
            start = absolute(part, name, modules)
            found = [f"{start}.{alias.name}" for alias in part.names]
        for target in found:
            while target and target not in modules and target != EXTENSION:
                target = target.rpartition(".")[0]
            if part in hidden and (name == ROOT or package_of(target) == package_of(name)):
                continue
            if target not in ("", name, EXTENSION):
                yield target


def absolute(part: ast.ImportFrom, name: str, modules: dict[str, str]) -> str:
    """Return the name of what `part` imports from, in the module `name`."""
    is_package = modules[name].endswith("/__init__.py")
    above = name.split(".")[: len(name.split(".")) - part.level + is_package] if part.level else []
    return ".".join([*above, *([part.module] if part.module else [])])


def circles(tree: Tree, whole: Callable[[str], str]) -> list[str]:
    """Return each circle of what `whole` makes of the modules' names."""
    modules = modules_of(tree)
    targets: dict[str, set[str]] = {}
    for name, file in modules.items():
        own = targets.setdefault(whole(name), set())
        own.update(map(whole, imported_by(name, tree.text(file), modules)))
    for name, own in targets.items():
        own.discard(name)
    return sorted(
        {
            f"{' and '.join(sorted(circle))} import each other"
            for name in targets
            if len(circle := reached(name, targets) & reaching(name, targets)) > 1
        }
    )


def reached(start: str, targets: dict[str, set[str]]) -> frozenset[str]:
    """Return `start` and what it leads to."""
    found, left = {start}, [start]
    while left:
        new = targets.get(left.pop(), set()) - found
        found |= new
        left += new
    return frozenset(found)


def reaching(end: str, targets: dict[str, set[str]]) -> frozenset[str]:
    """Return `end` and what leads to it."""
    sources: dict[str, set[str]] = {}
    for source, own in targets.items():
        for target in own:
            sources.setdefault(target, set()).add(source)
    return reached(end, sources)


def itself(name: str) -> str:
    return name


def package_of(name: str) -> str:
    """Return `garboard.leaks` for all that is in it."""
    return ".".join(name.split(".")[:2])


@pytest.mark.parametrize("whole", [itself, package_of])
def test_there_are_no_circles(whole):
    violations = circles(project(), whole)

    assert not violations, "\n".join(violations)


def test_the_imports_are_found():
    modules = modules_of(project())

    found = set(imported_by(ROOT, project().text(modules[ROOT]), modules))

    assert "garboard._scopes" in found
    assert len(modules) > 50


PLANTED = {
    "at the top": "from garboard.b._d import x",
    "inside a function": "def f():\n    from garboard.b import _d",
    "for type checkers": "if TYPE_CHECKING:\n    import garboard.b._d",
    "relative": "from .b import _d",
}


@pytest.mark.parametrize("text", PLANTED.values(), ids=PLANTED)
@pytest.mark.parametrize("whole", [itself, package_of])
def test_a_planted_circle_is_found(text, whole, tmp_path: Path):
    files = {
        "python/garboard/__init__.py": "from garboard import _engine",
        "python/garboard/a.py": text,
        "python/garboard/b/__init__.py": "from garboard import _engine",
        "python/garboard/b/_d.py": "from garboard.a import y",
    }

    assert len(circles(planted(tmp_path, files), whole)) == 1


def test_a_circle_of_packages_alone_is_found(tmp_path: Path):
    files = {
        "python/garboard/a/_one.py": "from garboard.b._one import x",
        "python/garboard/a/_two.py": "",
        "python/garboard/b/_one.py": "",
        "python/garboard/b/_two.py": "import garboard.a._two",
    }

    assert circles(planted(tmp_path, files), itself) == []
    assert len(circles(planted(tmp_path, files), package_of)) == 1
