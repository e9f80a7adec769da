"""Derivatives along a direction, carried forward with a computation: dual numbers.

A dual is a primal whose direction is remembered. What is computed from it is recorded as anything
else; its tangent is worked out where it is asked for, by two passes back: u J is linear in u, and
its derivative times the directions is J v.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import GradientError, ShapeError, Tensor, ones_like, zeros_like
from garboard._names.missing import module_getattr
from garboard.autograd._passes import grad

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]


class UnpackedDualTensor(NamedTuple):
    """A primal, and its tangent: None where it depends on no dual."""

    primal: Tensor
    tangent: Tensor | None


class _Direction(NamedTuple):
    dual: Tensor
    tangent: Tensor
    is_recorded: bool  # whether the primal would be without duals, too


_levels: list[list[_Direction]] = []
# That of the innermost `func.jvp`, which knows its tangents beforehand, and that of a pass:
_calling: ContextVar[list[_Direction] | None] = ContextVar("calling", default=None)
_unpacking: ContextVar[list[_Direction] | None] = ContextVar("unpacking", default=None)


def enter_dual_level() -> int:
    """Open a level of duals; one at a time.

    Returns:
        Its number, 0.

    Raises:
        GradientError: One is open.

    >>> import garboard.autograd.forward_ad as fwAD
    >>> fwAD.enter_dual_level()
    0
    >>> fwAD.exit_dual_level()
    """
    _refuse_another("enter_dual_level")
    _levels.append([])
    return 0


def _refuse_another(op: str) -> None:
    if _levels:
        raise GradientError(
            f"{op}: a level is open; one at a time is needed: nest func.jvp() instead"
        )


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level and forget its directions.

    Args:
        level: None, or the number that `enter_dual_level` returned.

    Raises:
        GradientError: None is open, or another is named.

    >>> import garboard.autograd.forward_ad as fwAD
    >>> level = fwAD.enter_dual_level()
    >>> fwAD.exit_dual_level(level=level)
    """
    _innermost("exit_dual_level", level)
    _levels.pop().clear()  # calls of functions may hold the level


