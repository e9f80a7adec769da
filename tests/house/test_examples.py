"""The examples in docstrings run, those of Python and those that stand in the op tables."""

from __future__ import annotations

import builtins
import doctest
import gc
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PARSER = doctest.DocTestParser()


def documented(module: object, name: str) -> Iterator[tuple[str, str]]:
    """Yield the docstrings of a module, and of what it defines or exports, by name."""
    yield name, inspect.getdoc(module) or ""
    for attribute, value in sorted(vars(module).items()):
        if getattr(value, "__module__", name) == name and callable(value):
            yield f"{name}.{attribute}", inspect.getdoc(value) or ""
            if inspect.isclass(value):
                for member, function in sorted(vars(value).items()):
                    yield f"{name}.{attribute}.{member}", inspect.getdoc(function) or ""


def examples() -> list[object]:
    try:
        import garboard
    except ImportError:
        return []
    names = ["garboard", *(m.name for m in pkgutil.walk_packages(garboard.__path__, "garboard."))]
    found: dict[str, str] = {}
    for name in names:
        if name.endswith("__main__") or ".lib" in name:  # our libraries look like modules
            continue
        try:
            found.update(documented(importlib.import_module(name), name))
        except ImportError:
            continue  # what it needs is in an extra
    return [pytest.param(text, id=name) for name, text in found.items() if ">>>" in text]


def failures(text: str, name: str, **names: object) -> str:
    """Run the examples in `text` and return what failed."""
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(PARSER.get_doctest(text, dict(names), name, None, None), out=said.append)
    return "".join(said)


@pytest.mark.parametrize("text", examples())
def test_example_runs_and_leaves_nothing_alive(text, request):
    garboard = pytest.importorskip("garboard")
    before = garboard.memory.live()

    failed = failures(text, request.node.name, gb=garboard, garboard=garboard)

    vars(builtins).pop("_", None)  # the last value that was shown
    if garboard.memory.live() != before:
        gc.collect()
    assert failed == ""
    assert garboard.memory.live() - before == garboard.memory.LiveCounts(0, 0, 0, 0)


@pytest.mark.parametrize("name", ["exp", "add", "Tensor.exp_", "DisposeScope.detach"])
def test_members_of_the_extension_are_found(name):
    pytest.importorskip("garboard")

    assert {it.id.rpartition("garboard.")[2] for it in examples()} & {name, f"_engine.{name}"}


def test_a_wrong_example_is_found():
    assert "Expected" in failures(">>> 1 + 1\n3\n", "wrong")
    assert failures(">>> one + 1\n2\n", "right", one=1) == ""
