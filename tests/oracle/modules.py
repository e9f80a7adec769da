"""PyTorch's database of modules: what each computes, with which gradients, and what it refuses."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import garboard as gb
import torch
from torch.testing._internal.common_modules import ModuleErrorEnum

from tests.oracle.aspects import gradients_differ
from tests.oracle.compare import difference
from tests.oracle.convert import NoCounterpartError, ours, walk

__all__ = ["MODULE_ASPECTS", "class_of", "module_entries", "module_label"]

#: Elements are dropped or drawn: their sizes and dtypes are compared alone.
_DRAWN = ("Dropout", "RReLU")
_SAMPLES = 40

Make = Callable[..., Any]


def module_entries() -> Iterator[Any]:
    """The modules of PyTorch's database that make floats from floats."""
    from torch.testing._internal.common_modules import module_db

    for entry in module_db:
        if not entry.module_cls.__module__.startswith("torch.ao"):
            yield entry


def module_label(entry: Any) -> str:
    """`nn.Linear`."""
    return f"nn.{entry.module_cls.__name__}"


def class_of(entry: Any) -> Make | None:
    """The class of the same name, or None."""
    return getattr(gb.nn, entry.module_cls.__name__, None)


def _samples(entry: Any, dtype: torch.dtype, is_training: bool) -> Iterator[Any]:
    random.seed(0)
    torch.manual_seed(0)
    if dtype not in entry.dtypes:
        return
    yield from islice(
        entry.module_inputs_func(
            entry, device="cpu", dtype=dtype, requires_grad=True, training=is_training
        ),
        _SAMPLES,
    )


def _told(sample: Any, told: str) -> str:
    def short(given: Any) -> str:
        sizes = f"{list(given.shape)}" if isinstance(given, torch.Tensor) else repr(given)
        return sizes[:60]

    made, called = sample.constructor_input, sample.forward_input
    words = [*map(short, made.args), *(f"{n}={short(it)}" for n, it in made.kwargs.items())]
    inputs = [*map(short, called.args), *(f"{n}={short(it)}" for n, it in called.kwargs.items())]
    return f"({', '.join(words)})({', '.join(inputs)}): {told}"


def _given(sample: Any) -> tuple[list[Any], dict[str, Any]]:
    called = sample.forward_input
    args = [ours(it, requires_grad=True) for it in called.args]
    return args, ours(dict(called.kwargs), requires_grad=True)


def _made(entry: Any, make: Make, sample: Any, dtype: torch.dtype, is_training: bool) -> Any:
    """The module of PyTorch's, and ours with copies of its parameters."""
    made = sample.constructor_input
    if any(isinstance(it, torch.nn.Module) for it in (*made.args, *made.kwargs.values())):
        raise NoCounterpartError("a module that holds another of PyTorch's")
    theirs = entry.module_cls(*made.args, **made.kwargs).to(dtype).train(is_training)
    own = make(*ours(list(made.args)), **ours(dict(made.kwargs)))
    own = own.to(ours(dtype)).train(is_training)
    if any(isinstance(it, torch.nn.parameter.UninitializedParameter) for it in theirs.parameters()):
        with torch.no_grad(), gb.no_grad():  # a layer that learns its sizes
            theirs(*sample.forward_input.args, **sample.forward_input.kwargs)
            args, named = _given(sample)
            own(*args, **named)
        theirs.load_state_dict({n: it * 0 + 0.5 for n, it in theirs.state_dict().items()})
    state = theirs.state_dict()
    if [*state] != [*own.state_dict()]:
        raise ValueError(f"names {[*own.state_dict()]} instead of {[*state]}")
    own.load_state_dict({name: ours(it) for name, it in state.items()})
    return theirs, own


def _compared(
    entry: Any, make: Make, dtype: torch.dtype, is_training: bool, with_gradient: bool
) -> str | None:
    is_drawn = is_training and any(it in entry.module_cls.__name__ for it in _DRAWN)
    slack = 8.0 if dtype is torch.float32 else 4.0
    for sample in _samples(entry, dtype, is_training):
        try:
            theirs, own = _made(entry, make, sample, dtype, is_training)
            args, named = _given(sample)
        except NoCounterpartError:
            continue
        except Exception as error:
            return _told(sample, f"{type(error).__name__}: {error}")
        called = sample.forward_input
        expected = theirs(*called.args, **called.kwargs)
        try:
            found = own(*args, **named)
            told = difference(expected, found, slack=slack, values=not is_drawn)
            if not told and with_gradient and not is_drawn:
                leaves = [*theirs.parameters(), *walk([called.args, called.kwargs])]
                mine = [*own.parameters(), *walk([args, named])]
                told = gradients_differ(
                    expected,
                    [it for it in leaves if it.requires_grad],
                    found,
                    [it for it in mine if it.requires_grad],
                )
            if not told:  # what was counted meanwhile
                told = difference(
                    [*theirs.buffers()], [*own.buffers()], slack=slack, values=not is_drawn
                )
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
        if told:
            return _told(sample, told)
    return None


def train(entry: Any, make: Make) -> str | None:
    """What it computes in training, in float32."""
    return _compared(entry, make, torch.float32, True, False)


def evaluation(entry: Any, make: Make) -> str | None:
    """What it computes otherwise, in float32."""
    return _compared(entry, make, torch.float32, False, False)


def gradient(entry: Any, make: Make) -> str | None:
    """Gradients of parameters and inputs in float64, in training and otherwise."""
    told = _compared(entry, make, torch.float64, True, True)
    return told or _compared(entry, make, torch.float64, False, True)


def errors(entry: Any, make: Make) -> str | None:
    """What PyTorch refuses when it is made or called is refused, with a typed error."""
    if entry.module_error_inputs_func is None:
        return None
    given = entry.module_error_inputs_func(
        entry, device="cpu", dtype=torch.float64, requires_grad=False, training=True
    )
    for error in given:
        sample = error.module_error_input
        made = sample.constructor_input
        try:
            module = make(*ours(list(made.args)), **ours(dict(made.kwargs)))
            if error.error_on is not ModuleErrorEnum.CONSTRUCTION_ERROR:
                args, named = _given(sample)
                if any(True for _ in module.parameters()):  # what was given stays as it is
                    module.double()
                module(*args, **named)
        except (NoCounterpartError, gb.GarboardError, TypeError, ValueError, NotImplementedError):
            continue
        except Exception as wrong:
            return f"untyped: {type(wrong).__name__}: {wrong}"
        return f"{made.args} {made.kwargs} is taken; PyTorch: {error.error_regex[:80]}"
    return None


MODULE_ASPECTS: dict[str, Callable[[Any, Make], str | None]] = {
    "train": train,
    "eval": evaluation,
    "gradient": gradient,
    "errors": errors,
}
