"""What others give goes into a message through `shown`, `told` or its type: never by its own repr.

`garboard._arguments.texts` is where texts of others' objects are made, and the only place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import Tree, planted, project

TEXTS = "python/garboard/_arguments/texts.py"

# Parameters that our own functions fill with words of ours.
OURS = {"asker", "least", "name", "needed", "of", "op", "role", "when", "where"}

# A repr that is ours, or meant: of a choice of ours, of a tensor, of a module's children.
MEANT = {
    ("_arguments/check.py", "repr(one)"),
    ("_arguments/returned.py", "repr(part)"),
    ("_ops/exchange.py", "repr(self)"),
    ("fx/_code.py", "repr(it)"),
    ("fx/_code.py", "repr(name)"),
    ("nn/_module/_registered.py", "repr(dict(self))"),
    ("nn/containers.py", "repr(vars(self)[name])"),
    ("nn/module.py", "repr(vars(self)[name])"),
}

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def parameters(function: Function) -> set[str]:
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return {it.arg for it in named if it is not None}


def is_message(node: ast.AST) -> bool:
    """Tell whether a node raises or warns."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).rpartition(".")[2] in ("warn", "warn_explicit")
    return isinstance(node, ast.Raise)


def reprs(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each repr, by a function's name or by `!r`."""
    for node in ast.walk(module):
        if isinstance(node, ast.FormattedValue) and node.conversion in (ord("r"), ord("a")):
            yield node.lineno, f"{{{ast.unparse(node.value)}!{chr(node.conversion)}}}"
        elif isinstance(node, ast.Name) and node.id in ("repr", "ascii"):
            yield node.lineno, node.id


def calls_of_repr(module: ast.Module) -> dict[int, list[str]]:
    """Return the calls of `repr` by line: what they are asked of may be meant."""
    found: dict[int, list[str]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("repr", "ascii"):
            found.setdefault(node.lineno, []).append(ast.unparse(node))
    return found


def bare(node: ast.AST, given: frozenset[str] = frozenset()) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each parameter that stands in a message as it is."""
    for child in ast.iter_child_nodes(node):
        inside = given | parameters(child) if isinstance(child, Function) else given
        if is_message(child):
            for part in ast.walk(child):
                value = part.value if isinstance(part, ast.FormattedValue) else None
                if isinstance(value, ast.Name) and value.id in inside - OURS:
                    yield value.lineno, f"{{{value.id}}}"
        yield from bare(child, inside)


def faults(tree: Tree) -> list[str]:
    found = []
    for file in tree.under("python/garboard", suffixes=(".py",)):
        short = file.removeprefix("python/garboard/")
        if file == TEXTS or short.startswith("demo/"):
            continue
        module = ast.parse(tree.text(file))
        calls = calls_of_repr(module)
        for line, text in reprs(module):
            if not any((short, call) in MEANT for call in calls.get(line, ())):
                found.append(
                    f"{file}:{line}: {text}; shown() or told() of _arguments.texts is needed"
                )
        for line, text in bare(module):
            found.append(f"{file}:{line}: {text} as it is; shown() or its type's name is needed")
    return found


def test_no_message_asks_what_others_give_for_its_text():
    violations = faults(project())

    assert not violations, "\n".join(violations)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("def f(x):\n    raise TypeError(f'f: {x}; a number is needed')", "{x} as it is"),
        ("def f(x):\n    raise TypeError(f'f: {x!r}')", "{x!r}; shown()"),
        ("def f(x):\n    def g():\n        raise E(f'{x}')\n    return g", "{x} as it is"),
        ("def f(*xs):\n    warnings.warn(f'f: {xs}')", "{xs} as it is"),
        ("f = lambda x: print(repr(x))", "repr; shown()"),
        ("f = map(repr, xs)", "repr; shown()"),
    ],
)
def test_a_planted_fault_is_found(text, fault, tmp_path: Path):
    violations = faults(planted(tmp_path, {"python/garboard/a.py": text}))

    assert violations
    assert fault in violations[0]


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    raise TypeError(f'f: {shown(x)}; {type(x).__name__}')",
        "def f(op, x):\n    raise TypeError(f'{op}: {len(x)}')",
        "def f(x):\n    return f'{x}'",
        "def f(x):\n    y = int(x)\n    raise ValueError(f'f: {y}')",
    ],
)
def test_a_clean_module_is_found_clean(text, tmp_path: Path):
    assert faults(planted(tmp_path, {"python/garboard/a.py": text})) == []
