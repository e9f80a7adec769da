"""The stub of the extension says what the extension is."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.house.tree import HOME

STUB = HOME / "python/garboard/_engine.pyi"
BOUND_TYPES = (
    "AdamState|DisposeScopeStatistics|GraphNode|SgdState|Storage|_FailingAllocation|_GraphTable|"
    "_CapturePool|_DeviceGraph|_Label|_Stream|_StreamEvent"
)
# What differs for a reason, as regular expressions of stubtest's.
ALLOWED = rf"""
garboard\._engine\.({BOUND_TYPES})  # a metaclass of pybind11's, which says nothing to users
garboard\._engine\.({BOUND_TYPES})\.__init__  # made by the engine alone: it raises TypeError
garboard\._engine\.Tensor\.__buffer__  # a slot, which has a name in Python from 3.12 on
"""


def test_the_stub_is_what_the_op_tables_say():
    stubs = pytest.importorskip("garboard._stubs.text")

    stub = STUB.read_text(encoding="utf-8")

    assert stub == stubs.stub_text(), "run: python -m garboard._stubs python/garboard/_engine.pyi"


def called_in_several_ways() -> list[str]:
    """Return the functions of which `inspect` shows one way to call them, and the stub all."""
    table = pytest.importorskip("garboard._engine")._op_table()
    ways = Counter((row[0], row[4]) for row in table)
    variadic = {row[0] for row in table if "*tensors: " in row[1]}  # one sequence of them, too
    reducing = {row[0] for row in table if re.search(r"\bdim: ", row[1])}  # axis and keepdims, too
    several = {name for (name, _), count in ways.items() if count > 1} | reducing | variadic
    others = pytest.importorskip("garboard._engine")._other_names()
    return sorted(several | {name for name, of, _ in others if of in several})


def test_the_stub_has_the_names_and_parameters_of_the_extension(tmp_path):
    pytest.importorskip("mypy")
    garboard = pytest.importorskip("garboard")
    names = pytest.importorskip("garboard._names.torch_names").ADVICE["garboard.Tensor"]
    missing = rf"garboard\._engine\.Tensor\.({'|'.join(names)})  # PyTorch's, which raise"
    several = rf"garboard\._engine\.(Tensor\.)?({'|'.join(called_in_several_ways())})  # see above"
    hints = pytest.importorskip("garboard._stubs.text").HINTS
    heard = rf"garboard\._engine\.(Tensor\.)?({'|'.join(hints)})  # take what says nothing"
    (tmp_path / "allowed").write_text(f"{ALLOWED}{missing}\n{several}\n{heard}\n")
    options = ["--ignore-disjoint-bases", "--ignore-unused-allowlist", "--allowlist=allowed"]

    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "--concise", *options, "garboard._engine"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(garboard.__file__).parents[1])},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def signatures_in(stub: str) -> dict[str, list[tuple[str, bool]]]:
    """Return the parameters of a stub's functions, each with whether it has a default."""
    found = {}
    for function in ast.parse(stub).body:
        if isinstance(function, ast.FunctionDef):
            names = [argument.arg for argument in function.args.args]
            optional = len(names) - len(function.args.defaults)
            found[function.name] = [(name, i >= optional) for i, name in enumerate(names)]
    return found


def signature_said(documentation: str) -> list[tuple[str, bool]]:
    """Return the same of a function that pybind11 made: it says them in its docstring alone."""
    first = documentation.partition("\n")[0]
    pattern = r"(\w+): [^=]+?( = [^,)]+)?(?:, (?=\w+:)|\))"
    return [(name, bool(default)) for name, default in re.findall(pattern, first)]


def test_the_stub_has_the_parameters_that_stubtest_does_not_see():
    engine = pytest.importorskip("garboard._engine")
    in_stub = signatures_in(STUB.read_text(encoding="utf-8"))
    bound = {
        name: signature_said(value.__doc__)
        for name, value in vars(engine).items()
        if callable(value) and (value.__doc__ or "").startswith(f"{name}(")
    }

    differing = [
        f"{name}: {said} is not {in_stub.get(name)}"
        for name, said in bound.items()
        if said != in_stub.get(name) and not (said and said[0][0] == "arg0")  # without names
    ]

    assert len(bound) > 40
    assert not differing, "\n".join(differing)


def test_a_signature_is_read_as_pybind11_says_it():
    said = "f(a: typing.SupportsInt | typing.SupportsIndex, b: object = None, c: str) -> tuple[int]"

    assert signature_said(said) == [("a", False), ("b", True), ("c", False)]
    assert signature_said("f() -> int") == []
    assert signatures_in("def f(a: int, b: str = '') -> None: ...") == {
        "f": [("a", False), ("b", True)]
    }
