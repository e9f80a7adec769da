"""What PyTorch's own documentation shows: the statements of its docstrings run here, too."""

from __future__ import annotations

import builtins
import contextlib
import doctest
import functools
import importlib
import inspect
import io
import math
import random
import tempfile
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import garboard as gb
import numpy as np
import torch

from tests.oracle.aspects import MissingError

__all__ = ["DOCUMENTATION_ASPECTS", "Documented", "documentation_label", "documented", "namesake"]

_HOMES = (
    *("", "Tensor", "nn", "nn.functional", "nn.init", "nn.utils", "nn.utils.rnn"),
    *("nn.utils.parametrize", "nn.utils.parametrizations", "optim", "optim.lr_scheduler"),
    *("optim.swa_utils", "utils.data", "utils.checkpoint", "autograd", "autograd.functional"),
    *("autograd.graph", "func", "linalg", "special", "signal.windows", "distributions", "random"),
    *("testing", "amp", "profiler", "fft"),
)
# What is not here as a whole, by words that stand in the statement.
_ELSEWHERE = ("cuda", "sparse", "xla")
_ELSEWHERE += ("distributed", "quantize", "...)", "=...")
_IN_DOCS = ("grad", "vmap", "vjp", "jvp", "jacrev", "jacfwd", "hessian", "functional_call")

_import = builtins.__import__


class Documented(NamedTuple):
    """A name of PyTorch's, and the statements of its docstring."""

    path: str
    statements: tuple[str, ...]


def _at(library: ModuleType, path: str) -> Any:
    return functools.reduce(getattr, path.split(".") if path else (), library)


def documented() -> Iterator[Documented]:
    """Each docstring with statements, once, under the first of its names."""
    seen = set()
    for home in _HOMES:
        holder = _at(torch, home)
        for name in sorted(it for it in dir(holder) if not it.startswith("_")):
            thing = getattr(holder, name, None)
            text = getattr(thing, "__doc__", None)
            if inspect.ismodule(thing) or not isinstance(text, str) or text in seen:
                continue
            seen.add(text)
            with contextlib.suppress(ValueError):  # prompts that doctest cannot read
                found = doctest.DocTestParser().get_examples(inspect.cleandoc(text))
                sources = [it.source for it in found]
                kept = [it for it in sources if not any(word in it for word in _ELSEWHERE)]
                if kept:
                    yield Documented(f"{home}.{name}".lstrip("."), tuple(kept))


def documentation_label(entry: Documented) -> str:
    """`docs of nn.Linear`."""
    return f"docs of {entry.path}"


def namesake(entry: Documented) -> Any:
    """What has the same name here, or None."""
    try:
        return _at(gb, entry.path)
    except (AttributeError, ImportError):
        return None


def _import_of_ours(name: str, *rest: Any) -> Any:
    if name.partition(".")[0] != "torch":
        return _import(name, *rest)
    found = importlib.import_module(f"garboard{name[5:]}")
    return found if len(rest) > 2 and rest[2] else gb


def _names(library: Any, home: str) -> dict[str, Any]:
    """What docstrings take for granted, as what stands beside their own name."""
    near = (it for it in dir(_at(torch, home)) if home and not it.startswith("_"))
    names = {it: getattr(_at(library, home), it, None) for it in near}
    names |= {"torch": library, "nn": library.nn, "F": library.nn.functional, "np": np}
    names |= {"optim": library.optim, "init": library.nn.init, "LA": library.linalg}
    names |= {"Tensor": library.Tensor, "math": math, "random": random, "functools": functools}
    names |= {it: getattr(library.func, it) for it in _IN_DOCS if hasattr(library.func, it)}
    if library is gb:
        names["__builtins__"] = {**vars(builtins), "__import__": _import_of_ours}
    return names


def _be_as_at_the_start(library: Any) -> None:
    library.set_default_dtype(library.float32)
    library.set_grad_enabled(True)
    library.set_printoptions(profile="default")


def _outcomes(entry: Documented, library: Any) -> list[Exception | None]:
    """What each statement raised."""
    names, found = _names(library, entry.path.rpartition(".")[0]), []
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for statement in entry.statements:
            raised = None
            try:
                exec(compile(statement, "documentation", "single"), names)
            except Exception as error:
                raised = error
            found.append(raised)
    _be_as_at_the_start(library)
    return found


def shown(entry: Documented, _: Any) -> str | None:
    """Each statement that PyTorch runs, which are some."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        theirs, own = (_outcomes(entry, library) for library in (torch, gb))
    vars(builtins).pop("_", None)
    if None not in theirs:
        raise MissingError("statements that PyTorch runs on their own")
    for statement, reference, raised in zip(entry.statements, theirs, own, strict=True):
        if reference is None and raised is not None:
            return f"{statement.strip()}: {type(raised).__name__}: {raised}"
    return None


DOCUMENTATION_ASPECTS = {"shown": shown}