class dual_level(_engine._EndingBlock):
    """Let duals be made in a block; their directions are forgotten at its end.

    Raises:
        GradientError: A level is open already.

    >>> import garboard.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 0.0]))
    ...     fwAD.unpack_dual(x * x).tangent
    tensor([2., 0.])
    """

    if TYPE_CHECKING:

        def __enter__(self) -> int: ...  # type: ignore[override]

    def _enter(self, entry: list[list[_Direction]]) -> int:
        _refuse_another("dual_level")
        entry.append([])
        _levels.append(entry[0])
        return 0

    def _leave(
        self,
        entry: list[list[_Direction]] | None,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for level in check.unless_left("dual_level", entry):
            _levels[:] = [it for it in _levels if it is not level]


def _innermost(op: str, level: Any) -> list[_Direction]:
    if not _levels:
        raise GradientError(f"{op}: no level is open; a `with dual_level():` around it is needed")
    if level is not None and check.integer(op, "level", level) != 0:
        raise GradientError(f"{op}: level {shown(level)}; the open one is 0")
    return _levels[0]


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Return a view of a tensor that carries a direction.

    Args:
        tensor: Floating or complex.
        tangent: The direction, of its sizes, floating or complex.
        level: None, or that of the open level.

    Raises:
        GradientError: No level is open, the dtype has no gradient, or recording is off.
        ShapeError: The tangent has other sizes.
        ArgumentError: The tangent is neither floating nor complex.
        TypeError: What is no tensor.

    >>> import garboard.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(gb.tensor([3.0]), gb.tensor([1.0]))
    ...     fwAD.unpack_dual(x**2).tangent
    tensor([6.])
    """
    op = "make_dual"
    directions = _innermost(op, level)
    check.of_type(Tensor, op, "tensor", tensor)
    check.of_type(Tensor, op, "tangent", tangent)
    if tangent.shape != tensor.shape:
        raise ShapeError(
            f"{op}: a tensor of sizes {list(tensor.shape)}, a tangent of sizes "
            f"{list(tangent.shape)}; they must be alike"
        )
    if not tangent.is_floating_point() and not tangent.is_complex():
        raise ArgumentError(
            f"{op}: a tangent of dtype {tangent.dtype}; a floating or complex one is needed"
        )
    if not _engine.is_grad_enabled():
        raise GradientError(f"{op}: in a block without gradients; recording is needed")
    is_recorded = tensor.requires_grad
    dual = tensor.view_as(tensor) if is_recorded else tensor.detach().requires_grad_()
    directions.append(_Direction(dual, tangent, is_recorded))
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return a tensor, and its derivative along the directions of the duals it depends on.

    Its ops must have gradients that can be differentiated.

    Args:
        tensor: What was computed from duals, or one of them.
        level: None, or that of the open level.

    Returns:
        The primal, and the tangent, of its sizes; None where it depends on no dual, and the very
        one that it was made with where it is a dual itself. The primal is recorded as far as the
        tensors were that duals were made of. Where no level is open, the tensor itself, and None.

    Raises:
        GradientError: `level` is not that of the open one.
        TypeError: What is no tensor.

    >>> import garboard.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(gb.tensor([3.0]), gb.tensor([1.0]))
    ...     primal, tangent = fwAD.unpack_dual(2 * x)
    >>> primal, tangent
    (tensor([6.]), tensor([2.]))
    """
    op = "unpack_dual"
    check.of_type(Tensor, op, "tensor", tensor)
    if level is None and not _levels:  # so that programs can ask it of any tensor
        return UnpackedDualTensor(tensor, None)
    directions = _innermost(op, level)
    is_recorded = any(it.is_recorded for it in directions)
    primal = tensor.view_as(tensor) if is_recorded else tensor.detach()
    if not tensor.requires_grad or not directions:
        return UnpackedDualTensor(primal, None)
    found = _tangent(tensor, directions, is_recorded)
    return UnpackedDualTensor(primal, found)


def _tangent(tensor: Tensor, directions: list[_Direction], is_recorded: bool) -> Tensor | None:
    keeps = is_recorded or any(it.tangent.requires_grad for it in directions)
    with enable_grad():
        weights = ones_like(tensor).requires_grad_()  # at 0 a pass may leave something out
        with _passing(directions):
            products = grad(
                [tensor],
                [it.dual for it in directions],
                [weights],
                create_graph=True,
                allow_unused=True,
            )
        used = [
            (product, it)
            for product, it in zip(products, directions, strict=True)
            if product is not None
        ]
        if not used:
            return None
        if len(used) == 1 and used[0][1].dual is tensor:
            return used[0][1].tangent
        linear = [
            (product, it.tangent.to(product.dtype)) for product, it in used if product.requires_grad
        ]
        found: Tensor | None = None
        if linear:
            (found,) = grad(
                [product for product, _ in linear],
                [weights],
                [tangent for _, tangent in linear],
                create_graph=keeps,
                allow_unused=True,
            )
    return zeros_like(tensor) if found is None else found


@contextmanager
def _passing(directions: list[_Direction]) -> Iterator[None]:
    """Let passes of a block end at what has a tangent of its own."""
    before = _unpacking.set(directions)
    try:
        yield
    finally:
        _unpacking.reset(before)


class Carried:
    """The directions of a call of `func.jvp`, to which functions with a rule of their own add.

    Args:
        duals: What the call's function is given.
        tangents: Their directions.
        are_recorded: Whether each would be recorded without the call.
        is_of_batch: Whether they stand for samples of a `vmap` around the call: functions are
            called for one at a time, which has no tangent by itself.
    """

    def __init__(
        self,
        duals: Sequence[Tensor],
        tangents: Sequence[Tensor],
        are_recorded: Sequence[bool],
        is_of_batch: bool = False,
    ) -> None:
        given = zip(duals, tangents, are_recorded, strict=True)
        self._directions = [_Direction(*it) for it in given]
        self._count = len(self._directions)
        self._is_of_batch = is_of_batch

    @property
    def has_rules(self) -> bool:
        """Whether a function with a rule of its own has added to them."""
        return len(self._directions) > self._count

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Let functions of a block that have a `jvp` carry tangents; not those of a batch."""
        before = _calling.set(None if self._is_of_batch else self._directions)
        try:
            yield
        finally:
            _calling.reset(before)

    @contextmanager
    def passing(self) -> Iterator[tuple[list[Tensor], list[Tensor]]]:
        """Let passes of a block end at all duals, which it is given with their tangents."""
        with _passing(self._directions):
            yield [it.dual for it in self._directions], [it.tangent for it in self._directions]


def is_passed_over(level: object) -> bool:
    """Whether a pass is on for the tangents of a level: it ends at what `carry` gave tangents."""
    return level is not None and _unpacking.get() is level


def tangents_of(
    arguments: tuple[Any, ...],
) -> tuple[list[_Direction], list[Tensor | None]] | None:
    """The level that is open, and the tangents of what a function is about to be given.

    They are looked for before its forward, which may write into what it is given.

    Returns:
        None where no level is open, or no argument has a tangent.
    """
    level = _calling.get()
    if level is None:
        if not _levels:
            return None
        level = _levels[0]
    is_recorded = any(it.is_recorded for it in level)
    found = [
        _tangent(it, level, is_recorded) if is_really(it, Tensor) and it.requires_grad else None
        for it in arguments
    ]
    return None if all(it is None for it in found) else (level, found)


def _may_have_one(argument: Any) -> bool:
    """Whether there are tangents of it: it is a tensor, and not of integers."""
    return is_really(argument, Tensor) and (
        argument.dtype.is_floating_point or argument.dtype.is_complex
    )


def carry(
    name: str,
    rule: Callable[..., Any],
    ctx: Any,
    arguments: tuple[Any, ...],
    results: Sequence[Any],
    level: list[_Direction],
    found: list[Tensor | None],
) -> object:
    """Give the results of a function tangents by its own rule.

    Args:
        name: What errors call the function.
        rule: Its `jvp`.
        ctx: What the rule is given first.
        arguments: Those of forward.
        results: What forward returned, recorded.
        level: What `tangents_of` has found to be open.
        found: The tangents that it has found.

    Returns:
        The level, whose passes end at the results.

    Raises:
        TypeError: The rule returned something else than a tangent for each result, or None.
        ShapeError: A tangent has other sizes than its result.
    """
    is_recorded = any(it.is_recorded for it in level)
    if ctx._materializes:
        found = [
            zeros_like(it) if tangent is None and _may_have_one(it) else tangent
            for it, tangent in zip(arguments, found, strict=True)
        ]
    keeps = is_recorded or any(it is not None and it.requires_grad for it in found)
    made = rule(ctx, *found)
    moved = made if isinstance(made, tuple) else (made,)
    if len(moved) != len(results):
        raise TypeError(
            f"{name}.jvp: {len(moved)} tangents for {len(results)} results; one each is needed"
        )
    for result, tangent in zip(results, moved, strict=True):
        if not is_really(result, Tensor) or not result.requires_grad or tangent is None:
            continue
        check.of_type(Tensor, f"{name}.jvp", "tangent", tangent)
        if tangent.shape != result.shape:
            raise ShapeError(
                f"{name}.jvp: a tangent of sizes {list(tangent.shape)} for a result of sizes "
                f"{list(result.shape)}; they must be alike"
            )
        # What the rule reads requires grad because duals do, unless it would without them.
        level.append(_Direction(result, tangent if keeps else tangent.detach(), is_recorded))
    return level


if not TYPE_CHECKING:
    _missing = module_getattr(__name__)

    def __getattr__(name: str) -> Any:
        """Tell by PyTorch's private name which level of duals is open: 0, or -1."""
        return len(_levels) - 1 if name == "_current_level" else _missing(name)
