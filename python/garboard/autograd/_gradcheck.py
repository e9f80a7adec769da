"""Gradients compared with differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from warnings import warn

from garboard._arguments.callers import level_of_caller
from garboard._arguments.check import flag, function, rate
from garboard._arguments.errors import NothingAsksError
from garboard._arguments.given import list_of
from garboard._arguments.layouts import is_really
from garboard._contexts.grad_mode import enable_grad, no_grad
from garboard._engine import (
    GradientError,
    Tensor,
    complex128,
    float64,
    randn,
    stack,
    zeros,
    zeros_like,
)
from garboard.autograd._gradcheck_along import compare_along
from garboard.autograd._gradcheck_parts import (
    DifferenceError,
    GradcheckError,
    Modes,
    check_near,
    check_same,
    numbers_of,
    outputs_of,
    parts_of,
    places_of,
)
from garboard.autograd._passes import grad
from garboard.autograd.forward_ad import dual_level, make_dual, unpack_dual

__all__ = ["gradcheck", "gradgradcheck"]

_Function = Callable[..., Any]
_Inputs = Tensor | Sequence[Any]


# PyTorch's checks that every run here makes, or none: backward passes alone tell of them.
_TAKEN = frozenset(
    (
        "check_batched_forward_grad",
        "check_batched_grad",
        "check_fwd_over_rev",
        "check_grad_dtypes",
        "check_rev_over_rev",
        "check_undefined_grad",
        "masked",
    )
)


def _modes(op: str, named: dict[str, Any]) -> Modes:
    modes = {"check_backward_ad": True, "check_forward_ad": False, "fast_mode": False}
    for name, value in named.items():
        if name in modes:
            modes[name] = flag(op, name, value)
        elif name not in _TAKEN:
            raise TypeError(f"{op}: it takes no argument of that name; PyTorch's are taken")
    return Modes(**modes)


def _checked(op: str, inputs: _Inputs) -> tuple[list[Any], list[Tensor]]:
    """Return the inputs, and those among them that ask for a gradient."""
    given = (
        [inputs] if is_really(inputs, Tensor) else list_of(object, op, "inputs", inputs, "anything")
    )
    asking = [it for it in given if is_really(it, Tensor) and it.requires_grad]
    if not asking:
        raise NothingAsksError(
            f"{op}: no input requires grad; set requires_grad_() on those to be checked"
        )
    for place, it in enumerate(asking):
        if it.dtype not in (float64, complex128):
            warn(
                f"{op}: input {place} of those that require grad is of dtype {it.dtype}, of whose "
                "differences few digits are right; use x.double(), or larger eps and atol",
                stacklevel=level_of_caller(),
            )
        if any(step == 0 and size > 1 for step, size in zip(it.stride(), it.shape, strict=True)):
            raise GradientError(
                f"{op}: input {place} of those that require grad meets elements more than once; "
                "give a clone()"
            )
    return given, asking


def _differences(
    op: str, func: _Function, given: list[Any], at: Tensor, eps: float
) -> list[Tensor]:
    """Return slopes for each output: [elements of one input, elements of the output]."""
    slopes = []
    moved = parts_of(at.detach())
    for place in places_of(moved):
        element = moved[place]
        before = element.clone()
        ends = []
        try:
            for step in (eps, -eps):
                element.copy_(before).add_(step)
                with enable_grad():  # the function may ask for gradients itself, as forces do
                    outputs = outputs_of(op, func, given)
                ends.append([numbers_of(it) for it in outputs])
        finally:
            element.copy_(before)
        slopes.append([a.sub_(b).div_(2 * eps) for a, b in zip(*ends, strict=True)])
    return [stack(of_one) for of_one in zip(*slopes, strict=True)]


def _gradients(output: Tensor, asking: list[Tensor]) -> Iterator[list[Tensor]]:
    """Yield, for each element of an output, the gradients for the inputs."""
    for place in places_of(output):
        start = zeros_like(output)
        start[place].fill_(1)
        found: tuple[Any, ...] = grad(
            output, asking, start, retain_graph=True, materialize_grads=True
        )
        for it, of in zip(found, asking, strict=True):
            if it.shape != of.shape:
                raise DifferenceError(
                    f"a gradient of sizes {it.shape} for an input of sizes {of.shape}"
                )
        yield [numbers_of(it) for it in found]


def _compare(
    op: str,
    func: _Function,
    given: list[Any],
    asking: list[Tensor],
    limits: dict[str, float],
    modes: Modes,
) -> None:
    if modes.fast_mode:
        compare_along(op, func, given, asking, limits, modes)
        return
    with no_grad():
        slopes = [_differences(op, func, given, it, limits["eps"]) for it in asking]
    if modes.check_forward_ad:
        for place, at in enumerate(asking):
            _compare_tangents(func, given, at, place, slopes[place], limits)
    if not modes.check_backward_ad:
        return
    with enable_grad():
        outputs = outputs_of(op, func, given)
    are_asked = any(it.requires_grad for it in outputs)
    for number, output in enumerate(outputs):
        if output.numel() == 0 or (are_asked and not output.requires_grad):
            continue
        if output.requires_grad:
            rows = list(_gradients(output, asking))
            for row, other in zip(rows, _gradients(output, asking), strict=True):
                check_same(row, other, limits["nondet_tol"])
        else:
            none = [zeros(parts_of(it.detach()).numel(), dtype=float64) for it in asking]
            rows = [none] * output.numel()
        for place, of_one in enumerate(zip(*rows, strict=True)):
            if asking[place].numel():
                check_near(number, place, stack(of_one), slopes[place][number].T, limits)


def _compare_tangents(
    func: _Function,
    given: list[Any],
    at: Tensor,
    place: int,
    slopes: list[Tensor],
    limits: dict[str, float],
) -> None:
    """Compare the tangents of the outputs, along each element of one input, with differences."""
    rows = []
    for element in places_of(parts_of(at.detach())):
        tangent = zeros_like(at)
        parts_of(tangent)[element] = 1
        with enable_grad(), dual_level():
            dual = make_dual(at, tangent)
            found = func(*[dual if it is at else it for it in given])
            outputs = found if isinstance(found, (tuple, list)) else [found]
            tensors = [it for it in outputs if is_really(it, Tensor)]
            floats = [it for it in tensors if it.is_floating_point() or it.is_complex()]
            moved = [(it, unpack_dual(it).tangent) for it in floats]
        rows.append([numbers_of(zeros_like(it) if by is None else by) for it, by in moved])
    for number, of_one in enumerate(zip(*rows, strict=True)):
        wanted = slopes[number]
        if wanted.numel():
            check_near(number, place, stack(of_one).T, wanted.T, limits, is_forward=True)


def gradcheck(
    func: Callable[..., Any],
    inputs: _Inputs,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    **named: Any,
) -> bool:
    """Compare the gradients of a function with differences of its values.

    df/dx_i = (f(x + eps e_i) - f(x - eps e_i)) / (2 eps), for each element of each input that
    requires grad and each element of each floating output that has a gradient, in turn. Complex
    numbers count as two, for their gradient is df/dx + i df/dy of x + iy. The inputs are written in
    place on the way, and put back.

    Args:
        func: Called with the inputs; it returns a tensor or a tuple of them.
        inputs: A tensor, or a tuple; those that require grad are float64 or complex128; others
            warn, for their differences lose half the digits.
        eps: How far to move an element.
        atol: How much gradients may be off.
        rtol: How much more, for each unit of the difference.
        raise_exception: False returns False where they are off.
        nondet_tol: How much two passes may differ.
        **named: PyTorch's other checks: `check_forward_ad=True` compares tangents, too, and
            `check_backward_ad=False` them alone. `fast_mode=True` compares along one random
            direction of each input and output, in one pass, and others change nothing.

    Returns:
        True, or False where they are off and `raise_exception` is False.

    Raises:
        GradcheckError: They are off, a GradientError as all that gradients raise.
        GradientError: There is no floating output.
        ValueError: No input requires grad, or a tolerance is negative.
        TypeError: The function cannot be called, or there is an unknown argument by name.

    >>> x = gb.tensor([0.5, 2.0], dtype=gb.float64, requires_grad=True)
    >>> gb.autograd.gradcheck(lambda x: x.exp() * x, x)
    True
    """
    return _gradcheck(
        "gradcheck", func, inputs, raise_exception, named, eps, atol, rtol, nondet_tol
    )


def _gradcheck(
    op: str,
    func: _Function,
    inputs: _Inputs,
    raises: bool,
    named: dict[str, Any],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
) -> bool:
    function(op, "func", func)
    modes = _modes(op, named)
    numbers = {"eps": eps, "atol": atol, "rtol": rtol, "nondet_tol": nondet_tol}
    limits = {name: float(rate(op, name, number)) for name, number in numbers.items()}
    given, asking = _checked(op, inputs)
    try:
        _compare(op, func, given, asking, limits, modes)
    except DifferenceError as found:
        if raises:
            raise GradcheckError(f"{op}: {found}") from None
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: _Inputs,
    grad_outputs: _Inputs | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    **named: Any,
) -> bool:
    """Compare second gradients with differences of the first, as `gradcheck` does the first.

    Args:
        func: Called with the inputs; it returns a tensor or a tuple of them.
        inputs: A tensor, or a tuple; those that require grad are float64 or complex128.
        grad_outputs: The gradients to start from, one a floating output, of its sizes; random ones
            by default.
        eps: How far to move an element.
        atol: How much gradients may be off.
        rtol: How much more, for each unit of the difference.
        gen_non_contig_grad_outputs: True makes random ones with gaps between their elements.
        raise_exception: False returns False where they are off.
        nondet_tol: How much two passes may differ.
        **named: As for `gradcheck`.

    Returns:
        True, or False where they are off and `raise_exception` is False.

    Raises:
        GradcheckError: They are off.
        GradientError: All that `gradcheck` raises it for.

    >>> x = gb.tensor([0.5, 2.0], dtype=gb.float64, requires_grad=True)
    >>> gb.autograd.gradgradcheck(lambda x: x.exp() * x, x)
    True
    """
    op = "gradgradcheck"
    function(op, "func", func)
    given, _ = _checked(op, inputs)
    starts: list[Tensor]
    if grad_outputs is None:
        with enable_grad():
            outputs = outputs_of(op, func, given)
        starts = [_random_like(it, gen_non_contig_grad_outputs) for it in outputs]
    else:
        starts = (
            [grad_outputs]
            if is_really(grad_outputs, Tensor)
            else list_of(Tensor, op, "grad_outputs", grad_outputs, "Tensors")
        )
    starts = [it if it.requires_grad else it.detach().clone().requires_grad_() for it in starts]
    count = len(given)

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        asking = [it for it in args[:count] if is_really(it, Tensor) and it.requires_grad]
        with enable_grad():
            found = [it for it in outputs_of(op, func, list(args[:count])) if it.requires_grad]
            if len(found) != len(starts):
                raise GradientError(
                    f"{op}: {len(starts)} grad_outputs for {len(found)} outputs that require grad; "
                    "one each is needed"
                )
            made = grad(found, asking, list(args[count:]), create_graph=True, allow_unused=True)
        return tuple(it for it in made if it is not None)

    return _gradcheck(
        op, gradients, [*given, *starts], raise_exception, named, eps, atol, rtol, nondet_tol
    )


def _random_like(output: Tensor, has_gaps: bool) -> Tensor:
    sizes = (*output.shape, 2) if has_gaps else output.shape
    made = randn(sizes, dtype=output.dtype, device=output.device)
    return (made.select(-1, 0) if has_gaps else made).requires_grad_()
