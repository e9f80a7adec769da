"""Functions that compute the derivatives of all outputs for all inputs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import wraps
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._engine import GradientError, Tensor
from garboard.func._batches import vmap
from garboard.func._batching.calls import NotBatchedError
from garboard.func._levels import level
from garboard.func._nest import rebuilt
from garboard.func._runs import Function, Run, forward, run_of

__all__ = ["hessian", "jacfwd", "jacrev"]

_AT_ONCE = 64 << 20  # bytes of the graphs of passes that go together


def jacrev(
    func: Function,
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Function:
    """Make a function that returns a function's Jacobian, by a pass back for each output element.

    The passes go together, as those of `vmap`: `func` is called once more for all of them. Where
    it cannot be, or one graph is large, they follow each other.

    Args:
        func: Returns a tensor or a nest of them; with `has_aux` a pair of that and anything else.
        argnums: For which positional argument, or arguments; each a tensor or a nest of them.
        has_aux: Whether `func` returns a pair.
        chunk_size: How many rows are computed at once, at most; by default as many as their
            graphs take 64 MiB for.

    Returns:
        A function of the same arguments. It returns, in the nest of the output and inside of it in
        that of the argument, tensors [*output's sizes, *input's sizes]; with `has_aux` also what
        else `func` returned.

    Raises:
        TypeError: `func` cannot be called.

    >>> gb.func.jacrev(gb.square)(gb.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    op = "jacrev"
    check.function(op, "func", func)
    has_pair = check.flag(op, "has_aux", has_aux)
    if chunk_size is not None:
        check.count(op, "chunk_size", chunk_size, 1)

    @wraps(func)
    def derived(*args: Any, **named: Any) -> Any:
        with level() as at:
            run, is_one = run_of(op, func, argnums, has_pair, args, named, at)
            found = _jacobian(run, is_one, chunk_size)
            return (found, run.told(run.aux)) if has_pair else found

    return derived


def _jacobian(run: Run, is_one: bool, chunk_size: int | None, is_along: bool = False) -> Any:
    """Each output's derivatives for each leaf, in the nests of the outputs and of what is given.

    Those that are to be as along directions have the dtype of the output, not that of the leaf.
    """

    def of_output(place: int) -> Any:
        output = run.outputs[place]
        rows = _rows(run, place, chunk_size) if output.requires_grad and output.numel() else None
        joined = [
            leaf.new_zeros((*output.shape, *leaf.shape))
            if rows is None
            else rows[i].view(*output.shape, *leaf.shape)
            for i, leaf in enumerate(run.leaves)
        ]
        parts = run.of_given([it.to(output.dtype) for it in joined] if is_along else joined)
        return run.told(parts[0] if is_one else tuple(parts))

    return rebuilt(run.output, [of_output(place) for place in range(len(run.outputs))])


def _rows(run: Run, place: int, chunk_size: int | None) -> list[Tensor]:
    """For each leaf, its gradient for each element of an output: of all together, or one by one."""
    output = run.outputs[place]
    count = output.numel()
    at_once = chunk_size or max(1, _AT_ONCE // max(run.nbytes, 1))
    if count > 2 and at_once > 2:
        starts = _engine.eye(count, dtype=output.dtype, device=output.device)

        def row(start: Tensor) -> list[Tensor]:
            again = run.again()
            again.keeps |= run.keeps
            return again.gradients([again.outputs[place]], [start])

        with suppress(NotBatchedError, ArgumentError):
            batches = vmap(row, chunk_size=min(at_once, count))
            found: list[Tensor] = batches(starts.view(count, *output.shape))
            return found
    each = [run.gradients([it], None) for it in output.reshape(-1)]
    return [_engine.stack([row[i] for row in each]) for i in range(len(run.leaves))]


def _columns(run: Run, is_one: bool, chunk_size: int | None, by_rules: bool) -> Any:
    """`_jacobian` from products with vectors: for each element of what is given, all together.

    Where rules of functions are asked, they are one by one: a rule may know no batches.
    """
    sizes = [it.numel() for it in run.leaves]
    dtype, device = run.leaves[0].dtype, run.leaves[0].device
    rows = _engine.eye(sum(sizes), dtype=dtype, device=device).split(sizes, 1)
    starts = [
        it.reshape(it.shape[0], *leaf.shape) for it, leaf in zip(rows, run.leaves, strict=True)
    ]

    def column(*tangents: Tensor) -> list[Tensor]:
        again = run.again()
        again.keeps |= run.keeps
        return list(forward(again, list(tangents)))

    at_once = chunk_size or max(1, _AT_ONCE // max(run.nbytes, 1))
    if by_rules:
        found = [_engine.stack(moved) for moved in zip(*_moved(run, starts), strict=True)]
    else:
        found = vmap(column, chunk_size=min(at_once, sum(sizes)))(*starts)

    def of_output(moved: Tensor, output: Tensor) -> Any:
        parts = moved.movedim(0, -1).split(sizes, -1)
        joined = run.of_given(
            [
                it.reshape(*output.shape, *leaf.shape)
                for it, leaf in zip(parts, run.leaves, strict=True)
            ]
        )
        return run.told(joined[0] if is_one else tuple(joined))

    pairs = zip(found, run.outputs, strict=True)
    return rebuilt(run.output, [of_output(moved, output) for moved, output in pairs])


def _moved(run: Run, starts: list[Tensor]) -> Iterator[list[Tensor]]:
    """The outputs' tangents for each row of `starts`, as rules of functions tell them."""
    for tangents in zip(*starts, strict=True):
        vectors = list(tangents)
        again = run.again(vectors)
        again.keeps |= run.keeps
        yield forward(again, vectors)


def jacfwd(
    func: Function,
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    chunk_size: int | None = None,
    randomness: str = "error",
) -> Function:
    """Make a function that returns a function's Jacobian, of few inputs and many outputs.

    By products with a vector for each input element, computed together; or as `jacrev`, where that
    is less work, or where the passes back of `func` have no derivatives. Where an
    `autograd.Function` with a `jvp` takes part, that is asked for each element, as by `func.jvp`.

    Args:
        func: Returns a tensor or a nest of them; with `has_aux` a pair of that and anything else.
        argnums: For which positional argument, or arguments; each a tensor or a nest of them.
        has_aux: Whether `func` returns a pair.
        chunk_size: How many products or rows are computed at once, at most; see `jacrev`.
        randomness: Heard, and not needed: all calls of `func` draw the same numbers.

    Returns:
        A function of the same arguments; see `jacrev`.

    Raises:
        TypeError: `func` cannot be called.

    >>> gb.func.jacfwd(gb.exp)(gb.zeros(1))
    tensor([[1.]])
    """
    op = "jacfwd"
    check.function(op, "func", func)
    has_pair = check.flag(op, "has_aux", has_aux)
    check.choice(op, "randomness", randomness, "error", "same", "different")
    if chunk_size is not None:
        check.count(op, "chunk_size", chunk_size, 1)

    @wraps(func)
    def derived(*args: Any, **named: Any) -> Any:
        with level() as at:
            run, is_one = run_of(op, func, argnums, has_pair, args, named, at, True)
            found = None
            inputs, outputs = (sum(it.numel() for it in them) for them in (run.leaves, run.outputs))
            alike = len({(it.dtype, it.device) for it in run.leaves}) == 1
            if alike and inputs and run.carried is not None and run.carried.has_rules:
                found = _columns(run, is_one, chunk_size, True)
            elif alike and 2 < inputs < outputs / 2 and 3 * run.nbytes < _AT_ONCE:
                with suppress(NotBatchedError, ArgumentError, GradientError, NotImplementedError):
                    found = _columns(run, is_one, chunk_size, False)
            if found is None:
                found = _jacobian(run, is_one, chunk_size, True)
            return (found, run.told(run.aux)) if has_pair else found

    return derived


def hessian(func: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """Make a function that returns a function's second derivatives.

    Args:
        func: Returns a tensor or a nest of them.
        argnums: For which positional argument, or arguments; each a tensor or a nest of them.

    Returns:
        A function of the same arguments. It returns the Jacobian of the Jacobian.

    Raises:
        TypeError: `func` cannot be called.

    >>> gb.func.hessian(lambda x: (x**3).sum())(gb.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    check.function("hessian", "func", func)
    return jacfwd(jacrev(func, argnums), argnums)
