"""What is asked of an op, sample by sample: each aspect answers None, or what went wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import garboard as gb
import torch
from torch.testing._internal.common_methods_invocations import BinaryUfuncInfo

from tests.oracle.compare import difference, is_near_or_nearer
from tests.oracle.convert import NoCounterpartError, is_tensor, ours, walk
from tests.oracle.names import DRAWN, SIGNS_ALONE, VALUES_ALONE, in_place_of, is_compared, method_of

__all__ = ["ASPECTS", "MissingError", "gradients_differ"]

_SAMPLES = 60  # of an entry: some have thousands
_FORWARD = ("float32", "float64", "int64", "bool", "float16", "bfloat16", "int32", "int8", "uint8")
#: Half types of the two libraries differ by where they round; sums by their order.
_SLACK = {
    "float16": 8.0,
    "bfloat16": 2.0,
    "float32": 8.0,
    "float64": 4.0,
    "complex64": 8.0,
    "complex128": 4.0,
}
_COMPLEX = ("complex64", "complex128")

#: Where PyTorch's float64 decides what is right.
_JUDGED = ("float16", "bfloat16", "float32", "int64", "int32", "int8", "uint8")

Call = Callable[..., Any]


class MissingError(Exception):
    """garboard has no such form of the op."""


def _samples(entry: Any, dtype: torch.dtype, requires_grad: bool = False) -> Iterator[Any]:
    random.seed(0)
    torch.manual_seed(0)
    found = entry.sample_inputs("cpu", dtype, requires_grad=requires_grad)
    yield from islice((it for it in found if is_compared(entry, it)), _SAMPLES)


def _dtypes(entry: Any, names: tuple[str, ...] = _FORWARD) -> Iterator[torch.dtype]:
    for name in names:
        if (dtype := getattr(torch, name)) in entry.dtypes:
            yield dtype


def _told(sample: Any, told: str) -> str:
    def short(given: Any) -> str:
        if is_tensor(given):
            return f"{str(given.dtype).split('.')[-1]}{list(given.shape)}"
        return repr(given)[:60]

    words = [short(sample.input), *map(short, sample.args)]
    words += [f"{name}={short(it)}" for name, it in sample.kwargs.items()]
    return f"({', '.join(words)}): {told}"


def _their_result(entry: Any, sample: Any) -> Any:
    """What PyTorch computes; None where it refuses its own sample, or where there is no result."""
    try:
        return entry.op(sample.input, *sample.args, **sample.kwargs)
    except Exception:
        return None


def _our_result(call: Call, sample: Any, **more: Any) -> Any:
    args = [ours(it, requires_grad=True) for it in (sample.input, *sample.args)]
    return call(*args, **ours(dict(sample.kwargs), requires_grad=True), **more)


def _compared(
    entry: Any, call: Call, dtype: torch.dtype, change: Call = lambda it: it
) -> str | None:
    name = str(dtype).split(".")[-1]
    for sample in map(change, _samples(entry, dtype)):
        if (expected := _their_result(entry, sample)) is None:
            continue
        try:
            found = _our_result(call, sample)
        except NoCounterpartError:
            continue
        except Exception as error:
            if _is_refused_on_purpose(error):
                continue
            return f"{name}: {_told(sample, f'{type(error).__name__}: {error}')}"
        if entry.name in SIGNS_ALONE and sample.output_process_fn_grad:
            expected = sample.output_process_fn_grad(expected)
            found = sample.output_process_fn_grad(found)
        if entry.name in VALUES_ALONE and isinstance(expected, tuple):
            expected, found = expected[0], found[0]
        told = difference(
            expected,
            found,
            slack=_SLACK.get(name, 1.0),
            values=entry.name not in DRAWN and entry.name != "argsort",
        )
        if told and not _is_nearer(entry, sample, expected, found, name):
            return f"{name}: {_told(sample, told)}"
    return None


def _is_refused_on_purpose(error: Exception) -> bool:
    """Whether a number that the dtype cannot hold was refused, which PyTorch wraps or cuts off."""
    told = str(error)
    return isinstance(error, gb.DTypeError) and (
        "does not fit into" in told or "is no integer, and the dtype is" in told
    )


def _is_nearer(entry: Any, sample: Any, expected: Any, found: Any, name: str) -> bool:
    """Whether what differs is PyTorch's rounding: its own float64 says what garboard does, or is
    no nearer to PyTorch."""
    if name not in _JUDGED or not all(it.is_floating_point() for it in walk(expected)):
        return False

    def changed(dtypes: tuple[torch.dtype, ...], wanted: torch.dtype, given: Any) -> Any:
        if isinstance(given, torch.Tensor):
            return given.to(wanted) if given.dtype in dtypes else given
        return wanted if given in dtypes else given

    narrow = (getattr(torch, name),)
    wide = sample.transform(lambda it: changed(narrow, torch.float64, it))
    exact = _their_result(entry, wide)
    if exact is None or len(walk(exact)) != len(walk(expected)):
        return False
    return all(
        is_near_or_nearer(best, mine, theirs, _SLACK.get(name, 4.0))
        for theirs, best, mine in zip(walk(expected), walk(exact), walk(found), strict=True)
    )


def forward(entry: Any, call: Call) -> str | None:
    """Values, sizes and dtypes for every dtype that PyTorch takes on a CPU."""
    told = (_compared(entry, call, dtype) for dtype in _dtypes(entry))
    return next((it for it in told if it), None)


def complex_numbers(entry: Any, call: Call) -> str | None:
    """The same of complex numbers, where PyTorch takes them."""
    told = (_compared(entry, call, dtype) for dtype in _dtypes(entry, _COMPLEX))
    return next((it for it in told if it), None)


def strided(entry: Any, call: Call) -> str | None:
    """The same of tensors that are not contiguous."""
    if torch.float64 not in entry.dtypes:
        return None
    return _compared(entry, call, torch.float64, lambda sample: sample.noncontiguous())


def method(entry: Any, call: Call) -> str | None:
    """The same through the method, where PyTorch has one."""
    if not getattr(entry, "method_variant", None) or "." in entry.name:
        return None
    if entry.name.startswith("__") or torch.float64 not in entry.dtypes:
        return None
    if (found := method_of(entry.name)) is None:
        raise MissingError("method")
    return _compared(entry, found, torch.float64)


def in_place(entry: Any, call: Call) -> str | None:
    """The form that writes into its first argument, for samples whose result fits there."""
    if getattr(entry, "inplace_variant", None) is None or torch.float64 not in entry.dtypes:
        return None
    write = in_place_of(entry)
    for sample in _samples(entry, torch.float64):
        if sample.broadcasts_input or (expected := _their_result(entry, sample)) is None:
            continue
        if not is_tensor(expected) or expected.dtype is not torch.float64:
            continue
        if write is None:
            raise MissingError(f"{entry.name}_")
        try:
            args = [ours(it) for it in (sample.input, *sample.args)]
            found = write(*args, **ours(dict(sample.kwargs)))
        except NoCounterpartError:
            continue
        except Exception as error:
            return _told(sample, f"{type(error).__name__}: {error}")
        if found is not args[0]:
            return _told(sample, "does not return the tensor that it was given")
        if told := difference(expected, found, slack=4.0, values=entry.name not in DRAWN):
            return _told(sample, told)
    return None


def out(entry: Any, call: Call) -> str | None:
    """`out=` of one result, where PyTorch takes one."""
    if not entry.supports_out or torch.float64 not in entry.dtypes:
        return None
    for sample in _samples(entry, torch.float64):
        expected = _their_result(entry, sample)
        if not is_tensor(expected):
            continue
        place = ours(torch.zeros_like(expected, memory_format=torch.contiguous_format))
        try:
            found = _our_result(call, _detached(sample), out=place)
        except NoCounterpartError:
            continue
        except TypeError as error:
            if "out" in str(error) and "parameter" in str(error):
                raise MissingError("out=") from error
            return _told(sample, f"{type(error).__name__}: {error}")
        except Exception as error:
            return _told(sample, f"{type(error).__name__}: {error}")
        if told := difference(expected, found, slack=4.0, values=entry.name not in DRAWN):
            return _told(sample, told)
        return None
    return None


def _detached(sample: Any) -> Any:
    return sample.transform(lambda it: it.detach() if isinstance(it, torch.Tensor) else it)


def _gradients(
    entry: Any, call: Call, order: int, dtype: torch.dtype = torch.float64
) -> str | None:
    for sample in islice(_samples(entry, dtype, True), 25):
        if entry.name in DRAWN:
            return None
        leaves = [it for it in walk([sample.input, sample.args, sample.kwargs]) if it.requires_grad]
        if not leaves or (expected := _their_result(entry, sample)) is None:
            continue
        post = sample.output_process_fn_grad or (lambda it: it)
        try:
            args = [ours(it, requires_grad=True) for it in (sample.input, *sample.args)]
            kwargs = ours(dict(sample.kwargs), requires_grad=True)
            own = [it for it in walk([*args, kwargs]) if it.requires_grad]
            found = call(*args, **kwargs)
            told = gradients_differ(post(expected), leaves, post(found), own, order)
        except NoCounterpartError:
            continue
        except Exception as error:
            return _told(sample, f"{type(error).__name__}: {error}")
        if told:
            return _told(sample, told)
    return None


def _seed_of(output: torch.Tensor) -> torch.Tensor:
    real = torch.arange(output.numel(), dtype=output.dtype.to_real())
    seed = torch.sin(real) * (1 + 0.5j) + 0.3j if output.is_complex() else torch.sin(real)
    return seed.to(output.dtype).reshape(output.shape)


def gradients_differ(
    expected: Any, leaves: Any, found: Any, own: Any, order: int = 1, is_second: bool = False
) -> str | None:
    """Say where gradients of ours differ, for seeds that differ everywhere; None where none do."""
    outputs = [it for it in walk(expected) if it.requires_grad]
    ours_out = [it for it in walk(found) if it.requires_grad]
    seeds = [_seed_of(it) for it in outputs]
    try:
        theirs_in = torch.autograd.grad(
            outputs, leaves, seeds, allow_unused=True, create_graph=order > 1
        )
    except RuntimeError:
        return None  # PyTorch lacks this derivative, or there is no result that has one
    if len(outputs) != len(ours_out):
        return f"{len(ours_out)} results with gradient instead of {len(outputs)}"
    found_in = gb.autograd.grad(
        ours_out, own, [ours(it) for it in seeds], allow_unused=True, create_graph=order > 1
    )
    pairs = zip(theirs_in, found_in, strict=True)
    filled = [
        (torch.zeros_like(leaf) if a is None else a, gb.zeros_like(mine) if b is None else b)
        for (a, b), leaf, mine in zip(pairs, leaves, own, strict=True)
    ]
    if order > 1:
        a = [it for it, _ in filled if it.requires_grad]
        b = [it for _, it in filled if it.requires_grad]
        if len(a) != len(b):
            return None  # a gradient that is zero everywhere, of which one library knows
        return gradients_differ(a, leaves, b, own, 1, is_second=True) if a else None
    for place, (left, right) in enumerate(filled):
        left, right = left.detach(), right.detach()
        if is_second:  # where PyTorch finds none
            right = gb.where(ours(left.isnan()), float("nan"), right)
        if told := difference(left, right, slack=100.0):
            return f"gradient {place}: {told}"
    return None


def gradient(entry: Any, call: Call) -> str | None:
    """Gradients of all inputs, for given ones of all outputs."""
    return _gradients(entry, call, 1) if entry.supports_autograd else None


def complex_gradient(entry: Any, call: Call) -> str | None:
    """The same of complex numbers, where PyTorch has gradients of them."""
    has = entry.supports_autograd and torch.complex128 in entry.dtypes
    return _gradients(entry, call, 1, torch.complex128) if has else None


def second_gradient(entry: Any, call: Call) -> str | None:
    """Gradients of these gradients."""
    has = entry.supports_autograd and entry.supports_gradgrad
    return _gradients(entry, call, 2) if has else None


def _is_wider(entry: Any, sample: Any) -> bool:
    """Whether garboard takes this on purpose: a number on either side of two operands."""
    operands = (sample.input, *sample.args)
    return isinstance(entry, BinaryUfuncInfo) and any(
        isinstance(it, (int, float)) for it in operands
    )


def _is_out_on_purpose(entry: Any, sample: Any) -> bool:
    """Whether garboard takes this `out=` on purpose: an argument's memory, or a wider dtype."""
    out = sample.kwargs.get("out")
    given = walk((sample.input, *sample.args))
    if not is_tensor(out) or not given:
        return False
    try:
        more = {name: it for name, it in sample.kwargs.items() if name != "out"}
        made = walk(entry.op(sample.input, *sample.args, **more))
    except Exception:
        return False
    is_wider = made and out.dtype != made[0].dtype and torch.can_cast(made[0].dtype, out.dtype)
    memory = out.untyped_storage().data_ptr()
    return is_wider or any(it.untyped_storage().data_ptr() == memory for it in given)


def errors(entry: Any, call: Call) -> str | None:
    """What PyTorch refuses is refused, with a typed error."""
    if entry.error_inputs_func is None:
        return None
    for error in entry.error_inputs("cpu"):
        sample = error.sample_input
        if issubclass(error.error_type, Warning):
            continue
        if _is_wider(entry, sample) or _is_out_on_purpose(entry, sample):
            continue
        try:
            args = [ours(it) for it in (sample.input, *sample.args)]
            kwargs = ours(dict(sample.kwargs))
        except NoCounterpartError:
            continue
        try:
            call(*args, **kwargs)
        except (gb.GarboardError, TypeError, ValueError, IndexError, NotImplementedError):
            continue
        except Exception as wrong:
            return _told(sample, f"untyped: {type(wrong).__name__}: {wrong}")
        return _told(sample, f"is taken; PyTorch: {error.error_regex[:80]}")
    return None


ASPECTS: dict[str, Callable[[Any, Call], str | None]] = {
    it.__name__: it
    for it in (
        forward,
        complex_numbers,
        strided,
        method,
        in_place,
        out,
        gradient,
        complex_gradient,
        second_gradient,
        errors,
    )
}
