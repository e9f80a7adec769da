"""PyTorch's database of optimizers: where steps lead, what is kept, and what is refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import torch

from tests.oracle.compare import difference
from tests.oracle.convert import NoCounterpartError, ours

__all__ = ["OPTIMIZER_ASPECTS", "maker_of", "optimizer_entries", "optimizer_label"]

#: What only makes PyTorch faster, or is refused here by name.
_LEFT_OUT = ("capturable", "differentiable")
_STEPS = 6

Make = Callable[..., Any]


def optimizer_entries() -> Iterator[Any]:
    """The optimizers of PyTorch's database."""
    from torch.testing._internal.common_optimizers import optim_db

    yield from optim_db


def optimizer_label(entry: Any) -> str:
    """`optim.Adam`."""
    return f"optim.{entry.optim_cls.__name__}"


def maker_of(entry: Any) -> Make | None:
    """The class of the same name, or None."""
    return getattr(gb.optim, entry.optim_cls.__name__, None)


def _options(entry: Any) -> Iterator[dict[str, Any]]:
    for given in entry.optim_inputs_func(device="cpu"):
        options = dict(given.kwargs)
        if not any(options.get(name) for name in _LEFT_OUT):
            yield options


def _starts(entry: Any, dtype: torch.dtype) -> list[torch.Tensor]:
    drawn = torch.Generator().manual_seed(3)
    takes_matrices = entry.optim_cls is torch.optim.Muon
    every = ((4, 3), (2, 5)) if takes_matrices else ((4, 3), (5,), ())
    return [torch.randn(sizes, generator=drawn, dtype=dtype) for sizes in every]


def _is_closed(entry: Any) -> bool:
    return entry.optim_cls is torch.optim.LBFGS


def _run(optimizer: Any, params: list[Any], lib: Any, is_closed: bool) -> None:
    """Steps towards the least of a sum of quarter powers, whose slopes differ everywhere."""

    def closure() -> Any:
        optimizer.zero_grad()
        loss = sum((((it - 0.3) ** 4).sum() + (it * it).sum() * 0.1) for it in params)
        loss.backward()
        return loss

    for _ in range(_STEPS):
        if is_closed:
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()


def _both(entry: Any, make: Make, options: dict[str, Any]) -> tuple[Any, ...]:
    """Both optimizers after their steps, with their parameters."""
    starts = _starts(entry, torch.float64)
    theirs = [torch.nn.Parameter(it.clone()) for it in starts]
    own = [gb.nn.Parameter(ours(it)) for it in starts]
    reference = entry.optim_cls(theirs, **options)
    optimizer = make(own, **ours(options))
    _run(reference, theirs, torch, _is_closed(entry))
    _run(optimizer, own, gb, _is_closed(entry))
    return reference, theirs, optimizer, own


def steps(entry: Any, make: Make) -> str | None:
    """Where parameters are after some steps, for every set of options."""
    for options in _options(entry):
        try:
            _, theirs, _, own = _both(entry, make, options)
        except NoCounterpartError:
            continue
        except Exception as error:
            return f"{options}: {type(error).__name__}: {error}"
        for left, right in zip(theirs, own, strict=True):
            if told := difference(left.detach(), right.detach(), slack=10.0):
                return f"{options}: {told}"
    return None


def _numbers(given: Any) -> Any:
    """Numbers are numbers: PyTorch keeps tensors of them."""
    if isinstance(given, torch.Tensor) and not given.ndim:
        return given.item()
    return [_numbers(it) for it in given] if isinstance(given, (list, tuple)) else given


def state(entry: Any, make: Make) -> str | None:
    """State dicts: the same options and the same state, and PyTorch's is taken over."""
    for options in _options(entry):
        try:
            reference, _, optimizer, own = _both(entry, make, options)
        except Exception:  # told by the other aspect
            continue
        left, right = reference.state_dict(), optimizer.state_dict()
        groups = zip(left["param_groups"], right["param_groups"], strict=True)
        if any({*a} != {*b} for a, b in groups):
            return f"{options}: options {sorted(right['param_groups'][0])}"
        for number, entry_of in left["state"].items():
            found = right["state"].get(number, {})
            if {*entry_of} != {*found}:
                return f"{options}: state {sorted(found)} instead of {sorted(entry_of)}"
            for name, value in entry_of.items():
                is_number = isinstance(value, torch.Tensor) and not isinstance(
                    found[name], gb.Tensor
                )
                expected = _numbers(value) if is_number else value
                if is_number and abs(expected - found[name]) < 1e-9:
                    continue
                if told := difference(expected, found[name], slack=10.0):
                    return f"{options}: state {name}: {told}"
        try:
            make([gb.nn.Parameter(it.detach().clone()) for it in own]).load_state_dict(ours(left))
        except Exception as error:
            return f"{options}: load_state_dict: {type(error).__name__}: {error}"
    return None


def _parameters(given: Any, known: dict[int, Any]) -> Any:
    """The same nest of parameters; what stands there twice does so again."""
    if isinstance(given, torch.Tensor):
        return known.setdefault(id(given), gb.nn.Parameter(ours(given)))
    if isinstance(given, dict):
        return {name: _parameters(it, known) for name, it in given.items()}
    return [_parameters(it, known) for it in given] if isinstance(given, (list, tuple)) else given


def errors(entry: Any, make: Make) -> str | None:
    """What PyTorch refuses is refused, and what it warns of is warned of."""
    for error in entry.optim_error_inputs_func(device="cpu", dtype=torch.float64):
        given = error.optimizer_error_input
        if any(given.kwargs.get(name) for name in _LEFT_OUT):
            continue
        try:
            params = _parameters(given.params, {})
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "error" if issubclass(error.error_type, Warning) else "default"
                )
                optimizer = make(params or [gb.nn.Parameter(gb.ones(1))], **ours(given.kwargs))
            optimizer.step()
        except (NoCounterpartError, gb.GarboardError, TypeError, ValueError, NotImplementedError):
            continue
        except UserWarning:
            continue
        return f"{given.kwargs} is taken; PyTorch: {error.error_regex[:80]}"
    return None


OPTIMIZER_ASPECTS: dict[str, Callable[[Any, Make], str | None]] = {
    "steps": steps,
    "state": state,
    "errors": errors,
}
