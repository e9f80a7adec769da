"""Functions that compute derivatives of functions.

Each call records the function on leaves of its own. Its results have a history where they are
computed inside another such call, or come of tensors that require grad, which are arguments or
which the function reads beside them, as a module's parameters: nowhere else.
"""

from __future__ import annotations

from contextlib import suppress
from functools import wraps
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.given import list_of
from garboard._contexts.grad_mode import inference_mode
from garboard._engine import GradientError, ShapeError, Tensor, is_grad_enabled
from garboard.func._batching.calls import NotBatchedError
from garboard.func._batching.tensor import is_batched_beyond
from garboard.func._levels import level
from garboard.func._nest import leaves_of, mapped, rebuilt
from garboard.func._runs import Function, Run, forward, run_of

__all__ = ["grad", "grad_and_value", "jvp", "linearize", "vjp"]


def grad_and_value(
    func: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Function:
    """Make a function that returns a function's gradient and its value.

    Args:
        func: Returns a tensor of one element; with `has_aux` a pair of it and anything else.
        argnums: For which positional argument, or arguments; each a tensor or a nest of them.
        has_aux: Whether `func` returns a pair.

    Returns:
        A function of the same arguments. It returns the gradient, in the argument's nest, and the
        value; with `has_aux` the gradient and the pair.

    Raises:
        TypeError: `func` cannot be called.
        ShapeError: When the new function is called: `func` did not return one element.
        GradientError: Likewise: it returned a complex number.

    >>> gb.func.grad_and_value(lambda x: x * x)(gb.tensor(3.0))
    (tensor(6.), tensor(9.))
    """
    op = "grad_and_value"
    check.function(op, "func", func)
    has_pair = check.flag(op, "has_aux", has_aux)

    @wraps(func)
    def derived(*args: Any, **named: Any) -> Any:
        with level() as at:
            run, is_one = run_of(op, func, argnums, has_pair, args, named, at)
            output = run.output
            if not isinstance(output, Tensor) or output.numel() != 1:
                raise ShapeError(f"{op}: the function did not return a tensor of one element")
            if output.is_complex():
                raise GradientError(
                    f"{op}: the function returned {output.dtype}; a real one has a gradient"
                )
            found = run.told(run.of_given(run.gradients([output], [_engine.ones_like(output)])))
            value = run.told((output, run.aux) if has_pair else output)
            return found[0] if is_one else tuple(found), value

    return derived


def grad(func: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Function:
    """Make a function that returns a function's gradient.

    Args:
        func: Returns a tensor of one element; with `has_aux` a pair of it and anything else.
        argnums: For which positional argument, or arguments; each a tensor or a nest of them.
        has_aux: Whether `func` returns a pair.

    Returns:
        A function of the same arguments. It returns the gradient, in the argument's nest; with
        `has_aux` also what else `func` returned.

    Raises:
        TypeError: `func` cannot be called.

    >>> gb.func.grad(gb.func.grad(gb.sin))(gb.tensor(0.5))
    tensor(-0.4794)
    """
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def derived(*args: Any, **named: Any) -> Any:
        found, value = both(*args, **named)
        return (found, value[1]) if has_aux else found

    return derived


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Call a function, and make another that multiplies vectors with its Jacobian.

    Args:
        func: Takes the primals; returns a tensor or a nest of them, with `has_aux` a pair of that
            and anything else.
        *primals: Tensors, or nests of them.
        has_aux: Whether `func` returns a pair.

    Returns:
        What `func` returned, and a function of one such nest, of v, that returns v J as a tuple
        of one for each primal; with `has_aux` also what else `func` returned. The function keeps
        the graph as long as it lives.

    Raises:
        TypeError: `func` cannot be called, or returns something else.
        ShapeError: When the new function is called: v has other sizes than what `func` returned.

    >>> value, back = gb.func.vjp(gb.exp, gb.zeros(2))
    >>> back(gb.tensor([1.0, 2.0]))
    (tensor([1., 2.]),)
    """
    op = "vjp"
    check.function(op, "func", func)
    has_pair = check.flag(op, "has_aux", has_aux)
    with level() as at:
        run = Run(op, func, list(primals), lambda parts: (parts, {}), has_pair, at, True, True)

    def back(cotangents: Any) -> tuple[Any, ...]:
        starts = list_of(Tensor, op, "the vector", leaves_of(cotangents), "Tensors")
        if [it.shape for it in starts] != [it.shape for it in run.outputs]:
            raise ShapeError(f"{op}: a vector of other sizes than what the function returned")
        with inference_mode(False):
            own, before = run, len(run.level.leaves)
            if any(is_batched_beyond(it, run.depth) for it in starts):
                with level(), suppress(NotBatchedError, ArgumentError):
                    own = run.again()
            own.keeps |= any(it.requires_grad for it in starts)
            made = run.told(run.of_given(own.gradients(own.outputs, starts)))
            if not run.level.is_nested:  # what was made for this call ends with it
                del run.level.leaves[before:]
        return tuple(made if is_grad_enabled() else mapped(Tensor.detach, made))

    return (run.told(run.output), back, *((run.told(run.aux),) if has_pair else ()))


def jvp(
    func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """Call a function, and multiply its Jacobian with a vector.

    Args:
        func: Takes the primals; returns a tensor or a nest of them, with `has_aux` a pair of that
            and anything else.
        primals: A tuple of tensors, or of nests of them.
        tangents: v, of the same sizes.
        strict: Raise where an output does not depend on the primals.
        has_aux: Whether `func` returns a pair.

    Returns:
        What `func` returned, and J v in the same nest; with `has_aux` also what else it returned.

    Raises:
        ShapeError: The tangents have other sizes.
        GradientError: `strict`, and an output does not depend on the primals.
        TypeError: `func` cannot be called, or an argument is something else.

    >>> gb.func.jvp(gb.square, (gb.tensor(3.0),), (gb.tensor(1.0),))
    (tensor(9.), tensor(6.))
    """
    op = "jvp"
    check.function(op, "func", func)
    has_pair = check.flag(op, "has_aux", has_aux)
    if not isinstance(primals, (list, tuple)) or not isinstance(tangents, (list, tuple)):
        raise TypeError(f"{op}: primals and tangents are tuples, one part an argument")
    vectors = list_of(Tensor, op, "tangents", leaves_of(tangents), "Tensors")
    with level() as at:
        parts = list(primals)
        run = Run(op, func, parts, lambda it: (it, {}), has_pair, at, True, tangents=vectors)
        if check.flag(op, "strict", strict) and not all(it.requires_grad for it in run.outputs):
            raise GradientError(f"{op}: an output does not depend on the primals")
        run.keeps |= any(it.requires_grad for it in vectors)
        moved = run.told(rebuilt(run.output, list(forward(run, vectors))))
        return (run.told(run.output), moved, *((run.told(run.aux),) if has_pair else ()))


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """Call a function, and make another that multiplies its Jacobian with vectors.

    Args:
        func: Takes the primals; returns a tensor or a nest of them.
        *primals: Tensors, or nests of them.

    Returns:
        What `func` returned, and a function of as many vectors that returns J v. It calls `func`
        again each time.

    Raises:
        TypeError: `func` cannot be called, or returns something else.

    >>> value, forward = gb.func.linearize(gb.square, gb.tensor(3.0))
    >>> forward(gb.tensor(2.0))
    tensor(12.)
    """
    check.function("linearize", "func", func)
    zeros = mapped(_engine.zeros_like, primals)
    return jvp(func, primals, zeros)[0], lambda *tangents: jvp(func, primals, tangents)[1]
