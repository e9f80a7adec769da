"""Functions of one sample, made functions of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.given import list_of
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._contexts.blocks import block
from garboard._contexts.generator import get_rng_state, set_rng_state
from garboard._engine import ShapeError, Tensor
from garboard.autograd._function_ctx import open_batches
from garboard.func._batching.calls import BatchLevel, NotBatchedError
from garboard.func._batching.tensor import batch, hides_a_batch
from garboard.func._nest import leaves_of, rebuilt, returned
from garboard.func._replaced_parts import Parts, replaced_parts

if TYPE_CHECKING:
    from garboard.nn import Module

__all__ = ["stack_module_state", "vmap"]


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Make a function of batches from one of samples.

    It is called once, with samples that stand for all: each op computes all of them at once. What
    an op has no rule for is called for each sample. What differs between samples cannot decide
    what the function does next, as in `if x > 0`: that takes `gb.where`, or `chunk_size=1`.

    Args:
        func: Takes and returns tensors, or nests of them, without the batch's dim.
        in_dims: Which dim of each positional argument is the batch's: a number for all, or a nest
            like the arguments; None for what all samples share, as what is given by name is.
        out_dims: Where it stands in the results: a number for all, or a nest like these; None for
            what is the same for all samples, which may be any object.
        randomness: "same": all samples draw the same numbers. Else each draws its own.
        chunk_size: How many samples are computed at once, at most: all, by default.

    Returns:
        A function of batches.

    Raises:
        ShapeError: The batch has no or several sizes, or samples give results of several.
        TypeError: `func` cannot be called, or returns what is no tensor.
        ValueError: `in_dims` or `out_dims` fits no argument or result, or samples differ in what
            has to be one number: `bool(x)`, `x.item()`, `x.tolist()`.
        RuntimeError: Samples are written into a tensor that all of them share.

    >>> gb.func.vmap(gb.dot)(gb.ones(2, 3), gb.ones(2, 3))
    tensor([3., 3.])
    """
    op = "vmap"
    check.function(op, "func", func)
    same = check.choice(op, "randomness", randomness, "error", "same", "different") == "same"
    chunk = None if chunk_size is None else check.count(op, "chunk_size", chunk_size, 1)

    @wraps(func)
    def batched(*args: Any, **named: Any) -> Any:
        parts_of_program = replaced_parts() if chunk is None else None
        if parts_of_program is not None:
            return _by_parts(parts_of_program, func, in_dims, out_dims, same, args, named)
        spread = list(in_dims) if isinstance(in_dims, tuple) else in_dims
        dims = _spread(op, "in_dims", spread, args)
        leaves, shared = leaves_of(args), leaves_of(named)
        count = _count(op, leaves, dims)
        fronts = [
            it if dim is None else it.movedim(dim, 0) for it, dim in zip(leaves, dims, strict=True)
        ]
        step = max(count if chunk is None else min(chunk, count), 1)
        state = get_rng_state() if same else None
        results = []
        for begin in range(0, max(count, 1), step):
            if state is not None:
                set_rng_state(state)
            size = min(step, count - begin)
            parts = [
                it if dim is None or size == count else it.narrow(0, begin, size)
                for it, dim in zip(fronts, dims, strict=True)
            ]
            with _entered(BatchLevel(size, not same)) as level:
                given = [
                    it if dim is None else batch(it, level)
                    for it, dim in zip(parts, dims, strict=True)
                ]
                result = func(*rebuilt(args, given), **named)
                results.append(_revealed(op, result, level, out_dims, [*leaves, *shared]))
        return rebuilt(*results[0]) if len(results) == 1 else _joined(results, out_dims)

    return batched


def _by_parts(
    parts: Parts,
    func: Callable[..., Any],
    in_dims: Any,
    out_dims: Any,
    is_same: bool,
    args: tuple[Any, ...],
    named: dict[str, Any],
) -> Any:
    """What `vmap` gives by a program's own parts."""
    size, dims, leaves, spec = parts.taken_apart(in_dims, args, func)
    with _entered(BatchLevel(size, not is_same)) as level:
        given = parts.samples(dims, leaves, level.depth, spec)
        return parts.results(func(*given, **named), out_dims, level.depth, size, func)


@block
def _entered(level: BatchLevel) -> Iterator[BatchLevel]:
    """Have a level take over the calls of ops."""
    outer = open_batches.get()
    try:
        open_batches.set((*outer, level))
        with level:
            yield level
    finally:
        open_batches.set(outer)


def _revealed(
    op: str, result: Any, level: BatchLevel, out_dims: Any, given: list[Any]
) -> list[Any]:
    """What a function returned, and its leaves with the samples where they are wanted."""
    leaves = leaves_of(result)
    found: list[Any] = []
    scope = _engine.current_dispose_scope()
    for it, dim in zip(leaves, _out_dims(op, result, out_dims), strict=True):
        if dim is None and not is_really(it, Tensor):  # any object, the same for all samples
            found.append(it)
            continue
        if not is_really(it, Tensor):
            returned(op, leaves, len(found))
        if it.is_meta and not any(is_really(one, Tensor) and one.is_meta for one in given):
            raise NotBatchedError(
                f"{op}: a result without elements; something took a sample for a plain tensor"
            )
        if dim is None:
            if hides_a_batch(it, level):
                raise ArgumentError(
                    f"{op}: out_dims None for a result that each sample has its own of; the dim "
                    "that they are to lie along is needed"
                )
            found.append(it)
            continue
        value = it._value if hides_a_batch(it, level) else it.expand(level.size, *it.shape)
        value = value if dim == 0 else value.movedim(0, dim)
        found.append(value if scope is None else scope.attach(value))
    return [result, found]


def _out_dims(op: str, result: Any, out_dims: Any) -> list[int | None]:
    whole = isinstance(out_dims, tuple) and isinstance(result, tuple)
    if isinstance(out_dims, tuple) and len(out_dims) == 1 and is_really(result, Tensor):
        (out_dims,) = out_dims
    return _spread(op, "out_dims", list(out_dims) if whole else out_dims, result, of_all=True)


def _spread(op: str, name: str, dims: Any, nest: Any, *, of_all: bool = False) -> list[int | None]:
    """A dim for each leaf: numbers and None stand for all that is below their place, a number for
    tensors alone, unless it is `of_all`."""
    if dims is None or not isinstance(dims, (list, tuple, dict)):
        number = None if dims is None else check.integer(op, name, dims)
        return [number if of_all or is_really(it, Tensor) else None for it in leaves_of(nest)]
    if isinstance(dims, dict) and isinstance(nest, dict):
        if dims.keys() != nest.keys():
            raise ArgumentError(
                f"{op}: {name} holds the keys {shown([*dims])}; {shown([*nest])} are needed"
            )
        dims = {key: dims[key] for key in nest}  # by their keys, in whichever order they stand
    parts = list(nest.values()) if isinstance(nest, dict) else nest
    given = list(dims.values()) if isinstance(dims, dict) else dims
    if not isinstance(parts, (list, tuple)) or len(parts) != len(given):
        raise ValueError(
            f"{op}: {name} holds {len(given)} places; as many as there are, are needed"
        )
    return [
        dim
        for it, part in zip(given, parts, strict=True)
        for dim in _spread(op, name, it, part, of_all=of_all)
    ]


def _count(op: str, leaves: list[Any], dims: list[int | None]) -> int:
    sizes = set()
    for it, dim in zip(leaves, dims, strict=True):
        if dim is None:
            continue
        if not -it.ndim <= dim < it.ndim:
            raise ValueError(f"{op}: in_dims {dim} of a tensor of {it.ndim} dims")
        sizes.add(it.shape[dim])
    if len(sizes) != 1:
        raise ShapeError(f"{op}: batches of sizes {sorted(sizes)}; one size is needed")
    count: int = sizes.pop()
    return count


def _joined(chunks: list[Any], out_dims: Any) -> Any:
    """The results of chunks as those of the batch."""
    result = chunks[0][0]
    dims = _out_dims("vmap", result, out_dims)
    columns = zip(*(found for _, found in chunks), strict=True)
    joined = [
        column[0] if dim is None else _engine.cat(column, dim)
        for column, dim in zip(columns, dims, strict=True)
    ]
    return rebuilt(result, joined)


def stack_module_state(
    models: Sequence[Module],
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters and buffers of modules that are made alike.

    Args:
        models: Modules of one class and of parameters of the same sizes.

    Returns:
        Two dicts by name, of parameters and of buffers, each with the modules along a new first
        dim: new leaves, of which parameters require grad as theirs do.

    Raises:
        ValueError: No modules, or of several classes; or some are in training, or frozen, and
            some are not.
        TypeError: Something else.

    >>> parameters, buffers = gb.func.stack_module_state([gb.nn.Linear(2, 3) for _ in range(4)])
    >>> parameters["weight"].shape
    (4, 3, 2)
    """
    from garboard.nn import Module

    op = "stack_module_state"
    given = list_of(Module, op, "models", models, "modules")
    if not given:
        raise ArgumentError(f"{op}: no modules; at least one is needed")
    if len({type(it) for it in given}) != 1:
        raise ArgumentError(f"{op}: {len(given)} modules of different classes; one class is needed")
    if len({it.training for it in given}) != 1:
        raise ArgumentError(f"{op}: some of the modules are in training; all or none is needed")

    def stacked(named: list[dict[str, Any]]) -> dict[str, Tensor]:
        for name, first in named[0].items():
            if any(it[name].requires_grad != first.requires_grad for it in named):
                raise ArgumentError(
                    f"{op}: {shown(name)} requires grad in some modules; all or none is needed"
                )
        return {
            name: _engine.stack([it[name].detach() for it in named]).requires_grad_(
                first.requires_grad
            )
            for name, first in named[0].items()
        }

    return (
        stacked([dict(it.named_parameters()) for it in given]),
        stacked([dict(it.named_buffers()) for it in given]),
    )
